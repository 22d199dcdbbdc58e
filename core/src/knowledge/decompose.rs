//! A knowledge base in parts of a size, each with all rules that hold for what it has.
//!
//! Rules that hold everywhere stand once, in a preamble that goes with every part. Others stand with what they are about, in
//! every part that has something of it.

use serde::Serialize;

use super::counted::Asks;
use super::render::{joined, node_piece, piece, render, with_leads};
use super::scope::{Scopes, depth_of_sections};
use super::source::Base;
use crate::error::{Error, Result};
use crate::policy::Fraction;

/// One part of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnowledgePart {
    /// Its text, to be read behind the preamble.
    pub text: String,
    /// The size of the text by the counter.
    pub size: u32,
    /// The places of the items that have their place here.
    pub items: Vec<u32>,
    /// The places of rules and lead-ins that stand here as well.
    pub copies: Vec<u32>,
}

/// Why there are no such parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartTooLarge {
    /// A size that would do.
    pub required: u32,
    /// How much of it is missing.
    pub deficit: u32,
    /// The place of an item that does not fit beside the rules it needs; none where the preamble alone does not.
    pub item: Option<u32>,
}

/// A knowledge base in parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decomposition {
    /// Whether every part with the preamble is within the size and has every rule it needs.
    pub ok: bool,
    /// What does not fit, where something does not. Then there are no parts.
    pub r#unsafe: Option<PartTooLarge>,
    /// The rules that hold everywhere.
    pub preamble: String,
    /// The size of the preamble by the counter.
    pub preamble_size: u32,
    /// The places of its items.
    pub preamble_items: Vec<u32>,
    /// The parts in the order of the document.
    pub parts: Vec<KnowledgePart>,
    /// What all texts together are over the whole, with the preamble stored once.
    pub overhead: Fraction,
    /// The same with the preamble in every part.
    pub overhead_copied: Fraction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Sizes,
    Parts,
    Done,
}

/// Asked for parts again at most so often.
const ROUNDS: u32 = 8;

/// A decomposition under way; the protocol is that of [`super::Compaction`].
#[derive(Debug)]
pub struct Decomposing {
    base: Base,
    scopes: Scopes,
    cap: u32,
    /// What parts are made for: less than the cap where pieces together are more than their sum.
    target: u32,
    preamble: Vec<usize>,
    preamble_text: String,
    preamble_size: u32,
    whole_size: u32,
    full: Vec<u32>,
    nodes: Vec<u32>,
    parts: Vec<Part>,
    fault: Option<PartTooLarge>,
    rounds: u32,
    asks: Asks,
    stage: Stage,
}

/// A part as it is made.
#[derive(Debug, Clone, Default)]
struct Part {
    own: Vec<usize>,
    all: Vec<usize>,
    text: String,
    size: u32,
}

impl Decomposing {
    pub(super) fn new(base: Base, cap: u32) -> Result<Self> {
        if cap == 0 {
            return Err(Error::argument("`max_tokens` is zero"));
        }
        let scopes = Scopes::of(&base, depth_of_sections(&base), true);
        let global: Vec<usize> = (0..base.items.len()).filter(|at| scopes.global.get(*at) == Some(&true)).collect();
        let preamble = with_leads(&base, &global);
        let preamble_text = joined(&[&base.front, &render(&base, &preamble)]);
        let every: Vec<usize> = (0..base.items.len()).collect();
        let mut asks = vec![joined(&[&base.front, &render(&base, &every)]), preamble_text.clone()];
        for node in &base.nodes {
            asks.push(node_piece(node));
        }
        for at in every {
            asks.push(piece(&base, at, base.text(at)));
        }
        Ok(Self {
            base,
            scopes,
            cap,
            target: cap,
            preamble,
            preamble_text,
            preamble_size: 0,
            whole_size: 0,
            full: Vec::new(),
            nodes: Vec::new(),
            parts: Vec::new(),
            fault: None,
            rounds: 0,
            asks: Asks(asks),
            stage: Stage::Sizes,
        })
    }

    /// The texts that are to be counted; none when the decomposition is done.
    #[must_use]
    pub fn asks(&self) -> &[String] {
        &self.asks.0
    }

    /// Takes the counts of what was asked, in its order.
    ///
    /// # Errors
    /// `invalid_argument` where they are not as many.
    pub fn answer(&mut self, counts: &[u32]) -> Result<()> {
        self.asks.take(counts)?;
        match self.stage {
            Stage::Sizes => self.sized(counts),
            Stage::Parts => self.recounted(counts),
            Stage::Done => {}
        }
        Ok(())
    }

