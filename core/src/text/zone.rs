//! Whose words a line opens (T2): hand-over lines, forwarded mail, pasted tool output, tagged documents.
//!
//! Each question is about one line; `scan` keeps the state between them.

use std::collections::BTreeMap;

use super::skeleton::skeleton;

/// What stands at the end of a line that hands somebody else's words over.
const HANDS_OVER: &[&str] = &[
    "here is", "here's", "here are", "heres", "this is", "below", "pasted", "says", "said", "reads", "reported", "wrote", "writes", "contents of",
    "content of", "attached", "forwarded", "copy of", "got this", "received", "returned", "prints", "printed", "shows", "the following", "from the",
];

/// Texts that others write. "Here are the rules:" hands nothing over, "here is the e-mail:" does.
const DOCUMENTS: &[&str] = &[
    "article", "attachment", "body", "chat", "code", "comment", "comments", "console", "content", "contents", "csv", "description", "diff", "doc",
    "document", "e-mail", "e-mails", "email", "emails", "error", "excerpt", "export", "file", "invoice", "issue", "json", "letter", "log", "logs",
    "mail", "message", "messages", "output", "page", "post", "readme", "report", "response", "result", "results", "reviews", "screenshot", "snippet",
    "text", "thread", "ticket", "trace", "traceback", "transcript", "webpage", "website",
];

/// Lines that hand over by themselves, in several languages.
const HAND_OVER_PHRASES: &[&str] = &[
    "see below", "pasted below", "copied below", "quoted below", "text below", "it says", "as follows from", "voici le mail", "voici l'e-mail",
    "voici l'email", "voici le message", "voici le texte", "hier ist die mail", "hier ist die e-mail", "hier die mail", "hier ist der text",
    "hier ist die nachricht", "aqui esta el correo", "este es el correo", "aqui esta el mensaje", "segue o e-mail", "segue o email",
    "aqui esta o e-mail", "ecco la mail", "ecco l'email", "以下是", "邮件如下", "郵件如下", "内容如下", "以下のメール", "メールは以下", "메일입니다",
];

/// Words that make a line ending in a colon the author's own list, whatever else it says.
const OWN_LISTS: &[&str] = &["rules", "rule", "instructions", "constraints", "requirements", "guidelines", "steps", "conditions", "limits"];

/// Longest tail of a line that is looked at.
const CLAUSE: usize = 200;

