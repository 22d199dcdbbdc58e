//! Whose words a line opens (T2): hand-over lines, forwarded mail, pasted tool output.
//!
//! Each question is about one line; `scan` keeps the state between them.

#[path = "zone_output.rs"]
mod output;
#[path = "zone_speaker.rs"]
mod speaker;
#[path = "zone_words.rs"]
mod words;

pub(super) use output::{diff_head, diff_mark, file_says};
pub(super) use speaker::{Label, label};

use super::skeleton::{lowercase, skeleton};
use crate::text::words::listed;
use output::{date, file_name, surely};
use speaker::tells;
use words::{CAME_BY, DOCUMENTS, HAND_OVER_PHRASES, HANDS_OVER, OWN_LISTS, READS, RESULTS, WORKS_ON};

/// Longest tail of a line that is looked at.
const CLAUSE: usize = 200;

/// How a clause hands over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HandOver {
    /// A document.
    Document,
    /// What somebody says: inside a line it goes to the end of the paragraph.
    Speech,
}

/// Whether a line that ends in a colon, or says whence a document comes, hands over what follows it.
pub(super) fn hands_over(line: &str) -> bool {
    colon_hands_over(line).is_some() || sentence_hands_over(line)
}

fn last_clause(clause: &str) -> String {
    let tail = clause.char_indices().rev().nth(CLAUSE).map_or(clause, |(at, _)| clause.get(at..).unwrap_or(clause));
    let seen = skeleton(tail);
    match clause_start(&seen) {
        0 => seen,
        start => seen.get(start..).unwrap_or_default().to_owned(),
    }
}

/// Where the last clause of a text begins.
fn clause_start(text: &str) -> usize {
    let ends = |pair: &[u8]| matches!(pair, b". " | b"! " | b"? " | b"; " | b".\n");
    text.as_bytes().windows(2).rposition(ends).map_or(0, |at| at + 2)
}

fn words_of(clause: &str) -> impl Iterator<Item = &str> {
    clause.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\''))).filter(|word| !word.is_empty())
}

/// Whether a line whose words stand apart by spaces, also at its ends, has one of the phrases.
fn says(line: &str, phrases: &[&str]) -> bool {
    line.match_indices(' ').any(|(at, _)| {
        let rest = line.get(at + 1..).unwrap_or_default().as_bytes();
        let begins = |phrase: &str| phrase.as_bytes().first() == rest.first() && rest.starts_with(phrase.as_bytes());
        phrases.iter().any(|phrase| begins(phrase) && rest.get(phrase.len()) == Some(&b' '))
    })
}

fn unmarked(clause: &str) -> &str {
    clause.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`'))
}

/// Whether a clause that ends in a colon hands over what follows it.
fn colon_hands_over(clause: &str) -> Option<HandOver> {
    let clause = unmarked(clause).strip_suffix([':', '：'])?;
    let last = last_clause(clause);
    let last = last.as_str();
    if HAND_OVER_PHRASES.iter().any(|phrase| last.contains(phrase)) {
        return Some(HandOver::Document);
    }
    let words: Vec<&str> = words_of(last).collect();
    let line = format!(" {} ", words.join(" "));
    let ends = |phrases: &[&str]| phrases.iter().any(|phrase| line.trim_end().strip_suffix(phrase).is_some_and(|head| head.ends_with(' ')));
    // A label of a result, whatever tool it names.
    let bracketed = clause.trim_start().starts_with('[') && clause.contains("] ") && ends(&["result", "output", "response"]);
    let labelled = bracketed || (words.len() < 4 && ends(RESULTS));
    if labelled || (line.starts_with(" execution result ") && words.len() < 8) {
        return Some(HandOver::Document);
    }
    if says(&line, OWN_LISTS) {
        return None;
    }
    if says(&line, DOCUMENTS) && says(&line, HANDS_OVER) {
        return Some(HandOver::Document);
    }
    if let Some(own) = tells(&words) {
        return (!own).then_some(HandOver::Speech);
    }
    let pointed = says(&line, &["this", "these", "the following", "below"]);
    let bare = ends(&["this", "these", "the following", "below"]);
    let asks = ["please", "can", "could", "would", "you", "now", "then", "help", "me", "and"];
    let verb = words.iter().find(|word| !asks.contains(word)).copied().unwrap_or_default();
    if pointed && (says(&line, DOCUMENTS) || bare) && WORKS_ON.contains(&verb) || pointed && says(&line, DOCUMENTS) && READS.contains(&verb)
    {
        return Some(HandOver::Document);
    }
    if bare && says(&line, CAME_BY) {
        return Some(HandOver::Document);
    }
    let own = says(&line, &["i", "we", "you", "i've", "we've"]);
    match words.last().copied() {
        Some("wrote" | "writes" | "replied" | "answered" | "schrieb" | "escribió" | "escribio" | "écrit" | "ecrit") if !own => {
            Some(HandOver::Document)
        }
        Some("said" | "says") if !own && words.len() > 1 => Some(HandOver::Speech),
        _ => None,
    }
}

/// Whether the last clause of an ASCII line that ends a sentence may begin with a word that points: most begin with another.
fn may_point(line: &[u8]) -> bool {
    let mut end = line.len();
    while let Some(byte) = end.checked_sub(1).and_then(|at| line.get(at))
        && (byte.is_ascii_whitespace() || matches!(byte, b'*' | b'_' | b'`' | 0x0b))
    {
        end -= 1;
    }
    if end > CLAUSE || !matches!(end.checked_sub(1).and_then(|at| line.get(at)), Some(b'.' | b'!')) {
        return false;
    }
    let mut from = end - 1;
    while let Some(pair) = from.checked_sub(2).and_then(|at| line.get(at..from))
        && !matches!(pair, [b'.' | b'!' | b'?' | b';', b' '] | b".\n")
    {
        from -= 1;
    }
    from = if from < 2 { 0 } else { from };
    while line.get(from).is_some_and(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'\''))) {
        from += 1;
    }
    let word = [0, 1, 2].map(|at| line.get(from + at).map_or(0, |byte| byte | 0x20));
    matches!(&word, b"her" | b"thi" | b"bel" | b"att")
}

