//! The rules by digest, and what is computed from all of them: the block, its size, their numbers. It is computed when it
//! is asked for and forgotten at the next change, so that a turn without a change of rules costs nothing for them.

use std::ops::Deref;
use std::sync::OnceLock;

use super::slot::Slot;
use crate::digest::Digest;
use crate::ordered::Map;
use crate::pinned;
use crate::rule::{Rule, Status};
use crate::text::sentinel::{PINNED_FOOTER, PINNED_HEADER};
use crate::tokens;

/// Price of what stands around a rule's text in the block: `- [<16 hex>] ` and the line break.
pub(super) const ENTRY_TOKENS: u32 = 16;

/// A rule and what is derived from its text once.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) rule: Rule,
    /// Upper estimate of its entry in the block.
    pub(super) tokens: u32,
    /// Estimate of its line in the block, in sixteenths.
    line: u64,
    /// What it is about; read when another rule is compared with it.
    slot: OnceLock<Slot>,
}

impl Stored {
    pub(super) fn new(rule: Rule) -> Self {
        let tokens = tokens::upper(&rule.text).saturating_add(ENTRY_TOKENS);
        let line = tokens::sixteenths(&format!("{}\n", pinned::entry(&rule.fingerprint, &rule.text)));
        Self { rule, tokens, line, slot: OnceLock::new() }
    }

    /// Takes what its text is about, where that was read already.
    pub(super) fn read_as(&mut self, slot: Option<Slot>) {
        if let Some(slot) = slot {
            self.slot = OnceLock::from(slot);
        }
    }

    pub(super) fn slot(&self) -> &Slot {
        self.slot.get_or_init(|| Slot::of(&self.rule.text))
    }
}

/// Sums over all rules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Number and upper estimates of the declared rules.
    pub(super) declared: (u32, u32),
    /// Number and upper estimates of the promoted rules.
    pub(super) promoted: (u32, u32),
    /// Number of promotions over budget.
    pub(super) overflow: u32,
    /// Estimate of the block as it is.
    pub(super) block: u32,
}

/// The pinned block and its digest.
#[derive(Debug, Clone)]
struct Block {
    text: String,
    digest: Digest,
}

/// The rules, read as the map they are; every change goes through [`Store::change`].
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    rules: Map<Digest, Stored>,
    sums: OnceLock<Sums>,
    block: OnceLock<Block>,
}

impl Deref for Store {
    type Target = Map<Digest, Stored>;

    fn deref(&self) -> &Self::Target {
        &self.rules
    }
}

impl Store {
    /// The rules, to be changed.
    pub(super) fn change(&mut self) -> &mut Map<Digest, Stored> {
        (self.sums, self.block) = (OnceLock::new(), OnceLock::new());
        &mut self.rules
    }

    /// Puts rules in the order of the block: turn, then fingerprint, and a correction behind what it corrects.
    pub(super) fn sort(&self, rules: &mut [&Rule]) {
        let base = |rule: &Rule| {
            let base = rule.amends.and_then(|base| self.rules.get(&base)).filter(|base| base.rule.status.is_active());
            base.map_or((rule.turn, rule.digest, false), |base| (base.rule.turn, base.rule.digest, true))
        };
        rules.sort_by_cached_key(|rule| (base(rule), rule.turn, rule.digest));
    }

    pub(super) fn sums(&self) -> &Sums {
        self.sums.get_or_init(|| {
            let mut sums = Sums::default();
            let mut lines = 0_u64;
            for Stored { rule, tokens, line, .. } in self.rules.values() {
                match rule.status {
                    Status::Declared => sums.declared = (sums.declared.0 + 1, sums.declared.1.saturating_add(*tokens)),
                    Status::Promoted => sums.promoted = (sums.promoted.0 + 1, sums.promoted.1.saturating_add(*tokens)),
                    Status::Overflow => sums.overflow += 1,
                    _ => {}
                }
                if rule.status.is_active() && rule.pinned {
                    lines = lines.saturating_add(*line);
                }
            }
            if lines > 0 {
                let frame = tokens::sixteenths(&format!("{PINNED_HEADER}\n")) + tokens::sixteenths(PINNED_FOOTER);
                sums.block = tokens::of_sixteenths(lines.saturating_add(frame));
            }
            sums
        })
    }

    /// The pinned block and its digest.
    pub(super) fn block(&self) -> (&str, Digest) {
        let block = self.block.get_or_init(|| {
            let mut rules: Vec<&Rule> = self.rules.values().map(|stored| &stored.rule).collect();
            rules.retain(|rule| rule.status.is_active() && rule.pinned);
            self.sort(&mut rules);
            let text = pinned::render(rules.iter().map(|rule| (rule.fingerprint.as_str(), rule.text.as_str())));
            Block { digest: Digest::of(&text), text }
        });
        (&block.text, block.digest)
    }
}
