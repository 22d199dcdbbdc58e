//! The store of rules: declared, promoted, held, replaced; with tombstones and an audit trail.
//!
//! Every call either changes the registry as its name says or returns an error and changes nothing.

mod authority;
mod change;
mod correct;
mod held;
mod promote;
mod slot;
mod store;

pub use change::{Changed, MAX_REVISIONS, REPLACED_BY_USER, RESCINDED_BY_USER, changes_around, only_lifts, permits, said};
pub use correct::{Before, Corrected, is_correction};
pub use promote::Promotion;

use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::ordered::Map;
use crate::rule::{Change, Held, Revision, Rule, Status};
use crate::text::skeleton::skeleton;
use crate::triage::restricts;
use crate::trust::{OTHER_SOURCES, Trust};
use store::{ENTRY_TOKENS, Store, Stored};

/// Most rules of any status that a registry holds.
pub const MAX_RULES: usize = 4_096;
/// Most promotions over budget that wait for review; later ones are flagged, counted and stay in their events.
pub const MAX_OVERFLOW: u32 = 256;
/// Most sources whose rule-shaped texts are counted one by one.
pub const MAX_SOURCES: usize = 64;
/// Most held texts that are listed, the newest; the others are counted.
pub const MAX_LISTED: usize = 256;
/// Most promotions in one turn.
pub const PROMOTIONS_A_TURN: u32 = 8;
/// Price of the block's first and last line.
const FRAME_TOKENS: u32 = 32;
/// Most events remembered of a rule that say it.
const SEQS: usize = 8;
/// Why the rules of a branch that was left are gone.
pub const SOURCE_ABANDONED: &str = "source_abandoned";

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

/// The source of what a user quotes.
pub const QUOTED: &str = "quoted by the user";

/// Where a held text stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The event.
    pub seq: u32,
    /// User events before it.
    pub turn: u32,
    /// Name of the producer.
    pub source: String,
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
    rules: Store,
    held: Map<Digest, Held>,
    held_counted: u32,
    changes: Vec<Change>,
    undeclared: Map<String, u32>,
    skeletons: Map<Digest, Digest>,
    this_turn: (u32, u32),
    revisions: Vec<Revision>,
    revisions_counted: u32,
    overflow_counted: u32,
}

