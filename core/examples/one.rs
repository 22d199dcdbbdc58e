fn main() { let a: Vec<String> = std::env::args().collect(); let f = standfast::audit(&[&a[1]], &a[2]); println!("{:?}", f); }
