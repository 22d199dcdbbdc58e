//! What stands under a negation, and what in a condition: a clause cut at its joints.

use super::token::{Kind, Token};
use super::{Frames, cue};
use crate::text::words::listed;

/// A stretch between two joints of a clause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) from: usize,
    /// One past its last token.
    pub(crate) to: usize,
    pub(crate) cues: u32,
    /// Under a negation or a ban.
    pub(crate) denied: bool,
    /// Has a negation or a ban of its own.
    pub(crate) negated: bool,
    pub(crate) gate: Gate,
    /// Has a verb of its own.
    pub(crate) finite: bool,
    /// Begins with "since".
    pub(crate) since: bool,
    /// A label with a colon: it names, and says nothing.
    pub(crate) label: bool,
    /// Begins like a place or a time.
    frames_it: bool,
    /// Speaks of something named before.
    pub(crate) refers: bool,
    /// "… and must not …": it goes on about the subject of the one before.
    pub(crate) goes_on: bool,
}

impl Segment {
    fn more(&self) -> bool {
        self.cues & MORE_SEEN != 0
    }
}

/// How a segment depends on the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    None,
    /// "who …", "which …".
    Relative,
    /// "if …", "when …", "after …".
    If,
    /// "before …", "until …".
    Until,
    /// "unless …", "without …".
    Unless,
    /// What a prohibition waits for: "not before …", "never … without …".
    Required,
}

/// Words that join two statements.
const JOINTS: &str = "and but so since because although though whereas as while or who which that whose where what how und aber weil oder et mais ou y pero e mas";

/// Negations that only repeat one before them: "ne … pas", "no … nunca".
const REPEATED: &str = "pas jamais aucun aucune rien nunca nada nadie ningún ninguna ninguno jamás nenhum nenhuma ninguém";

/// Words of a statement of its own: it does not share the force of its neighbours.
const FINITE: &str = "is are was were has have does goes stays gets ist sind est sont es son";

/// Words that "out of" makes a ban.
const STAYS: &str = "keep Keep keeps kept stay stays Stay leave Leave left remain remains is are be belongs hold cut put";

/// Words that begin a place or a time in front of the statement.
const ADVERBIAL: &str = "For From On In At Within During Between By Per Above Below Under Over As Bei Ab Im Am";