    fn sized(&mut self, counts: &[u32]) {
        let mut counts = counts.iter().copied();
        self.whole_size = counts.next().unwrap_or_default();
        let preamble = counts.next().unwrap_or_default();
        self.preamble_size = if self.preamble_text.is_empty() { 0 } else { preamble };
        self.nodes = counts.by_ref().take(self.base.nodes.len()).collect();
        self.full = counts.collect();
        self.ask_for_parts();
    }

    fn ask_for_parts(&mut self) {
        let room = self.target.checked_sub(self.preamble_size);
        let packed = room.map_or(Err((self.preamble_size, None)), |room| self.packed(room).map_err(|(need, at)| (need, Some(at))));
        match packed {
            Ok(parts) => {
                self.asks = Asks(parts.iter().map(|part| part.text.clone()).collect());
                self.parts = parts;
                self.stage = if self.asks.0.is_empty() { Stage::Done } else { Stage::Parts };
            }
            Err((need, at)) => self.refuse(need, at),
        }
    }

    /// Looks for a size that would do.
    fn refuse(&mut self, need: u32, item: Option<usize>) {
        let mut required = need;
        for _ in 0..ROUNDS {
            match required.checked_sub(self.preamble_size).map(|room| self.packed(room)) {
                Some(Err((more, _))) => required = more.max(required.saturating_add(1)),
                _ => break,
            }
        }
        // what pieces together are over their sum is over it there as well
        let required = required.saturating_add(self.cap - self.target.min(self.cap)).max(self.cap.saturating_add(1));
        let item = item.and_then(|at| u32::try_from(at).ok());
        self.fault = Some(PartTooLarge { required, deficit: required - self.cap, item });
        (self.parts, self.stage) = (Vec::new(), Stage::Done);
    }

    fn recounted(&mut self, counts: &[u32]) {
        for (part, size) in self.parts.iter_mut().zip(counts) {
            part.size = *size;
        }
        let largest = counts.iter().copied().max().unwrap_or_default().saturating_add(self.preamble_size);
        if largest <= self.cap {
            self.stage = Stage::Done;
            return;
        }
        self.rounds += 1;
        let over = (largest - self.cap).max(1);
        self.target = self.target.saturating_sub(over);
        if self.rounds > ROUNDS || self.target <= self.preamble_size {
            return self.refuse(largest, None);
        }
        self.ask_for_parts();
    }

    /// The parts for so much room beside the preamble, or what an item needs that does not fit, and its place.
    fn packed(&self, room: u32) -> std::result::Result<Vec<Part>, (u32, usize)> {
        let mut packer = Packer::new(self, room);
        let count = self.base.items.len();
        let mut at = 0;
        while at < count {
            let section = self.scopes.section.get(at);
            let mut end = at;
            while end < count && self.scopes.section.get(end) == section {
                end += 1;
            }
            packer.leaf(at, end)?;
            at = end;
        }
        packer.close();
        Ok(packer.parts)
    }

    /// The result. What is still to be counted is counted by the estimator.
    ///
    /// # Errors
    /// None that counts of ours could bring about.
    pub fn finish(mut self) -> Result<Decomposition> {
        while let Some(counts) = self.asks.estimated() {
            self.answer(&counts)?;
        }
        let places = |list: &[usize]| -> Vec<u32> { list.iter().filter_map(|at| u32::try_from(*at).ok()).collect() };
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut sum = 0;
        for part in &self.parts {
            let copies: Vec<usize> = part.all.iter().copied().filter(|at| part.own.binary_search(at).is_err()).collect();
            sum += u64::from(part.size);
            parts.push(KnowledgePart { text: part.text.clone(), size: part.size, items: places(&part.own), copies: places(&copies) });
        }
        let preamble = u64::from(self.preamble_size);
        let over = |sum: u64| {
            let whole = u64::from(self.whole_size);
            let mille = sum.saturating_sub(whole) * 1000 / whole.max(1);
            Fraction::per_mille(u16::try_from(mille).unwrap_or(u16::MAX))
        };
        Ok(Decomposition {
            ok: self.fault.is_none(),
            r#unsafe: self.fault,
            preamble_items: places(&self.preamble),
            preamble: self.preamble_text,
            preamble_size: self.preamble_size,
            overhead: over(sum + preamble),
            overhead_copied: over(sum + preamble * parts.len() as u64),
            parts,
        })
    }
}

/// Fills parts one by one.
struct Packer<'a> {
    whole: &'a Decomposing,
    room: u32,
    /// What is left of it in the part that is being filled.
    left: u32,
    /// The last part in which an item, a heading, the rules of a section stand.
    items: Vec<u32>,
    nodes: Vec<u32>,
    sections: Vec<u32>,
    /// The number of the part, from 1.
    number: u32,
    /// What was added, to be taken back.
    added: Vec<Added>,
    own: Vec<usize>,
    parts: Vec<Part>,
}

