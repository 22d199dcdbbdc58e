//! The scan as it is defined: character by character, every recognizer asked about every piece. What is fast must find the
//! same.

#![expect(clippy::string_slice, reason = "a test says what it expects")]

use proptest::prelude::*;

use super::kinds::{kind_of, kind_of_slowly, number, number_slowly};
use super::made::{atom_at, leading_marks, without_trailing};
use super::{Kind, MAX_PIECE, Made, Scan, identifiers, phrase, scheme_start, url_length};

fn atom_char(c: char) -> bool {
    let joins = "_-./\\:@#%+~&=?$*|£€¥°".contains(c);
    joins || (c < '\u{590}' && c.is_alphanumeric())
}

fn atom_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut chars = text[at..].chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let grouping = c == ',' && before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        if !atom_char(c) && !grouping {
            break;
        }
        end += c.len_utf8();
        before = c;
    }
    end
}

const TRAILING: [char; 17] = ['.', ',', ':', ';', '!', '?', '-', '=', '&', '*', '+', '@', '#', '\\', '~', '|', '$'];

fn leading(piece: &str) -> usize {
    let inner = piece.trim_start_matches([':', ',', '=', '?', '&', '@', '*', '%', '|']);
    let unsigned = inner.trim_start_matches(['-', '+']);
    let signs = inner.len() - unsigned.len();
    let number = unsigned.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '£' | '€' | '¥'));
    piece.len() - unsigned.len() - usize::from(signs == 1 && number)
}

/// Where a piece is cut, and of what its inner part must have something.
const SEPARATORS: [(&[char], &str); 4] = [
    (&['=', '?', '&', '|', '\\', ','], "=?&|\\,%+*~$\"'`<>()[]{}!; "),
    (&[':'], ":"),
    (&['@', '#', '+', '*'], "@#=?&|,%+*~$\"'`<>()[]{}!; "),
    (&['/'], "/"),
];

fn pieces(scan: &mut Scan<'_>, start: usize, end: usize, level: usize) {
    let raw = &scan.text[start..end];
    let piece = raw.trim_end_matches(TRAILING);
    let inner = &piece[leading(piece)..];
    if inner.chars().all(|c| c.is_ascii_alphabetic() || !c.is_ascii()) && !inner.ends_with("file") {
        return;
    }
    for candidate in [inner, inner.trim_start_matches(['$', '#', '.', '_'])] {
        if let Some(kind) = kind_of_slowly(candidate) {
            let from = start + (piece.len() - candidate.len());
            let before = &scan.text[..from];
            let entity = kind == Kind::Ticket && before.ends_with('&');
            let per = kind == Kind::Path && candidate.starts_with('/') && before.ends_with(char::is_alphanumeric);
            if !entity && !per {
                scan.add(kind, from, from + candidate.len());
            }
            return;
        }
    }
    let mut levels = SEPARATORS.iter().enumerate().skip(level);
    let Some((level, (separators, _))) = levels.find(|(_, (_, made_of))| inner.contains(|c| made_of.contains(c))) else { return };
    let (mut from, mut skip_escape) = (start, false);
    for (offset, c) in raw.char_indices() {
        if std::mem::take(&mut skip_escape) && "nrt\\".contains(c) {
            from = start + offset + c.len_utf8();
        } else if separators.contains(&c) {
            pieces(scan, from, start + offset, level + 1);
            from = start + offset + c.len_utf8();
            skip_escape = c == '\\';
        }
    }
    pieces(scan, from, end, level + 1);
}

fn atom(scan: &mut Scan<'_>, at: usize) -> usize {
    let text = scan.text;
    let end = atom_end(text, at);
    if end - at > MAX_PIECE {
        return end;
    }
    if let Some((kind, phrase_end)) = phrase::at_slowly(text, at, end) {
        scan.add(kind, at + leading(&text[at..end]), phrase_end);
        return phrase_end;
    }
    let mut from = at;
    while let Some(found) = text.get(from..end).and_then(|atom| atom.find("://")) {
        let mark = from + found;
        let start = scheme_start(&text[from..mark]) + from;
        let url_end = mark + 3 + url_length(&text[mark + 3..]);
        if start == mark || url_end == mark + 3 {
            from = mark + 3;
            continue;
        }
        pieces(scan, from, start, 0);
        scan.add(Kind::Url, start, url_end);
        from = url_end;
    }
    if from < end && !(from == at && text[..at].ends_with('<')) {
        pieces(scan, from, end, 0);
    }
    end.max(from)
}

fn slowly(text: &str) -> Scan<'_> {
    let mut scan = Scan { text, found: Vec::new() };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = match c {
            '`' => scan.code_span(at),
            '"' | '\'' => scan.quoted_path(at),
            _ if atom_char(c) => atom(&mut scan, at),
            _ => at + c.len_utf8(),
        };
    }
    scan
}

/// Text with much that identifiers are made of.
fn crowded() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ \\n,.:;/\\\\@#_=&?*+$%|~\"'`<>()£é°\u{a0}\u{2028}中-]{1,2}",
        4 => "[a-zA-Z]{1,6}",
        4 => "[0-9]{1,4}",
        1 => "[0-9a-f]{7,12}",
        3 => prop::sample::select(vec![
            "GBP", "Mar", "march", "port", "Port", "rows", "million", "file", "Dockerfile", "Makefile", "://", "https://x.io/a?b=1", "\\n",
            "C:\\x", "\\\\srv\\a", "a@b.io", "10.0.0.1", "2026-03-12", "10:30", "src/a.py", "GET_IT", "eu-west-2", "st", "5 mg", "1,250",
            "x.csv", "fe80::1:2", "v1.2.3", "T10:00", "#12", "get()", "acme.io:80", "-5%", "desk.\\nthe", "':12,'",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

#[test]
fn letters_and_digits_alone_are_what_their_table_says() {
    for length in 0..=MAX_PIECE + 1 {
        let (digits, letters) = ("7".repeat(length), "x".repeat(length));
        assert_eq!(kind_of(&digits), kind_of_slowly(&digits), "{length}");
        assert_eq!((kind_of(&letters), kind_of_slowly(&letters)), (None, None), "{length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_fast_scan_finds_what_the_slow_one_finds(text in crowded()) {
        prop_assert_eq!(identifiers(&text), slowly(&text).found);
    }

    #[test]
    fn no_recognizer_is_passed_over(piece in crowded()) {
        prop_assert_eq!(kind_of(&piece), kind_of_slowly(&piece));
        for word in piece.split([' ', '\n', '"', '(']) {
            prop_assert_eq!(kind_of(word), kind_of_slowly(word), "{}", word);
        }
    }

    #[test]
    fn an_atom_and_its_punctuation_are_the_same_byte_by_byte(text in "[a1,.:;!?=&*+@#$\\\\~|%£€é中 -]{0,10}") {
        let (end, made) = atom_at(&text, 0);
        prop_assert_eq!((end, made), (atom_end(&text, 0), Made::of(&text[..end])));
        prop_assert_eq!(without_trailing(&text), text.trim_end_matches(TRAILING));
        prop_assert_eq!(leading_marks(&text), leading(&text));
    }

    #[test]
    fn a_number_is_one_byte_by_byte(text in "[0-9]{0,4}([,_.x][0-9]{0,4}){0,3}") {
        prop_assert_eq!(number(&text), number_slowly(&text));
    }
}
