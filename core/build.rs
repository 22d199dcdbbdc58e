//! Packs the word lists: what is one text file a list for whoever reads and changes them is one sorted vocabulary in the
//! library, in which each word stands once, without the letters that it shares with the one before it.
//!
//! The packed form, which `text/vocabulary.rs` reads: for each list its number of lines, in two bytes; the words, each behind
//! the number of bytes that it shares, plus one; a zero; and for each word the lines it stands in.

#![expect(clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "a build script: what is wrong has to stop the build")]

use std::collections::BTreeMap;
use std::path::Path;

/// The lists in the order of their numbers, and whether a line begins with a name.
const LISTS: &[(&str, bool)] = &[
    ("src/triage/classify/words.txt", true),
    ("src/check/lexicon.txt", false),
    ("src/text/frame/lexicon.txt", true),
    ("src/text/frame/contrasts.txt", false),
    ("src/text/frame/synonyms.txt", true),
];

/// A line number of one byte lies below this.
const WIDE: usize = 224;
/// The word is the name of the line.
const NAME: u8 = 254;
/// The word stands in one more line.
const MORE: u8 = 255;

fn main() {
    let (mut counts, mut lines) = (Vec::new(), 0_usize);
    let mut words: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
    for (path, named) in LISTS {
        println!("cargo:rerun-if-changed={path}");
        let text = std::fs::read_to_string(path).expect("a word list");
        let before = lines;
        for line in text.lines() {
            for (at, word) in line.split(' ').enumerate() {
                words.entry(word.to_owned()).or_default().push((lines, *named && at == 0));
            }
            lines += 1;
        }
        counts.extend(u16::try_from(lines - before).expect("a short list").to_le_bytes());
    }
    let (mut packed, mut places, mut last) = (counts, Vec::new(), "");
    for (word, stands) in &words {
        if word.is_empty() || word.bytes().any(|byte| byte <= b' ') {
            panic!("a word list has one space between its words, and no empty line");
        }
        let shared = word.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count().min(usize::from(b' ') - 2);
        packed.push(u8::try_from(shared + 1).expect("less than a space"));
        packed.extend(word.bytes().skip(shared));
        for (at, (line, name)) in stands.iter().enumerate() {
            places.extend((at + 1 < stands.len()).then_some(MORE));
            places.extend(name.then_some(NAME));
            let wide = line.checked_sub(WIDE).map(|over| [over / 256 + WIDE, over % 256]);
            let number = wide.as_ref().map_or(std::slice::from_ref(line), <[usize; 2]>::as_slice);
            places.extend(number.iter().map(|part| u8::try_from(*part).expect("a line number")));
        }
        last = word;
    }
    packed.push(0);
    packed.extend(places);
    let folder = std::env::var_os("OUT_DIR").expect("cargo's folder");
    std::fs::write(Path::new(&folder).join("vocabulary.bin"), packed).expect("a file in cargo's folder");
}
