//! What a text did to a rule: kept, restated, weakened, changed, turned round or lost.
//!
//! [`audit`] answers for any text; [`of`] does it for one rule against [`Frames`] that are built once. A rule is
//! `preserved` only where its own words stand as a plain statement, and `paraphrased` only where every identifier, number
//! and name and the force are there, nothing softens, narrows or revokes it, and nearly all other words are there or what
//! else is known of the passage, weighed together, speaks for it (`evidence`). All else is not certified: a false alarm
//! costs a repeated rule, a miss costs the rule.

mod against;
mod align;
mod evidence;
mod loose;
mod near;
mod probe;
mod read;
mod signs;
mod twist;
mod widen;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use crate::text::frame::Frames as Text;
pub use against::contradictions;
pub use probe::Probe;

use crate::text::frame::Frames;

/// What happened to a rule, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FateKind {
    /// Its own words stand there, but for marks and line breaks.
    Preserved,
    /// All of it is said in other words.
    Paraphrased,
    /// Softer, narrower or with a part missing.
    Weakened,
    /// A number, name, identifier or party is another.
    Mutated,
    /// The text says the opposite, or that the rule no longer holds.
    Contradicted,
    /// The text does not speak of it.
    Dropped,
    /// The rule has no frame that could be looked for.
    Unverifiable,
}

/// One rule's fate in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fate {
    /// What happened.
    pub kind: FateKind,
    /// The rule.
    pub rule: String,
    /// The passage of the text that decided; empty where there is none.
    pub evidence: String,
    /// The finer word: `softened`, `generalised`, `exception-lost`, `number-changed`, `condition-changed`, `id-changed` …
    pub detail: Option<String>,
    /// In a sentence.
    pub message: String,
}

/// A verdict on one passage.
#[derive(Debug, Clone, Copy)]
struct Verdict {
    kind: FateKind,
    detail: &'static str,
    /// First and last clause of the passage.
    at: Option<(usize, usize)>,
}

impl Verdict {
    fn new(kind: FateKind, detail: &'static str, at: (usize, usize)) -> Self {
        Self { kind, detail, at: Some(at) }
    }
}

/// The fates of rules in a text, in the order of the rules.
///
/// ```
/// use standfast::{FateKind, audit};
/// let fates = audit(&["Never delete rows from `billing`."], "Cleaned up. Avoid deleting rows from billing where possible.");
/// assert_eq!(fates[0].kind, FateKind::Weakened);
/// ```
#[must_use]
pub fn audit<R: AsRef<str>>(rules: &[R], text: &str) -> Vec<Fate> {
    let frames = Frames::of(text);
    rules.iter().map(|rule| of(rule.as_ref(), &frames)).collect()
}

/// The fate of one rule.
#[must_use]
pub fn of(rule: &str, text: &Frames<'_>) -> Fate {
    of_probe(rule, &Probe::of(rule), text)
}

/// The same, with the rule read before.
#[must_use]
pub fn of_probe(rule: &str, probe: &Probe<'_>, text: &Frames<'_>) -> Fate {
    let mut verdict = verdict(probe, text);
    let evidence = verdict.at.map_or("", |(first, last)| text.said(first, last));
    if matches!(verdict.kind, FateKind::Preserved | FateKind::Paraphrased)
        && let Some((kind, detail)) = twist::twisted(rule, evidence)
    {
        verdict = Verdict { kind, detail, ..verdict };
    }
    let said = match verdict.kind {
        FateKind::Preserved => "the rule stands in its own words",
        FateKind::Paraphrased => "the rule is restated in full",
        FateKind::Weakened => "the rule lost force or a part",
        FateKind::Mutated => "a particular of the rule is another",
        FateKind::Contradicted => "the text goes against the rule",
        FateKind::Dropped => "the text does not state the rule",
        FateKind::Unverifiable => "the rule has no frame to compare",
    };
    let detail = Some(verdict.detail.to_owned()).filter(|detail| !detail.is_empty());
    let message = detail.as_ref().map_or_else(|| said.to_owned(), |detail| format!("{said}: {detail}"));
    Fate { kind: verdict.kind, rule: rule.to_owned(), evidence: evidence.to_owned(), detail, message }
}

fn verdict(probe: &Probe<'_>, text: &Frames<'_>) -> Verdict {
    let found = compared(probe, text);
    let kept = matches!(found.kind, FateKind::Preserved | FateKind::Paraphrased);
    let more = kept && found.at.is_some_and(|at| widen::widened(probe, text, at));
    if more { Verdict { kind: FateKind::Weakened, detail: "condition-changed", ..found } } else { found }
}

fn compared(probe: &Probe<'_>, text: &Frames<'_>) -> Verdict {
    let (found, open) = by_words(probe, text);
    let evidence = if open { evidence::of(probe, text) } else { None };
    let Some(weighed) = evidence.map(|evidence| evidence.verdict(found)) else { return found };
    // what takes back a restatement stands behind it
    let kept = matches!(weighed.kind, FateKind::Preserved | FateKind::Paraphrased);
    let back = weighed.at.filter(|_| kept).and_then(|at| near::taken_back(text, at.1).map(|(kind, detail)| Verdict::new(kind, detail, at)));
    back.unwrap_or(weighed)
}

/// What the words of a text make of a rule, and whether that is open to other evidence: neither the rule's own words nor all
/// but a few of them stand there in their order.
fn by_words(probe: &Probe<'_>, text: &Frames<'_>) -> (Verdict, bool) {
    let mut worst: Option<Verdict> = None;
    // its own words, one after the other
    for from in text.runs(&probe.frames) {
        let place = (from, from + probe.frames.tokens.len());
        let found = if probe.readable { near::guarded(probe, text, place) } else { near::alone(probe, text, place) };
        if found.kind == FateKind::Preserved {
            return (found, false);
        }
        worst = worst.or(Some(found));
    }
    if !probe.sound() {
        return (worst.unwrap_or(Verdict { kind: FateKind::Unverifiable, detail: "no-frame", at: None }), false);
    }
    for window in align::windows(probe, text) {
        let Some(found) = near::compare(probe, text, window) else { continue };
        if found.kind == FateKind::Preserved {
            return (found, false);
        }
        worst = worst.or(Some(found));
    }
    match worst {
        Some(found) => (found, false),
        None => (loose::compare(probe, text), evidence::readable(probe)),
    }
}

/// How a rule was compared with a text, what was found before the evidence is weighed, and the names of the features that
/// its passage has: what `bench/fate_weights.py` trains on.
#[doc(hidden)]
#[must_use]
pub fn features(rule: &str, text: &str) -> Option<(bool, Fate, Vec<String>)> {
    let (probe, text) = (Probe::of(rule), Frames::of(text));
    let (found, open) = by_words(&probe, &text);
    let said = found.at.map_or("", |(first, last)| text.said(first, last)).to_owned();
    let fate =
        Fate { kind: found.kind, rule: rule.to_owned(), evidence: said, detail: Some(found.detail.to_owned()), message: String::new() };
    let evidence = evidence::of(&probe, &text)?;
    let names = evidence.on.iter().map(|at| evidence::name(*at)).collect();
    Some((open, fate, names))
}
