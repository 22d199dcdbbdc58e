//! What a text looks like: compatibility forms, look-alikes, case and invisible characters folded away.
//!
//! [`skeleton`] serves comparison only (twins of a rule, imitations of our marks, cues written with foreign letters);
//! its result is never shown or stored. Accents fold too: for these uses `néver` is `never`.
//!
//! ```
//! # use standfast::text::skeleton::skeleton;
//! assert_eq!(skeleton("Nevеr"), "never"); // the second e is Cyrillic
//! assert_eq!(skeleton("ＥＮＤ\u{200b} 𝐂onstraints"), "end constraints");
//! ```

use std::sync::OnceLock;

use super::skeleton_table::{LOWER, RUNS, SEVERAL};

/// How one character folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// To one ASCII character, lower case.
    Ascii(char),
    /// To several ASCII characters.
    Text(&'static str),
    /// To nothing: it is not seen.
    Nothing,
    /// To itself in lower case.
    Other(char),
}

/// The skeleton of a text.
#[must_use]
pub fn skeleton(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match fold(c) {
            Folded::Ascii(c) => out.push(c),
            Folded::Text(text) => out.push_str(text),
            Folded::Nothing => {}
            Folded::Other(c) => out.push(lower(c)),
        }
    }
    out
}

/// The lower case of a character. The table of `std` weighs as much as the rest of this module.
pub(crate) fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let code = u32::from(c);
    let at = LOWER.partition_point(|(first, ..)| *first <= code);
    match at.checked_sub(1).and_then(|at| LOWER.get(at)) {
        Some((first, last, second, add)) if code <= *last && !(*second && (code - first) % 2 == 1) => {
            code.checked_add_signed(*add).and_then(char::from_u32).unwrap_or(c)
        }
        _ => c,
    }
}

/// A text in lower case, character by character.
#[must_use]
pub fn lowercase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(lower).collect() }
}

/// Whether a letter is a capital.
#[must_use]
pub fn is_capital(c: char) -> bool {
    lower(c) != c
}

/// Whether a letter is a small one of an alphabet that has capitals: Latin, Greek, Cyrillic, Armenian.
#[must_use]
pub fn is_small(c: char) -> bool {
    matches!(c, 'a'..='z' | '\u{b5}'..='\u{587}' | '\u{1e00}'..='\u{1fff}') && c.is_alphabetic() && !is_capital(c)
}

/// A character, and what it or the run from it on folds to.
type Row = (u32, &'static str);

struct Tables {
    runs: Vec<Row>,
    several: Vec<Row>,
}

/// The tables, read at the first use.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables { runs: rows(RUNS), several: rows(SEVERAL) })
}

fn rows(packed: &'static str) -> Vec<Row> {
    let (mut code, mut rows) = (0, Vec::new());
    for line in packed.lines() {
        let (gap, text) = line.split_once(' ').unwrap_or_default();
        code += u32::from_str_radix(gap, 16).unwrap_or_default();
        rows.push((code, text));
    }
    rows
}

/// Folds one character. Line breaks stay; every other space outside ASCII becomes a space.
#[must_use]
pub fn fold(c: char) -> Folded {
    if c.is_ascii() {
        return Folded::Ascii(c.to_ascii_lowercase());
    }
    if is_invisible(c) {
        return Folded::Nothing;
    }
    if matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') {
        return Folded::Other(c);
    }
    if c.is_whitespace() || c == '\u{2800}' {
        return Folded::Ascii(' ');
    }
    let code = u32::from(c);
    let Tables { runs, several } = tables();
    let at = runs.partition_point(|(start, _)| *start <= code);
    if let Some((start, folds)) = at.checked_sub(1).and_then(|at| runs.get(at)) {
        let offset = usize::try_from(code - start).unwrap_or(usize::MAX);
        if let Some(byte) = folds.as_bytes().get(offset).filter(|byte| **byte != b' ') {
            return Folded::Ascii(char::from(*byte));
        }
    }
    match several.binary_search_by_key(&code, |(code, _)| *code) {
        Ok(at) => several.get(at).map_or(Folded::Other(c), |(_, text)| Folded::Text(text)),
        Err(_) => Folded::Other(c),
    }
}

/// Zero-width, format and tag characters, variation selectors, soft hyphens, fillers and combining accents.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff9..=0xfffb | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff
        | 0x300..=0x36f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f)
}

/// Whether a text holds a character that reorders what is shown: an override, or an embedding or isolate that does not end
/// in its line. Those that do stand around names and numbers that were copied from elsewhere, and reorder nothing else.
#[must_use]
pub fn has_bidi_override(text: &str) -> bool {
    let (mut embedded, mut isolated) = (0_u32, 0_u32);
    for c in text.chars().filter(|c| !c.is_ascii() || c.is_ascii_control()) {
        let open = match c {
            '\u{202a}' | '\u{202b}' => embedded.checked_add(1).map(|n| embedded = n),
            '\u{202c}' => embedded.checked_sub(1).map(|n| embedded = n),
            '\u{2066}'..='\u{2068}' => isolated.checked_add(1).map(|n| isolated = n),
            '\u{2069}' => isolated.checked_sub(1).map(|n| isolated = n),
            '\u{202d}' | '\u{202e}' => None,
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => (embedded + isolated == 0).then_some(()),
            _ => Some(()),
        };
        if open.is_none() {
            return true;
        }
    }
    embedded + isolated > 0
}

