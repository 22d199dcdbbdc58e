//! Rule-shaped texts that nobody with authority said: kept as data, counted where they are not here (R11).

use super::{Origin, Place, Registry};
use crate::digest::Digest;
use crate::pinned;
use crate::rule::{Held, Status};

impl Registry {
    /// Held texts, newest first. What is promoted meanwhile is not held, but is again when its event is gone.
    #[must_use]
    pub fn held(&self) -> Vec<&Held> {
        let mut held = self.all_held();
        held.retain(|held| !self.get(held.digest).is_some_and(|rule| rule.status.is_active()));
        held
    }

    /// Held texts, those that are promoted meanwhile included.
    #[must_use]
    pub fn all_held(&self) -> Vec<&Held> {
        let mut held: Vec<&Held> = self.held.values().collect();
        held.sort_unstable_by(|a, b| (b.seq, &a.fingerprint).cmp(&(a.seq, &b.fingerprint)));
        held
    }

    /// How many texts are held, those known by number only included.
    #[must_use]
    pub fn held_count(&self) -> u32 {
        u32::try_from(self.held.len()).unwrap_or(u32::MAX).saturating_add(self.held_counted)
    }

    /// How many held texts are known by number only: a snapshot carries the newest, and their events are not here.
    #[must_use]
    pub fn held_counted(&self) -> u32 {
        self.held_counted
    }

    /// Keeps a rule-shaped external text as data. Tells whether it is held: one that is a promoted rule is so only when
    /// that is gone with its branch, and the event that said it here may be paged out by then.
    pub fn hold(&mut self, text: &str, origin: Origin<'_>, restricts: bool) -> bool {
        let text = pinned::trim(text);
        let digest = Digest::of(text);
        let status = self.get(digest).map(|rule| rule.status);
        if text.is_empty() || matches!(status, Some(Status::Declared | Status::Rejected)) {
            return false;
        }
        let shown = status != Some(Status::Promoted);
        if shown {
            self.count_undeclared(origin.source, !self.held.contains_key(&digest));
        }
        let fingerprint = digest.name();
        let (source, turn, seq) = (origin.source.to_owned(), origin.turn, origin.seq);
        let count = self.held.get(&digest).map_or(0, |held| held.count).saturating_add(1);
        let restricts = self.held.get(&digest).map_or(restricts, |held| held.restricts);
        self.held.insert(digest, Held { fingerprint, digest, text: text.to_owned(), source, turn, seq, count, restricts });
        shown
    }

    /// Holds a text again that a snapshot had only counted. What it carried was last seen here or later.
    pub(crate) fn hold_again(&mut self, text: &str, origin: Origin<'_>, restricts: bool) {
        let digest = Digest::of(pinned::trim(text));
        let known = self.held.get(&digest).map(|held| held.seq);
        if known.is_some_and(|seq| seq >= origin.seq) {
            return;
        }
        let shown = self.hold(text, origin, restricts);
        if known.is_none() && self.held_counted > 0 && self.held.contains_key(&digest) {
            self.held_counted -= 1;
            if shown {
                // it was counted when it was first seen
                self.undeclared.change(origin.source.to_owned(), 0, |n| *n = n.saturating_sub(1));
            }
        }
    }

    /// Every event was read again: what was counted and not found is gone with its branch.
    pub(crate) fn all_held_again(&mut self) {
        self.held_counted = 0;
    }

    /// Held texts last seen where `gone` says go, unless another event still has them.
    pub(super) fn unhold(&mut self, gone: impl Fn(u32) -> bool, mut still: impl FnMut(&Held) -> Option<Place>) {
        self.held.retain(|_, held| {
            if !gone(held.seq) {
                return true;
            }
            let Some(place) = still(held) else { return false };
            (held.source, held.turn, held.seq) = (place.source, place.turn, place.seq);
            true
        });
    }
}
