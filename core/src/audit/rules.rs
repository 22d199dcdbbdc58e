//! The rules of an audit, and the fate of each.

use super::matched::Matched;
use super::replaced::{lifts, replaced};
use super::report::RuleFate;
use super::side::Piece;
use crate::check::authority::behind_label;
use crate::check::fate::{self, Fate, FateKind};
use crate::check::stems::{Postings, sorted, stems};
use crate::digest::Digest;
use crate::event::{Part, Role};
use crate::item::{Span, Zone};
use crate::ordered::{Map, Set};
use crate::pinned::{fingerprint, trim};
use crate::registry::{self, MAX_RULES};
use crate::text::frame::Frames;
use crate::text::pattern::Pattern;
use crate::triage::PASSING;

/// A rule stands, and new text says the opposite.
pub(super) const ELSEWHERE: &str = "contradicted_elsewhere";

/// A rule is out of force: its user replaced it or took it back.
pub(super) const SUPERSEDED: &str = "superseded";

/// How the line of names in our own memory message begins: names say nothing.
const NAMES: &str = "Identifiers: ";

/// A rule to look for.
pub(super) struct Rule<'a> {
    pub(super) text: &'a str,
    pub(super) digest: Digest,
    /// Pieces of `before` that say it; none where the caller gave it.
    pub(super) said: Vec<usize>,
    /// Whether its user put another in its place, or took it back.
    pub(super) replaced: bool,
}

/// Rules, each once.
#[derive(Default)]
pub(super) struct Rules<'a> {
    pub(super) all: Vec<Rule<'a>>,
    known: Map<String, Vec<u32>>,
    /// Rules beyond the most that are looked for.
    pub(super) unread: u32,
}

impl<'a> Rules<'a> {
    pub(super) fn given(texts: &'a [String]) -> Self {
        let mut rules = Self::default();
        for text in texts {
            rules.add(text, None);
        }
        rules
    }

    /// The rules of `before`: what the operator and the user say in their own words and the published pattern finds, and
    /// the entries of a pinned block.
    pub(super) fn found(before: &[Piece<'a>]) -> Self {
        let mut rules = Self::default();
        let pattern = Pattern::published();
        for (at, piece) in before.iter().enumerate() {
            if !piece.trust.has_authority() || piece.foreign || !matches!(piece.part, Part::Text(_)) {
                continue;
            }
            if piece.pinned {
                rules.add(piece.text, Some(at));
                continue;
            }
            for found in registry::said(piece.text, piece.role, piece.trust, &pattern).into_iter().filter(|found| found.cue != PASSING) {
                if found.zone == Zone::Own {
                    rules.add(found.span.of(piece.text), Some(at));
                }
            }
        }
        let out = if rules.all.is_empty() { Set::new() } else { replaced(before) };
        // what only lifts a rule is none that a summary could break
        rules.all.retain(|rule| out.is_empty() || !lifts(rule.text));
        for rule in &mut rules.all {
            rule.replaced = out.contains(&rule.digest);
        }
        rules
    }

    fn add(&mut self, text: &'a str, said: Option<usize>) {
        let text = trim(text);
        let digest = fingerprint(text);
        let known = self.known.get(&digest.hex()).and_then(|places| places.first());
        if let Some(rule) = known.and_then(|place| self.all.get_mut(*place as usize)) {
            rule.said.extend(said);
        } else if self.all.len() >= MAX_RULES {
            self.unread += 1;
        } else {
            self.known.insert(digest.hex(), vec![u32::try_from(self.all.len()).unwrap_or(u32::MAX)]);
            self.all.push(Rule { text, digest, said: Vec::from_iter(said), replaced: false });
        }
    }
}

/// Stretches of one role that are compared with a rule: those that share most with it.
const COMPARED: usize = 6;

/// The roles, from the one with most authority.
const ROLES: [Role; 4] = [Role::System, Role::User, Role::Assistant, Role::Tool];

/// The pieces of `after`, laid out by what they are about, and read once where they are compared.
pub(super) struct Texts<'m, 'a> {
    matched: &'m Matched<'a>,
    /// The pieces, long ones in stretches, with the piece that each is of.
    stretches: Vec<(&'a str, usize)>,
    index: [Postings; 4],
    frames: Vec<Option<Frames<'a>>>,
}

/// A fate, and the piece that decided it.
type Seen = (Fate, usize);

/// A longer text is compared in stretches, so that what a rule costs has a bound.
const STRETCH: usize = 64 << 10;

/// Where a text is cut: best before a heading.
const SEAMS: [&str; 4] = ["\n#", "\n\n", "\n", ". "];

/// The first stretch of a text and the rest.
fn stretch(text: &str) -> (&str, &str) {
    let mut end = STRETCH;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let Some((head, _)) = text.split_at_checked(end) else { return (text, "") };
    let seam = SEAMS.iter().find_map(|seam| head.rfind(seam)).filter(|at| *at > 0).map_or(end, |at| at + 1);
    text.split_at_checked(seam).unwrap_or((text, ""))
}

impl<'m, 'a> Texts<'m, 'a> {
    pub(super) fn of(matched: &'m Matched<'a>) -> Self {
        let mut index: [Postings; 4] = Default::default();
        let mut stretches = Vec::new();
        for (at, piece) in matched.after.iter().enumerate() {
            let Some(postings) = ROLES.iter().position(|role| *role == piece.role).and_then(|place| index.get_mut(place)) else { continue };
            let mut rest = piece.text;
            while !rest.is_empty() {
                let (text, behind) = if rest.len() > STRETCH { stretch(rest) } else { (rest, "") };
                for stem in sorted(stems(text)) {
                    postings.add(stem, stretches.len());
                }
                stretches.push((text, at));
                rest = behind;
            }
        }
        index.iter_mut().for_each(Postings::seal);
        Self { matched, stretches, index, frames: Vec::new() }
    }

