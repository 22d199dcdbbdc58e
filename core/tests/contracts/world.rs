//! One guard and its host, driven by numbers: each operation is a seed of its own, so any list of them can be replayed.

use std::collections::{BTreeMap, BTreeSet};

use standfast::ordered::Map;

use serde_json::Value;
use standfast::digest::Digest;
use standfast::{Code, Guard, ObserveOptions, Plan, Policy, Snapshot, Synced};

use crate::histories::Format;
use crate::host::Host;
use crate::rng::Rng;
use crate::stability::Frozen;
use crate::{check, cycle, history, rules, saves};

/// A snapshot and what the host knew when it was written.
#[derive(Debug, Clone)]
pub struct Save {
    pub snapshot: Snapshot,
    pub key: Option<String>,
    pub declared: BTreeMap<String, BTreeSet<String>>,
    pub list: Vec<Value>,
    pub block: String,
    pub forgotten: BTreeSet<u32>,
    /// Nothing was forgotten or replayed: a restore loses nothing.
    pub plain: bool,
}

/// A guard, its host, and a simple model of what must hold between them.
#[derive(Debug, Clone)]
pub struct World {
    pub host: Host,
    pub guard: Guard,
    /// The place in the log of each message of the host's list.
    pub seqs: Vec<u32>,
    /// The list as the guard saw it last.
    pub seen: Vec<Value>,
    /// What the host declares, with the sources that declare it.
    pub declared: BTreeMap<String, BTreeSet<String>>,
    /// What it ever declared: words against it wait, also when it is a user's alone again.
    pub once_declared: BTreeSet<String>,
    pub plans: Vec<Plan>,
    pub saves: Vec<Save>,
    /// Places whose text was purged.
    pub forgotten: BTreeSet<u32>,
    /// Messages that were purged: equal ones may be left out after an edit or a restore.
    pub purged: Vec<Value>,
    /// Places that were purged before a restore, if they are still what they were.
    pub perhaps: BTreeSet<u32>,
    /// Places that hold our own text, handed back.
    pub hidden: BTreeSet<u32>,
    /// Messages whose text was paged out.
    pub paged: Map<u32, Value>,
    /// The host's list was valid all along.
    pub valid: bool,
    /// No restore had to guess which message is which folded event.
    pub exact: bool,
    /// Tombstones as of the last commit: no segment may hold their text.
    pub buried: BTreeSet<Digest>,
    /// Those of them that somebody replaced: no message of ours may hold their text.
    pub replaced: BTreeSet<Digest>,
    pub frozen: Frozen,
    pub commits: u32,
    /// What was done, for people.
    pub notes: Vec<String>,
}

impl World {
    pub fn new(format: Format, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let host = Host::new(format, &mut rng);
        let window = 3_000 + 500 * u32::try_from(rng.below(30)).unwrap_or_default();
        let mut policy = Policy { image_tokens: 200, ..Policy::for_window(window) };
        if rng.once_in(2) {
            policy.tail_tokens = Some(50 + 10 * u32::try_from(rng.below(60)).unwrap_or_default());
        }
        if rng.once_in(2) {
            policy.pinned_tokens = Some(window / 6);
        }
        if rng.once_in(4) {
            policy.summarizer_window_tokens = Some(400);
        }
        if rng.once_in(4) {
            policy.segments_tokens = Some(window / 25);
        }
        if rng.once_in(3) {
            policy.dead_call_events = 4;
        }
        if rng.once_in(6) {
            policy.on_degraded = standfast::policy::OnDegraded::Refuse;
        }
        if rng.once_in(4) {
            policy.loosening = standfast::policy::Loosening::Ask;
        }
        let guard = Guard::new(policy, (format == Format::Anthropic || rng.once_in(2)).then_some(host.shape)).unwrap();
        Self {
            host,
            guard,
            seqs: Vec::new(),
            seen: Vec::new(),
            declared: BTreeMap::new(),
            once_declared: BTreeSet::new(),
            plans: Vec::new(),
            saves: Vec::new(),
            forgotten: BTreeSet::new(),
            purged: Vec::new(),
            perhaps: BTreeSet::new(),
            hidden: BTreeSet::new(),
            paged: Map::new(),
            valid: true,
            exact: true,
            buried: BTreeSet::new(),
            replaced: BTreeSet::new(),
            frozen: Frozen::default(),
            commits: 0,
            notes: Vec::new(),
        }
    }

    /// Does one operation and checks every contract.
    pub fn step(&mut self, op: u64) {
        let mut rng = Rng::new(op);
        let shape_known = self.guard.shape().is_some();
        if !shape_known && self.host.list.is_empty() {
            history::append(self, &mut rng);
        }
        match rng.below(100) {
            0..=33 => history::append(self, &mut rng),
            34..=36 => history::edit_end(self, &mut rng),
            37..=38 => history::edit_within(self, &mut rng),
            39..=40 => history::remove(self, &mut rng),
            41 => history::change_head(self, &mut rng),
            42..=43 => history::go_back(self, &mut rng),
            44 => history::adopt_window(self, &mut rng),
            45 => history::bad_message(self, &mut rng),
            46 => history::cut_anywhere(self, &mut rng),
            47..=50 => rules::declare(self, &mut rng),
            51..=52 => rules::set_rules(self, &mut rng),
            53..=54 => rules::supersede(self, &mut rng),
            55..=56 => rules::revoke(self, &mut rng),
            57..=58 => rules::approve(self, &mut rng),
            59..=60 => rules::reject(self, &mut rng),
            61..=63 => rules::task(self, &mut rng),
            64 => rules::fork(self),
            65..=67 => cycle::usage_and_boundary(self, &mut rng),
            68..=70 => cycle::plan(self, &mut rng),
            71..=74 => cycle::late_commit(self, &mut rng),
            75..=85 => cycle::compact(self, &mut rng),
            86 => cycle::foreign_plan(self, &mut rng),
            87..=88 => saves::page_out(self, &mut rng),
            89..=90 => saves::page_in(self, &mut rng),
            91 => saves::forget(self, &mut rng),
            92..=94 => saves::snapshot(self, &mut rng),
            _ => saves::restore(self, &mut rng),
        }
        check::all(self);
    }

