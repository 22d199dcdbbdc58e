//! Reads JSON strings, one a line, and prints `estimate upper` for each. Used by `bench/tokens.py`.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "an example may read and write; the core may not")]

use std::io::BufRead;

use standfast::tokens;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        println!("{} {}", tokens::estimate(&text), tokens::upper(&text));
    }
    Ok(())
}
