//! The word lists, as texts.
//!
//! They are packed into one vocabulary by `core/build.rs`, which says how, and unpacked at the first use. A line is as it
//! stands in its file, but for the order of its words behind the name.

use std::sync::OnceLock;

/// A line number of one byte lies below this.
const WIDE: usize = 224;
/// The word is the name of the line.
const NAME: u8 = 254;
/// The word stands in one more line.
const MORE: u8 = 255;

/// A word list.
#[derive(Clone, Copy)]
pub(crate) enum List {
    /// `triage/classify/words.txt`
    Classes,
    /// `check/lexicon.txt`
    Checks,
    /// `text/frame/lexicon.txt`
    Cues,
    /// `text/frame/contrasts.txt`
    Contrasts,
    /// `text/frame/synonyms.txt`
    Synonyms,
}

/// How many there are.
const LISTS: usize = 5;

/// The text of a list.
pub(crate) fn list(which: List) -> &'static str {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(unpacked).get(which as usize).map(String::as_str).unwrap_or_default()
}

/// Where a word stands.
struct Place {
    line: usize,
    name: bool,
    more: bool,
}

fn next_place(bytes: &mut dyn Iterator<Item = u8>) -> Place {
    let mut place = Place { line: 0, name: false, more: false };
    for byte in &mut *bytes {
        match byte {
            MORE => place.more = true,
            NAME => place.name = true,
            byte => {
                place.line = usize::from(byte);
                break;
            }
        }
    }
    if place.line >= WIDE {
        place.line += (place.line - WIDE) * 255 + usize::from(bytes.next().unwrap_or_default());
    }
    place
}

fn unpacked() -> Vec<String> {
    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.bin"));
    let (counts, packed) = packed.split_at(2 * LISTS);
    let mut parts = packed.splitn(2, |byte| *byte == 0);
    let mut letters = parts.next().unwrap_or_default().iter().peekable();
    let mut places = parts.next().unwrap_or_default().iter().copied();
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut word = Vec::new();
    while let Some(shared) = letters.next() {
        word.truncate(usize::from(shared.saturating_sub(1)));
        while let Some(letter) = letters.next_if(|letter| **letter > b' ') {
            word.push(*letter);
        }
        loop {
            let place = next_place(&mut places);
            if lines.len() <= place.line {
                lines.resize(place.line + 1, Vec::new());
            }
            if let Some(line) = lines.get_mut(place.line) {
                let mut next = vec![b' '];
                next.extend_from_slice(&word);
                if place.name {
                    std::mem::swap(line, &mut next);
                }
                line.append(&mut next);
            }
            if !place.more {
                break;
            }
        }
    }
    let mut lines = lines.iter();
    let mut texts = Vec::new();
    for count in counts.chunks_exact(2) {
        let mut text = Vec::new();
        for line in lines.by_ref().take(usize::from(count.iter().rev().fold(0_u16, |all, byte| all << 8 | u16::from(*byte)))) {
            text.extend(line.get(1..).unwrap_or_default());
            text.push(b'\n');
        }
        texts.push(String::from_utf8(text).unwrap_or_default());
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_what_their_files_say() {
        for (which, file) in [
            (List::Classes, include_str!("../triage/classify/words.txt")),
            (List::Checks, include_str!("../check/lexicon.txt")),
            (List::Cues, include_str!("frame/lexicon.txt")),
            (List::Contrasts, include_str!("frame/contrasts.txt")),
            (List::Synonyms, include_str!("frame/synonyms.txt")),
        ] {
            let named = !matches!(which, List::Checks | List::Contrasts);
            let lines = |text: &'static str| -> Vec<Vec<&str>> {
                let line = |line: &'static str| {
                    let mut words: Vec<&str> = line.split(' ').collect();
                    words[usize::from(named)..].sort_unstable();
                    words
                };
                text.lines().map(line).collect()
            };
            assert_eq!(lines(list(which)), lines(file));
            assert!(list(which).ends_with('\n'));
        }
    }
}
