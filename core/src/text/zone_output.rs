//! Lines that only tools, logs, compilers, shells and chats write. Each question is about one trimmed line.

use crate::text::skeleton::is_capital;
use crate::text::words::listed;

/// Commands that a line after a bare `#` or `%` prompt begins with.
const COMMANDS: &str = "cat curl grep journalctl kubectl ls ps sudo systemctl tail wget";

/// Commands that are also words of a heading: only with an argument that is none.
const WORDY_COMMANDS: &str = "apt aws awk cargo docker echo find git head helm less make npm pip python sed ssh";

/// Beginnings of lines of known tools.
pub(in crate::text) const TOOLS: &[&str] = &[
    "❯ ",
    ">>> ",
    "PS C:\\",
    "C:\\>",
    "Traceback (most recent call last)",
    "Exception in thread",
    "panicked at ",
    "thread '",
    "npm ERR!",
    "npm error ",
    "npm WARN ",
    "remote: ",
    "fatal: ",
    "Caused by: ",
    "Uncaught ",
    "error[E",
    "warning[",
];

const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";

/// Whether one line is enough to know output by.
pub(super) fn surely(line: &str) -> bool {
    TOOLS.iter().any(|start| line.starts_with(start))
        || (line.starts_with("File \"") && line.contains("\", line "))
        || (line.starts_with("at ") && line.ends_with(')') && line.contains(':'))
        || prompt(line)
        || stamped(line)
        || exception(line)
        || place(line)
        || service(line)
        || chat(line)
}

/// A prompt with a command behind it.
fn prompt(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("$ ") {
        return !rest.starts_with(|c: char| c.is_ascii_digit());
    }
    if let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("% ")) {
        return command(rest);
    }
    // most lines have none of these
    line.bytes().any(|b| matches!(b, b'$' | b'#' | b'%'))
        && ["$ ", "# ", "% "].iter().any(|mark| {
            line.split_once(mark).is_some_and(|(head, _)| {
                let bracketed = head.starts_with('[') && head.ends_with(']') && head.contains('@');
                let bare = !head.contains(' ') && head.contains('@') && head.contains(':');
                let shell = ["bash-", "sh-"].iter().any(|name| head.strip_prefix(name).is_some_and(|rest| rest.starts_with(digit)));
                let home = head.starts_with("~") || head.contains('@');
                let placed = home && head.len() < 60 && head.split_whitespace().count() < 3;
                bracketed || bare || shell || (placed && line.get(head.len() + 2..).is_some_and(|rest| command(rest.trim_start())))
            })
        })
}

fn command(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    let Some(name) = words.next() else { return false };
    if listed(COMMANDS, name) {
        return words.next().is_some() || matches!(name, "ls" | "ps");
    }
    listed(WORDY_COMMANDS, name) && words.any(|word| word.starts_with('-') || word.contains('/'))
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The rest behind `9:99` or `99:99`, seconds included.
pub(super) fn time(text: &str) -> Option<&str> {
    let hours = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let rest = text.get(hours..).filter(|_| matches!(hours, 1 | 2))?.strip_prefix(':')?;
    let two = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_digit).count() == 2;
    let rest = two(rest).then(|| rest.get(2..))??;
    Some(match rest.strip_prefix(':') {
        Some(more) if two(more) => more.get(2..).unwrap_or_default(),
        _ => rest,
    })
}

/// The rest behind a date in digits: `2026-03-01`, `2026/03/01`, `3/1/26`, `03.01.2026`.
pub(super) fn date(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut mark = None;
    let mut year = false;
    for part in 0..3 {
        let count = rest.bytes().take(5).take_while(u8::is_ascii_digit).count();
        if !(matches!(count, 1 | 2) || (count == 4 && part != 1)) {
            return None;
        }
        year |= count == 4 || (part == 2 && count == 2 && mark == Some('/'));
        rest = rest.get(count..)?;
        if part == 2 {
            break;
        }
        let next = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
        if *mark.get_or_insert(next) != next {
            return None;
        }
        rest = rest.get(1..)?;
    }
    (year && !rest.starts_with(digit)).then_some(rest)
}

