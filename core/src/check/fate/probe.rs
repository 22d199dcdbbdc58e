//! The rule's side of a comparison: what of it must be found again, and how much each part weighs.

use crate::text::frame::{Frames, Kind, Token, cue};

/// Most parts of a rule that are looked for.
const MOST: usize = 64;

/// A word of the rule that is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) canon: u32,
    pub(super) weight: u32,
    /// An identifier, a name or a number: without it nothing is certified.
    pub(super) needed: bool,
    pub(super) kind: Kind,
    pub(super) at: usize,
}

pub(super) struct Probe<'r> {
    pub(super) frames: Frames<'r>,
    pub(super) parts: Vec<Part>,
    pub(super) total: u32,
    /// All cues of the rule proper.
    pub(super) cues: u32,
    /// From this token on the rule gives its reason.
    pub(super) reason: usize,
}

/// Whether a token means something by itself.
pub(super) fn says(token: &Token) -> bool {
    const FUNCTION: u32 = cue::NEG | cue::MUST | cue::MAY | cue::COND | cue::EXC | cue::PART | cue::STOP;
    match token.kind {
        Kind::Number | Kind::Ident => true,
        Kind::Glyph => !token.is(FUNCTION),
        Kind::Word => token.is(cue::NAME) || !token.is(FUNCTION | cue::ONLY | cue::SOFT | cue::LESS | cue::MORE),
    }
}

/// Whether a change of the token changes the rule.
pub(super) fn matters(token: &Token) -> bool {
    !token.is(cue::STOP) || token.is(cue::STRICT | cue::MAY | cue::SOFT | cue::REVOKE | cue::COND | cue::EXC | cue::LESS | cue::MORE)
}

fn needed(token: &Token) -> bool {
    match token.kind {
        Kind::Number => token.value != 1000,
        Kind::Ident => true,
        Kind::Word => token.is(cue::NAME),
        Kind::Glyph => false,
    }
}

impl<'r> Probe<'r> {
    pub(super) fn of(rule: &'r str) -> Self {
        let frames = Frames::of(rule);
        let reason = reason(&frames);
        let mut parts: Vec<Part> = Vec::new();
        let mut cues = 0;
        for (at, token) in frames.tokens.iter().enumerate().take(reason) {
            cues |= token.cue;
            let last_glyph = token.kind == Kind::Glyph && token.canon == token.key;
            if !says(token) || last_glyph || parts.len() == MOST || parts.iter().any(|part| part.canon == token.canon) {
                continue;
            }
            let needed = needed(token);
            let weight = match (needed, token.is(cue::GENERIC | cue::RESIDUE | cue::BAN)) {
                (true, _) => 6,
                (_, true) => 2,
                _ => 4,
            };
            parts.push(Part { canon: token.canon, weight, needed, kind: token.kind, at });
        }
        let total = parts.iter().map(|part| part.weight).sum();
        Self { frames, parts, total, cues, reason }
    }

    /// Whether there is enough to tell this rule from any other text.
    pub(super) fn sound(&self) -> bool {
        let unknown = self.frames.tokens.iter().filter(|token| token.kind == Kind::Word && !token.is(cue::STOP)).filter(|token| {
            let word = self.frames.text.get(token.start..token.end).unwrap_or_default();
            word.chars().any(|c| (0x370..0x2e80).contains(&u32::from(c)) && !(0x2010..0x2070).contains(&u32::from(c)))
        });
        let unknown = unknown.count();
        self.parts.len() > 1 && unknown * 3 < self.frames.tokens.len()
    }

    pub(super) fn weight(&self, mask: u64) -> u32 {
        self.parts.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, part)| part.weight).sum()
    }
}

/// The token from which on a rule gives its reason: behind a dash or "because", if what stands before has force.
fn reason(frames: &Frames<'_>) -> usize {
    let all = frames.tokens.len();
    let mut end = 0;
    let mut strict = false;
    for (at, token) in frames.tokens.iter().enumerate() {
        let gap = frames.text.get(end..token.start).unwrap_or_default();
        let word = frames.text.get(token.start..token.end).unwrap_or_default();
        let dash = gap.contains('—') || gap.contains('–') || gap.contains(" - ");
        let pronoun = matches!(word.to_ascii_lowercase().as_str(), "it" | "it's" | "they" | "she" | "he" | "this" | "that" | "the" | "there" | "these" | "we");
        let because = matches!(word, "because" | "weil" | "denn" | "parce" | "porque");
        if strict && at > 2 && (because || ((dash || gap.contains(':')) && pronoun)) {
            return at;
        }
        strict |= token.is(cue::STRICT);
        end = token.end;
    }
    all
}
