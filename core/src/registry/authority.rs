//! Changes of rules by call, and what waits for a person: who may do what, and the trail of it (R7 to R10).

use super::{Actor, FRAME_TOKENS, MAX_LISTED, Origin, Registry, SOURCE_ABANDONED, add_once, framed};
use crate::admission;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::json;
use crate::ordered::Set;
use crate::policy::Limits;
use crate::prompt::FRAMES;
use crate::rule::{Change, Held, Review, Rule, RulesDiff, Status};
use crate::trust::{self, Trust};

impl Registry {
    /// Declares a rule. The same text again is the same rule.
    ///
    /// # Errors
    /// The codes of `admission::admit`, `budget_exceeded`, `too_many_rules`, `fingerprint_collision`.
    pub fn declare(&mut self, text: &str, actor: Actor<'_>, scope: Option<&str>, principal: Option<&str>, limits: &Limits) -> Result<Rule> {
        self.declare_admitted(admission::admit(text, FRAMES)?, actor, scope, principal, limits)
    }

    /// The same for a text that may stand in the block.
    pub(super) fn declare_admitted(
        &mut self,
        text: &str,
        actor: Actor<'_>,
        scope: Option<&str>,
        principal: Option<&str>,
        limits: &Limits,
    ) -> Result<Rule> {
        let digest = Digest::of(text);
        self.make_room(true);
        let mut stored = match self.rules.get(&digest) {
            Some(known) if actor.trust < Trust::Operator && is_closed(&known.rule) => {
                let error = format!("rule `{}` was taken back or turned down; approve it to lift that", known.rule.fingerprint);
                return Err(Error::new(Code::NotAuthorized, error));
            }
            Some(known) => known.clone(),
            None => self.fresh(digest, text, Origin { trust: actor.trust, source: actor.source, seq: 0, turn: actor.turn, principal })?,
        };
        if stored.rule.status.is_tombstone() {
            // whoever declared or said it before has no part in its being in force now
            stored.rule.sources.clear();
            stored.rule.declared_by.clear();
        }
        stored.rule.status = Status::Declared;
        stored.rule.pinned = true;
        stored.rule.replaced_by = None;
        stored.rule.reason = None;
        stored.rule.changed_at = None;
        stored.rule.trust = stored.rule.trust.max(actor.trust);
        add_once(&mut stored.rule.sources, actor.source);
        add_once(&mut stored.rule.declared_by, actor.source);
        if scope.is_some() {
            stored.rule.scope = scope.map(str::to_owned);
        }
        let before = self.rules.get(&digest).filter(|known| known.rule.status == Status::Declared).map_or(0, |known| known.tokens);
        let others = framed(self.rules.sums().declared.1.saturating_sub(before)).max(FRAME_TOKENS);
        let needed = others.saturating_add(stored.tokens);
        if needed > limits.pinned {
            let mut largest = self.largest();
            largest.push((stored.rule.fingerprint.clone(), stored.tokens));
            return Err(Error::new(
                Code::BudgetExceeded,
                format!("declared rules need {needed} tokens, pinned_tokens is {}", limits.pinned),
            )
            .with("needed", needed)
            .with("pinned_tokens", limits.pinned)
            .with("largest", json::value(&largest)));
        }
        self.held.remove(&digest);
        let rule = stored.rule.clone();
        self.insert(stored);
        Ok(rule)
    }

    /// Makes `texts` the whole of what `source` declares.
    ///
    /// # Errors
    /// As [`Registry::declare`]; then nothing was changed.
    pub fn set_rules(&mut self, texts: &[String], actor: Actor<'_>, limits: &Limits) -> Result<RulesDiff> {
        let mut next = self.clone();
        let mut diff = RulesDiff::default();
        let mut wanted = Vec::with_capacity(texts.len());
        for text in texts {
            wanted.push(Digest::of(admission::admit(text, FRAMES)?));
        }
        let known: Set<Digest> = wanted.iter().copied().collect();
        // what goes first makes room for what comes
        let mut gone = Vec::new();
        let declares = |rule: &Rule| rule.status == Status::Declared && rule.declared_by.iter().any(|s| s == actor.source);
        for rule in next.rules.change().values_mut().map(|stored| &mut stored.rule) {
            if rule.inherited || known.contains(&rule.digest) || !declares(rule) {
                continue;
            }
            rule.declared_by.retain(|s| s != actor.source);
            let others = rule.sources.iter().any(|s| s != actor.source);
            if !rule.declared_by.is_empty() {
                rule.sources.retain(|s| s != actor.source);
            } else if rule.seqs.is_empty() {
                rule.status = Status::Revoked;
                rule.reason = Some("host_rules_changed".to_owned());
                gone.push(rule.digest);
                diff.revoked.push(rule.fingerprint.clone());
            } else {
                // somebody said it too: it stays in force as theirs
                rule.sources.retain(|s| s != actor.source || !others);
                rule.status = Status::Promoted;
                rule.trust = rule.sources.iter().map(|s| trust::of_source(s)).fold(Trust::User, Trust::max);
            }
        }
        for digest in gone {
            next.retire(digest, Status::Revoked, Some("host_rules_changed"));
        }
        for (text, digest) in texts.iter().zip(&wanted) {
            if next.get(*digest).is_some_and(declares) {
                diff.kept.extend(next.get(*digest).map(|rule| rule.fingerprint.clone()));
            } else {
                diff.declared.push(next.declare(text, actor, None, None, limits)?.fingerprint);
            }
        }
        for fingerprint in diff.revoked.clone() {
            next.record("revoke", &fingerprint, actor);
        }
        *self = next;
        Ok(diff)
    }

