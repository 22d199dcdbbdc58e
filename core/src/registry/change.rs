//! What a user's own words change in the user's own rules, and what of it a person should see (R7).
//!
//! Only promoted rules are changed so, by the principal who said them. The event of the change is remembered: with its
//! branch the change goes, and the old rule is in force again.

use super::authority::review_handle;
use super::slot::{Relation, Release, Slot};
pub use super::slot::{changes_around, only_lifts, permits};
use super::{Actor, Origin, Registry, SOURCE_ABANDONED};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::event::Role;
use crate::policy::{Limits, Loosening};
use crate::rule::{Change, Review, Revision, RevisionKind, Rule, Status};
use crate::text::pattern::Pattern;
use crate::triage::{self, Candidate};
use crate::trust::Trust;

/// Why a rule is out of force that its user replaced in conversation.
pub const REPLACED_BY_USER: &str = "replaced_by_user";
/// Why a rule is out of force that its user took back in conversation.
pub const RESCINDED_BY_USER: &str = "rescinded_by_user";
/// Most changes that wait in the review queue; what is older is counted.
pub const MAX_REVISIONS: usize = 64;

/// What a text would do to older rules.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// Rules it takes the place of.
    pub(super) replaced: Vec<Digest>,
    /// The first of them it is looser than.
    loosened: Option<Digest>,
    /// A rule it may be meant to change.
    unclear: Option<Digest>,
    /// A rule that it may not change by itself: it waits for a person, whatever the policy says.
    against: Option<Digest>,
    /// What the text is about, where that was read.
    pub(super) slot: Option<Slot>,
}

impl Effect {
    /// Whether it is about an older rule, and changes none.
    pub(super) fn is_unclear(&self) -> bool {
        self.replaced.is_empty() && self.unclear.is_some()
    }
}

/// What a text did to older rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Rules that are out of force now.
    pub retired: Vec<Digest>,
    /// Tokens of the block before.
    pub block_before: u32,
    /// One of them was stricter.
    pub loosened: bool,
    /// It waits for a person, and nothing was changed.
    pub asked: bool,
    /// Whether it changes a rule is for a person to say; both are in force.
    pub unclear: bool,
}

/// The rules that a message says: what a user who speaks in this role says for good, and the constraints of an operator's
/// document. Of anybody else rule-shaped places alone: they are only shown as data, and there is most of them.
#[must_use]
pub fn said(text: &str, role: Role, trust: Trust, pattern: &Pattern) -> Vec<Candidate> {
    match trust {
        Trust::User if role == Role::User => {
            let mut found = triage::spoken(text, pattern);
            triage::mark_asides(text, &mut found, &permits);
            found
        }
        Trust::Operator => triage::found(text, pattern),
        _ => triage::candidates(text, pattern),
    }
}

impl Registry {
    /// Rules that these words may change: the principal's own, promoted, said in an earlier event unless `again`.
    fn changeable_by<'r>(&'r self, origin: Origin<'r>, again: bool) -> impl Iterator<Item = &'r super::store::Stored> {
        self.rules.values().filter(move |stored| {
            let rule = &stored.rule;
            rule.status == Status::Promoted
                && rule.trust == Trust::User
                && !rule.inherited
                && rule.principal.as_deref() == origin.principal
                && (again || !rule.seqs.contains(&origin.seq))
        })
    }