/// Whether a line is one sentence that says whence the document below it comes.
pub(super) fn sentence_hands_over(line: &str) -> bool {
    if line.is_ascii() && !may_point(line.as_bytes()) {
        return false;
    }
    let line = unmarked(line);
    let Some(clause) = line.strip_suffix(['.', '!']).filter(|clause| clause.len() < CLAUSE) else { return false };
    let last = last_clause(clause);
    let words: Vec<&str> = words_of(&last).collect();
    if !words.first().is_some_and(|word| ["here", "here's", "this", "below", "attached"].contains(word)) {
        return false;
    }
    let line = format!(" {} ", words.join(" "));
    let begins = ["here is", "here's", "here are", "this is", "below is", "below are", "attached is"];
    let whence = ["from", "got", "received", "sent", "below", "pasted", "forwarded", "wrote", "copied"];
    let shown = begins.iter().any(|start| line.trim_start().strip_prefix(start).is_some_and(|rest| rest.starts_with(' ')));
    let came = line.starts_with(" this ") && says(&line, &["came in", "arrived"]);
    !says(&line, OWN_LISTS) && says(&line, DOCUMENTS) && ((shown && says(&line, &whence)) || came)
}

/// Whether a line is the label of a file or attachment whose text follows: `[Attachment: x]`, `File: a.txt`, `=== a.md ===`.
pub(super) fn labels_file(line: &str) -> bool {
    let line = clipped(line);
    if let Some(rest) = line.strip_prefix('[') {
        let Some((label, after)) = rest.split_once(']') else { return false };
        let label = lowercase(label);
        let named = ["attachment", "attached", "pasted", "tool result", "tool output", "tool response", "function result"];
        let filed = ["file:", "document:", "upload:", "uploaded", "image:", "begin file", "start of file"];
        return !after.starts_with('(') && named.iter().chain(&filed).any(|start| label.starts_with(start));
    }
    let inner = line.trim_matches(|c: char| matches!(c, '=' | '-' | '#' | '*' | '>' | '<') || c.is_whitespace());
    let ruled = ["===", "---", "==>", "***", "###"].iter().any(|mark| line.starts_with(mark)) && line.len() >= inner.len() + 6;
    let (name, value) = inner.split_once(':').unwrap_or(("", inner));
    let name = name.trim_matches(['*', ' ']);
    let value = value.trim_matches(['`', '*', '"', '\'', ' ']);
    let known = |name: &str| {
        matches!(lowercase(name).as_str(), "file" | "filename" | "file name" | "path" | "attachment" | "attached file" | "document")
    };
    // "README.md:" above its text
    let alone = line.trim_matches('*').strip_suffix(':').is_some_and(|name| output::is_file(name.trim_matches(['`', '*'])));
    alone || (file_name(value) && (known(name) || (ruled && name.is_empty())))
}

/// Colons of one line that are looked at for a hand-over.
const MARKS: usize = 64;