/// What stands behind the black flag in the flags of England, Scotland and Wales, as tag characters.
const FLAGS: [&str; 3] = ["gbeng\u{7f}", "gbsct\u{7f}", "gbwls\u{7f}"];

/// Whether a text holds tag characters, which nobody sees and a model reads, other than those of a known flag.
#[must_use]
pub fn has_tag_characters(text: &str) -> bool {
    let tag = |c: char| u32::from(c).checked_sub(0xe0000).filter(|tag| *tag < 0x80).and_then(char::from_u32);
    if text.is_ascii() || !text.chars().any(|c| tag(c).is_some()) {
        return false;
    }
    let mut runs = text.split(|c| tag(c).is_none()).filter(|run| !run.is_empty());
    let known = runs.all(|run| FLAGS.contains(&run.chars().filter_map(tag).collect::<String>().as_str()));
    !known
        || text.match_indices(|c| tag(c).is_some()).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            before.is_none_or(|c| tag(c).is_none() && c != '\u{1f3f4}')
        })
}

/// Whether a text holds a control character other than tab and line feed (C0, DEL and C1 without NEL).
#[must_use]
pub fn has_control(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\u{85}'))
}

/// How many letters or ideographs a text has.
#[must_use]
pub fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_case_is_that_of_std_but_for_the_newest_letters() {
        let std = |c: char| c.to_lowercase().eq(std::iter::once(lower(c)));
        let other: Vec<char> = ('\u{80}'..=char::MAX).filter(|c| !std(*c)).collect();
        assert!(other.iter().all(|c| lower(*c) == *c), "{other:?}");
        assert!(other.len() < 100, "{other:?}");
        let small = |c: char| c.is_lowercase() && !is_small(c) || is_small(c) && !c.is_lowercase();
        let other: Vec<char> = ('\0'..'\u{587}').filter(|c| small(*c)).collect();
        // letters without case, and marks
        assert!(other.len() < 50, "{other:?}");
        assert_eq!(lowercase("Nächste ÜBUNG ΣΙΓΜΑ"), "nächste übung σιγμα");
    }

    #[test]
    fn ascii_only_loses_its_case() {
        assert_eq!(skeleton("## END\tConstraints\r\n"), "## end\tconstraints\r\n");
    }

    #[test]
    fn look_alikes_and_compatible_forms_fold_to_ascii() {
        for (text, seen) in [
            ("ＮＥＶＥＲ", "never"),
            ("𝐧𝐞𝐯𝐞𝐫 𝓷𝓮𝓿𝓮𝓻 𝚗𝚎𝚟𝚎𝚛", "never never never"),
            ("ⓝⓔⓥⓔⓡ", "never"),
            ("пеvег", "never"),
            ("nеvеr", "never"),
            ("ΝΕVΕR", "never"),
            ("Ꮇust ոot", "must not"),
            ("ﬁle oﬃce", "file office"),
            ("＃＃ END", "## end"),
            ("don’t", "don't"),
            ("–—−", "---"),
            ("naïve Über", "naive uber"),
            ("ſhall", "shall"),
        ] {
            assert_eq!(skeleton(text), seen, "{text}");
        }
    }

    #[test]
    fn what_is_not_seen_is_not_there() {
        assert_eq!(skeleton("n\u{200b}e\u{ad}v\u{2060}e\u{fe0f}r\u{e0041}"), "never");
        assert_eq!(skeleton("n\u{301}ever"), "never");
    }

    #[test]
    fn spaces_become_spaces_and_line_breaks_stay() {
        assert_eq!(skeleton("a\u{a0}b\u{3000}c\u{2028}d\u{85}é"), "a b c\u{2028}d\u{85}e");
    }

    #[test]
    fn other_letters_pass_in_lower_case() {
        assert_eq!(skeleton("ЖЮ 中文 ทดสอบ"), "жю 中文 ทดสอบ");
    }

    #[test]
    fn tables_are_sorted_and_fold_to_plain_lower_case() {
        let Tables { runs, several } = tables();
        assert!(runs.windows(2).all(|pair| pair[0].0 + u32::try_from(pair[0].1.len()).unwrap() <= pair[1].0));
        assert!(several.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(runs.iter().chain(several).all(|(_, text)| text.is_ascii() && text.to_ascii_lowercase() == *text));
    }

    #[test]
    fn hidden_characters_are_found() {
        assert!(has_bidi_override("a\u{202e}b") && !has_bidi_override("aé"));
        assert!(has_tag_characters("a\u{e0041}b") && !has_tag_characters("aé"));
        assert!(has_control("a\u{1b}[1m") && !has_control("a\tb\nc"));
        assert_eq!((letters("a1 b-中é"), letters("123")), (4, 0));
    }
}