    /// Whether there is a rule in force that a user's words could be about.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.rules.sums().promoted.0 > 0 || self.rules.sums().declared.0 > 0
    }

    /// Rules in force that no user's words change: those of the operator, by call or in conversation, and inherited ones.
    fn beyond_users(&self) -> impl Iterator<Item = &super::store::Stored> {
        self.rules.values().filter(|stored| {
            let rule = &stored.rule;
            rule.status.is_active() && (rule.status == Status::Declared || rule.trust > Trust::User || rule.inherited)
        })
    }

    /// What promoting a text does to older rules.
    pub(super) fn effect(&self, digest: Digest, text: &str, changes_beside: &dyn Fn() -> bool, origin: Origin<'_>) -> Effect {
        let mut effect = Effect::default();
        if origin.trust != Trust::User || !self.has_rules() {
            return effect;
        }
        let said = Slot::of(text);
        let loosened = |stored: &&super::store::Stored| stored.rule.digest != digest && stored.slot().is_loosened_by(&said);
        effect.against = self.beyond_users().find(loosened).map(|stored| stored.rule.digest);
        let others = self.changeable_by(origin, true).filter(|stored| stored.rule.digest != digest);
        let mut near: Option<&Rule> = None;
        for stored in others {
            let new = &said;
            let relation = match stored.slot().relation(new) {
                Relation::Apart => Relation::Looser,
                relation => relation,
            };
            let rule = &stored.rule;
            if relation == Relation::Other {
                continue;
            }
            let changes = || new.changes() || changes_beside();
            // of two in one message neither is the older, unless the words say so
            if new.once() && relation != Relation::Same || relation == Relation::Looser && !changes() {
                effect.unclear = Some(rule.digest);
            } else if relation == Relation::Near {
                if near.is_none_or(|known| (known.turn, &known.fingerprint) < (rule.turn, &rule.fingerprint)) {
                    near = Some(rule);
                }
            } else if (relation == Relation::Stricter && !rule.seqs.contains(&origin.seq)) || (!new.once() && changes()) {
                effect.replaced.push(rule.digest);
                if relation == Relation::Looser {
                    effect.loosened = effect.loosened.or(Some(rule.digest));
                }
            }
        }
        effect.slot = Some(said);
        effect.unclear = effect.unclear.or(near.filter(|_| effect.replaced.is_empty()).map(|rule| rule.digest));
        effect
    }

    /// Tokens of active rules that an effect frees.
    pub(super) fn freed(&self, effect: &Effect) -> u32 {
        effect.replaced.iter().filter_map(|digest| self.rules.get(digest)).fold(0, |sum, stored| sum.saturating_add(stored.tokens))
    }

    /// Whether an effect has to wait for a person; then it is put into the review queue.
    pub(super) fn asks(&mut self, effect: &Effect, text: &str, origin: Origin<'_>, limits: &Limits) -> bool {
        let asked = effect.loosened.filter(|_| limits.loosening == Loosening::Ask);
        let Some(old) = effect.against.or(asked) else { return false };
        self.revise(RevisionKind::Asked, text, old, origin, false);
        true
    }

    /// Brings an effect about; `text` is in force.
    pub(super) fn bring_about(&mut self, effect: &Effect, text: &str, origin: Origin<'_>) -> Changed {
        let digest = Digest::of(text);
        let block_before = if effect.replaced.is_empty() { 0 } else { self.block_tokens() };
        for old in &effect.replaced {
            self.retire_by(*old, Status::Superseded, REPLACED_BY_USER, origin.seq, Some(digest));
        }
        if let Some(old) = effect.loosened {
            self.revise(RevisionKind::Loosened, text, old, origin, false);
        }
        if let Some(old) = effect.unclear {
            self.revise(RevisionKind::Unclear, text, old, origin, false);
        }
        Changed {
            retired: effect.replaced.clone(),
            block_before,
            loosened: effect.loosened.is_some(),
            asked: false,
            unclear: effect.unclear.is_some(),
        }
    }

    /// Takes back what a sentence of the user's takes back, if it does.
    pub fn rescind(&mut self, text: &str, origin: Origin<'_>, limits: &Limits) -> Changed {
        let text = crate::pinned::trim(text);
        let mut changed = Changed::default();
        let own = Digest::of(text);
        if origin.trust != Trust::User || self.get(own).is_some_and(|rule| rule.status == Status::Rejected) {
            return changed;
        }
        let Some(release) = Release::of(text) else { return changed };
        let (mut lifted, mut near): (Vec<Digest>, Vec<Digest>) = (Vec::new(), Vec::new());
        for stored in self.changeable_by(origin, false) {
            match release.relation(stored.slot()) {
                // a directive that lifts a duty does not lift itself
                _ if stored.rule.digest == own => {}
                Relation::Other => {}
                Relation::Near => near.push(stored.rule.digest),
                _ => lifted.push(stored.rule.digest),
            }
        }
        if release.explicit {
            // an operator's rule is not taken back in conversation: a person looks at it
            let lifts = |stored: &&super::store::Stored| stored.rule.digest != own && release.relation(stored.slot()) == Relation::Looser;
            let asked = self.beyond_users().find(lifts).map(|stored| stored.rule.digest);
            if let Some(old) = asked {
                self.revise(RevisionKind::Asked, text, old, origin, true);
                changed.asked = true;
            }
        }
        if lifted.is_empty() && near.is_empty() && !changed.asked && only_lifts(text) {
            // by other words than the rule's: a person looks at the one it shares most with
            let shared = |stored: &super::store::Stored| release.shared(stored.slot());
            let most = self.changeable_by(origin, false).filter(|stored| shared(stored) > 0).max_by_key(|stored| shared(stored));
            near.extend(most.map(|stored| stored.rule.digest));
        }
        if !release.explicit || lifted.is_empty() {
            // an explicit one that names a part of one rule only may mean it
            let one = lifted.first().or(near.first().filter(|_| release.explicit && near.len() == 1)).copied();
            if let Some(old) = one {
                self.revise(RevisionKind::Unclear, text, old, origin, true);
                changed.unclear = true;
            }
            return changed;
        }
        changed.block_before = self.block_tokens();
        for old in lifted {
            if limits.loosening == Loosening::Ask {
                self.revise(RevisionKind::Asked, text, old, origin, true);
                changed.asked = true;
            } else {
                self.retire_by(old, Status::Revoked, RESCINDED_BY_USER, origin.seq, None);
                self.revise(RevisionKind::Loosened, text, old, origin, true);
                changed.retired.push(old);
                changed.loosened = true;
            }
        }
        changed
    }

    pub(super) fn retire_by(&mut self, digest: Digest, status: Status, reason: &str, seq: u32, by: Option<Digest>) {
        let amends = |rule: &&Rule| rule.status == Status::Promoted && rule.amends == Some(digest);
        let corrections: Vec<Digest> = self.all().filter(amends).map(|rule| rule.digest).collect();
        self.retire(digest, status, Some(reason));
        for changed in corrections.into_iter().chain([digest]) {
            if let Some(stored) = self.rules.change().get_mut(&changed) {
                (stored.rule.changed_at, stored.rule.replaced_by) = (Some(seq), by);
            }
        }
    }

    /// Puts a rule back in force that its user had changed.
    fn reinstate(&mut self, digest: Digest) {
        if let Some(stored) = self.rules.change().get_mut(&digest).filter(|stored| is_changed(&stored.rule)) {
            restore(&mut stored.rule);
        }
    }

    /// Changes that a person should see, oldest first.
    pub fn revisions(&self) -> impl Iterator<Item = &Revision> {
        self.revisions.iter().filter(|revision| self.is_open(revision))
    }

    /// How many older ones are known by number only.
    #[must_use]
    pub fn revisions_counted(&self) -> u32 {
        self.revisions_counted
    }

    /// How many promotions over budget are known by number only.
    #[must_use]
    pub fn overflow_counted(&self) -> u32 {
        self.overflow_counted
    }

    pub(crate) fn reload_revisions(&mut self, revisions: Vec<Revision>, counted: u32, overflow: u32) {
        (self.revisions, self.revisions_counted, self.overflow_counted) = (revisions, counted, overflow);
    }

    pub(super) fn revise(&mut self, kind: RevisionKind, text: &str, old: Digest, origin: Origin<'_>, rescinds: bool) {
        let mut revision = Revision {
            kind,
            text: text.to_owned(),
            digest: Digest::of(text),
            old,
            seq: origin.seq,
            turn: origin.turn,
            source: origin.source.to_owned(),
            trust: origin.trust,
            principal: origin.principal.map(str::to_owned),
            rescinds,
            again: Vec::new(),
        };
        // said again, it goes with the last event that says it
        if let Some(at) = self.revisions.iter().position(|known| (known.digest, known.old) == (revision.digest, old)) {
            let known = self.revisions.remove(at);
            if known.seq < revision.seq {
                (revision.seq, revision.turn, revision.again) = (known.seq, known.turn, known.again);
                revision.said(origin.seq);
            }
        }
        if self.revisions.len() >= MAX_REVISIONS {
            // words that stand in the block give way before words that stand nowhere else
            let [unclear, loosened] =
                [RevisionKind::Unclear, RevisionKind::Loosened].map(|kind| self.revisions.iter().position(|known| known.kind == kind));
            self.revisions.remove(unclear.or(loosened).unwrap_or(0));
            self.revisions_counted = self.revisions_counted.saturating_add(1);
        }
        self.revisions.push(revision);
    }

    /// The branch was left from `seq` on: changes made there are undone.
    pub(super) fn undo_changes(&mut self, seq: u32) -> Vec<Digest> {
        self.unsay(|said| said >= seq);
        let undone: Vec<Digest> = self.all().filter(|rule| rule.changed_at.is_some_and(|at| at >= seq)).map(|rule| rule.digest).collect();
        for digest in &undone {
            self.reinstate(*digest);
        }
        undone
    }

    /// The words of these events are gone, and changes that no other event says with them.
    pub(super) fn unsay(&mut self, gone: impl Fn(u32) -> bool) {
        self.revisions.retain_mut(|revision| {
            revision.again.retain(|seq| !gone(*seq));
            if !gone(revision.seq) {
                return true;
            }
            let next = revision.again.first().copied();
            revision.again.retain(|seq| Some(*seq) != next);
            revision.seq = next.unwrap_or(revision.seq);
            next.is_some()
        });
    }

    /// Notes that an event says words which wait in the review queue; false where none do.
    pub(super) fn asked_again(&mut self, text: &str, seq: u32) -> bool {
        let waits = |revision: &Revision| revision.kind == RevisionKind::Asked && revision.text.contains(text) && self.is_open(revision);
        let found: Vec<usize> = self.revisions.iter().enumerate().filter(|(_, one)| waits(one)).map(|(at, _)| at).collect();
        for at in &found {
            if let Some(revision) = self.revisions.get_mut(*at) {
                revision.said(seq);
            }
        }
        !found.is_empty()
    }

    /// Whether its words correct the rule, and are in force.
    fn amends(&self, revision: &Revision) -> bool {
        self.get(revision.digest).is_some_and(|said| said.amends == Some(revision.old) && said.status.is_active())
    }

    /// Whether there is still something to decide about a change.
    fn is_open(&self, revision: &Revision) -> bool {
        let is_active = || self.get(revision.old).is_some_and(|old| old.status.is_active());
        match revision.kind {
            RevisionKind::Loosened if self.amends(revision) => true,
            RevisionKind::Loosened => self.get(revision.old).is_some_and(is_changed),
            // words that stand nowhere else wait, whatever becomes of the rule that they are about
            RevisionKind::Asked if !revision.rescinds => self
                .get(revision.digest)
                .is_none_or(|said| said.status.is_tombstone() && (is_changed(said) || said.reason.as_deref() == Some(SOURCE_ABANDONED))),
            // a later correction took its place
            RevisionKind::Unclear if self.get(revision.digest).is_some_and(|said| said.amends.is_some() && said.status.is_tombstone()) => {
                false
            }
            RevisionKind::Asked | RevisionKind::Unclear => is_active(),
        }
    }

    /// Puts the changes into a review queue.
    pub(super) fn review_revisions(&self, queue: &mut Vec<Review>) {
        for revision in self.revisions() {
            queue.push(Review {
                handle: handle(revision),
                kind: revision.kind.as_str().to_owned(),
                text: revision.text.clone(),
                source: revision.source.clone(),
                trust: revision.trust,
                turn: revision.turn,
                about: Some(revision.old.name()),
            });
        }
    }

    pub(super) fn revision(&self, wanted: &str) -> Option<Revision> {
        self.revisions().find(|revision| handle(revision) == wanted).cloned()
    }

    /// The changes that users made in conversation and that are in force, with the turns of their events.
    #[must_use]
    pub fn changes_by_users(&self, turn: impl Fn(u32) -> Option<u32>) -> Vec<Change> {
        let mut changes = Vec::new();
        for rule in self.all() {
            let by = |action: &str, fingerprint: String, turn: u32| Change {
                action: action.to_owned(),
                fingerprint,
                by: rule.principal.clone().unwrap_or_else(|| Trust::User.as_str().to_owned()),
                source: Trust::User.as_str().to_owned(),
                turn,
            };
            if is_changed(rule) {
                let new = rule.replaced_by.and_then(|new| self.get(new)).map(|new| new.turn);
                let at = rule.changed_at.and_then(&turn).or(new).unwrap_or(rule.turn);
                let action = if rule.status == Status::Superseded { "supersede" } else { "revoke" };
                changes.push(by(action, rule.fingerprint.clone(), at));
            }
            if let Some(base) = rule.amends.filter(|_| rule.status == Status::Promoted) {
                changes.push(by("amend", base.name(), rule.turn));
            }
        }
        changes
    }

    fn close_revision(&mut self, revision: &Revision) {
        self.revisions.retain(|known| (known.digest, known.old) != (revision.digest, revision.old));
    }

    /// The rule that a change is about, if it is still there to be changed, by this actor.
    fn still_changed(&self, revision: &Revision, actor: Actor<'_>) -> Result<Option<Rule>> {
        super::authority::require_authority(actor)?;
        let waits = revision.kind == RevisionKind::Asked && !revision.rescinds;
        if waits && !self.get(revision.old).is_some_and(|old| old.status.is_active()) {
            return Ok(None);
        }
        self.changeable(&revision.old.hex(), actor).map(Some)
    }

    /// A person agrees with a change: it is confirmed, or made now.
    pub(super) fn approve_revision(&mut self, revision: &Revision, actor: Actor<'_>, limits: &Limits) -> Result<Rule> {
        let old = self.still_changed(revision, actor)?;
        let mut next = self.clone();
        if revision.kind != RevisionKind::Loosened {
            if super::is_correction(&revision.text) {
                next.approve_correction(revision, actor, limits)?;
            } else if revision.rescinds {
                next.retire(revision.old, Status::Revoked, Some("revoke"));
            } else {
                if old.is_some() {
                    next.retire(revision.old, Status::Superseded, None);
                }
                let (scope, principal) = old.as_ref().map_or((None, None), |old| (old.scope.as_deref(), old.principal.as_deref()));
                let new = next.declare(&revision.text, actor, scope, principal, limits)?;
                if let Some(stored) = next.rules.change().get_mut(&revision.old).filter(|_| old.is_some()) {
                    stored.rule.replaced_by = Some(new.digest);
                }
            }
        }
        next.close_revision(revision);
        next.record("approve", &revision.digest.name(), actor);
        *self = next;
        let shown = if revision.rescinds { revision.old } else { revision.digest };
        self.get(shown).cloned().ok_or_else(|| Error::new(Code::UnknownRule, "the rule is gone"))
    }

    /// A person turns a change down: the old rule is in force again, the new words are not.
    pub(super) fn reject_revision(&mut self, revision: &Revision, actor: Actor<'_>) -> Result<Rule> {
        self.still_changed(revision, actor)?;
        let mut next = self.clone();
        let undone: Vec<Digest> = self.all().filter(|rule| rule.replaced_by == Some(revision.digest)).map(|rule| rule.digest).collect();
        for digest in undone.into_iter().chain([revision.old]) {
            next.reinstate(digest);
        }
        if next.get(revision.digest).is_none() {
            let origin = Origin {
                trust: revision.trust,
                source: &revision.source,
                seq: revision.seq,
                turn: revision.turn,
                principal: revision.principal.as_deref(),
            };
            let stored = next.fresh(revision.digest, &revision.text, origin)?;
            next.insert(stored);
        }
        next.retire(revision.digest, Status::Rejected, Some("reject"));
        next.revisions.retain(|known| known.digest != revision.digest);
        next.record("reject", &revision.digest.name(), actor);
        *self = next;
        self.get(revision.digest).cloned().ok_or_else(|| Error::new(Code::UnknownRule, "the rule is gone"))
    }
}

/// Whether the user changed the rule in conversation, rather than somebody by a call.
pub(super) fn is_changed(rule: &Rule) -> bool {
    matches!(rule.reason.as_deref(), Some(REPLACED_BY_USER | RESCINDED_BY_USER))
}

/// In force again, and in the block: its own event may be folded.
pub(super) fn restore(rule: &mut Rule) {
    (rule.status, rule.pinned) = (Status::Promoted, true);
    (rule.reason, rule.replaced_by, rule.changed_at) = (None, None, None);
}

/// Binds the words, who said them, what came of it and the rule they change.
fn handle(revision: &Revision) -> String {
    let origin = [revision.kind.as_str(), &revision.old.hex(), &revision.source].join(" ");
    review_handle(revision.digest, &origin, revision.trust)
}
