//! Rules found in what operator and user say: put in force within their budgets, once each (R3, R6).

use super::{Changed, ENTRY_TOKENS, MAX_OVERFLOW, Origin, PROMOTIONS_A_TURN, Registry, SEQS, SOURCE_ABANDONED, add_once, change, framed};
use crate::admission;
use crate::digest::Digest;
use crate::error::Code;
use crate::policy::Limits;
use crate::prompt::FRAMES;
use crate::rule::{Rule, Status};

/// What came of an attempt to promote a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promotion {
    /// In force from now on, with what it changed.
    Promoted(String, Changed),
    /// It would loosen a rule, and waits for review (`Policy.loosening`).
    Asked,
    /// Already in force.
    Known(String),
    /// Over budget: waits for review.
    Overflow(String),
    /// Longer than a promoted rule may be: its event stays whole.
    TooLong,
    /// Not a text that can be a rule.
    Refused(Code),
    /// Replaced, revoked or rejected before; it stays so.
    Tombstone(String),
    /// More of them over budget than are kept one by one: it stays in its event, and is counted.
    Counted,
}

impl Registry {
    /// Promotes a text that operator or user said in their own words; `changes_beside`
    /// tells whether the words beside it speak of a change.
    pub fn promote(&mut self, text: &str, changes_beside: &dyn Fn() -> bool, origin: Origin<'_>, limits: &Limits) -> Promotion {
        let text = match admission::admit(text, FRAMES) {
            Ok(text) => text,
            Err(error) => return Promotion::Refused(error.code()),
        };
        let digest = Digest::of(text);
        self.count_undeclared(origin.source, !self.rules.contains_key(&digest));
        if let Some(stored) = self.rules.change().get_mut(&digest) {
            let rule = &mut stored.rule;
            let name = rule.fingerprint.clone();
            let abandoned = rule.reason.as_deref() == Some(SOURCE_ABANDONED);
            if rule.status.is_tombstone() && !abandoned && !change::is_changed(rule) {
                return Promotion::Tombstone(name);
            }
            let again = rule.status.is_tombstone();
            if !again {
                let kept = rule.status == Status::Promoted && rule.seqs.is_empty();
                rule.said(origin);
                if kept {
                    // our memory stands for it (`keep_said`): it does not go with the event that repeats it
                    rule.seqs.clear();
                }
                return if rule.status == Status::Overflow { Promotion::Overflow(name) } else { Promotion::Known(name) };
            }
            let effect = self.effect(digest, text, changes_beside, origin);
            if !abandoned && effect.is_unclear() {
                // said again after it was changed: which of the two is meant?
                self.bring_about(&effect, text, origin);
                return Promotion::Tombstone(name);
            }
            if self.asks(&effect, text, origin, limits) {
                return Promotion::Asked;
            }
            let tokens = self.rules.get(&digest).map_or(0, |stored| stored.tokens);
            let fits = self.admits(tokens, self.freed(&effect), origin.turn, limits);
            if let Some(stored) = self.rules.change().get_mut(&digest) {
                change::restore(&mut stored.rule);
                (stored.rule.pinned, stored.rule.turn) = (false, origin.turn);
                stored.rule.said(origin);
                stored.rule.status = if fits { Status::Promoted } else { Status::Overflow };
            }
            return if fits { Promotion::Promoted(name, self.bring_about(&effect, text, origin)) } else { Promotion::Overflow(name) };
        }
        self.make_room(false);
        let mut stored = match self.fresh(digest, text, origin) {
            Ok(stored) => stored,
            Err(error) if error.code() == Code::TooManyRules => {
                self.count_overflow();
                return Promotion::Counted;
            }
            Err(error) => return Promotion::Refused(error.code()),
        };
        if stored.tokens > limits.promoted_max.saturating_add(ENTRY_TOKENS) {
            return Promotion::TooLong;
        }
        let mut effect = self.effect(digest, text, changes_beside, origin);
        if self.asks(&effect, text, origin, limits) {
            return Promotion::Asked;
        }
        stored.read_as(effect.slot.take());
        stored.rule.seqs.push(origin.seq);
        let name = stored.rule.fingerprint.clone();
        let fits = self.admits(stored.tokens, self.freed(&effect), origin.turn, limits);
        if fits {
            stored.rule.status = Status::Promoted;
        } else if self.rules.sums().overflow >= MAX_OVERFLOW {
            self.count_overflow();
            return Promotion::Counted;
        }
        self.insert(stored);
        if fits { Promotion::Promoted(name, self.bring_about(&effect, text, origin)) } else { Promotion::Overflow(name) }
    }

    /// Counts a rule over budget that is not kept by itself: its text stays in its event.
    pub fn count_overflow(&mut self) {
        self.overflow_counted = self.overflow_counted.saturating_add(1);
    }

    /// Whether a promotion of this size fits the budgets, which `freed` tokens of others leave; counts it if it does (R6).
    pub(super) fn admits(&mut self, tokens: u32, freed: u32, turn: u32, limits: &Limits) -> bool {
        if self.this_turn.0 != turn {
            self.this_turn = (turn, 0);
        }
        let with = |sum: u32| sum.saturating_sub(freed).saturating_add(tokens);
        let fits = with(framed(self.rules.sums().promoted.1)) <= limits.promoted
            && with(self.active_tokens()) <= limits.pinned
            && self.this_turn.1 < PROMOTIONS_A_TURN;
        self.this_turn.1 += u32::from(fits);
        fits
    }
}

impl Rule {
    /// Somebody says it.
    fn said(&mut self, origin: Origin<'_>) {
        if self.seqs.len() < SEQS {
            self.seqs.push(origin.seq);
        }
        add_once(&mut self.sources, origin.source);
        self.trust = self.trust.max(origin.trust);
    }
}
