//! Corrections that name a value without the rule that it belongs to: "Actually, make that 15 mg."
//!
//! The user's words stay as they are: the correction is promoted as said and stands in the block right behind the rule
//! whose value it corrects, so that the old value is never ordered alone. Both are one in their fate: what replaces or
//! takes back the rule takes the correction with it.

use super::change::{Changed, REPLACED_BY_USER, restore};
use super::slot::{CORRECT, LIGHT, NOT, Slot, corrects};
use super::{Actor, ENTRY_TOKENS, MAX_OVERFLOW, Origin, Registry, SOURCE_ABANDONED};
use crate::admission;
use crate::digest::Digest;
use crate::error::Result;
use crate::policy::{Limits, Loosening};
use crate::rule::{Revision, RevisionKind, Rule, Status};
use crate::text::frame::{Frames, Kind, Token};
use crate::trust::Trust;

/// Longest sentence that is read as a correction, in bytes.
const LONGEST: usize = 120;
/// Fewer letters and digits cannot stand in the block.
const LEAST: usize = 4;
/// Most words of a correction.
const WORDS: usize = 16;
/// What a sentence of a message before a correction may be about, in turns.
const NEAR: u32 = 2;

/// A number and what it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Value {
    number: u64,
    unit: Option<u32>,
}

impl Value {
    /// Whether the two may count the same.
    fn fits(&self, other: &Self) -> bool {
        self.unit.is_none() || other.unit.is_none() || self.unit == other.unit
    }
}

/// What a sentence corrects.
#[derive(Debug, PartialEq, Eq)]
struct Correction {
    new: Vec<Value>,
    old: Vec<Value>,
    /// Words in the place of numbers, new and old.
    words: (Vec<u32>, Vec<u32>),
    /// Other words: they have to be the rule's.
    extra: Vec<u32>,
}

/// A message before a correction, the newest first.
#[derive(Debug)]
pub struct Before<'t> {
    /// The event.
    pub seq: u32,
    /// Whether the user said it.
    pub user: bool,
    /// What it says.
    pub text: &'t str,
}

/// What came of a correction.
#[derive(Debug, Default)]
pub struct Corrected {
    /// What it did to older rules.
    pub changed: Changed,
    /// Its name where it is in force beside the rule.
    pub amended: Option<String>,
    /// It cannot stand in the block.
    pub unfit: bool,
}

/// Whether a sentence has the form of a correction.
#[must_use]
pub fn is_correction(sentence: &str) -> bool {
    Correction::of(sentence).is_some()
}

/// One canon for a unit and its sign.
fn unit(frames: &Frames<'_>, token: &Token) -> Option<u32> {
    const CURRENCIES: &[(&str, &str)] = &[("eur", "euro"), ("usd", "dollar"), ("gbp", "pound"), ("euros", "euro")];
    if token.kind != Kind::Word && token.kind != Kind::Glyph {
        return None;
    }
    let word = frames.word(token).to_ascii_lowercase();
    let name = CURRENCIES.iter().find(|(code, _)| *code == word).map_or(word.as_str(), |(_, name)| *name);
    let known = Frames::of(name).tokens.first().map(|token| if token.kind == Kind::Glyph { token.key } else { token.canon });
    known.filter(|_| !name.is_empty()).or(Some(token.canon))
}

fn sign(frames: &Frames<'_>, token: &Token) -> bool {
    let word = frames.word(token);
    matches!(word, "€" | "$" | "£" | "¥") || word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether a word in this place counts, rather than being one of the sentence's.
fn counts(tokens: &[Token], at: usize) -> bool {
    corrects(tokens, at).0 == 0
        && tokens.get(at).is_some_and(|token| token.speaks() && token.kind != Kind::Number && token.kind != Kind::Ident)
}

/// The numbers of a text with their units.
fn values(frames: &Frames<'_>) -> Vec<(usize, Value)> {
    let tokens = &frames.tokens;
    let mut out = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Number) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).filter(|before| sign(frames, before));
        let close = |next: &&Token| frames.text.get(token.end..next.start).is_some_and(|gap| gap.chars().all(|c| c == ' ' || c == '-'));
        let next = tokens.get(at + 1).filter(close).filter(|_| counts(tokens, at + 1));
        out.push((at, Value { number: token.value, unit: before.or(next).and_then(|token| unit(frames, token)) }));
    }
    out
}

fn words(frames: &Frames<'_>) -> Vec<u32> {
    frames.tokens.iter().map(|token| if token.kind == Kind::Glyph { token.key } else { token.canon }).collect()
}

