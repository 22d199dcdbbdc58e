//! Declaring, replacing and reviewing rules. Never to be offered to the agent as tools (T4).

use serde::Serialize;

use super::Guard;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::reads;
use crate::registry::{Actor, MAX_LISTED};
use crate::rule::{Change, Held, Review, Rule, RulesDiff, Status};
use crate::trust::{self, Trust};

/// How a rule is declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DeclareOptions {
    /// Name of the host's own loader.
    pub source: String,
    /// The host's label of where the rule applies.
    pub scope: Option<String>,
    /// The user it is declared for.
    pub principal: Option<String>,
}

reads! { DeclareOptions default { source, scope, principal } }

impl Default for DeclareOptions {
    fn default() -> Self {
        Self { source: "policy_loader".to_owned(), scope: None, principal: None }
    }
}

impl Guard {
    /// Declares a rule: it stands in the pinned block from now on.
    ///
    /// # Errors
    /// `untrusted_source`, `rule_*` for texts that cannot be rules, `budget_exceeded`, `too_many_rules`,
    /// `fingerprint_collision`; then nothing was changed.
    pub fn declare(&mut self, text: &str, options: &DeclareOptions) -> Result<Rule> {
        self.open()?;
        let actor = self.declarer(&options.source)?;
        let scope = options.scope.clone().or_else(|| self.scope.clone());
        self.changing(|guard| {
            let limits = guard.state.limits;
            guard.state.registry.declare(text, actor, scope.as_deref(), options.principal.as_deref(), &limits)
        })
    }

    /// Makes `texts` the whole of what `source` declares: new ones are declared, missing ones revoked (R10).
    ///
    /// # Errors
    /// As [`Guard::declare`]; then nothing was changed.
    pub fn set_rules(&mut self, source: &str, texts: &[String]) -> Result<RulesDiff> {
        self.open()?;
        let actor = self.declarer(source)?;
        self.changing(|guard| {
            let limits = guard.state.limits;
            guard.state.registry.set_rules(texts, actor, &limits)
        })
    }

    /// Replaces a rule by another text. `handle` is a fingerprint or a digest; `by` is who does it.
    ///
    /// # Errors
    /// `unknown_rule`, `not_authorized`, `read_only_registry`, and those of [`Guard::declare`].
    pub fn supersede(&mut self, handle: &str, text: &str, by: &str, source: &str) -> Result<Rule> {
        self.open()?;
        let actor = self.actor(by, source);
        self.changing(|guard| {
            let limits = guard.state.limits;
            guard.state.registry.supersede(handle, text, actor, &limits)
        })
    }

    /// Takes a rule back.
    ///
    /// # Errors
    /// `unknown_rule`, `not_authorized`, `read_only_registry`.
    pub fn revoke(&mut self, handle: &str, by: &str, source: &str) -> Result<Rule> {
        self.open()?;
        let actor = self.actor(by, source);
        self.changing(|guard| guard.state.registry.revoke(handle, actor))
    }

    /// Declares what waits for review, or lifts a tombstone. A handle from the review queue binds what was read there.
    ///
    /// # Errors
    /// `unknown_rule`, `stale_review`, `not_authorized`, and those of [`Guard::declare`].
    pub fn approve(&mut self, handle: &str, by: &str, source: &str) -> Result<Rule> {
        self.open()?;
        let actor = self.actor(by, source);
        self.changing(|guard| {
            let limits = guard.state.limits;
            guard.state.registry.approve(handle, actor, &limits)
        })
    }

    /// Turns down what waits for review, or a rule. The text is not promoted again.
    ///
    /// # Errors
    /// `unknown_rule`, `stale_review`, `not_authorized`, `read_only_registry`.
    pub fn reject(&mut self, handle: &str, by: &str, source: &str) -> Result<Rule> {
        self.open()?;
        let actor = self.actor(by, source);
        self.changing(|guard| guard.state.registry.reject(handle, actor))
    }