/// A date with a time, a time in brackets, the stamp of syslog.
fn stamped(line: &str) -> bool {
    let bracketed = line.starts_with('[');
    let line = line.trim_start_matches('[');
    if let Some(rest) = date(line) {
        let rest = rest.strip_prefix('T').unwrap_or_else(|| rest.trim_start_matches([',', ' ']));
        return time(rest).is_some();
    }
    if let Some(rest) = time(line) {
        let rest = rest.trim_start();
        let rest = ["AM", "PM", "am", "pm"].iter().find_map(|half| rest.strip_prefix(half)).unwrap_or(rest);
        return bracketed && rest.starts_with([']', '.', ',']);
    }
    let mut words = line.split_whitespace();
    words.next().is_some_and(|month| listed(MONTHS, month))
        && words.next().is_some_and(|day| day.len() < 3 && day.bytes().all(|b| b.is_ascii_digit()))
        && words.next().and_then(|at| time(at).map(|rest| rest.is_empty() && at.len() > 6)).unwrap_or_default()
}

/// `ValueError: …`, `java.lang.IllegalStateException: …`
fn exception(line: &str) -> bool {
    let Some(name) = name(line, b"._$").filter(|name| line.get(name.len()..).is_some_and(|rest| rest.starts_with(": "))) else {
        return false;
    };
    let last = name.rsplit(['.', '$']).next().unwrap_or(name);
    let named = ["Error", "Exception", "Warning"].iter().any(|end| last.strip_suffix(end).is_some_and(|head| head.len() > 1));
    named && last.starts_with(|c: char| c.is_ascii_uppercase())
}

/// A line of a compiler or linter: `foo.py:12: …`, `foo.ts(1,2): …`, `12:5  error  …`, `--> foo.rs:1:2`.
fn place(line: &str) -> bool {
    let token = line.split_whitespace().next().unwrap_or_default();
    if let Some(rest) = line.get(token.len()..)
        && let Some((row, column)) = token.split_once(':')
        && [row, column].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    {
        return ["error", "warning"].iter().any(|level| rest.trim_start().starts_with(level));
    }
    let Some(head) = token.strip_suffix(':') else { return false };
    let (head, closed) = head.strip_suffix(')').map_or((head, false), |head| (head, true));
    let file = head.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | ','));
    let file = if closed { file.strip_suffix('(') } else { Some(file) };
    file.is_some_and(|file| file.len() < head.len() && head.ends_with(digit) && file_name(file))
}

/// Whether one word names a file.
pub(super) fn file_name(word: &str) -> bool {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let ends = base.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=8).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric()) && end.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    ends && !word.contains(char::is_whitespace)
}

/// Whether one word names a file rather than a host or a library.
pub(super) fn is_file(word: &str) -> bool {
    let end = word.rsplit('.').next().unwrap_or_default();
    let host = matches!(end, "com" | "org" | "net" | "io" | "dev" | "de");
    let library = end == "js" && word.starts_with(|c: char| c.is_ascii_uppercase());
    file_name(word) && !host && !library && !word.contains(':')
}

/// A line of a file, as its name says: `README.md: …`. What is said of "this file" is the author's.
pub(in crate::text) fn file_says(line: &str) -> bool {
    let Some((name, said)) = line.split_once(':') else { return false };
    is_file(name.trim_matches(['`', '*'])) && !said.trim().is_empty() && !said.contains("this file")
}