impl Correction {
    fn of(sentence: &str) -> Option<Self> {
        let sentence = crate::pinned::trim(sentence);
        if sentence.len() > LONGEST || sentence.contains('\n') || sentence.ends_with(['?', '？']) {
            return None;
        }
        let frames = Frames::of(sentence);
        let tokens = &frames.tokens;
        if tokens.is_empty() || tokens.iter().filter(|token| token.kind != Kind::Glyph).count() > WORDS {
            return None;
        }
        let numbers = values(&frames);
        let mut found = Self { new: Vec::new(), old: Vec::new(), words: (Vec::new(), Vec::new()), extra: Vec::new() };
        let (mut at, mut cue, mut denies, mut denied, mut plain) = (0, false, false, false, Vec::new());
        while let Some(token) = tokens.get(at) {
            let (class, length) = corrects(tokens, at);
            if let Some((_, value)) = numbers.iter().find(|(place, _)| *place == at) {
                // "15 mg no 20", "20 말고 15"
                let old = denies || at > 1 && class == 0 && is_no(&frames, at - 1) && !found.new.is_empty();
                if old { &mut found.old } else { &mut found.new }.push(*value);
                (denies, at) = (false, at + 1);
                continue;
            }
            if class & NOT != 0 {
                // in Japanese and Korean it stands behind the old value
                let glyph = token.kind == Kind::Glyph && !sentence.contains("不是");
                if glyph {
                    found.old.append(&mut found.new);
                    found.words.1.append(&mut plain);
                } else {
                    (denies, denied) = (true, true);
                }
            } else if class & CORRECT != 0 {
                cue = true;
            } else if class & LIGHT == 0
                && !numbers.iter().any(|(place, value)| value.unit.is_some() && (place + 1 == at || place == &(at + 1)))
            {
                let word = if token.kind == Kind::Glyph { token.key } else { token.canon };
                if denied { found.words.1.push(word) } else { plain.push(word) }
            }
            at += length;
        }
        let numeric = found.new.len() == 1 && found.old.len() <= 1;
        if numeric && (cue || !found.old.is_empty()) {
            found.extra = plain;
            found.extra.append(&mut found.words.1);
            return Some(found);
        }
        let few = |words: &[u32]| (1..=3).contains(&words.len());
        if found.new.is_empty() && found.old.is_empty() && cue && few(&plain) && few(&found.words.1) {
            found.words.0 = plain;
            return Some(found);
        }
        None
    }

    /// Whether it may correct a rule that reads so, and whether the value in it is one only.
    fn fits(&self, rule: &Frames<'_>, amended: &[Value]) -> Option<bool> {
        let known = words(rule);
        if !self.extra.iter().all(|word| known.contains(word)) {
            return None;
        }
        let Some(new) = self.new.first() else {
            let same = self.words.0.iter().all(|word| known.contains(word));
            return (!same && self.words.1.iter().all(|word| known.contains(word))).then_some(true);
        };
        let all: Vec<Value> = values(rule).into_iter().map(|(_, value)| value).collect();
        let fitting: Vec<&Value> = match self.old.first() {
            Some(old) => all.iter().chain(amended).filter(|value| value.number == old.number && value.fits(old)).collect(),
            None => all.iter().filter(|value| value.fits(new) && (new.unit.is_some() <= value.unit.is_some())).collect(),
        };
        let says = all.iter().chain(amended).any(|value| value.number == new.number && value.fits(new));
        (!fitting.is_empty() && (!says || !self.old.is_empty())).then_some(fitting.len() == 1)
    }
}

fn is_no(frames: &Frames<'_>, at: usize) -> bool {
    matches!(frames.word_at(at), "no" | "No" | "non" | "nao" | "não" | "ne")
}

impl Registry {
    /// Rules in force that correct another.
    fn amendments(&self, base: Digest) -> impl Iterator<Item = &Rule> {
        self.all().filter(move |rule| rule.status.is_active() && rule.amends == Some(base))
    }

