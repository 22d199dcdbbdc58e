//! The store of rules: declared, promoted, held, replaced; with tombstones and an audit trail.
//!
//! Every call either changes the registry as its name says or returns an error and changes nothing.

use std::collections::BTreeMap;

use crate::admission;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::policy::Limits;
use crate::prompt::FRAMES;
use crate::rule::{Change, Held, Review, Rule, RulesDiff, Status};
use crate::text::skeleton::skeleton;
use crate::tokens;
use crate::trust::Trust;

/// Most rules of any status that a registry holds.
pub const MAX_RULES: usize = 4_096;
/// Most promotions in one turn.
pub const PROMOTIONS_A_TURN: u32 = 8;
/// Price of what stands around a rule's text in the block: `- [<16 hex>] ` and the line break.
const ENTRY_TOKENS: u32 = 16;
/// Price of the block's first and last line.
const FRAME_TOKENS: u32 = 32;
/// Why the rules of a branch that was left are gone.
pub const SOURCE_ABANDONED: &str = "source_abandoned";

/// A rule and what is derived from its text once.
#[derive(Debug, Clone)]
struct Stored {
    rule: Rule,
    tokens: u32,
}

/// Where and by whom something was said.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Trust of the speaker.
    pub trust: Trust,
    /// Name of the producer.
    pub source: &'a str,
    /// The event.
    pub seq: u32,
    /// User events before it.
    pub turn: u32,
    /// On whose behalf.
    pub principal: Option<&'a str>,
}

/// What came of an attempt to promote a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promotion {
    /// In force from now on.
    Promoted(String),
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
}

/// Who changes a rule.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// The person or program.
    pub by: &'a str,
    /// In the name of which source.
    pub source: &'a str,
    /// With which trust.
    pub trust: Trust,
    /// User events observed so far.
    pub turn: u32,
}

/// The rules of one run.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    rules: BTreeMap<Digest, Stored>,
    held: BTreeMap<Digest, Held>,
    changes: Vec<Change>,
    undeclared: BTreeMap<String, u32>,
    skeletons: BTreeMap<Digest, Digest>,
    this_turn: (u32, u32),
}

impl Registry {
    /// Active rules in block order: turn, then fingerprint.
    #[must_use]
    pub fn active(&self) -> Vec<&Rule> {
        let mut rules: Vec<&Rule> = self.all().filter(|rule| rule.status.is_active()).collect();
        rules.sort_by(|a, b| (a.turn, &a.fingerprint).cmp(&(b.turn, &b.fingerprint)));
        rules
    }

    /// The rules that stand in the pinned block, in its order.
    #[must_use]
    pub fn in_block(&self) -> Vec<&Rule> {
        let mut rules = self.active();
        rules.retain(|rule| rule.pinned);
        rules
    }

    /// The pinned block, or an empty text without rules.
    #[must_use]
    pub fn block(&self) -> String {
        let rules = self.in_block();
        crate::pinned::render(rules.iter().map(|rule| (rule.fingerprint.as_str(), rule.text.as_str())))
    }