/// Whether a clause that ends in a colon hands over what follows it.
pub(super) fn hands_over(clause: &str) -> bool {
    let clause = clause.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`'));
    let Some(clause) = clause.strip_suffix([':', '：']) else { return false };
    let tail = clause.char_indices().rev().nth(CLAUSE).map_or(clause, |(at, _)| clause.get(at..).unwrap_or(clause));
    let seen = skeleton(tail);
    let last = [". ", "! ", "? ", "; ", ".\n"].iter().fold(seen.as_str(), |last, mark| last.rsplit(mark).next().unwrap_or(last));
    if HAND_OVER_PHRASES.iter().any(|phrase| last.contains(phrase)) {
        return true;
    }
    let words = || last.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty());
    let own = words().any(|word| OWN_LISTS.contains(&word));
    !own && words().any(|word| DOCUMENTS.contains(&word)) && HANDS_OVER.iter().any(|phrase| last.contains(phrase))
}

/// Whether a line opens a forwarded message: a divider of a mail program, or the header line of a quoted reply.
pub(super) fn forwards(line: &str) -> bool {
    let line = clipped(line);
    let bare = line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '>' | '*') || c.is_whitespace());
    let divided = line.starts_with("--") || line.starts_with("__") || line.starts_with("==");
    let lower = bare.to_lowercase();
    let known = ["original message", "forwarded message", "ursprüngliche nachricht", "message d'origine", "mensaje original", "mensagem original"];
    (divided && known.iter().any(|words| lower.starts_with(words)))
        || lower.starts_with("begin forwarded message")
        || ((lower.starts_with("on ") || lower.starts_with("am ") || lower.starts_with("le ")) && lower.ends_with("wrote:"))
}

/// Whether a line is a header of a mail; a run of two opens one.
pub(super) fn mail_header(line: &str) -> bool {
    let Some((name, value)) = clipped(line).split_once(':') else { return false };
    let name = name.trim_matches('*').to_ascii_lowercase();
    !value.trim().is_empty()
        && matches!(name.as_str(), "from" | "to" | "cc" | "bcc" | "sent" | "date" | "subject" | "reply-to" | "received" | "message-id" | "von" | "an" | "gesendet" | "betreff" | "de" | "envoyé" | "objet" | "asunto" | "enviado")
}

/// How pasted tool output shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// One line is enough: a prompt, a trace.
    Sure,
    /// Two in a row are: a timestamp, a level.
    Likely,
    /// A JSON value that spans lines until its brackets close.
    Json,
}

/// Whether a line looks like the output of a tool.
pub(super) fn output(line: &str) -> Option<Output> {
    let first = line.chars().next()?;
    let line = clipped(line);
    let sure = line.starts_with("$ ")
        || line.starts_with("❯ ")
        || line.starts_with(">>> ")
        || line.starts_with("PS C:\\")
        || line.starts_with("C:\\>")
        || line.starts_with("Traceback (most recent call last)")
        || line.starts_with("Exception in thread")
        || line.starts_with("panicked at ")
        || (line.starts_with("File \"") && line.contains("\", line "))
        || (line.starts_with("at ") && line.ends_with(')') && line.contains(':'))
        || line.split_once("$ ").is_some_and(|(prompt, _)| prompt.contains('@') && prompt.contains(':') && !prompt.contains(' '));
    if sure {
        return Some(Output::Sure);
    }
    match first {
        '{' | '[' => {
            let rest = line.get(1..).unwrap_or_default().trim_start();
            let json = (rest.is_empty() && line.len() < 3) || rest.starts_with(['"', '{']) && !line.starts_with("{{");
            json.then_some(Output::Json).or_else(|| log_line(line).then_some(Output::Likely))
        }
        _ => log_line(line).then_some(Output::Likely),
    }
}

/// A line that begins with a timestamp or a level.
fn log_line(line: &str) -> bool {
    let line = line.trim_start_matches('[');
    let levels = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "WARNING", "CRITICAL"];
    if levels.iter().any(|level| line.strip_prefix(level).is_some_and(|rest| rest.starts_with([']', ':', ' ', '\t']))) {
        return true;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let shape: String = line.chars().take(8).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    (digits == 4 && (shape.starts_with("9999-99-") || shape.starts_with("9999/99/"))) || (digits == 2 && shape.starts_with("99:99:99"))
}

fn clipped(line: &str) -> &str {
    line.char_indices().nth(400).map_or(line, |(at, _)| line.get(..at).unwrap_or(line))
}

/// How much deeper in brackets a line of JSON ends than it begins; text in strings is not looked at.
pub(super) fn bracket_depth(line: &str) -> i64 {
    let (mut depth, mut string, mut escaped) = (0, false, false);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'"' => string = !string,
            b'{' | b'[' if !string => depth += 1,
            b'}' | b']' if !string => depth -= 1,
            _ => {}
        }
    }
    depth
}

/// Markup of a few words inside the author's own text.
const INLINE_TAGS: &[&str] = &[
    "a", "abbr", "b", "br", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "s", "small", "span", "strong", "sub", "sup", "u",
];

/// The tags of a text that stand in pairs.
pub(super) struct Tags<'t> {
    pairs: BTreeMap<&'t str, Pair>,
}

#[derive(Default)]
struct Pair {
    opened: usize,
    closed: usize,
    last_close: usize,
}

/// The name of a tag at the beginning of a text, and whether it closes.
fn tag_name(text: &str) -> Option<(&str, bool)> {
    let rest = text.strip_prefix('<')?;
    let (rest, closing) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
    let end = rest.bytes().take(64).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.')).count();
    let name = rest.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let follows = rest.as_bytes().get(end);
    matches!(follows, Some(b'>' | b' ' | b'\n' | b'\t' | b'/' | b'\r')).then_some((name, closing))
}

impl<'t> Tags<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut pairs: BTreeMap<&str, Pair> = BTreeMap::new();
        for (at, _) in text.match_indices('<') {
            let Some((name, closing)) = text.get(at..).and_then(tag_name) else { continue };
            if INLINE_TAGS.contains(&name) {
                continue;
            }
            let pair = pairs.entry(name).or_default();
            if closing {
                pair.closed += 1;
                pair.last_close = at;
            } else {
                pair.opened += 1;
            }
        }
        pairs.retain(|_, pair| pair.opened > 0 && pair.closed > 0);
        Self { pairs }
    }

    /// The first tag in `from..to` that opens a pair.
    pub(super) fn opening(&self, text: &'t str, from: usize, to: usize) -> Option<(usize, &'t str)> {
        if self.pairs.is_empty() {
            return None;
        }
        let part = text.get(from..to)?;
        part.match_indices('<').find_map(|(offset, _)| {
            let at = from + offset;
            let (name, closing) = text.get(at..).and_then(tag_name)?;
            let pair = self.pairs.get(name)?;
            (!closing && pair.last_close > at).then_some((at, name))
        })
    }

    /// Where in `from..to` the pair closes: one past the closing tag. `depth` counts tags of the same name. With more
    /// closing than opening tags in the text, one of them was smuggled in, and only the last one counts.
    pub(super) fn closing(&self, text: &str, name: &str, from: usize, to: usize, depth: &mut usize) -> Option<usize> {
        let part = text.get(from..to)?;
        let pair = self.pairs.get(name)?;
        for (offset, _) in part.match_indices('<') {
            let at = from + offset;
            let Some((found, closing)) = text.get(at..).and_then(tag_name) else { continue };
            if found != name {
                continue;
            }
            if !closing {
                *depth += 1;
                continue;
            }
            *depth = depth.saturating_sub(1);
            let last = at == pair.last_close;
            if last || (*depth == 0 && pair.closed <= pair.opened) {
                return Some(text.get(at..to).and_then(|rest| rest.find('>')).map_or(to, |end| at + end + 1));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_over_lines_are_told_from_own_lists() {
        for line in ["Here is the e-mail:", "here's the log output:", "See below:", "The log says:", "Pasted below:", "contents of README.md file:", "Voici le mail :", "**Here is the email:**", "Do not reply. Here is the message:"] {
            assert!(hands_over(line), "{line}");
        }
        for line in ["Here are the rules:", "Never edit these files:", "Follow these steps:", "Do not:", "Here is the e-mail", "", "For email, here are my constraints:"] {
            assert!(!hands_over(line), "{line}");
        }
    }

    #[test]
    fn forwarded_mail_and_output_show_at_their_first_lines() {
        for line in ["-----Original Message-----", "---------- Forwarded message ---------", "Begin forwarded message:", "On Tue, 3 Mar 2026, Ann wrote:"] {
            assert!(forwards(line), "{line}");
        }
        assert!(!forwards("The original message was lost") && mail_header("From: Ann <a@b>") && !mail_header("From: "));
        assert!(output("$ ls -la") == Some(Output::Sure) && output("Traceback (most recent call last):") == Some(Output::Sure));
        assert!(output("2026-03-01 12:00:01 start") == Some(Output::Likely) && output("[ERROR] x") == Some(Output::Likely));
        assert!(output("{\"a\": [1,") == Some(Output::Json) && output("$500 is the limit").is_none() && output("[link](x)").is_none());
        assert_eq!((bracket_depth("{\"a}\": ["), bracket_depth("]}")), (2, -2));
    }

    #[test]
    fn a_smuggled_closing_tag_does_not_end_the_document() {
        let text = "<doc>a</doc> Never ask. </doc> me";
        let tags = Tags::of(text);
        assert_eq!(tags.opening(text, 0, text.len()), Some((0, "doc")));
        let end = tags.closing(text, "doc", 0, text.len(), &mut 0).unwrap();
        assert_eq!(&text[end..], " me");
    }
}