    /// Corrects a rule by words that name its new value alone; nothing where they are about none. `before` are the
    /// messages before them.
    pub fn correct(&mut self, text: &str, origin: Origin<'_>, limits: &Limits, before: &[Before<'_>]) -> Option<Corrected> {
        let text = crate::pinned::trim(text);
        if origin.trust != Trust::User || !self.has_rules() {
            return None;
        }
        let correction = Correction::of(text)?;
        let (base, clear, shown) = self.corrected_by(&correction, origin, before)?;
        let rule = self.get(base)?.clone();
        let looser = is_looser(&rule.text, &correction);
        let declared = rule.status == Status::Declared || rule.trust > Trust::User;
        let mut done = Corrected::default();
        if looser && (declared || limits.loosening == Loosening::Ask) {
            self.revise(RevisionKind::Asked, text, base, origin, false);
            done.changed.asked = true;
            return Some(done);
        }
        done.unfit = text.chars().filter(|c| c.is_alphanumeric()).count() < LEAST || admission::sound(text).is_err();
        let block_before = self.block_tokens();
        if shown
            && !done.unfit
            && let Some(retired) = self.amend(text, base, &correction, origin, limits)
        {
            done.changed = Changed { retired, block_before, ..Changed::default() };
            done.amended = Some(Digest::of(text).name());
        }
        let loosened = done.amended.is_some() && clear && looser;
        (done.changed.loosened, done.changed.unclear) = (loosened, !loosened);
        self.revise(if loosened { RevisionKind::Loosened } else { RevisionKind::Unclear }, text, base, origin, false);
        Some(done)
    }

    /// The rule that a correction is about, whether that is clear, and whether it should stand beside it.
    fn corrected_by(&self, correction: &Correction, origin: Origin<'_>, before: &[Before<'_>]) -> Option<(Digest, bool, bool)> {
        let mut fitting: Vec<(&Rule, bool)> = Vec::new();
        for rule in self.all().filter(|rule| rule.status.is_active() && rule.amends.is_none() && !rule.inherited) {
            let own = rule.status == Status::Declared || rule.principal.as_deref() == origin.principal;
            let amended: Vec<Value> =
                self.amendments(rule.digest).flat_map(|rule| values(&Frames::of(&rule.text))).map(|(_, value)| value).collect();
            if let Some(one) = correction.fits(&Frames::of(&rule.text), &amended).filter(|_| own) {
                fitting.push((rule, one));
            }
        }
        // the newest first
        fitting.sort_by_key(|(rule, _)| std::cmp::Reverse((rule.seqs.iter().max().copied(), rule.turn, rule.digest)));
        let (last, _) = fitting.first()?;
        if !correction.old.is_empty() || correction.new.is_empty() {
            // it names what it corrects
            let one = matches!(fitting.as_slice(), [(_, true)]);
            return Some((last.digest, one, true));
        }
        let wanted = correction.new.first()?;
        for message in before {
            let said = |rule: &Rule| rule.seqs.contains(&message.seq) || message.user && message.text.contains(&rule.text);
            let waits = |rule: &Rule| self.revisions().any(|one| one.old == rule.digest && one.seq == message.seq);
            let mut here = fitting.iter().filter(|(rule, _)| said(rule) || waits(rule) || self.amendments(rule.digest).any(said));
            if let Some((rule, one)) = here.next() {
                return Some((rule.digest, *one && here.next().is_none(), true));
            }
            let known = |value: &Value| {
                fitting.iter().any(|(rule, _)| values(&Frames::of(&rule.text)).iter().any(|(_, own)| own.number == value.number))
            };
            let mut others = values(&Frames::of(message.text)).into_iter().map(|(_, value)| value).filter(|value| value.fits(wanted));
            if others.any(|value| (message.user || value.unit.is_some()) && !known(&value)) {
                // something else was spoken of last
                return wanted.unit.is_some().then_some((last.digest, false, false));
            }
        }
        // of a rule long ago it is only where it says what it counts
        let near = origin.turn.saturating_sub(last.turn) <= NEAR;
        (wanted.unit.is_some() || near && last.status != Status::Declared)
            .then(|| (last.digest, fitting.len() == 1 && wanted.unit.is_some(), true))
    }

    /// A permission for some time, or by somebody else, is in force for nobody; what it would lift a part of is looked at.
    pub fn pass(&mut self, text: &str, origin: Origin<'_>) -> Changed {
        let (text, said, mut changed) = (crate::pinned::trim(text), Slot::of(text).permitting(), Changed::default());
        let loosened = self.all_stored().find(|(_, slot)| slot.is_loosened_by(&said)).map(|(rule, _)| (rule.digest, rule.trust));
        if let Some((old, trust)) = loosened {
            changed.asked = trust > Trust::User;
            changed.unclear = !changed.asked;
            self.revise(if changed.asked { RevisionKind::Asked } else { RevisionKind::Unclear }, text, old, origin, false);
        }
        changed
    }

    /// Rules in force, with what they are about.
    fn all_stored(&self) -> impl Iterator<Item = (&Rule, &Slot)> {
        self.rules.values().filter(|stored| stored.rule.status.is_active()).map(|stored| (&stored.rule, stored.slot()))
    }

    /// An operator agrees with a correction: it is declared, beside the rule.
    pub(super) fn approve_correction(&mut self, revision: &Revision, actor: Actor<'_>, limits: &Limits) -> Result<()> {
        admission::sound(&revision.text)?;
        self.declare_admitted(&revision.text, actor, None, revision.principal.as_deref(), limits)?;
        if let Some(stored) = self.rules.change().get_mut(&revision.digest) {
            stored.rule.amends = Some(revision.old);
        }
        Ok(())
    }

    /// Puts a correction in force beside the rule it corrects.
    fn amend(&mut self, text: &str, base: Digest, correction: &Correction, origin: Origin<'_>, limits: &Limits) -> Option<Vec<Digest>> {
        let digest = Digest::of(text);
        self.count_undeclared(origin.source, !self.rules.contains_key(&digest));
        let mut earlier: Vec<Digest> = self.amendments(base).filter(|rule| replaces(correction, rule)).map(|rule| rule.digest).collect();
        match self.get(digest).map(|rule| (rule.status, rule.reason.clone(), rule.amends)) {
            Some((status, ..)) if status.is_active() => {
                self.said_again(text, origin.seq);
                return Some(Vec::new());
            }
            Some((_, reason, _)) if !matches!(reason.as_deref(), Some(REPLACED_BY_USER | SOURCE_ABANDONED)) => return None,
            Some(_) => {}
            None => self.make_room(false),
        }
        let fresh = if self.rules.contains_key(&digest) { None } else { Some(self.fresh(digest, text, origin).ok()?) };
        let tokens = fresh.as_ref().or_else(|| self.rules.get(&digest)).map_or(ENTRY_TOKENS, |stored| stored.tokens);
        let freed = earlier.iter().filter_map(|digest| self.rules.get(digest)).fold(0_u32, |sum, stored| sum.saturating_add(stored.tokens));
        let fits = self.admits(tokens, freed, origin.turn, limits);
        if let Some(fresh) = fresh {
            if !fits && self.rules.sums().overflow >= MAX_OVERFLOW {
                // as with any rule over budget: its text stays in its event
                self.count_overflow();
                return None;
            }
            self.insert(fresh);
        }
        if let Some(stored) = self.rules.change().get_mut(&digest) {
            restore(&mut stored.rule);
            let rule = &mut stored.rule;
            (rule.pinned, rule.turn, rule.seqs, rule.amends) = (false, origin.turn, vec![origin.seq], Some(base));
            rule.status = if fits { Status::Promoted } else { Status::Overflow };
        }
        earlier.retain(|old| *old != digest && fits);
        for old in &earlier {
            self.retire_by(*old, Status::Superseded, REPLACED_BY_USER, origin.seq, Some(digest));
        }
        fits.then_some(earlier)
    }
}

