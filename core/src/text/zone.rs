//! Whose words a line opens (T2): hand-over lines, forwarded mail, pasted tool output.
//!
//! Each question is about one line; `scan` keeps the state between them.

use super::skeleton::skeleton;

/// What stands at the end of a line that hands somebody else's words over.
const HANDS_OVER: &[&str] = &[
    "here is",
    "here's",
    "here are",
    "heres",
    "this is",
    "below",
    "pasted",
    "says",
    "said",
    "reads",
    "reported",
    "wrote",
    "writes",
    "contents of",
    "content of",
    "attached",
    "forwarded",
    "copy of",
    "got this",
    "received",
    "returned",
    "prints",
    "printed",
    "shows",
    "the following",
    "from the",
];

/// Texts that others write. "Here are the rules:" hands nothing over, "here is the e-mail:" does.
const DOCUMENTS: &[&str] = &[
    "article",
    "attachment",
    "body",
    "chat",
    "code",
    "comment",
    "comments",
    "console",
    "content",
    "contents",
    "csv",
    "description",
    "diff",
    "doc",
    "document",
    "e-mail",
    "e-mails",
    "email",
    "emails",
    "error",
    "excerpt",
    "export",
    "file",
    "invoice",
    "issue",
    "json",
    "letter",
    "log",
    "logs",
    "mail",
    "message",
    "messages",
    "output",
    "page",
    "post",
    "readme",
    "report",
    "response",
    "result",
    "results",
    "reviews",
    "screenshot",
    "snippet",
    "text",
    "thread",
    "ticket",
    "trace",
    "traceback",
    "transcript",
    "webpage",
    "website",
];

/// Lines that hand over by themselves, in several languages.
const HAND_OVER_PHRASES: &[&str] = &[
    "see below",
    "pasted below",
    "copied below",
    "quoted below",
    "text below",
    "it says",
    "as follows from",
    "voici le mail",
    "voici l'e-mail",
    "voici l'email",
    "voici le message",
    "voici le texte",
    "hier ist die mail",
    "hier ist die e-mail",
    "hier die mail",
    "hier ist der text",
    "hier ist die nachricht",
    "aqui esta el correo",
    "este es el correo",
    "aqui esta el mensaje",
    "segue o e-mail",
    "segue o email",
    "aqui esta o e-mail",
    "ecco la mail",
    "ecco l'email",
    "以下是",
    "邮件如下",
    "郵件如下",
    "内容如下",
    "以下のメール",
    "メールは以下",
    "메일입니다",
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
    let words: Vec<&str> =
        last.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\''))).filter(|word| !word.is_empty()).collect();
    let line = format!(" {} ", words.join(" "));
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| line.contains(&format!(" {phrase} ")));
    !says(OWN_LISTS) && says(DOCUMENTS) && says(HANDS_OVER)
}

/// Colons of one line that are looked at for a hand-over.
const MARKS: usize = 64;

/// Where the words handed over begin, for a hand-over in the middle of a line.
pub(super) fn hand_over_inside(line: &str) -> Option<usize> {
    line.match_indices([':', '：']).take(MARKS).find_map(|(at, mark)| {
        let end = at + mark.len();
        let rest = line.get(end..)?;
        let spaced = mark.len() > 1 || rest.starts_with([' ', '\t', '"', '“']);
        let goes_on = rest.contains(|c: char| !c.is_whitespace() && c != '*');
        (spaced && goes_on && hands_over(line.get(..end)?)).then_some(end)
    })
}

/// Whether a line opens a forwarded message: a divider of a mail program, or the header line of a quoted reply.
pub(super) fn forwards(line: &str) -> bool {
    let line = clipped(line);
    let bare = line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '>' | '*') || c.is_whitespace());
    let divided = line.starts_with("--") || line.starts_with("__") || line.starts_with("==");
    let lower = bare.to_lowercase();
    let known =
        ["original message", "forwarded message", "ursprüngliche nachricht", "message d'origine", "mensaje original", "mensagem original"];
    (divided && known.iter().any(|words| lower.starts_with(words)))
        || lower.starts_with("begin forwarded message")
        || ((lower.starts_with("on ") || lower.starts_with("am ") || lower.starts_with("le ")) && lower.ends_with("wrote:"))
}

/// How surely a line is a header of a mail. "From: Berlin" and "Date: Friday" may be anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// A subject, an address.
    Sure,
    /// A name that other lists have too.
    Likely,
}

/// Names of mail headers, in lower case.
const HEADERS: &[&str] = &[
    "an",
    "asunto",
    "bcc",
    "betreff",
    "cc",
    "date",
    "de",
    "enviado",
    "envoyé",
    "from",
    "gesendet",
    "message-id",
    "objet",
    "received",
    "reply-to",
    "sent",
    "subject",
    "to",
    "von",
];

/// Whether a line is a header of a mail; a run of two with a sure one opens one.
pub(super) fn mail_header(line: &str) -> Option<Header> {
    let (name, value) = clipped(line).split_once(':')?;
    let name = name.trim_matches('*').to_lowercase();
    if value.trim().is_empty() || !HEADERS.contains(&name.as_str()) {
        return None;
    }
    let sure = matches!(name.as_str(), "subject" | "betreff" | "objet" | "asunto" | "message-id" | "reply-to") || value.contains('@');
    Some(if sure { Header::Sure } else { Header::Likely })
}

/// A line of which a run of two means something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// An ordinary line.
    None,
    /// A timestamp or a level.
    Log,
    /// A mail header; sure for one that nothing but mail has.
    Mail(Header),
}

impl Hint {
    /// Whether two lines in a row make a run.
    pub(super) fn runs_on(self, before: Self) -> bool {
        match (before, self) {
            (Self::Log, Self::Log) => true,
            (Self::Mail(a), Self::Mail(b)) => a == Header::Sure || b == Header::Sure,
            _ => false,
        }
    }
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
    let sure = line.strip_prefix("$ ").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_over_lines_are_told_from_own_lists() {
        for line in [
            "Here is the e-mail:",
            "here's the log output:",
            "See below:",
            "The log says:",
            "Pasted below:",
            "contents of README.md file:",
            "Voici le mail :",
            "**Here is the email:**",
            "Do not reply. Here is the message:",
        ] {
            assert!(hands_over(line), "{line}");
        }
        for line in [
            "Here are the rules:",
            "Never edit these files:",
            "Follow these steps:",
            "Do not:",
            "Here is the e-mail",
            "",
            "For email, here are my constraints:",
        ] {
            assert!(!hands_over(line), "{line}");
        }
    }

    #[test]
    fn forwarded_mail_and_output_show_at_their_first_lines() {
        for line in [
            "-----Original Message-----",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "On Tue, 3 Mar 2026, Ann wrote:",
        ] {
            assert!(forwards(line), "{line}");
        }
        assert!(!forwards("The original message was lost") && mail_header("From: Ann <a@b>") == Some(Header::Sure));
        assert!(mail_header("From: ").is_none() && mail_header("From: Berlin") == Some(Header::Likely));
        assert!(output("$ ls -la") == Some(Output::Sure) && output("Traceback (most recent call last):") == Some(Output::Sure));
        assert!(output("2026-03-01 12:00:01 start") == Some(Output::Likely) && output("[ERROR] x") == Some(Output::Likely));
        assert!(output("{\"a\": [1,") == Some(Output::Json) && output("$ 500 is the limit").is_none() && output("[link](x)").is_none());
        assert_eq!((bracket_depth("{\"a}\": ["), bracket_depth("]}")), (2, -2));
    }
}
