//! The cues of directives in eight languages: two plain texts, read once.
//!
//! A line of `cues.txt` is a class and its entries; `=xx` begins a language with its small words. `_` is a space, `*` leaves
//! the end open. Scripts without word gaps are matched wherever an entry stands. A line of `weights.txt` is a feature, or two
//! joined by `&`, and what it counts.

use std::sync::OnceLock;

use crate::text::frame::{Table, hash, packed};
use crate::text::words::each_word;

/// The small words of a language: they tell which it is.
pub(super) const SMALL: u8 = u8::MAX;
/// Where the hash of a word begins.
const BASIS: u32 = 0x811c_9dc5;

struct Entry {
    text: &'static str,
    language: u8,
    class: u8,
    open: bool,
}

/// A cue that stands in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) language: u8,
    pub(super) class: u8,
}

pub(super) struct Lexicon {
    entries: Vec<Entry>,
    /// Entries by the hash of their first word or character.
    firsts: Table,
    /// Which hashes are among them, by their first 16 bits: most words of a text are not.
    begun: Vec<u64>,
    /// Lengths of words with an open end, as bits.
    lengths: u32,
    pub(super) classes: Vec<&'static str>,
    /// Their hashes.
    names: Vec<u32>,
    pub(super) languages: Vec<&'static str>,
}

/// The first word of an entry, or its first character in other scripts.
fn first(text: &str) -> &str {
    let word = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let wide = text.chars().next().map_or(0, char::len_utf8);
    text.get(..if word > 0 { word } else { wide }).unwrap_or_default()
}

pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let mut all = Lexicon {
            entries: Vec::with_capacity(1 << 12),
            firsts: Table::of(Vec::new()),
            begun: vec![0; 1 << 10],
            lengths: 0,
            classes: Vec::new(),
            names: Vec::new(),
            languages: Vec::new(),
        };
        let mut rows = Vec::new();
        let mut class = 0;
        each_word(include_str!("cues.txt"), &mut |begins, part| {
            if begins {
                class = if let Some(language) = part.strip_prefix('=') {
                    all.languages.push(language);
                    SMALL
                } else {
                    all.class(part).unwrap_or_else(|| {
                        all.names.push(hash(part));
                        all.classes.push(part);
                        all.classes.len() - 1
                    }) as u8
                };
                return;
            }
            let open = part.ends_with('*');
            let text = part.strip_suffix('*').unwrap_or(part);
            if open && !text.contains('_') {
                all.lengths |= 1 << text.len().min(31);
            }
            let key = hash(first(text));
            if let Some(bits) = all.begun.get_mut((key >> 22) as usize) {
                *bits |= 1 << (key >> 16 & 63);
            }
            rows.push(packed(key, all.entries.len()));
            let language = all.languages.len().saturating_sub(1) as u8;
            all.entries.push(Entry { text, language, class, open });
        });
        all.firsts = Table::of(rows);
        all
    })
}

impl Lexicon {
    /// The cues of all languages in a folded text, in order.
    #[cfg_attr(standfast_hot, optimize(speed), inline(never))]
    pub(super) fn hits(&self, text: &str) -> Vec<Hit> {
        let mut out = Vec::with_capacity(16);
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            let mut end = at + 1;
            if byte >= 0x80 {
                end = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                self.look(text, at, hash(text.get(at..end).unwrap_or_default()), false, &mut out);
            } else if byte.is_ascii_alphanumeric() {
                end = at;
                let mut key = BASIS;
                while let Some(byte) = bytes.get(end).filter(|byte| byte.is_ascii_alphanumeric()) {
                    key = (key ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
                    end += 1;
                    if end - at < 31 && self.lengths >> (end - at) & 1 != 0 {
                        self.look(text, at, key, true, &mut out);
                    }
                }
                self.look(text, at, key, false, &mut out);
            }
            at = end;
        }
        out
    }

    /// The entries of a first word that stand at a place.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn look(&self, text: &str, at: usize, key: u32, open: bool, out: &mut Vec<Hit>) {
        if self.begun.get((key >> 22) as usize).is_none_or(|bits| bits >> (key >> 16 & 63) & 1 == 0) {
            return;
        }
        for row in self.firsts.rows(key) {
            let Some(entry) = self.entries.get(row) else { continue };
            if (entry.open && !entry.text.contains('_')) != open || !text.get(at..).is_some_and(|rest| rest.starts_with(entry.text)) {
                continue;
            }
            let end = at + entry.text.len();
            let inside = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
            if entry.open || !inside(end) || !inside(end - 1) {
                out.push(Hit { start: at, end, language: entry.language, class: entry.class });
            }
        }
    }

    pub(super) fn class(&self, name: &str) -> Option<usize> {
        let name = hash(name);
        self.names.iter().position(|known| *known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::skeleton::skeleton;

    #[test]
    fn classes_are_found_by_their_hashes() {
        for (at, name) in lexicon().classes.iter().enumerate() {
            assert_eq!(lexicon().class(name), Some(at));
        }
    }

    #[test]
    fn entries_are_in_the_form_they_are_looked_for() {
        for entry in &lexicon().entries {
            assert_eq!(skeleton(entry.text), entry.text);
            assert!(!entry.text.is_empty(), "{}", entry.class);
        }
        assert_eq!(lexicon().languages, ["en", "de", "fr", "es", "pt", "zh", "ja", "ko"]);
    }

    #[test]
    fn cues_are_found_at_words_and_inside_of_scripts_without_gaps() {
        let found = |text: &str| -> Vec<(String, &str)> {
            let name = |hit: &Hit| lexicon().classes.get(usize::from(hit.class)).copied().unwrap_or("small");
            lexicon().hits(text).iter().map(|hit| (text.get(hit.start..hit.end).unwrap().to_owned(), name(hit))).collect()
        };
        assert!(found("from_now_on").contains(&("from_now".to_owned(), "term")));
        assert!(found("allergies").contains(&("allerg".to_owned(), "health")));
        assert!(!found("whenevers").iter().any(|(_, class)| *class == "cond"));
        assert!(found("请以后别写").contains(&("以后".to_owned(), "term")));
    }
}