/// Whether a correction takes the place of an earlier one of the same rule.
fn replaces(correction: &Correction, earlier: &Rule) -> bool {
    let Some(known) = Correction::of(&earlier.text) else { return false };
    match (correction.new.first(), known.new.first()) {
        (Some(new), Some(old)) => new.fits(old),
        _ => correction.words.1 == known.words.0,
    }
}

/// Whether the rule lets more through with the new value, or that cannot be said.
fn is_looser(rule: &str, correction: &Correction) -> bool {
    let (Some(new), slot) = (correction.new.first(), Slot::of(rule)) else { return true };
    let old = correction.old.first().map(|old| old.number);
    slot.bound_of(old).is_none_or(|(value, upper)| if upper { new.number > value } else { new.number < value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_told_from_other_short_sentences() {
        for said in [
            "Actually, make that 15 mg.",
            "Make that 300 instead.",
            "Mach 300 draus.",
            "Nein, lieber 300 Euro.",
            "I meant Thursday, not Friday.",
            "Ich meinte Donnerstag, nicht Freitag.",
            "No, 15.",
            "sorry, 15 mg not 20",
            "Mets plutôt 300.",
            "Non, 300 euros.",
            "Mejor que sean 300.",
            "Perdón, 15 mg, no 20.",
            "Na verdade, 300 euros.",
            "改成300元。",
            "不对，是300。",
            "300円にしてください。",
            "500ではなく300です。",
            "300으로 해 주세요.",
        ] {
            assert!(is_correction(said), "{said}");
        }
        for said in [
            "Make that a table.",
            "No, thanks.",
            "Actually, never mind.",
            "Is it 15?",
            "I have 15 files.",
            "15",
            "Never give more than 15 mg.",
            "Sorry, I am late.",
            "No, do not do that.",
        ] {
            let fits =
                Correction::of(said).is_some_and(|found| found.fits(&Frames::of("Never give Mrs Low more than 20 mg."), &[]).is_some());
            assert!(!fits, "{said}");
        }
    }
}
