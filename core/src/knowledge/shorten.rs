//! A shorter form of an item by leaving words out: remarks in brackets, reasons and examples, later sentences of a report.
//!
//! What is left out says nothing that binds: no number, no code, no negation, condition or exception.

use crate::item::{Knowledge, Span};
use crate::text::frame::{cue, cues, stem};
use crate::text::scan::sentences;
use crate::text::words::listed;
use crate::text::words::next_word;
use crate::triage::{Given, Item, OperatingPoint, classify_items};

/// Where a reason or an example begins.
const ASIDE: &[&str] = &[" because ", ", since ", " for example", ", e.g.", " e.g. ", ", such as ", ", so that ", " – ", " — "];

/// Words of a decision, which keeps its reason.
const DECISION: &str = "decided decision rejected chose chosen accepted deferred postponed instead rationale";

/// What words say that no shorter form may be without.
const BINDING: u32 = cue::STRICT | cue::MAY | cue::COND | cue::EXC | cue::REVOKE | cue::LESS | cue::MORE;

/// The shorter form, where there is one.
pub(super) fn shortened(item: &Item) -> Option<String> {
    if matches!(item.knowledge, Knowledge::Constraint | Knowledge::Preference) || item.declared || decides(&item.text) {
        return None;
    }
    let text = item.text.as_str();
    let mut out = String::with_capacity(text.len());
    for (at, sentence) in sentences(text, Span::new(0, text.len())).into_iter().enumerate() {
        let words = sentence.of(text);
        if at > 0 && item.knowledge != Knowledge::Procedural && inert(words) {
            continue;
        }
        if at > 0 {
            out.push(' ');
        }
        shorten(words, &mut out);
    }
    // a few bytes are not worth another wording
    (out.len() + 12 < text.len() && !out.is_empty() && no_rule(item, &out)).then_some(out)
}

/// Whether a shorter form has not become a rule.
fn no_rule(item: &Item, short: &str) -> bool {
    let given = Given { text: short.to_owned(), heading_path: item.heading_path.clone(), lead_in: item.lead_in.clone(), kind: None };
    classify_items(&[given], OperatingPoint::Balanced).iter().all(|short| short.knowledge != Knowledge::Constraint)
}

fn decides(text: &str) -> bool {
    words(text, |word, _| listed(DECISION, word))
}

/// Whether a word of a text is what is looked for. A word of another script is none that is known.
fn words(text: &str, wanted: impl Fn(&str, u32) -> bool) -> bool {
    let mut next = next_word(text, 0);
    while let Some(word) = next {
        let letters = str::from_utf8(word.letters()).unwrap_or_default();
        if wanted(letters, cues(letters, stem(letters))) {
            return true;
        }
        next = next_word(text, word.end);
    }
    false
}

/// Whether nothing in a stretch of text binds or names.
fn inert(text: &str) -> bool {
    !text.contains(['`', '/', '_', '@', '$', '%', '<', '>'])
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && !words(text, |word, cues| word.is_empty() || cues & BINDING != 0)
}

/// Adds a sentence without its remarks.
fn shorten(sentence: &str, out: &mut String) {
    let mut rest = sentence;
    while let Some(open) = rest.find(" (") {
        let Some(length) = rest.get(open..).and_then(|inner| inner.find(')')) else { break };
        let (before, inner) = (rest.get(..open).unwrap_or_default(), rest.get(open..=open + length).unwrap_or_default());
        out.push_str(before);
        if inner.matches('(').count() != 1 || !inert(inner) {
            out.push_str(inner);
        }
        rest = rest.get(open + length + 1..).unwrap_or_default();
    }
    let aside = ASIDE.iter().filter_map(|aside| rest.find(aside)).min().filter(|at| *at > 0);
    match aside.map(|at| (rest.get(..at).unwrap_or_default(), rest.get(at..).unwrap_or_default())) {
        Some((before, aside)) if inert(aside) => {
            out.push_str(before);
            out.push_str(aside.chars().next_back().filter(|c| matches!(c, '.' | '!' | '?' | '。')).map_or("", |_| "."));
        }
        _ => out.push_str(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str, knowledge: Knowledge) -> Option<String> {
        let given = Given { text: text.to_owned(), ..Given::default() };
        let mut item = classify_items(&[given], OperatingPoint::Balanced).remove(0);
        (item.knowledge, item.declared) = (knowledge, false);
        shortened(&item)
    }

    #[test]
    fn remarks_and_reasons_go_and_what_binds_stays() {
        let belief = "The gateway (a small service of ours) retries requests because the network is slow.";
        assert_eq!(short(belief, Knowledge::Belief).as_deref(), Some("The gateway retries requests."));
        for kept in [
            "The gateway retries requests because port 8443 is slow today.",
            "The gateway retries requests (but never those of the billing service).",
            "We rejected the second queue because it doubles the latency of it.",
        ] {
            assert_eq!(short(kept, Knowledge::Belief), None, "{kept}");
        }
        assert_eq!(short(belief, Knowledge::Constraint), None);
    }

    #[test]
    fn a_report_keeps_its_first_sentence() {
        let report = "The import failed on Monday. We looked at the logs for a long while. It was the disk `sda`.";
        assert_eq!(short(report, Knowledge::Episodic).as_deref(), Some("The import failed on Monday. It was the disk `sda`."));
    }
}
