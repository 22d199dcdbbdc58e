//! What to keep beside the rules: a knapsack over the forms of each item, filled by worth for the price.

use super::render::Page;
use super::source::{Around, Base, opens};
use crate::item::Knowledge;
use crate::triage::{Given, Item, OperatingPoint, classify_items};

/// What the pieces of a base cost by the counter.
#[derive(Debug, Default)]
pub(super) struct Prices {
    /// The line that says how many items were left out.
    pub(super) line: u32,
    nodes: Vec<u32>,
    full: Vec<u32>,
    short: Vec<Option<u32>>,
}

impl Prices {
    /// From counts in the order in which they were asked for.
    pub(super) fn of(counts: &mut dyn Iterator<Item = u32>, nodes: usize, shorts: &[Option<String>]) -> Self {
        let mut prices = Self { line: counts.next().unwrap_or_default(), ..Self::default() };
        for _ in 0..nodes {
            prices.nodes.push(counts.next().unwrap_or_default());
        }
        for short in shorts {
            prices.full.push(counts.next().unwrap_or_default());
            prices.short.push(if short.is_some() { counts.next() } else { None });
        }
        prices
    }

    fn full(&self, at: usize) -> u32 {
        self.full.get(at).copied().unwrap_or_default()
    }
}

/// An item that was chosen, in which form, and what it costs with what it brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) at: usize,
    pub(super) short: bool,
    pub(super) cost: u32,
}

/// A step up for one item: to its shorter form, or from that or nothing to all of it.
struct Step {
    at: usize,
    short: bool,
    /// Whether it goes up from the shorter form.
    second: bool,
    /// Worth for the price.
    rate: u64,
}

/// Fills a budget: what is chosen is counted with the headings and lead-ins it needs.
struct Fill<'a> {
    base: &'a Base,
    prices: &'a Prices,
    left: u32,
    shown: Vec<bool>,
    short: Vec<bool>,
    nodes: Vec<bool>,
    picks: Vec<Pick>,
}

impl<'a> Fill<'a> {
    fn new(base: &'a Base, prices: &'a Prices, shown: &[bool], left: u32) -> Self {
        let count = base.items.len();
        let nodes = vec![false; base.nodes.len()];
        Self { base, prices, left, shown: shown.to_vec(), short: vec![false; count], nodes, picks: Vec::new() }
    }

    /// Takes an item, if it and what it needs fits: the items above it and the headings `under`.
    fn take(&mut self, at: usize, short: bool, leads: bool, under: &[usize]) -> bool {
        let known = |list: &[bool], at: usize| list.get(at).copied().unwrap_or(true);
        if known(&self.shown, at) {
            return false;
        }
        let before = if known(&self.short, at) { self.prices.short.get(at).copied().flatten().unwrap_or_default() } else { 0 };
        let full = if short { self.prices.short.get(at).copied().flatten() } else { None };
        let mut all = u64::from(full.unwrap_or(self.prices.full(at)).saturating_sub(before));
        let mut above: Vec<usize> = Vec::new();
        if leads {
            above.extend(self.base.above(self.base.governor(at).0).filter(|lead| !known(&self.shown, *lead)));
            for lead in &above {
                all += u64::from(self.prices.full(*lead));
            }
        }
        let under: Vec<usize> = under.iter().copied().filter(|node| !known(&self.nodes, *node)).collect();
        for node in &under {
            all += u64::from(self.prices.nodes.get(*node).copied().unwrap_or_default());
        }
        if all > u64::from(self.left) {
            return false;
        }
        let cost = u32::try_from(all).unwrap_or(u32::MAX);
        self.left -= cost;
        for node in under {
            mark(&mut self.nodes, node);
        }
        for lead in above.into_iter().rev() {
            mark(&mut self.shown, lead);
            self.picks.push(Pick { at: lead, short: false, cost: 0 });
        }
        mark(if short { &mut self.short } else { &mut self.shown }, at);
        self.picks.push(Pick { at, short, cost });
        true
    }

    /// Takes steps, the best for their price first, and among equals in order.
    fn climb(&mut self, mut steps: Vec<Step>) {
        steps.sort_by_key(|step| (std::cmp::Reverse(step.rate), step.at));
        for step in steps {
            // there is no way up from a step that was not taken
            if !step.second || self.short.get(step.at) == Some(&true) {
                let under = self.base.shown(step.at);
                self.take(step.at, step.short, true, &under);
            }
        }
    }
}

fn mark(list: &mut [bool], at: usize) {
    if let Some(slot) = list.get_mut(at) {
        *slot = true;
    }
}

fn rate(worth: u64, price: u32) -> u64 {
    (worth << 20) / u64::from(price.max(1))
}

/// What a rule is worth beside a report: so much that what may be one goes before what surely is none.
const RULE: u64 = 400;

/// From how many in a thousand on what may be a rule is read as one.
pub(super) const LIKELY: u32 = 400;

/// How much a likelihood counts, in thousandths: what is unlikely less than its share, since there is so much of it.
fn share(p: u32) -> u64 {
    let p = u64::from(p.min(1000));
    p * p.isqrt() / 31
}

