//! Sentences that may take a rule back: found by a word, read by the registry.

use super::{Candidate, span};
use crate::item::{Span, Zone};
use crate::text::pattern::Cue;

/// Words that a rescission has one of.
const WORDS: &[&str] = &[
    "anymore",
    "cancel",
    "disregard",
    "drop",
    "forget",
    "forward",
    "future",
    "ignore",
    "lift",
    "longer",
    "necessary",
    "required",
    "rescind",
    "revoke",
    "scrap",
    "scratch",
    "starting",
    "undo",
    "waive",
    "withdraw",
    "mehr",
    "vergiss",
    "streiche",
    "kunftig",
    "sofort",
    "plus",
    "oublie",
    "oubliez",
    "desormais",
    "ya",
    "olvida",
    "olvide",
    "adelante",
    "mais",
    "esqueca",
    "diante",
];

/// For each first letter the lengths of the words that begin with it: most words are told from these by it.
#[expect(clippy::indexing_slicing, reason = "computed while compiling")]
const LENGTHS: [u32; 26] = {
    let mut lengths = [0; 26];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].as_bytes();
        lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        at += 1;
    }
    lengths
};

/// The same for scripts without gaps between words, and for letters with marks.
const PARTS: &[&str] = &[
    "再",
    "取消",
    "撤",
    "忘",
    "今后",
    "以后",
    "无需",
    "もう",
    "今後",
    "これから",
    "더",
    "앞으로",
    "취소",
    "künftig",
    "désormais",
    "já",
    "não",
    "esqueça",
];

/// The sentences that may take something back: whole, with whose words they are. Questions are none.
#[must_use]
pub fn releases(text: &str) -> Vec<Candidate> {
    let bytes = text.as_bytes();
    let mut cues: Vec<Cue> = Vec::new();
    let (mut at, mut before) = (0, Span::new(0, 0));
    while at < bytes.len() {
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'\'' || *byte >= 0x80;
        let length = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| inside(byte)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = Span::new(at, at + length);
        if may_release(word.of(text), before.of(text)) {
            cues.push(Cue { name: "release", span: word });
        }
        (at, before) = (word.end, word);
    }
    let mut found = if cues.is_empty() { Vec::new() } else { span::widen(text, &cues) };
    super::announced::mark(text, &mut found);
    found
}

/// The sentences of a text that correct a value of an older rule by their form.
#[must_use]
pub fn corrections(text: &str, corrects: &dyn Fn(&str) -> bool) -> Vec<Candidate> {
    let mut found = Vec::new();
    if text.len() > super::LONGEST {
        return found;
    }
    for (span, quoted) in span::Document::of(text).own_sentences() {
        if quoted.is_empty() && corrects(span.of(text)) {
            found.push(Candidate { span, cue: "correction", zone: Zone::Own });
        }
    }
    super::announced::mark(text, &mut found);
    found.retain(|found| found.zone == Zone::Own);
    found
}

fn may_release(word: &str, before: &str) -> bool {
    let is = |known: &str| word.eq_ignore_ascii_case(known);
    let after = |known: &[&str]| known.iter().any(|known| before.eq_ignore_ascii_case(known));
    match word.len() {
        0 | 1 => false,
        _ if !word.is_ascii() => PARTS.iter().any(|part| word.contains(part)),
        3 if is("now") => after(&["from"]),
        4 if is("need") || is("have") => after(&["no", "not", "never", "don't", "doesn't", "dont"]),
        4 if is("more") => after(&["any"]),
        length => {
            let first = word.bytes().next().map_or(0, |byte| byte.to_ascii_lowercase());
            let lengths = LENGTHS.get(usize::from(first.wrapping_sub(b'a'))).copied().unwrap_or(0);
            length < 32 && lengths >> length & 1 != 0 && WORDS.iter().any(|known| is(known))
        }
    }
}