impl Registry {
    /// Active rules in block order: turn, then fingerprint.
    #[must_use]
    pub fn active(&self) -> Vec<&Rule> {
        let mut rules: Vec<&Rule> = self.all().filter(|rule| rule.status.is_active()).collect();
        self.rules.sort(&mut rules);
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
    pub fn block(&self) -> &str {
        self.rules.block().0
    }

    /// The digest of the pinned block.
    #[must_use]
    pub fn block_digest(&self) -> Digest {
        self.rules.block().1
    }

    /// Estimated tokens of the pinned block.
    #[must_use]
    pub fn block_tokens(&self) -> u32 {
        self.rules.sums().block
    }

    /// How many rules are declared, promoted and over budget, those known by number only included.
    #[must_use]
    pub fn counts(&self) -> (u32, u32, u32) {
        let sums = self.rules.sums();
        (sums.declared.0, sums.promoted.0, sums.overflow.saturating_add(self.overflow_counted))
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

    /// Changes made by call, oldest first.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Rule-shaped texts that nobody declared, by source.
    #[must_use]
    pub fn undeclared(&self) -> &Map<String, u32> {
        &self.undeclared
    }

    /// Upper estimate of the block with every active rule.
    #[must_use]
    pub fn active_tokens(&self) -> u32 {
        let sums = self.rules.sums();
        framed(sums.declared.1.saturating_add(sums.promoted.1))
    }

    /// The turn of the last promotion, and how many it has had.
    #[must_use]
    pub fn this_turn(&self) -> (u32, u32) {
        self.this_turn
    }

    /// The largest active rules, for messages about budgets.
    #[must_use]
    pub fn largest(&self) -> Vec<(String, u32)> {
        let mut sizes: Vec<(String, u32)> =
            self.rules.values().filter(|s| s.rule.status.is_active()).map(|s| (s.rule.fingerprint.clone(), s.tokens)).collect();
        sizes.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        sizes.truncate(5);
        sizes
    }

    fn count_undeclared(&mut self, source: &str, is_new: bool) {
        let known = self.undeclared.contains_key(source) || self.undeclared.len() < MAX_SOURCES;
        let source = if known { source } else { OTHER_SOURCES };
        self.undeclared.change(source.to_owned(), 0, |n| *n += u32::from(is_new));
    }

    /// Puts every active rule into the block: what a commit does with rules promoted since the last one.
    pub fn pin_all(&mut self) {
        for stored in self.rules.change().values_mut() {
            stored.rule.pinned = stored.rule.status.is_active();
        }
    }

    /// Puts the promoted rules that no shown event says any more into the block at once.
    pub fn pin_unsaid(&mut self, is_shown: impl Fn(u32) -> bool) {
        // it is asked at every list of the host: nothing is changed where nothing has to be
        if self.rules.sums().promoted.0 == 0 {
            return;
        }
        let unsaid = |rule: &&Rule| rule.status == Status::Promoted && !rule.pinned && !rule.seqs.iter().any(|seq| is_shown(*seq));
        let digests: Vec<Digest> = self.all().filter(unsaid).map(|rule| rule.digest).collect();
        for digest in digests {
            if let Some(stored) = self.rules.change().get_mut(&digest) {
                stored.rule.pinned = true;
            }
        }
    }

    /// Notes that an event says a rule, or a part of one; false where there is none.
    pub fn said_again(&mut self, text: &str, seq: u32) -> bool {
        let mut known = self.asked_again(text, seq);
        for rule in self
            .rules
            .change()
            .values_mut()
            .map(|stored| &mut stored.rule)
            .filter(|rule| rule.text.contains(text) && rule.reason.as_deref() != Some(SOURCE_ABANDONED))
        {
            known = true;
            let observed = matches!(rule.status, Status::Promoted | Status::Overflow) && !rule.seqs.is_empty();
            if observed && !rule.seqs.contains(&seq) {
                rule.seqs.insert(0, seq);
                rule.seqs.truncate(SEQS);
            }
        }
        known
    }

    /// Promoted rules said in these events stand in the block from now on, whatever becomes of the events.
    pub fn keep_said(&mut self, said: impl Fn(u32) -> bool) {
        for stored in self.rules.change().values_mut() {
            stored.rule.changed_at = stored.rule.changed_at.filter(|seq| !said(*seq));
            if stored.rule.status == Status::Promoted && stored.rule.seqs.iter().any(|seq| said(*seq)) {
                stored.rule.seqs.clear();
                stored.rule.pinned = true;
            }
        }
    }

    /// The branch was left from `seq` on: rules and held texts only said there are gone. `still` finds another event,
    /// `unread` is the newest one whose text is not here. What users changed there is undone. Returns the rules that are
    /// no longer in force, or are again.
    pub fn abandon(&mut self, seq: u32, still: impl Fn(&str) -> Option<Place>, unread: Option<&Place>) -> Vec<Rule> {
        self.unhold(|held| held >= seq, |held| still(&held.text).or_else(|| unread.filter(|_| held.count > 1).cloned()));
        let undone = self.undo_changes(seq);
        let mut gone = Vec::new();
        let mut revoked = Vec::new();
        for (digest, stored) in self.rules.change().iter_mut() {
            let rule = &mut stored.rule;
            let had = !rule.seqs.is_empty();
            rule.seqs.retain(|s| *s < seq);
            if had && rule.seqs.is_empty() {
                match rule.status {
                    Status::Promoted => {
                        (rule.status, rule.reason, rule.pinned) = (Status::Revoked, Some(SOURCE_ABANDONED.to_owned()), false);
                        revoked.push(rule.clone());
                    }
                    Status::Overflow => gone.push(*digest),
                    _ => {}
                }
            }
        }
        let mut left: Vec<(Digest, String)> = revoked.iter().map(|rule| (rule.digest, rule.text.clone())).collect();
        for digest in gone {
            left.extend(self.rules.change().remove(&digest).map(|stored| (digest, stored.rule.text)));
        }
        self.skeletons.retain(|_, digest| self.rules.contains_key(digest));
        // what a tool or a page said too is held again
        for (digest, text) in left {
            if let Some(Place { seq, turn, source }) = still(&text).filter(|_| !self.held.contains_key(&digest)) {
                let (fingerprint, restricts) = (digest.name(), restricts(&text));
                self.held.insert(digest, Held { fingerprint, digest, text, source, turn, seq, count: 1, restricts });
            }
        }
        revoked.extend(undone.iter().filter_map(|digest| self.get(*digest)).filter(|rule| rule.status.is_active()).cloned());
        revoked
    }

    /// The text of these events is to be forgotten: held texts and overflow that stand only there go with it. Where there
    /// is an `unread` event that may have a held text too, the text is counted until that event is read again.
    pub fn forget(&mut self, seqs: &[u32], still: impl Fn(&str) -> Option<Place>, unread: bool) {
        let mut counted = 0;
        self.unhold(
            |held| seqs.contains(&held),
            |held| {
                let place = still(&held.text);
                counted += u32::from(unread && place.is_none() && held.count > 1);
                place
            },
        );
        self.held_counted = self.held_counted.saturating_add(counted);
        self.unsay(|said| seqs.contains(&said));
        self.rules.change().retain(|_, s| s.rule.status != Status::Overflow || s.rule.seqs.iter().any(|seq| !seqs.contains(seq)));
        self.skeletons.retain(|_, digest| self.rules.contains_key(digest));
    }

    /// All active rules as inherited ones, for a sub-agent; every rule, whatever its scope: to leave one out is not safe.
    #[must_use]
    pub fn inherit(&self) -> Self {
        let mut next = Self::default();
        for rule in self.active() {
            let mut stored = Stored::new(rule.clone());
            (stored.rule.inherited, stored.rule.pinned, stored.rule.status) = (true, true, Status::Declared);
            stored.rule.seqs.clear();
            next.insert(stored);
        }
        for rule in self.all().filter(|rule| rule.status == Status::Rejected) {
            next.insert(Stored::new(Rule { inherited: true, seqs: Vec::new(), ..rule.clone() }));
        }
        next
    }

    /// In a full registry, what no decision stands behind gives way: rules of branches that were left and, for a
    /// declaration, promotions over budget and rules that users replaced themselves.
    fn make_room(&mut self, for_declaration: bool) {
        if self.rules.len() < MAX_RULES {
            return;
        }
        self.rules.change().retain(|_, stored| {
            let abandoned = stored.rule.reason.as_deref() == Some(SOURCE_ABANDONED);
            let minor = stored.rule.status == Status::Overflow || change::is_changed(&stored.rule);
            !(abandoned || for_declaration && minor)
        });
        self.skeletons.retain(|_, digest| self.rules.contains_key(digest));
    }

    /// Puts a rule of a snapshot in.
    pub(crate) fn reload(&mut self, rule: Rule) {
        self.insert(Stored::new(rule));
    }

    /// Puts held texts, the audit trail and the counters of a snapshot in.
    pub(crate) fn reload_rest(
        &mut self,
        held: Vec<Held>,
        held_counted: u32,
        changes: Vec<Change>,
        undeclared: Map<String, u32>,
        this_turn: (u32, u32),
    ) {
        (self.held_counted, self.this_turn) = (held_counted, this_turn);
        self.held = held.into_iter().map(|held| (held.digest, held)).collect();
        self.changes = changes;
        self.undeclared = undeclared;
    }

    fn fresh(&self, digest: Digest, text: &str, origin: Origin<'_>) -> Result<Stored> {
        if self.rules.len() >= MAX_RULES {
            return Err(Error::new(Code::TooManyRules, format!("the registry holds {MAX_RULES} rules")));
        }
        let (low, high) = digest.same_name();
        if self.rules.from_key(&low).take_while(|(other, _)| **other <= high).any(|(other, _)| *other != digest) {
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
            declared_by: Vec::new(),
            turn: origin.turn,
            seqs: Vec::new(),
            principal: origin.principal.map(str::to_owned),
            scope: None,
            inherited: false,
            pinned: false,
            replaced_by: None,
            reason: None,
            lookalike_of: twin.map(|twin| twin.name()),
            changed_at: None,
            amends: None,
        };
        Ok(Stored::new(rule))
    }

    fn insert(&mut self, stored: Stored) {
        self.skeletons.change(Digest::of(skeleton(&stored.rule.text)), stored.rule.digest, |_| ());
        self.rules.change().insert(stored.rule.digest, stored);
    }
}

/// The size of the block of rules that take so much; nothing without rules.
fn framed(tokens: u32) -> u32 {
    if tokens == 0 { 0 } else { tokens.saturating_add(FRAME_TOKENS) }
}

fn add_once(sources: &mut Vec<String>, source: &str) {
    if !sources.iter().any(|known| known == source) {
        sources.push(source.to_owned());
    }
}