/// How much an item is worth: the loss that its absence would be, by what it is and what it may be.
fn worth(base: &Base, at: usize) -> u64 {
    let Some(item) = base.items.get(at) else { return 0 };
    let mut rule = share(item.p_constraint);
    if item.knowledge == Knowledge::Episodic {
        // reports come without end: what only may be a rule among them does not push out what has stood
        rule /= 8;
    }
    let kind = match item.knowledge {
        Knowledge::Constraint => RULE,
        Knowledge::Procedural => 8,
        Knowledge::Belief => 4,
        Knowledge::Preference => 2,
        Knowledge::Episodic => 1,
    };
    RULE * rule + kind * (1000 - rule)
}

/// The rest of a base by worth for the price, beside the items that are `shown` anyway.
pub(super) fn by_worth(base: &Base, prices: &Prices, shown: &[bool], left: u32) -> Vec<Pick> {
    let mut steps = Vec::with_capacity(base.items.len());
    for (at, shown) in shown.iter().enumerate() {
        if *shown || base.twin.get(at).copied().flatten().is_some() {
            continue;
        }
        let (all, full) = (worth(base, at), prices.full(at));
        match prices.short.get(at).copied().flatten() {
            // the hull of the two forms: the shorter one counts three quarters
            Some(short) if short < full => {
                steps.push(Step { at, short: true, second: false, rate: rate(all * 3 / 4, short) });
                steps.push(Step { at, short: false, second: true, rate: rate(all / 4, full - short) });
            }
            _ => steps.push(Step { at, short: false, second: false, rate: rate(all, full) }),
        }
    }
    let mut fill = Fill::new(base, prices, shown, left);
    fill.climb(steps);
    fill.picks
}

/// The rest of a base in its order: facts up to half, preferences up to a fifth, then reports.
pub(super) fn paper(base: &Base, prices: &Prices, shown: &[bool], left: u32) -> Vec<Pick> {
    let mut fill = Fill::new(base, prices, shown, 0);
    let mut rest = left;
    let quotas = [(Knowledge::Belief, left / 2), (Knowledge::Preference, left / 5), (Knowledge::Episodic, left)];
    for (knowledge, quota) in quotas {
        fill.left = quota.min(rest);
        let given = fill.left;
        for at in 0..base.items.len() {
            if base.items.get(at).is_some_and(|item| item.knowledge == knowledge) {
                let under = base.shown(at);
                fill.take(at, false, true, &under);
            }
        }
        rest -= given - fill.left;
    }
    fill.picks
}

/// What each item needs around it to be read as a rule. What leads an item in stands where the item does.
pub(super) fn arounds(base: &Base) -> Vec<Around> {
    let mut all: Vec<Around> = (0..base.items.len()).map(|at| around(base, at)).collect();
    for at in 0..all.len() {
        let needs = all.get(at).copied().unwrap_or(Around::Nothing);
        for lead in base.above(base.governor(at).0).take(if needs == Around::Nothing { 0 } else { usize::MAX }) {
            if let Some(slot) = all.get_mut(lead) {
                *slot = (*slot).max(needs);
            }
        }
    }
    all
}

fn around(base: &Base, at: usize) -> Around {
    let Some(item) = base.items.get(at) else { return Around::Nothing };
    let binds = |lead_in: Option<String>| {
        let kind = Some(if base.listed(at) { "item" } else { "para" }.to_owned());
        let given = Given { text: item.text.clone(), heading_path: Vec::new(), lead_in, kind };
        let is_rule = |item: &Item| item.knowledge == Knowledge::Constraint || item.p_constraint >= LIKELY;
        classify_items(&[given], OperatingPoint::Lean).iter().all(is_rule)
    };
    let led = item.lead_in.as_deref().is_some_and(opens);
    let bare = if led { Around::Leads } else { Around::Nothing };
    if item.knowledge != Knowledge::Constraint && item.p_constraint < LIKELY || binds(None) {
        return bare;
    }
    if item.lead_in.is_some() && binds(item.lead_in.clone()) { Around::Leads } else { Around::Headings }
}

/// As many likely rules as fit into a budget, with no more around them than they need; of `rules` alone, or of all items.
pub(super) fn likely(base: &Base, prices: &Prices, left: u32, rules: bool) -> Vec<Pick> {
    let mut order: Vec<(std::cmp::Reverse<u64>, usize)> = Vec::new();
    for (at, item) in base.items.iter().enumerate() {
        if (base.is_rule(at) || !rules) && base.twin.get(at).copied().flatten().is_none() {
            order.push((std::cmp::Reverse(rate(share(item.p_constraint), prices.full(at))), at));
        }
    }
    order.sort_unstable();
    let mut fill = Fill::new(base, prices, &vec![false; base.items.len()], left);
    for (_, at) in order {
        if prices.full(at) <= fill.left {
            fill.take(at, false, base.needs(at) != Around::Nothing, &base.around(at));
        }
    }
    fill.picks
}

/// The text of such a choice: first what needs nothing around it.
pub(super) fn bare(base: &Base, picks: &[Pick]) -> String {
    let mut order = Vec::with_capacity(picks.len());
    for pick in picks {
        order.push((base.needs(pick.at) != Around::Nothing, pick.at));
    }
    order.sort_unstable();
    let mut page = Page::new(base);
    for (around, at) in order {
        if around {
            page.item(at, base.text(at), &base.around(at));
        } else {
            page.bare(at);
        }
    }
    page.done()
}
