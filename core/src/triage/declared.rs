//! Rules that an operator's document declares by its form: `constraints` fences and lists in its front matter.
//!
//! A fence has one rule a line or list item, `#` begins a comment; an indented line goes on with the item before it.
//! Front matter is the block between `---` lines at the very beginning; of YAML only lists of texts are read, under
//! `constraints:` or `rules:`, at the top or inside `standfast:`. Whether a text may declare anything is not decided here.

use crate::text::sentinel::lines;
use crate::text::words::listed;

/// Keys of front matter that hold rules.
const KEYS: &[&str] = &["constraints", "rules"];
/// Keys of a list entry that is no plain text.
const ENTRY_KEYS: &str = "text rule constraint id severity scope";

/// The rules that a text declares by its form, in order.
///
/// ```
/// # use standfast::triage::declared;
/// assert_eq!(declared("Be kind.\n```constraints\n- Never email customers.\n```\n"), ["Never email customers."]);
/// assert_eq!(declared("---\nstandfast:\n  constraints: ['Reply in French.']\n---\nHello"), ["Reply in French."]);
/// ```
#[must_use]
pub fn declared(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if !text.contains("constraints") && !text.starts_with("---") && !text.starts_with("\u{feff}---") {
        return out;
    }
    let mut rest: Vec<&str> = lines(text).map(|line| line.of(text)).collect();
    let behind = front_matter(&rest, &mut out);
    rest.drain(..behind);
    fences(&rest, &mut out);
    out
}

/// A fence that is open.
struct Fence {
    mark: char,
    length: usize,
    /// It declares constraints; what another one shows is passed over.
    ours: bool,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        let name = info.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next()?;
        (length >= 3).then(|| Self { mark, length, ours: name.eq_ignore_ascii_case("constraints") })
    }

    fn closed_by(&self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

fn fences(lines: &[&str], out: &mut Vec<String>) {
    let mut open: Option<Fence> = None;
    let mut joins = false;
    for line in lines {
        let body = line.trim();
        let Some(fence) = &open else {
            (open, joins) = (Fence::opened_by(body), false);
            continue;
        };
        if fence.closed_by(body) {
            open = None;
        } else if !fence.ours {
            // somebody shows a fence
        } else if body.is_empty() || body.starts_with('#') {
            joins = false;
        } else if let Some(last) = out.last_mut().filter(|_| joins && line.starts_with([' ', '\t']) && item(body) == body) {
            last.push('\n');
            last.push_str(line.trim_end());
        } else {
            out.push(item(body).to_owned());
            joins = true;
        }
    }
}

/// A line without its list mark.
fn item(line: &str) -> &str {
    let number = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = match line.as_bytes().get(number) {
        Some(b'.' | b')') if (1..4).contains(&number) => line.get(number + 1..),
        Some(b'-' | b'*' | b'+') if number == 0 => line.get(1..),
        _ => None,
    };
    behind.filter(|rest| rest.starts_with([' ', '\t'])).map_or(line, str::trim)
}

/// Reads front matter; returns how many lines it takes.
fn front_matter(lines: &[&str], out: &mut Vec<String>) -> usize {
    let first = lines.first().map_or("", |line| line.trim_start_matches('\u{feff}').trim_end());
    let end = lines.iter().skip(1).position(|line| matches!(line.trim_end(), "---" | "..."));
    let Some(end) = end.filter(|_| first == "---").map(|at| at + 1) else { return 0 };
    let (mut ours, mut list): (Option<usize>, Option<usize>) = (None, None);
    let mut entry = false;
    for line in lines.iter().take(end).skip(1) {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if let Some(depth) = list {
            let dash = body.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' ')).filter(|_| indent >= depth);
            if let Some(rest) = dash {
                entry = put(rest, out, false);
                continue;
            }
            if indent > depth {
                entry = put(body, out, entry);
                continue;
            }
            list = None;
        }
        if ours.is_some_and(|depth| indent <= depth) {
            ours = None;
        }
        let Some((key, value)) = body.split_once(':') else { continue };
        if key == "standfast" && indent == 0 {
            ours = Some(0);
        } else if KEYS.contains(&key.trim()) && (indent == 0 || ours.is_some()) {
            let value = value.trim();
            match value.strip_prefix('[').and_then(|rest| uncommented(rest).strip_suffix(']')) {
                Some(inside) => flow(inside, out),
                None if value.is_empty() || value.starts_with('#') => list = Some(indent),
                None => {}
            }
            entry = false;
        }
    }
    end + 1
}