    /// All rules, tombstones and overflow included, ordered by digest.
    pub fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.values().map(|stored| &stored.rule)
    }

    /// The rule of a digest.
    #[must_use]
    pub fn get(&self, digest: Digest) -> Option<&Rule> {
        self.rules.get(&digest).map(|stored| &stored.rule)
    }

    /// Held texts, newest first.
    #[must_use]
    pub fn held(&self) -> Vec<&Held> {
        let mut held: Vec<&Held> = self.held.values().collect();
        held.sort_by(|a, b| (b.seq, &a.fingerprint).cmp(&(a.seq, &b.fingerprint)));
        held
    }

    /// Changes made by call, oldest first.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Rule-shaped texts that nobody declared, by source.
    #[must_use]
    pub fn undeclared(&self) -> &BTreeMap<String, u32> {
        &self.undeclared
    }

    /// Upper estimate of the block with all rules of the given kind.
    fn block_tokens(&self, counts: impl Fn(&Rule) -> bool) -> u32 {
        let sum: u32 = self.rules.values().filter(|s| counts(&s.rule)).map(|s| s.tokens).sum();
        if sum == 0 { 0 } else { sum + FRAME_TOKENS }
    }

    /// Upper estimate of the block with every active rule.
    #[must_use]
    pub fn active_tokens(&self) -> u32 {
        self.block_tokens(|rule| rule.status.is_active())
    }

    /// The largest active rules, for messages about budgets.
    #[must_use]
    pub fn largest(&self) -> Vec<(String, u32)> {
        let mut sizes: Vec<(String, u32)> =
            self.rules.values().filter(|s| s.rule.status.is_active()).map(|s| (s.rule.fingerprint.clone(), s.tokens)).collect();
        sizes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sizes.truncate(5);
        sizes
    }

    /// Declares a rule. The same text again is the same rule.
    ///
    /// # Errors
    /// The codes of `admission::admit`, `budget_exceeded`, `too_many_rules`, `fingerprint_collision`.
    pub fn declare(&mut self, text: &str, actor: Actor<'_>, scope: Option<&str>, principal: Option<&str>, limits: &Limits) -> Result<Rule> {
        let text = admission::admit(text, FRAMES)?;
        let digest = Digest::of(text);
        let mut stored = match self.rules.get(&digest) {
            Some(known) => known.clone(),
            None => self.fresh(digest, text, Origin { trust: actor.trust, source: actor.source, seq: 0, turn: actor.turn, principal })?,
        };
        stored.rule.status = Status::Declared;
        stored.rule.pinned = true;
        stored.rule.replaced_by = None;
        stored.rule.reason = None;
        stored.rule.trust = stored.rule.trust.max(actor.trust);
        add_source(&mut stored.rule, actor.source);
        if scope.is_some() {
            stored.rule.scope = scope.map(str::to_owned);
        }
        let others = self.block_tokens(|rule| rule.status == Status::Declared && rule.digest != digest).max(FRAME_TOKENS);
        let needed = others + stored.tokens;
        if needed > limits.pinned {
            let mut largest = self.largest();
            largest.push((stored.rule.fingerprint.clone(), stored.tokens));
            return Err(Error::new(
                Code::BudgetExceeded,
                format!("declared rules need {needed} tokens, pinned_tokens is {}", limits.pinned),
            )
            .with("needed", needed)
            .with("pinned_tokens", limits.pinned)
            .with("largest", serde_json::json!(largest)));
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
        // what goes first makes room for what comes
        let gone: Vec<Digest> = next
            .all()
            .filter(|rule| {
                rule.status == Status::Declared && rule.sources.iter().any(|s| s == actor.source) && !wanted.contains(&rule.digest)
            })
            .map(|rule| rule.digest)
            .collect();
        for digest in gone {
            if let Some(stored) = next.rules.get_mut(&digest) {
                if stored.rule.inherited {
                    continue;
                }
                stored.rule.sources.retain(|s| s != actor.source);
                let still_declared = stored.rule.sources.iter().any(|s| !is_event_source(s));
                if still_declared {
                    continue;
                }
                if stored.rule.seqs.is_empty() {
                    stored.rule.sources.push(actor.source.to_owned());
                    stored.rule.status = Status::Revoked;
                    stored.rule.reason = Some("host_rules_changed".to_owned());
                    diff.revoked.push(stored.rule.fingerprint.clone());
                } else {
                    stored.rule.status = Status::Promoted;
                    stored.rule.trust = Trust::User;
                }
            }
        }
        for (text, digest) in texts.iter().zip(&wanted) {
            let known =
                next.get(*digest).is_some_and(|rule| rule.status == Status::Declared && rule.sources.iter().any(|s| s == actor.source));
            if known {
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

    /// Promotes a text that operator or user said in their own words.
    pub fn promote(&mut self, text: &str, origin: Origin<'_>, limits: &Limits) -> Promotion {
        let text = match admission::admit(text, FRAMES) {
            Ok(text) => text,
            Err(error) => return Promotion::Refused(error.code()),
        };
        let digest = Digest::of(text);
        *self.undeclared.entry(origin.source.to_owned()).or_default() += u32::from(!self.rules.contains_key(&digest));
        if let Some(stored) = self.rules.get_mut(&digest) {
            let rule = &mut stored.rule;
            let name = rule.fingerprint.clone();
            if rule.status.is_tombstone() && rule.reason.as_deref() != Some(SOURCE_ABANDONED) {
                return Promotion::Tombstone(name);
            }
            if rule.seqs.len() < 8 {
                rule.seqs.push(origin.seq);
            }
            add_source(rule, origin.source);
            rule.trust = rule.trust.max(origin.trust);
            return match rule.status {
                Status::Overflow => Promotion::Overflow(name),
                Status::Revoked => {
                    (rule.status, rule.reason, rule.pinned, rule.turn) = (Status::Promoted, None, false, origin.turn);
                    Promotion::Promoted(name)
                }
                _ => Promotion::Known(name),
            };
        }
        let mut stored = match self.fresh(digest, text, origin) {
            Ok(stored) => stored,
            Err(error) => return Promotion::Refused(error.code()),
        };
        if stored.tokens > limits.promoted_max + ENTRY_TOKENS {
            return Promotion::TooLong;
        }
        if self.this_turn.0 != origin.turn {
            self.this_turn = (origin.turn, 0);
        }
        stored.rule.seqs.push(origin.seq);
        let name = stored.rule.fingerprint.clone();
        let promoted = self.block_tokens(|rule| rule.status == Status::Promoted);
        let fits = promoted + stored.tokens <= limits.promoted
            && self.active_tokens() + stored.tokens <= limits.pinned
            && self.this_turn.1 < PROMOTIONS_A_TURN;
        if fits {
            stored.rule.status = Status::Promoted;
            self.this_turn.1 += 1;
        }
        self.held.remove(&digest);
        self.insert(stored);
        if fits { Promotion::Promoted(name) } else { Promotion::Overflow(name) }
    }

    /// Keeps a rule-shaped external text as data.
    pub fn hold(&mut self, text: &str, origin: Origin<'_>, restricts: bool) -> bool {
        let text = crate::pinned::trim(text);
        let digest = Digest::of(text);
        if text.is_empty() || self.rules.get(&digest).is_some_and(|s| s.rule.status.is_active() || s.rule.status == Status::Rejected) {
            return false;
        }
        *self.undeclared.entry(origin.source.to_owned()).or_default() += u32::from(!self.held.contains_key(&digest));
        let held = self.held.entry(digest).or_insert_with(|| Held {
            fingerprint: digest.name(),
            digest,
            text: text.to_owned(),
            source: String::new(),
            turn: 0,
            seq: 0,
            count: 0,
            restricts,
        });
        (held.source, held.turn, held.seq) = (origin.source.to_owned(), origin.turn, origin.seq);
        held.count = held.count.saturating_add(1);
        true
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
        if let Some(stored) = next.rules.get_mut(&old.digest) {
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
        let text = match self.find_held(handle)? {
            Some(held) => held.text.clone(),
            None => self.changeable(handle, actor)?.text,
        };
        let mut next = self.clone();
        let rule = next.declare(&text, actor, None, None, limits)?;
        if let Some(stored) = next.rules.get_mut(&rule.digest) {
            stored.rule.lookalike_of = None;
        }
        next.record("approve", &rule.fingerprint, actor);
        *self = next;
        self.get(rule.digest).cloned().ok_or_else(|| unknown(handle))
    }

    /// What waits for a person.
    #[must_use]
    pub fn review_queue(&self) -> Vec<Review> {
        let held = self.held().into_iter().map(|h| Review {
            handle: review_handle(h.digest, &h.source, Trust::External),
            kind: "held".to_owned(),
            text: h.text.clone(),
            source: h.source.clone(),
            trust: Trust::External,
            turn: h.turn,
        });
        let rules = self.all().filter_map(|rule| {
            let kind = match rule.status {
                Status::Overflow => "promotion_overflow",
                status if status.is_active() && rule.lookalike_of.is_some() => "lookalike",
                _ => return None,
            };
            let source = rule.sources.first().cloned().unwrap_or_default();
            let handle = review_handle(rule.digest, &source, rule.trust);
            Some(Review { handle, kind: kind.to_owned(), text: rule.text.clone(), source, trust: rule.trust, turn: rule.turn })
        });
        rules.chain(held).collect()
    }

    /// Puts every active rule into the block: what a commit does with rules promoted since the last one.
    pub fn pin_all(&mut self) {
        for stored in self.rules.values_mut() {
            stored.rule.pinned = stored.rule.status.is_active();
        }
    }

    /// Puts the promoted rules of events that left the host's list into the block at once.
    pub fn pin_from(&mut self, seqs: &[u32]) {
        for stored in self.rules.values_mut() {
            if stored.rule.status == Status::Promoted && stored.rule.seqs.iter().all(|seq| seqs.contains(seq)) {
                stored.rule.pinned = true;
            }
        }
    }

    /// The branch was left from `seq` on: rules only said there are gone.
    pub fn abandon(&mut self, seq: u32) {
        self.held.retain(|_, held| held.seq < seq);
        let mut gone = Vec::new();
        for (digest, stored) in &mut self.rules {
            let rule = &mut stored.rule;
            let had = !rule.seqs.is_empty();
            rule.seqs.retain(|s| *s < seq);
            if had && rule.seqs.is_empty() {
                match rule.status {
                    Status::Promoted => {
                        (rule.status, rule.reason, rule.pinned) = (Status::Revoked, Some(SOURCE_ABANDONED.to_owned()), false);
                    }
                    Status::Overflow => gone.push(*digest),
                    _ => {}
                }
            }
        }
        for digest in gone {
            self.rules.remove(&digest);
        }
    }

    /// The text of these events is to be forgotten: held texts and overflow that stand only there go with it.
    pub fn forget(&mut self, seqs: &[u32]) {
        self.held.retain(|_, held| !seqs.contains(&held.seq));
        self.rules.retain(|_, s| s.rule.status != Status::Overflow || s.rule.seqs.iter().any(|seq| !seqs.contains(seq)));
    }

    /// All active rules as inherited ones, for a sub-agent; every rule, whatever its scope: to leave one out is not safe.
    #[must_use]
    pub fn inherit(&self) -> Self {
        let mut next = Self::default();
        for rule in self.active() {
            let mut stored = Stored { rule: rule.clone(), tokens: entry_tokens(&rule.text) };
            (stored.rule.inherited, stored.rule.pinned, stored.rule.status) = (true, true, Status::Declared);
            stored.rule.seqs.clear();
            next.insert(stored);
        }
        next
    }

    /// Puts a rule of a snapshot in.
    pub(crate) fn reload(&mut self, rule: Rule) {
        let tokens = entry_tokens(&rule.text);
        self.insert(Stored { rule, tokens });
    }

    /// Puts a held text, the audit trail and the counters of a snapshot in.
    pub(crate) fn reload_rest(&mut self, held: Vec<Held>, changes: Vec<Change>, undeclared: BTreeMap<String, u32>) {
        self.held = held.into_iter().map(|held| (held.digest, held)).collect();
        self.changes = changes;
        self.undeclared = undeclared;
    }

    fn fresh(&self, digest: Digest, text: &str, origin: Origin<'_>) -> Result<Stored> {
        if self.rules.len() >= MAX_RULES {
            return Err(Error::new(Code::TooManyRules, format!("the registry holds {MAX_RULES} rules")));
        }
        let (low, high) = digest.same_name();
        if self.rules.range(low..=high).any(|(other, _)| *other != digest) {
            return Err(Error::new(Code::FingerprintCollision, format!("another text is named `{}`", digest.name())));
        }
        let twin = self.skeletons.get(&Digest::of(skeleton(text))).filter(|twin| **twin != digest);
        let rule = Rule {
            fingerprint: digest.name(),
            digest,
            text: text.to_owned(),
            status: Status::Overflow,
            trust: origin.trust,
            sources: vec![origin.source.to_owned()],
            turn: origin.turn,
            seqs: Vec::new(),
            principal: origin.principal.map(str::to_owned),
            scope: None,
            inherited: false,
            pinned: false,
            replaced_by: None,
            reason: None,
            lookalike_of: twin.map(|twin| twin.name()),
        };
        Ok(Stored { rule, tokens: entry_tokens(text) })
    }

    fn insert(&mut self, stored: Stored) {
        self.skeletons.entry(Digest::of(skeleton(&stored.rule.text))).or_insert(stored.rule.digest);
        self.rules.insert(stored.rule.digest, stored);
    }

    fn retire(&mut self, digest: Digest, status: Status, reason: Option<&str>) {
        if let Some(stored) = self.rules.get_mut(&digest) {
            stored.rule.status = status;
            stored.rule.pinned = false;
            stored.rule.reason = reason.map(str::to_owned);
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

    fn record(&mut self, action: &str, fingerprint: &str, actor: Actor<'_>) {
        self.changes.push(Change {
            action: action.to_owned(),
            fingerprint: fingerprint.to_owned(),
            by: actor.by.to_owned(),
            source: actor.source.to_owned(),
            turn: actor.turn,
        });
    }

    /// The rule of a handle, if this actor may change it.
    fn changeable(&self, handle: &str, actor: Actor<'_>) -> Result<Rule> {
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
        Ok(self.held.get(&digest))
    }

    /// A handle from the review queue binds what was read there.
    fn check_review(&self, handle: &str) -> Result<()> {
        if !handle.contains(':') {
            return Ok(());
        }
        if self.review_queue().iter().any(|review| review.handle == handle) {
            return Ok(());
        }
        Err(Error::new(Code::StaleReview, "what was reviewed has changed or is gone"))
    }
}

fn require_authority(actor: Actor<'_>) -> Result<()> {
    if actor.trust.has_authority() {
        return Ok(());
    }
    Err(Error::new(Code::NotAuthorized, format!("source `{}` may not decide about rules", actor.source)))
}

fn review_handle(digest: Digest, source: &str, trust: Trust) -> String {
    let bound = Digest::of(format!("{} {} {}", digest.hex(), trust.as_str(), source));
    format!("{}:{}", digest.hex(), bound.name())
}

fn entry_tokens(text: &str) -> u32 {
    tokens::upper(text).saturating_add(ENTRY_TOKENS)
}

/// Sources that stand for what was observed rather than declared.
fn is_event_source(source: &str) -> bool {
    matches!(source, "user" | "system" | "head")
}

fn add_source(rule: &mut Rule, source: &str) {
    if !rule.sources.iter().any(|known| known == source) {
        rule.sources.push(source.to_owned());
    }
}

fn unknown(handle: &str) -> Error {
    let shown: String = handle.chars().filter(|c| c.is_ascii_hexdigit()).take(16).collect();
    Error::new(Code::UnknownRule, format!("no rule or held text is named `{shown}`"))
}
