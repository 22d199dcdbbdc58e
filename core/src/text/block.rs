//! What a line begins in Markdown. Each question is about one trimmed line.

/// Whether a text opens onto what stands below it.
pub(super) fn ends_open(text: &str) -> bool {
    let bare = text.trim_end_matches(['*', '_', ' ']);
    bare.ends_with([':', '：']) || (text.starts_with("**") && text.ends_with("**") && text.len() < 200 && !text.contains(['\n', '.']))
}

pub(super) fn fence_mark(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let info = line.trim_start_matches(mark);
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

/// The line without the characters of no width before its first visible one.
pub(super) fn seen(line: &str) -> &str {
    line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}'))
}

/// Where a fence opens in the middle of a line: the last run of backticks, if what it opens is not closed in the line.
pub(super) fn fence_inside(line: &str) -> Option<usize> {
    if !line.contains('`') {
        return None;
    }
    let mut last = None;
    let mut open = false;
    for (at, _) in line.match_indices("```") {
        // A run of more than five is one mark.
        if last.is_some_and(|last| at == last + 3 && open) {
            continue;
        }
        open = !open;
        last = Some(at);
    }
    last.filter(|at| open && *at > 0 && line.get(*at..).is_some_and(|rest| fence_mark(rest).is_some()))
}

pub(super) fn heading_level(line: &str) -> Option<u8> {
    let level = line.bytes().take(7).take_while(|b| *b == b'#').count();
    let follows = line.as_bytes().get(level);
    let level = u8::try_from(level).ok().filter(|level| (1..=6).contains(level))?;
    matches!(follows, None | Some(b' ' | b'\t')).then_some(level)
}

pub(super) fn is_rule(line: &str) -> bool {
    let mut chars = line.chars().filter(|c| !c.is_whitespace());
    let Some(mark) = chars.next().filter(|c| matches!(c, '-' | '*' | '_' | '=' | '─' | '━' | '═')) else { return false };
    let mut count = 1;
    chars.all(|c| {
        count += 1;
        c == mark
    }) && count >= 3
}

/// Width of a list mark with the space behind it, and whether it numbers.
pub(super) fn list_mark(line: &str) -> Option<(usize, bool)> {
    let mut chars = line.char_indices();
    let (_, first) = chars.next()?;
    let (width, ordered) = match first {
        '-' | '*' | '+' | '•' | '‣' | '◦' | '·' | '–' => (first.len_utf8(), false),
        '0'..='9' => {
            let digits = line.bytes().take(10).take_while(u8::is_ascii_digit).count();
            matches!(line.as_bytes().get(digits), Some(b'.' | b')')).then_some((digits + 1, true)).filter(|_| digits < 10)?
        }
        'a'..='z' | 'A'..='Z' if line.as_bytes().get(1) == Some(&b')') => (2, true),
        _ => return None,
    };
    let rest = line.get(width..)?;
    let gap = rest.len() - rest.trim_start().len();
    (gap > 0 || rest.is_empty()).then_some((width + gap, ordered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_from_words_that_look_like_them() {
        assert_eq!((list_mark("- a"), list_mark("12) a"), list_mark("b) x")), (Some((2, false)), Some((4, true)), Some((3, true))));
        assert!(list_mark("-5 degrees").is_none() && list_mark("2026 was").is_none() && list_mark("a. x").is_none());
        assert_eq!((heading_level("### x"), heading_level("#tag"), heading_level("####### x")), (Some(3), None, None));
        assert!(is_rule("* * *") && is_rule("---") && !is_rule("--") && !is_rule("-- x"));
        assert!(fence_mark("```rust").is_some() && fence_mark("```x```").is_none() && fence_mark("``").is_none());
        assert!(ends_open("Do not:") && ends_open("**Never:**") && ends_open("**Limits**") && !ends_open("Done."));
    }
}