/// A line of docker compose: `web_1  | …`.
fn service(line: &str) -> bool {
    let Some(name) = name(line, b"_-.") else { return false };
    let rest = line.get(name.len()..).unwrap_or_default();
    let bar = rest.trim_start();
    if !(bar.starts_with("| ") && rest.strip_suffix(bar).is_some_and(|gap| gap.ends_with(' '))) {
        return false;
    }
    let number = name.rsplit(['_', '-']).next().unwrap_or_default();
    number.len() < name.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// The letters, digits and joints that a line begins with.
fn name<'l>(line: &'l str, joints: &[u8]) -> Option<&'l str> {
    let end = line.bytes().position(|b| !(b.is_ascii_alphanumeric() || joints.contains(&b)));
    line.get(..end.unwrap_or(line.len()))
}

/// Longest name in a chat.
const NAME: usize = 60;

/// A line of a chat: `Bob (10:01): …`, `Bob [10:01]: …`.
fn chat(line: &str) -> bool {
    if !line.bytes().take(NAME + 2).any(|b| matches!(b, b'(' | b'[')) {
        return false;
    }
    let Some((name, rest)) = line.split_once(" (").or_else(|| line.split_once(" [")) else { return false };
    let said = time(rest).and_then(|rest| rest.split_once([')', ']'])).is_some_and(|(half, rest)| half.len() < 4 && rest.starts_with(':'));
    let named = !name.contains(' ') || name.split(' ').all(|word| word.starts_with(is_capital));
    said && named && name.len() < NAME
}

/// Whether a line is one that only a diff has.
pub(in crate::text) fn diff_head(line: &str) -> bool {
    ["@@ -", "diff --git ", "--- a/", "+++ b/", "Index: "].iter().any(|start| line.starts_with(start))
        || line.strip_prefix("+++ ").and_then(|rest| rest.split_whitespace().next()).is_some_and(file_name)
}

/// Whether a line was added (true) or taken away (false) in a diff.
pub(in crate::text) fn diff_mark(line: &str) -> Option<bool> {
    let mut chars = line.chars();
    let added = match chars.next()? {
        '+' => true,
        '-' => false,
        _ => return None,
    };
    chars.next().filter(|c| c.is_alphabetic() || matches!(c, '#' | '"' | '<' | '`' | '/')).map(|_| added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_told_from_words() {
        for line in [
            "$ ls",
            "# cat x",
            "% cat x",
            "[root@host ~]# cat x",
            "root@host:/# cat x",
            "bash-5.1$ ls",
            "user@host ~ % cat x",
            "~/x $ cat x",
            "Bob [10:01]: x",
            "Mar  3 10:00:01 host app[1]: x",
            "2026-03-01T10:00:01Z x",
            "2026-03-01 10:00:01,123 x",
            "03/01/2026 10:00:01 x",
            "3/1/26, 10:00 AM - Bob: x",
            "[10:01] Bob: x",
            "[10:01:22 PM] Bob: x",
            "Bob (10:01): x",
            "Bob Smith (10:01 AM): x",
            "web_1  | x",
            "npm ERR! x",
            "remote: x",
            "java.lang.IllegalArgumentException: x",
            "ValueError: x",
            "foo.py:12: DeprecationWarning: x",
            "src/a.rs:1:2: x",
            "src/a.ts(1,2): error x",
            "12:5  error  x",
            "error[E0001]: x",
        ] {
            assert!(surely(line), "{line}");
        }
        for line in [
            "# Never",
            "# git rules",
            "# make sure",
            "% of users",
            "$ 5 is the limit",
            "March 3 is the day",
            "2026-03-01 is the deadline",
            "10:00 is the start",
            "Error: x",
            "Warning: never push",
            "example.com:443 must not be open",
            "Note: x",
            "Never push (10:00): x",
            "1.2.3 10:00 x",
            "a | b",
            "Team-2 (Berlin): x",
            "web | never",
            "- never",
        ] {
            assert!(!surely(line), "{line}");
        }
        assert_eq!((diff_mark("+x"), diff_mark("-x"), diff_mark("- x"), diff_mark("+1")), (Some(true), Some(false), None, None));
    }
}