/// Where the words handed over begin, for a hand-over in the middle of a line.
pub(super) fn hand_over_inside(line: &str) -> Option<(usize, HandOver)> {
    // the first byte of a wide one is enough to look for
    if !line.bytes().any(|b| matches!(b, b':' | 0xef)) {
        return None;
    }
    line.match_indices([':', '：']).take(MARKS).find_map(|(at, mark)| {
        let end = at + mark.len();
        let rest = line.get(end..)?;
        let spaced = mark.len() > 1 || rest.starts_with([' ', '\t', '"', '“']);
        let goes_on = rest.contains(|c: char| !c.is_whitespace() && c != '*');
        if !(spaced && goes_on) {
            return None;
        }
        // "Thanks. Bob: never ...": a name behind the end of a sentence
        let stop = line.get(..at)?.rfind(['.', '!', '?']);
        let said = stop.and_then(|stop| line.get(stop + 1..)).filter(|said| said.starts_with(' '));
        let spoken = said.is_some_and(|said| label(said.trim_start()) == Some(Label::Person)).then_some(HandOver::Speech);
        colon_hands_over(line.get(..end)?).or(spoken).map(|kind| (end, kind))
    })
}

/// Whether a line opens a forwarded message: a divider of a mail program, or the header line of a quoted reply.
pub(super) fn forwards(line: &str) -> bool {
    let line = clipped(line);
    let bare = line.trim_matches(|c: char| matches!(c, '-' | '_' | '=' | '>' | '*') || c.is_whitespace());
    let divided = line.starts_with("--") || line.starts_with("__") || line.starts_with("==");
    // most lines begin with other letters
    let opens = |start: &&str| bare.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if !(divided || ["on ", "am ", "le ", "begin ", "fwd: ", "fw: "].iter().any(opens)) {
        return false;
    }
    let lower = lowercase(bare);
    let known =
        ["original message", "forwarded message", "ursprüngliche nachricht", "message d'origine", "mensaje original", "mensagem original"];
    (divided && known.iter().any(|words| lower.starts_with(words)))
        || lower.starts_with("begin forwarded message")
        || lower.starts_with("fwd: ")
        || lower.starts_with("fw: ")
        || ((lower.starts_with("on ") || lower.starts_with("am ") || lower.starts_with("le ")) && lower.ends_with("wrote:"))
}

/// How surely a line is a header of a mail. "From: Berlin" and "Date: Friday" may be anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// Nothing but a mail begins so: a sender with an address.
    Alone,
    /// A subject, an address.
    Sure,
    /// Who sends it, without an address.
    From,
    /// When it was sent.
    Sent,
    /// A name that other lists have too.
    Likely,
}

/// Names of mail headers, in lower case.
const HEADERS: &str =
    "an asunto bcc betreff cc date de enviado envoyé from gesendet message-id objet received reply-to sent subject to von";

/// What is longer is no name of one.
const NAME: usize = 32;

/// Whether a line is a header of a mail; a run of two with a sure one opens one.
pub(super) fn mail_header(line: &str) -> Option<Header> {
    let (name, value) = clipped(line).split_once(':')?;
    let name = name.trim_matches('*');
    if name.len() > NAME {
        return None;
    }
    let name = lowercase(name);
    if value.trim().is_empty() || !listed(HEADERS, name.as_str()) {
        return None;
    }
    let from = matches!(name.as_str(), "from" | "von" | "de");
    let address = value.contains('@');
    Some(match name.as_str() {
        _ if from && address && value.contains('<') => Header::Alone,
        "subject" | "betreff" | "objet" | "asunto" | "message-id" | "reply-to" => Header::Sure,
        _ if address => Header::Sure,
        _ if from => Header::From,
        "date" | "sent" | "gesendet" | "enviado" | "envoyé" => Header::Sent,
        _ => Header::Likely,
    })
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
            (Self::Mail(a), Self::Mail(b)) => {
                let sure = |header| matches!(header, Header::Sure | Header::Alone);
                sure(a) || sure(b) || matches!((a, b), (Header::From, Header::Sent) | (Header::Sent, Header::From))
            }
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
    if surely(line) {
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
    if ["error: ", "warning: ", "--> "].iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let digits = |at: usize| line.as_bytes().get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_digit));
    let clock = [0, 3, 6].into_iter().all(digits) && [2, 5].iter().all(|at| line.as_bytes().get(*at) == Some(&b':'));
    clock || date(line).is_some_and(|rest| rest.starts_with([' ', '\t', ']']))
}

fn clipped(line: &str) -> &str {
    if line.len() <= 400 {
        return line;
    }
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
pub(super) use output::TOOLS;

#[cfg(test)]
#[path = "zone_tests.rs"]
mod tests;