enum Added {
    Item(usize),
    Node(usize),
    Section(usize),
}

impl<'a> Packer<'a> {
    fn new(whole: &'a Decomposing, room: u32) -> Self {
        let items = vec![0; whole.base.items.len()];
        let (nodes, sections) = (vec![0; whole.base.nodes.len()], vec![0; whole.scopes.sections]);
        Self { whole, room, left: room, items, nodes, sections, number: 1, added: Vec::new(), own: Vec::new(), parts: Vec::new() }
    }

    /// Adds a section, in one piece if that fits into this part or a new one, else item by item.
    fn leaf(&mut self, from: usize, to: usize) -> std::result::Result<(), (u32, usize)> {
        if self.all(from, to).is_ok() {
            return Ok(());
        }
        if !self.own.is_empty() {
            self.close();
            if self.all(from, to).is_ok() {
                return Ok(());
            }
        }
        for at in from..to {
            if self.all(at, at + 1).is_err() {
                if !self.own.is_empty() {
                    self.close();
                }
                self.all(at, at + 1).map_err(|need| (need, at))?;
            }
        }
        Ok(())
    }

    /// Adds some items with what they need, or nothing; then says how much they would need, preamble included.
    fn all(&mut self, from: usize, to: usize) -> std::result::Result<(), u32> {
        let (mark, own, left) = (self.added.len(), self.own.len(), self.left);
        let mut cost = 0_u64;
        for at in from..to {
            if self.whole.scopes.global.get(at) == Some(&true) {
                continue;
            }
            self.own.push(at);
            self.need(at, &mut cost);
            if cost > u64::from(left) && to - from > 1 {
                break;
            }
        }
        if cost <= u64::from(left) {
            self.left = left - u32::try_from(cost).unwrap_or(left);
            return Ok(());
        }
        for added in self.added.split_off(mark) {
            let (list, at) = match added {
                Added::Item(at) => (&mut self.items, at),
                Added::Node(at) => (&mut self.nodes, at),
                Added::Section(at) => (&mut self.sections, at),
            };
            if let Some(slot) = list.get_mut(at) {
                *slot = 0;
            }
        }
        self.own.truncate(own);
        Err(u32::try_from(cost).unwrap_or(u32::MAX).saturating_add(self.whole.preamble_size))
    }

    /// Adds an item, what leads it in, and the rules that hold for it.
    fn need(&mut self, at: usize, cost: &mut u64) {
        self.show(at, cost);
        let section = self.whole.scopes.section.get(at).copied().unwrap_or_default();
        if new(&mut self.sections, section, self.number) {
            self.added.push(Added::Section(section));
            for rule in self.whole.scopes.rules.get(section).into_iter().flatten() {
                self.show(*rule, cost);
            }
        }
        if let Some(item) = self.whole.base.items.get(at) {
            for rule in self.whole.scopes.about(item) {
                self.show(rule, cost);
            }
        }
    }

    /// Adds an item with its lead-ins and headings.
    fn show(&mut self, at: usize, cost: &mut u64) {
        let base = &self.whole.base;
        for at in base.above(Some(at)) {
            if !new(&mut self.items, at, self.number) {
                return;
            }
            self.added.push(Added::Item(at));
            *cost += u64::from(self.whole.full.get(at).copied().unwrap_or_default());
            let mut node = base.governor(at).1;
            while node > 0 && new(&mut self.nodes, node, self.number) {
                self.added.push(Added::Node(node));
                *cost += u64::from(self.whole.nodes.get(node).copied().unwrap_or_default());
                node = base.nodes.get(node).map_or(0, |node| node.parent);
            }
        }
    }

    /// Ends the part.
    fn close(&mut self) {
        let mut all = Vec::with_capacity(self.added.len());
        for added in std::mem::take(&mut self.added) {
            if let Added::Item(at) = added {
                all.push(at);
            }
        }
        all.sort_unstable();
        if !all.is_empty() {
            let text = render(&self.whole.base, &all);
            self.parts.push(Part { own: std::mem::take(&mut self.own), all, text, size: 0 });
        }
        self.number += 1;
        self.left = self.room;
    }
}

/// Marks a place as standing in a part. Whether it did not before.
fn new(list: &mut [u32], at: usize, number: u32) -> bool {
    match list.get_mut(at) {
        Some(slot) if *slot != number => {
            *slot = number;
            true
        }
        _ => false,
    }
}