    /// What happened to a rule.
    pub(super) fn fate(&mut self, rule: &Rule<'a>) -> RuleFate {
        // said in messages that stand: its words are there
        let mut places = Vec::new();
        for said in &rule.said {
            places.extend(self.matched.kept_as.get(*said).copied().flatten());
        }
        let stands = places.iter().min().copied();
        let mut survives: Vec<Role> = Vec::new();
        let (mut best, mut lowered, mut worst, mut against): (Option<Seen>, Option<Seen>, Option<Seen>, Option<Seen>) =
            (None, None, None, None);
        if let Some(at) = stands {
            best = Some((certificate(rule.text), at));
        }
        let wanted = sorted(stems(rule.text));
        for (role, place) in ROLES.iter().zip(0..) {
            let mut stated = places.iter().any(|at| self.matched.after.get(*at).is_some_and(|piece| piece.role == *role));
            for near in self.near(place, &wanted) {
                let Some((text, at)) = self.stretches.get(near).copied() else { continue };
                let new = self.matched.is_new.get(at) == Some(&true);
                if stands.is_some() && !new {
                    continue;
                }
                let fate = self.compared(rule.text, near, text);
                // what a tool says does nothing to a rule, and what stood before is nobody's doing
                let told = *role != Role::Tool && (new || rule.said.is_empty());
                let to = match fate.kind {
                    FateKind::Preserved | FateKind::Paraphrased => {
                        stated = true;
                        if *role == Role::System || *role == Role::User { &mut best } else { &mut lowered }
                    }
                    _ if fate.evidence.starts_with(NAMES) || self.quoted(&fate.evidence) => continue,
                    FateKind::Contradicted if told && new => &mut against,
                    FateKind::Weakened | FateKind::Mutated | FateKind::Contradicted if told => &mut worst,
                    _ => continue,
                };
                let better = |known: &Seen| fate.kind < known.0.kind || (fate.kind > known.0.kind && fate.kind >= FateKind::Weakened);
                if to.as_ref().is_none_or(better) {
                    *to = Some((fate, at));
                }
            }
            if stated {
                survives.push(*role);
            }
        }
        self.told(rule, [best, lowered, worst, against], survives)
    }

    /// Whether a passage of our own memory message only quotes, under its label, what stood before: that is nobody's doing.
    fn quoted(&self, passage: &str) -> bool {
        let said = behind_label(passage, Span::new(0, passage.len()));
        said.start > 0 && self.matched.before.iter().any(|piece| piece.text.contains(said.of(passage)))
    }

    fn told(&self, rule: &Rule<'_>, seen: [Option<Seen>; 4], survives: Vec<Role>) -> RuleFate {
        let [best, lowered, worst, against] = seen;
        let mut kept = false;
        let (fate, at) = match (best, lowered, against) {
            (Some((mut fate, at)), _, against) => {
                kept = against.is_none();
                if let Some((other, other_at)) = against {
                    (fate.detail, fate.evidence) = (Some(ELSEWHERE.to_owned()), other.evidence);
                    (fate, Some(other_at))
                } else {
                    (fate, Some(at))
                }
            }
            (None, Some((mut fate, at)), None) => {
                fate.detail = Some("role_lowered".to_owned());
                (fate, Some(at))
            }
            (None, _, Some((fate, at))) => (fate, Some(at)),
            (None, None, None) => match worst {
                Some((fate, at)) => (fate, Some(at)),
                None => (fate::of(rule.text, &Frames::of("")), None),
            },
        };
        let found = rule.said.first().and_then(|said| self.matched.before.get(*said));
        RuleFate {
            fingerprint: rule.digest.name(),
            rule: rule.text.to_owned(),
            trust: found.map(|piece| piece.trust),
            found: found.map(Piece::place),
            kept,
            kind: fate.kind,
            detail: fate.detail,
            evidence: fate.evidence,
            place: at.and_then(|at| self.matched.after.get(at)).map(Piece::place),
            survives,
        }
    }

    /// The stretches of a role that share most with a rule.
    fn near(&self, place: usize, wanted: &[u64]) -> Vec<usize> {
        let Some(postings) = self.index.get(place) else { return Vec::new() };
        let mut near = Vec::new();
        for (at, shared) in postings.near(wanted, &|_| 1) {
            near.push((u32::MAX - shared, u32::MAX - at));
        }
        near.sort_unstable();
        near.truncate(COMPARED);
        near.into_iter().map(|(_, at)| (u32::MAX - at) as usize).collect()
    }

    fn compared(&mut self, rule: &str, near: usize, text: &'a str) -> Fate {
        self.frames.resize_with(self.stretches.len(), || None);
        match self.frames.get_mut(near) {
            Some(frames) => fate::of(rule, frames.get_or_insert_with(|| Frames::of(text))),
            None => certificate(rule),
        }
    }
}

/// The fate of a rule whose message stands as it was.
fn certificate(rule: &str) -> Fate {
    Fate { kind: FateKind::Preserved, rule: rule.to_owned(), evidence: rule.to_owned(), detail: None, message: String::new() }
}