    /// The host's list in one line a message, for people.
    pub fn outline(&self) -> String {
        let line = |(seq, message): (&u32, &Value)| format!("    {seq} {}\n", message.to_string().chars().take(300).collect::<String>());
        self.seqs.iter().zip(&self.host.list).map(line).collect()
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Runs a call that must change nothing where it fails.
    pub fn attempt<T>(&mut self, what: &str, call: impl FnOnce(&mut Guard) -> standfast::Result<T>) -> Result<T, Code> {
        let before = self.guard.clone();
        match call(&mut self.guard) {
            Ok(value) => {
                self.note(format!("{what}: ok"));
                Ok(value)
            }
            Err(error) => {
                self.note(format!("{what}: {}", error.code().as_str()));
                assert!(Code::ALL.contains(&error.code()) && !error.hint().is_empty());
                let change = difference(&fingerprint(&before), &fingerprint(&self.guard));
                assert!(change.is_empty(), "{what}: refused with {error}, and something changed: {change}");
                Err(error.code())
            }
        }
    }

    /// Hands the host's whole list in.
    pub fn sync(&mut self, rng: &mut Rng) {
        let same = self.seen.iter().zip(&self.host.list).take_while(|(a, b)| a == b).count();
        let unchanged = if rng.once_in(2) { rng.below(same + 1) } else { 0 };
        let given = self.host.list.get(unchanged..).unwrap_or_default().to_vec();
        let n = u32::try_from(unchanged).unwrap();
        let spans = |guard: &Guard| guard.segments().iter().map(|segment| segment.span).collect::<Vec<_>>();
        let before = spans(&self.guard);
        let synced = self.attempt("sync", |guard| guard.sync(n, &given, &ObserveOptions::default())).unwrap();
        let as_before = same == self.seen.len() && same == self.host.list.len();
        self.placed(unchanged, &synced);
        if as_before {
            assert_eq!((synced.appended, synced.edited, synced.removed, synced.first_divergence), (0, 0, 0, None), "nothing changed");
        }
        if before != spans(&self.guard) || synced.edited > 0 || synced.removed > 0 {
            self.frozen.let_go("sync");
        }
    }

    /// A user who replaces a rule changes the block at once.
    pub fn may_replace(&mut self, flags: &[String]) {
        if flags.iter().any(|flag| flag == "rule_replaced") {
            self.frozen.block_may_change();
        }
    }

    /// Takes over where the messages of the list from `unchanged` on stand.
    pub fn placed(&mut self, unchanged: usize, synced: &Synced) {
        assert_eq!(synced.seqs.len() + unchanged, self.host.list.len(), "a place for each message");
        // places from here on belong to another branch now
        let last = synced.seqs.last().or(self.seqs.get(..unchanged).and_then(<[u32]>::last));
        let left = match synced.observed.first() {
            Some(observed) => observed.seq,
            None if synced.first_divergence.is_some() => last.map_or(0, |last| last + 1),
            None => u32::MAX,
        };
        self.forgotten.retain(|seq| *seq < left);
        self.hidden.retain(|seq| *seq < left);
        self.paged.retain(|seq, _| *seq < left);
        for observed in &synced.observed {
            if observed.flags.iter().any(|flag| flag == "answers_forgotten") {
                self.forgotten.insert(observed.seq);
            }
            if observed.flags.iter().any(|flag| flag == "replayed") {
                self.hidden.insert(observed.seq);
            }
            self.may_replace(&observed.flags);
        }
        self.seqs.truncate(unchanged);
        self.seqs.extend(&synced.seqs);
        assert!(self.seqs.is_sorted_by(|a, b| a < b), "places ascend: {:?}", self.seqs);
        self.seen.clone_from(&self.host.list);
        self.valid &= self.host.is_valid();
    }
}

/// Where two fingerprints part, for people.
fn difference(before: &(String, String), after: &(String, String)) -> String {
    for (a, b) in [(&before.0, &after.0), (&before.1, &after.1)] {
        let body = |text: &String| text.split_once("\"body\"").map_or_else(|| text.clone(), |(_, body)| body.to_owned());
        let (a, b) = (body(a), body(b));
        if a != b {
            let at = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count().saturating_sub(40);
            let near = |text: &str| text.chars().skip(at).take(120).collect::<String>();
            return format!("{:?} was {:?}", near(&b), near(&a));
        }
    }
    String::new()
}

/// Everything a guard would keep and show, as text.
pub fn fingerprint(guard: &Guard) -> (String, String) {
    let mut guard = guard.clone();
    let snapshot = guard.snapshot(None, false).map_or_else(|error| error.code().as_str().to_owned(), |snapshot| snapshot.text);
    let window = guard.window().map_or_else(
        |error| error.code().as_str().to_owned(),
        |window| format!("{:?} {:?} {}", window.slots, window.system, window.pinned),
    );
    (snapshot, window)
}