    /// Replaces a rule by another text.
    ///
    /// # Errors
    /// `unknown_rule`, `not_authorized`, `read_only_registry`, and those of [`Registry::declare`].
    pub fn supersede(&mut self, handle: &str, text: &str, actor: Actor<'_>, limits: &Limits) -> Result<Rule> {
        let old = self.changeable(handle, actor)?;
        if !old.status.is_active() && old.status != Status::Overflow {
            return Err(Error::new(Code::UnknownRule, format!("rule `{}` is not in force", old.fingerprint)));
        }
        if Digest::of(admission::admit(text, FRAMES)?) == old.digest {
            return Err(Error::argument("the new text is the old text"));
        }
        let mut next = self.clone();
        next.retire(old.digest, Status::Superseded, None);
        let new = next.declare(text, actor, old.scope.as_deref(), old.principal.as_deref(), limits)?;
        if let Some(stored) = next.rules.change().get_mut(&old.digest) {
            stored.rule.replaced_by = Some(new.digest);
        }
        next.record("supersede", &old.fingerprint, actor);
        *self = next;
        Ok(new)
    }

    /// Takes a rule back.
    ///
    /// # Errors
    /// `unknown_rule`, `not_authorized`, `read_only_registry`.
    pub fn revoke(&mut self, handle: &str, actor: Actor<'_>) -> Result<Rule> {
        self.close(handle, actor, Status::Revoked, "revoke")
    }

    /// Turns a held text, an overflow or a rule down.
    ///
    /// # Errors
    /// `unknown_rule`, `stale_review`, `not_authorized`, `read_only_registry`.
    pub fn reject(&mut self, handle: &str, actor: Actor<'_>) -> Result<Rule> {
        self.check_review(handle)?;
        if let Some(revision) = self.revision(handle) {
            return self.reject_revision(&revision, actor);
        }
        if let Some(held) = self.find_held(handle)?.cloned() {
            require_authority(actor)?;
            let origin = Origin { trust: Trust::External, source: &held.source, seq: held.seq, turn: held.turn, principal: None };
            let mut stored = self.fresh(held.digest, &held.text, origin)?;
            stored.rule.status = Status::Rejected;
            let rule = stored.rule.clone();
            self.held.remove(&held.digest);
            self.insert(stored);
            self.record("reject", &rule.fingerprint, actor);
            return Ok(rule);
        }
        self.close(handle, actor, Status::Rejected, "reject")
    }

    /// Declares what waits for review, or lifts a tombstone.
    ///
    /// # Errors
    /// `unknown_rule`, `stale_review`, `not_authorized`, and those of [`Registry::declare`].
    pub fn approve(&mut self, handle: &str, actor: Actor<'_>, limits: &Limits) -> Result<Rule> {
        self.check_review(handle)?;
        require_authority(actor)?;
        if let Some(revision) = self.revision(handle) {
            return self.approve_revision(&revision, actor, limits);
        }
        let text = match self.find_held(handle)? {
            Some(held) => held.text.clone(),
            None => self.changeable(handle, actor)?.text,
        };
        let mut next = self.clone();
        let rule = next.declare(&text, actor, None, None, limits)?;
        if let Some(stored) = next.rules.change().get_mut(&rule.digest) {
            stored.rule.lookalike_of = None;
        }
        next.record("approve", &rule.fingerprint, actor);
        *self = next;
        self.get(rule.digest).cloned().ok_or_else(|| unknown(handle))
    }

    /// What waits for a person: changes, promotions over budget, look-alikes, the newest held texts.
    #[must_use]
    pub fn review_queue(&self) -> Vec<Review> {
        self.reviews(MAX_LISTED)
    }

    fn reviews(&self, held: usize) -> Vec<Review> {
        let mut queue = Vec::new();
        self.review_revisions(&mut queue);
        let mut put = |digest: Digest, kind: &str, text: &str, source: &str, trust: Trust, turn: u32, about: Option<String>| {
            let handle = review_handle(digest, source, trust);
            queue.push(Review { handle, kind: kind.to_owned(), text: text.to_owned(), source: source.to_owned(), trust, turn, about });
        };
        for rule in self.all() {
            let kind = match rule.status {
                Status::Overflow => "promotion_overflow",
                status if status.is_active() && rule.lookalike_of.is_some() => "lookalike",
                _ => continue,
            };
            let source = rule.sources.first().map_or("", String::as_str);
            put(rule.digest, kind, &rule.text, source, rule.trust, rule.turn, rule.lookalike_of.clone());
        }
        for held in self.held().into_iter().take(held) {
            put(held.digest, "held", &held.text, &held.source, Trust::External, held.turn, None);
        }
        queue
    }