    /// Active rules in the order of the block.
    #[must_use]
    pub fn rules(&self) -> Vec<Rule> {
        self.state.registry.active().into_iter().cloned().collect()
    }

    /// All rules, tombstones and overflow included, ordered by digest.
    #[must_use]
    pub fn all_rules(&self) -> Vec<Rule> {
        self.state.registry.all().cloned().collect()
    }

    /// Rule-shaped external texts: the newest 256, newest first. Receipts say how many there are.
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        self.state.registry.held().into_iter().take(MAX_LISTED).cloned().collect()
    }

    /// What waits for a person.
    #[must_use]
    pub fn review_queue(&self) -> Vec<Review> {
        self.state.registry.review_queue()
    }

    /// The audit trail: changes made by call, and those that users' own words made and that still hold, by turn. What is
    /// declared is told by the rule itself.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let turn = |seq: u32| self.state.log.event(seq).map(|event| event.turn);
        let mut changes = self.state.registry.changes_by_users(turn);
        changes.extend_from_slice(self.state.registry.changes());
        changes.sort_by_key(|change| change.turn);
        changes
    }

    /// Runs a change of the registry and draws the consequences: sizes, and segments that stand for replaced rules.
    fn changing<T>(&mut self, change: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let tombstones = |guard: &Self| -> Vec<(Digest, Status)> {
            guard.state.registry.all().filter(|rule| rule.status.is_tombstone()).map(|rule| (rule.digest, rule.status)).collect()
        };
        let before = (self.state.block_tokens(), tombstones(self));
        let result = change(self)?;
        let after = self.state.block_tokens();
        self.state.meter.shift(before.0, after);
        self.state.generation += 1;
        // both lists are in the order of their digests
        let new = tombstones(self).into_iter().filter(|tombstone| before.1.binary_search_by_key(tombstone, |old| *old).is_err());
        let new: Vec<Digest> = new.map(|(digest, _)| digest).collect();
        self.mark_stale(&new);
        Ok(result)
    }

    /// Folded events whose text holds the rule: where it was said, every other place that is still here, and segments
    /// that quote or name it.
    pub(super) fn seqs_of(&self, rule: &Rule) -> Vec<u32> {
        let folded = self.state.log.range(self.state.log.head(), self.state.ledger.cut);
        let holds = folded.iter().filter(|event| event.message.parts.iter().any(|part| part.text().contains(&rule.text)));
        let says = |text: &str| text.contains(&rule.text) || text.contains(&rule.fingerprint);
        let quotes = self.state.ledger.segments.iter().filter(|segment| says(&segment.text)).map(|segment| segment.from);
        holds.map(|event| event.seq).chain(quotes).chain(rule.seqs.iter().copied()).collect()
    }

    /// Who declares: the host, unless the name says otherwise (T1).
    fn declarer<'a>(&self, source: &'a str) -> Result<Actor<'a>> {
        let listed = self.state.policy.trusted_sources.get(source).copied();
        let known = trust::KNOWN_SOURCES.iter().find(|(name, _)| *name == source).map(|(_, trust)| *trust);
        let given = listed.or(known).unwrap_or(Trust::Operator);
        if listed.is_none() && trust::looks_external(source) || !given.has_authority() || source.trim().is_empty() {
            return Err(
                Error::new(Code::UntrustedSource, "rules cannot be declared in the name of this source").with("trust", given.as_str())
            );
        }
        Ok(Actor { by: source, source, trust: given, turn: self.state.log.turns() })
    }

    /// Who changes: with the trust of the source's name; the host's own names are the operator's.
    fn actor<'a>(&self, by: &'a str, source: &'a str) -> Actor<'a> {
        let trust = self.declarer(source).map_or(Trust::External, |actor| actor.trust);
        Actor { by, source, trust, turn: self.state.log.turns() }
    }
}