/// The segments of a clause. Beside a negation the cues of `limit` undo it: in an upper bound "not beyond" is none.
pub(crate) fn segments(frames: &Frames<'_>, from: usize, to: usize, limit: u32) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    let mut end = frames.tokens.get(from).map_or(0, |token| token.start);
    let mut before = "";
    for (at, token) in frames.range(from, to).iter().enumerate() {
        let gap = frames.text.get(end..token.start).unwrap_or_default();
        let word = frames.text.get(token.start..token.end).unwrap_or_default();
        end = token.end;
        let without = matches!(word, "without" | "Without" | "ohne" | "Ohne" | "sans" | "sin" | "sem");
        let joint = gap.contains([',', ';', ':', '(', ')', '—', '–', '、', '，', '：'])
            || gap.contains(" - ")
            || (listed(JOINTS, word) && !token.is(cue::PART))
            || (matches!(word, "instead" | "rather") && token.is(cue::NEG))
            || out.len() > 1
                && out.last().is_some_and(|last| last.gate == Gate::Unless && last.to > last.from + 1)
                && out.first().is_some_and(|first| first.gate == Gate::None && !own(first))
                && (listed(FINITE, word) || token.is(cue::MUST | cue::MAY));
        // "after 15:00" is a time, no condition
        let next = |ahead: usize| frames.tokens.get(at + from + ahead);
        let date = |token: &Token| frames.word(token).starts_with(|c: char| c.is_ascii_digit());
        let clock = next(1).is_some_and(date) || (frames.word_at(from + at + 1) == "the" && next(2).is_some_and(date));
        let gate = without || (token.is(cue::COND | cue::EXC) && !(clock && token.is(cue::COND)));
        if joint || gate || out.is_empty() {
            let kind = match word {
                "who" | "which" | "that" | "whose" => Gate::Relative,
                "before" | "Before" | "until" | "Until" | "till" | "prior" | "Prior" | "bis" | "bevor" | "vor" | "Vor" | "avant"
                | "Avant" | "antes" | "Antes" => Gate::Until,
                _ if without || token.is(cue::EXC) => Gate::Unless,
                "while" | "whilst" | "While" if !gap.contains(',') => Gate::If,
                _ if gate => Gate::If,
                _ => Gate::None,
            };
            let frames_it = listed(ADVERBIAL, word);
            if let Some(last) = out.last_mut().filter(|_| gap.contains([':', '：'])) {
                last.label = !own(last);
            }
            out.push(Segment {
                from: from + at,
                to: from + at,
                cues: 0,
                denied: false,
                negated: false,
                gate: kind,
                finite: false,
                refers: false,
                goes_on: false,
                frames_it,
                label: false,
                since: matches!(word, "since" | "Since"),
            });
        }
        if let Some(last) = out.last_mut() {
            // "above 80" tells of which; "exceeds", "longer than" is the bound itself
            let which =
                matches!(word, "above" | "over" | "Above" | "Over" | "über" | "Über" | "acima" | "superior" | "under" | "Under" | "unter");
            let counted = || frames.range(from + at + 1, from + at + 5).iter().any(|token| token.kind == Kind::Number);
            let bound = token.is(limit) && !which && counted();
            let more = bound || (limit & cue::MORE != 0 && word == "longer");
            // two negations are none, and "not beyond" is a limit
            let attribute = token.is(cue::BAN)
                && last.to == last.from
                && word.ends_with("ed")
                && !frames.text.get(end..).is_some_and(|rest| rest.starts_with(':'));
            let repeats = last.negated && listed(REPEATED, word);
            // "keep it out of the file", not "a reply out of the mailbox"
            let stands = |at: usize| listed(STAYS, frames.word_at(at));
            let leaves = word == "out" && !(last.from..from + at).any(stands);
            let negates = token.is(cue::NEG | cue::BAN) && !without && !attribute && !repeats && !leaves;
            last.negated ^= negates;
            last.denied ^= negates || (more && !last.more());
            if more {
                last.cues |= MORE_SEEN;
            }
            last.finite |= listed(FINITE, word) && !matches!(before, "as" | "so" | "nor");
            last.refers |= matches!(word, "these" | "this" | "it" | "they" | "that" | "those" | "them");
            let second = last.to == last.from + 1 && matches!(before, "and" | "but" | "und" | "aber" | "et" | "y" | "e");
            last.goes_on |= second && token.is(cue::NEG | cue::MUST | cue::MAY);
            last.cues |= token.cue & !MORE_SEEN;
            last.to = from + at + 1;
        }
        before = word;
    }
    for segment in &mut out {
        // "…, and a wind warning grounds them": long enough for a statement of its own
        let word = |at: usize| frames.tokens.get(at).and_then(|token| frames.text.get(token.start..token.end)).unwrap_or_default();
        let article = (segment.from..segment.from + 2).any(|at| matches!(word(at), "a" | "an" | "the" | "it" | "they" | "we" | "you"));
        segment.finite |= article && segment.to - segment.from > 4 && segment.gate == Gate::None;
        if segment.more() && segment.cues & (cue::NEG | cue::BAN) == 0 {
            segment.denied = false;
        }
    }
    inherit(&mut out);
    out
}

/// A bit that no token of a segment needs: a bound was met.
const MORE_SEEN: u32 = cue::QUOTED;

/// Whether a segment has force of its own.
fn own(segment: &Segment) -> bool {
    const OWN: u32 = cue::NEG | cue::BAN | cue::MUST | cue::MAY | cue::ONLY | cue::REVOKE;
    segment.finite || segment.cues & OWN != 0
}

/// Gives segments without force that of the one before; in front of "… are forbidden" that of the one behind.
fn inherit(out: &mut [Segment]) {
    let main = |segment: &&Segment| matches!(segment.gate, Gate::None) && own(segment);
    let first = out.iter().find(main).copied();
    let mut known = None;
    let mut begun = false;
    for segment in out {
        let before = known.unwrap_or_else(|| !begun && first.is_some_and(|first| first.denied));
        begun |= segment.gate == Gate::None && !segment.label;
        match segment.gate {
            // "without approval nobody …"
            Gate::Unless if segment.denied && segment.cues & cue::EXC == 0 => {
                segment.denied = false;
                segment.gate = Gate::Required;
            }
            Gate::Unless => segment.denied = !before,
            Gate::Until if before => segment.denied = false,
            Gate::None if own(segment) => known = Some(segment.denied),
            _ if own(segment) => {}
            _ => segment.denied = known.unwrap_or_else(|| first.is_some_and(|first| first.denied && (first.finite || segment.frames_it))),
        }
        segment.gate = if segment.gate == Gate::Until && before { Gate::Required } else { segment.gate };
        segment.gate = if segment.gate == Gate::Unless && before { Gate::Required } else { segment.gate };
    }
}