/// Takes a line of a list entry; `goes_on` where one was begun. Says whether the next line may go on with it.
fn put(line: &str, out: &mut Vec<String>, goes_on: bool) -> bool {
    let line = line.trim();
    if let Some((key, value)) = line.split_once(':').filter(|(key, _)| listed(ENTRY_KEYS, key)) {
        if matches!(key, "text" | "rule" | "constraint") {
            out.push(scalar(value));
            return true;
        }
        return false;
    }
    let text = scalar(line);
    match out.last_mut().filter(|_| goes_on) {
        Some(last) => {
            last.push(' ');
            last.push_str(&text);
        }
        None if text.is_empty() => return false,
        None => out.push(text),
    }
    true
}

/// The texts of a list in brackets.
fn flow(inside: &str, out: &mut Vec<String>) {
    let (mut from, mut quote) = (0, None);
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') if inside.get(from..at).is_some_and(|before| before.trim().is_empty()) => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ',') => {
                ends.push(at);
                from = at + 1;
            }
            _ => {}
        }
    }
    ends.push(inside.len());
    let mut start = 0;
    for end in ends {
        let text = scalar(inside.get(start..end).unwrap_or_default());
        if !text.is_empty() {
            out.push(text);
        }
        start = end + 1;
    }
}

fn uncommented(text: &str) -> &str {
    text.split(" #").next().unwrap_or_default().trim_end()
}

/// A plain or quoted text.
fn scalar(text: &str) -> String {
    let text = text.trim();
    for (quote, escape) in [('"', "\\\""), ('\'', "''")] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.rfind(quote).and_then(|end| rest.get(..end)));
        if let Some(inner) = inner {
            let mark: &str = if quote == '"' { "\"" } else { "'" };
            return inner.replace(escape, mark);
        }
    }
    uncommented(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn fences_give_a_rule_a_line() {
        let text = "Intro\n\n```constraints\n# money\n- Never refund more than 500.\n  Not even once.\n1. Ask first.\nReply in French.\n```\nNever mind.\n~~~constraints v2\n* One more rule\n~~~\n";
        let wanted = ["Never refund more than 500.\n  Not even once.", "Ask first.", "Reply in French.", "One more rule"];
        assert_eq!(declared(text), wanted);
        for none in [
            "",
            "constraints",
            "```\nconstraints\n```",
            "```text\n```constraints\nNever x\n```\n",
            "```constraintsx\nNever\n```",
            "no --- here",
        ] {
            assert!(declared(none).is_empty(), "{none:?}: {:?}", declared(none));
        }
        assert_eq!(declared("```constraints\nNever close me."), ["Never close me."]);
    }

    #[test]
    fn front_matter_gives_its_lists() {
        let text = "---\ntitle: Never this\nrules:\n- Never delete rows. # really\n- \"Ask \\\"Ops\\\" first: always\"\n- id: c3\n  severity: high\n  text: 'It''s final.'\n- A long one\n  goes on.\nother: [no]\n---\n- Never this either";
        assert_eq!(declared(text), ["Never delete rows.", "Ask \"Ops\" first: always", "It's final.", "A long one goes on."]);
        assert_eq!(
            declared("---\nstandfast:\n  x: 1\n  constraints:\n    - Never a.\nrules: ['Never, b', Never c]\n---\n"),
            ["Never a.", "Never, b", "Never c"]
        );
        assert!(declared("---\nrules:\n- Never\nno end").is_empty());
        assert!(declared("---\nmeta:\n  rules:\n  - Never x\n---\n").is_empty());
        assert!(declared("Text\n---\nrules:\n- Never x\n---\n").is_empty());
    }
}