    pub(super) fn retire(&mut self, digest: Digest, status: Status, reason: Option<&str>) {
        if let Some(stored) = self.rules.change().get_mut(&digest) {
            stored.rule.status = status;
            stored.rule.pinned = false;
            stored.rule.reason = reason.map(str::to_owned);
            stored.rule.changed_at = None;
        }
        // what corrects a rule goes with it, unless an operator declared it
        let amends = |rule: &&Rule| rule.status == Status::Promoted && rule.amends == Some(digest);
        let corrections: Vec<Digest> = self.all().filter(amends).map(|rule| rule.digest).collect();
        for correction in corrections {
            self.retire(correction, status, reason);
        }
    }

    fn close(&mut self, handle: &str, actor: Actor<'_>, status: Status, action: &str) -> Result<Rule> {
        let rule = self.changeable(handle, actor)?;
        if rule.status.is_tombstone() {
            return Err(Error::new(Code::UnknownRule, format!("rule `{}` is not in force", rule.fingerprint)));
        }
        self.retire(rule.digest, status, Some(action));
        self.record(action, &rule.fingerprint, actor);
        self.get(rule.digest).cloned().ok_or_else(|| unknown(handle))
    }

    pub(super) fn record(&mut self, action: &str, fingerprint: &str, actor: Actor<'_>) {
        self.changes.push(Change {
            action: action.to_owned(),
            fingerprint: fingerprint.to_owned(),
            by: actor.by.to_owned(),
            source: actor.source.to_owned(),
            turn: actor.turn,
        });
    }

    /// The rule of a handle, if this actor may change it.
    pub(super) fn changeable(&self, handle: &str, actor: Actor<'_>) -> Result<Rule> {
        let digest = self.resolve(handle)?;
        let rule = self.get(digest).ok_or_else(|| unknown(handle))?;
        if rule.inherited {
            return Err(Error::new(Code::ReadOnlyRegistry, format!("rule `{}` belongs to the parent guard", rule.fingerprint)));
        }
        let foreign = actor.trust == Trust::User && rule.principal.as_deref().is_some_and(|principal| principal != actor.by);
        if !actor.trust.has_authority() || actor.trust < rule.trust || foreign {
            return Err(Error::new(Code::NotAuthorized, format!("source `{}` may not change rule `{}`", actor.source, rule.fingerprint)));
        }
        Ok(rule.clone())
    }

    fn resolve(&self, handle: &str) -> Result<Digest> {
        let key = handle.split(':').next().unwrap_or_default();
        if let Some(digest) = Digest::parse(key) {
            return Ok(digest);
        }
        let mut named = self.rules.keys().chain(self.held.keys()).filter(|digest| key.len() == 16 && digest.name() == key);
        let first = named.next().copied().ok_or_else(|| unknown(handle))?;
        if named.any(|other| *other != first) {
            return Err(Error::new(Code::AmbiguousHandle, "two texts share this name"));
        }
        Ok(first)
    }

    fn find_held(&self, handle: &str) -> Result<Option<&Held>> {
        let digest = self.resolve(handle)?;
        Ok(self.held.get(&digest).filter(|_| !self.get(digest).is_some_and(|rule| rule.status.is_active())))
    }

    /// A handle from the review queue binds what was read there.
    fn check_review(&self, handle: &str) -> Result<()> {
        if !handle.contains(':') {
            return Ok(());
        }
        if self.reviews(usize::MAX).iter().any(|review| review.handle == handle) {
            return Ok(());
        }
        Err(Error::new(Code::StaleReview, "what was reviewed has changed or is gone"))
    }
}

pub(super) fn require_authority(actor: Actor<'_>) -> Result<()> {
    if actor.trust.has_authority() {
        return Ok(());
    }
    Err(Error::new(Code::NotAuthorized, format!("source `{}` may not decide about rules", actor.source)))
}

pub(super) fn review_handle(digest: Digest, source: &str, trust: Trust) -> String {
    let bound = Digest::of(format!("{} {} {}", digest.hex(), trust.as_str(), source));
    format!("{}:{}", digest.hex(), bound.name())
}

fn unknown(handle: &str) -> Error {
    // what is no name of ours may be anything, a rule's text too
    let ours = !handle.is_empty() && handle.bytes().all(|b| b.is_ascii_hexdigit() || b == b':');
    let shown = if ours { format!("`{}`", handle.get(..16).unwrap_or(handle)) } else { "what was given".to_owned() };
    Error::new(Code::UnknownRule, format!("no rule or held text is named {shown}"))
}

/// Whether somebody took the rule out of force, rather than a branch that was left.
fn is_closed(rule: &Rule) -> bool {
    rule.status.is_tombstone() && rule.reason.as_deref() != Some(SOURCE_ABANDONED)
}
