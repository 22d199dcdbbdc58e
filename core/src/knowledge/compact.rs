//! A knowledge base within a budget: every rule word for word, then what is worth most of the rest.
//!
//! The counter is the caller's, and this crate calls nobody: [`Compaction::asks`] gives texts to be counted,
//! [`Compaction::answer`] takes the counts, until nothing is asked. Single pieces are counted first and what to keep is
//! chosen by their sum; then the text as a whole is counted, and the least of what was chosen is taken back until it fits.

use serde::Serialize;

use super::counted::Asks;
use super::fill::{self, Pick, Prices};
use super::render::{Page, joined, node_piece, piece, with_leads};
use super::shorten::shortened;
use super::source::{Base, END, LEFT_OUT, RULES};
use crate::error::{Error, Result};
use crate::item::Knowledge;
use crate::reads;

/// What is done where the rules alone do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CompactMode {
    /// Nothing: the result says what does not fit, and has no text.
    #[default]
    Safe,
    /// All rules, over the budget.
    OverBudget,
    /// As many likely rules as fit. Not safe: some are left out.
    Rank,
    /// As in the published method: procedures are pinned as well, then facts up to half and preferences up to a fifth of what is left.
    Paper,
}

reads! { CompactMode: Safe, OverBudget, Rank, Paper }

/// How much of an item stands in a compacted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ItemForm {
    /// All of it.
    Verbatim,
    /// All but remarks, reasons and examples.
    Shortened,
    /// All of it, once for several equal ones.
    Merged,
    /// Nothing.
    Dropped,
}

reads! { ItemForm: Verbatim, Shortened, Merged, Dropped }

/// One item of a knowledge base and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ItemOutcome {
    /// Its place among the items.
    pub index: u32,
    /// Its first line in the document, from 1; 0 where there is none.
    pub line: u32,
    /// Its type.
    pub knowledge: Knowledge,
    /// How likely it is a constraint, per mille.
    pub p_constraint: u32,
    /// How much of it there is.
    pub form: ItemForm,
    /// What it says, in this form.
    pub text: String,
}

/// Why no safe result is possible: the rules alone are over the budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unsafe {
    /// The smallest budget that holds the rules.
    pub required: u32,
    /// How much of it is missing.
    pub deficit: u32,
    /// The rules that do not fit beside the others, the least likely first.
    pub items: Vec<ItemOutcome>,
    /// The sum of how likely each of them is a rule, in thousandths of a rule.
    pub lost: u32,
    /// In how many parts a decomposition might hold everything.
    pub parts: u32,
}

/// What a compaction made of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compacted {
    /// Whether the text is within the budget and has every rule.
    pub ok: bool,
    /// What does not fit, where something does not.
    pub r#unsafe: Option<Unsafe>,
    /// The text; none where it would not be safe and the mode refuses that.
    pub text: Option<String>,
    /// The size of the text by the counter.
    pub size: u32,
    /// The budget by the counter.
    pub budget: u32,
    /// The items that stand in the text, in their order.
    pub kept: Vec<ItemOutcome>,
    /// The items that do not. Both lists together have every item once.
    pub dropped: Vec<ItemOutcome>,
}

/// What is asked of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Budget {
    /// In units of the counter.
    Units(u32),
    /// In millionths of the whole.
    Part(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Sizes,
    Pinned,
    Whole,
    Done,
}

/// A compaction under way.
#[derive(Debug)]
pub struct Compaction {
    base: Base,
    mode: CompactMode,
    wanted: Budget,
    budget: u32,
    shorts: Vec<Option<String>>,
    /// Whether an item stands in the block of rules.
    pinned: Vec<bool>,
    /// The items of the block.
    order: Vec<usize>,
    block: String,
    prices: Prices,
    picks: Vec<Pick>,
    /// How many of the picks are in the text, the most that are known to fit with their size, the fewest that do not.
    taken: usize,
    fits: (usize, u32),
    over: usize,
    /// Whether the line that counts what was left out is there.
    told: bool,
    /// The size of the rules, where they are over the budget.
    missing: Option<u32>,
    asks: Asks,
    stage: Stage,
    text: Option<String>,
    size: u32,
}

impl Compaction {
    pub(super) fn new(mut base: Base, wanted: Budget, mode: CompactMode) -> Result<Self> {
        if wanted == Budget::Units(0) || wanted == Budget::Part(0) {
            return Err(Error::argument("the budget is zero"));
        }
        let paper = mode == CompactMode::Paper;
        base.arounds = fill::arounds(&base);
        let (pinned, order) = pinned(&base, paper);
        let block = block(&base, &order);
        let mut shorts = Vec::with_capacity(base.items.len());
        for item in &base.items {
            shorts.push(if paper { None } else { shortened(item) });
        }
        let most = u32::try_from(base.items.len()).unwrap_or(u32::MAX);
        let mut asks = vec![base.whole.clone(), left_out_line(base.left_out.saturating_add(most))];
        for node in &base.nodes {
            asks.push(node_piece(node));
        }
        for (at, short) in shorts.iter().enumerate() {
            asks.push(piece(&base, at, base.text(at)));
            if let Some(short) = short {
                asks.push(piece(&base, at, short));
            }
        }
        let prices = Prices::default();
        Ok(Self {
            base,
            mode,
            wanted,
            budget: 0,
            shorts,
            pinned,
            order,
            block,
            prices,
            picks: Vec::new(),
            taken: 0,
            fits: (0, 0),
            over: usize::MAX,
            told: false,
            missing: None,
            asks: Asks(asks),
            stage: Stage::Sizes,
            text: None,
            size: 0,
        })
    }

    /// The texts that are to be counted; none when the compaction is done.
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
        let first = counts.first().copied().unwrap_or_default();
        match self.stage {
            Stage::Sizes => self.sized(counts),
            Stage::Pinned => self.held(first),
            Stage::Whole => self.recounted(first),
            Stage::Done => {}
        }
        Ok(())
    }

    fn sized(&mut self, counts: &[u32]) {
        let mut counts = counts.iter().copied();
        let whole = counts.next().unwrap_or_default();
        self.budget = match self.wanted {
            Budget::Units(units) => units,
            Budget::Part(part) => u32::try_from(u64::from(whole) * u64::from(part) / 1_000_000).unwrap_or(u32::MAX),
        };
        self.prices = Prices::of(&mut counts, self.base.nodes.len(), &self.shorts);
        if (self.base.compacted || self.base.document && self.order.is_empty()) && whole <= self.budget {
            // it is already what it would become
            for at in 0..self.base.items.len() {
                self.picks.push(Pick { at, short: false, cost: 0 });
            }
            self.taken = self.picks.len();
            let text = self.base.whole.clone();
            return self.done(Some(text), whole);
        }
        self.ask(Stage::Pinned, self.block.clone());
    }

    fn ask(&mut self, stage: Stage, text: String) {
        (self.stage, self.asks) = (stage, Asks(vec![text]));
    }

    fn done(&mut self, text: Option<String>, size: u32) {
        (self.stage, self.text, self.size) = (Stage::Done, text, size);
    }

    /// The size of the rules alone is known.
    fn held(&mut self, size: u32) {
        let size = if self.block.is_empty() { 0 } else { size };
        if size > self.budget {
            self.missing = Some(size);
            return match self.mode {
                CompactMode::Safe | CompactMode::Paper => self.done(None, 0),
                CompactMode::OverBudget => self.done(Some(self.block.clone()), size),
                CompactMode::Rank => {
                    self.picks = fill::likely(&self.base, &self.prices, self.budget, false);
                    self.taken = self.picks.len();
                    self.ask(Stage::Whole, self.written())
                }
            };
        }
        let (left, line) = (self.budget - size, self.prices.line);
        self.told = left / 4 >= line;
        let left = if self.told { left - line } else { left };
        let worth = if self.mode == CompactMode::Paper { fill::paper } else { fill::by_worth };
        self.picks = worth(&self.base, &self.prices, &self.pinned, left);
        (self.taken, self.fits) = (self.picks.len(), (0, size));
        self.ask(Stage::Whole, self.written());
    }

    /// The size of the whole text is known. Where it is too large, the fewest picks that explain it are taken back; if that
    /// is not enough, the most that fit are looked for by halves.
    fn recounted(&mut self, size: u32) {
        let halved = self.over < usize::MAX;
        if size <= self.budget {
            self.fits = (self.taken, size);
            if !halved || self.over - self.taken < 2 {
                return self.done(Some(self.written()), size);
            }
        } else if self.taken == 0 && !self.told {
            // of the rules alone it is known that they fit
            return self.done(Some(self.written()), self.fits.1);
        } else {
            self.over = self.taken;
        }
        self.taken = if halved {
            self.fits.0.midpoint(self.over)
        } else {
            let mut saved = if self.told { self.prices.line } else { 0 };
            let back = self.picks.iter().rev().take_while(|pick| {
                let more = saved < size - self.budget;
                saved = saved.saturating_add(pick.cost.max(1));
                more
            });
            self.picks.len() - back.count()
        };
        self.told = false;
        if self.taken == self.fits.0 && (halved || self.taken == 0) {
            return self.done(Some(self.written()), self.fits.1);
        }
        self.ask(Stage::Whole, self.written());
    }

    /// The text of what was picked, behind the rules where they fit.
    fn written(&self) -> String {
        if self.missing.is_some() {
            return fill::bare(&self.base, self.picks());
        }
        let forms = self.forms();
        let mut page = Page::new(&self.base);
        for (at, form) in forms.iter().enumerate() {
            let text = match form {
                ItemForm::Verbatim if self.pinned.get(at) == Some(&false) => self.base.text(at),
                ItemForm::Shortened => self.short(at),
                _ => continue,
            };
            page.item(at, text, &self.base.shown(at));
        }
        let kept = forms.iter().filter(|form| **form != ItemForm::Dropped).count();
        let dropped = u32::try_from(forms.len() - kept).unwrap_or(u32::MAX).saturating_add(self.base.left_out);
        let line = if self.told && dropped > 0 { left_out_line(dropped) } else { String::new() };
        joined(&[&self.block, &page.done(), line.trim_matches('\n')])
    }

    fn short(&self, at: usize) -> &str {
        self.shorts.get(at).and_then(Option::as_deref).unwrap_or_default()
    }

    fn picks(&self) -> &[Pick] {
        self.picks.get(..self.taken).unwrap_or_default()
    }

    /// What stands of each item.
    fn forms(&self) -> Vec<ItemForm> {
        let rules = self.missing.is_none() || self.mode == CompactMode::OverBudget;
        let mut forms: Vec<ItemForm> = Vec::with_capacity(self.pinned.len());
        for pinned in &self.pinned {
            forms.push(if rules && *pinned { ItemForm::Verbatim } else { ItemForm::Dropped });
        }
        for pick in self.picks() {
            if let Some(form) = forms.get_mut(pick.at) {
                *form = if pick.short { ItemForm::Shortened } else { ItemForm::Verbatim };
            }
        }
        for at in 0..forms.len() {
            let twin = self.base.twin.get(at).copied().flatten();
            if twin.is_some_and(|first| forms.get(first) == Some(&ItemForm::Verbatim))
                && let Some(form) = forms.get_mut(at)
            {
                *form = ItemForm::Merged;
            }
        }
        forms
    }

    fn outcome(&self, at: usize, form: ItemForm) -> Option<ItemOutcome> {
        let item = self.base.items.get(at)?;
        let text = if form == ItemForm::Shortened { self.short(at) } else { &item.text };
        Some(ItemOutcome {
            index: u32::try_from(at).unwrap_or(u32::MAX),
            line: item.line,
            knowledge: item.knowledge,
            p_constraint: item.p_constraint,
            form,
            text: text.to_owned(),
        })
    }

    /// The result. What is still to be counted is counted by the estimator.
    ///
    /// # Errors
    /// None that counts of ours could bring about.
    pub fn finish(mut self) -> Result<Compacted> {
        while let Some(counts) = self.asks.estimated() {
            self.answer(&counts)?;
        }
        let forms = if self.text.is_some() { self.forms() } else { vec![ItemForm::Dropped; self.pinned.len()] };
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for (at, form) in forms.into_iter().enumerate() {
            let list = if form == ItemForm::Dropped { &mut dropped } else { &mut kept };
            list.extend(self.outcome(at, form));
        }
        let lost = self.missing.or_else(|| self.unverified().then_some(self.size));
        let r#unsafe = lost.map(|required| self.fault(required));
        let text = self.text.filter(|_| r#unsafe.is_none() || matches!(self.mode, CompactMode::OverBudget | CompactMode::Rank));
        Ok(Compacted { ok: r#unsafe.is_none(), r#unsafe, text, size: self.size, budget: self.budget, kept, dropped })
    }

    /// Whether a rule is not in the text that is said to have them all. Looks at the text alone.
    fn unverified(&self) -> bool {
        let Some(mut rest) = self.text.as_deref() else { return true };
        for at in &self.order {
            let Some((_, after)) = rest.split_once(self.base.text(*at)) else { return true };
            rest = after;
        }
        self.size > self.budget
    }

    /// What does not fit.
    fn fault(&self, required: u32) -> Unsafe {
        let fitting = fill::likely(&self.base, &self.prices, self.budget, true);
        let mut fits = vec![false; self.pinned.len()];
        for pick in &fitting {
            if let Some(fits) = fits.get_mut(pick.at) {
                *fits = true;
            }
        }
        let mut items = Vec::new();
        for (at, fits) in fits.iter().enumerate() {
            if !*fits && self.base.is_rule(at) {
                items.extend(self.outcome(at, ItemForm::Dropped));
            }
        }
        items.sort_by_key(|item| (item.p_constraint, usize::MAX - item.text.len()));
        let lost = items.iter().map(|item| item.p_constraint).sum();
        Unsafe { required, deficit: required.saturating_sub(self.budget), items, lost, parts: required.div_ceil(self.budget.max(1)) }
    }
}

/// The rules, in paper mode procedures as well, with the lists that they lead in and with what leads them in: as marks of
/// each item, and in the order of the block. Of equal rules the first.
fn pinned(base: &Base, paper: bool) -> (Vec<bool>, Vec<usize>) {
    let mut ruled = Vec::new();
    let mut pinned: Vec<bool> = Vec::with_capacity(base.items.len());
    for (at, item) in base.items.iter().enumerate() {
        let lead = base.governor(at).0.filter(|lead| base.opens(*lead));
        let led = lead.is_some_and(|lead| pinned.get(lead) == Some(&true));
        let pins = item.knowledge == Knowledge::Constraint || paper && item.knowledge == Knowledge::Procedural || led;
        let first = base.twin.get(at).copied().flatten().is_none();
        pinned.push(pins && first);
        if pins && first {
            ruled.push(at);
        }
    }
    let mut order = with_leads(base, &ruled);
    for at in &order {
        if let Some(pinned) = pinned.get_mut(*at) {
            *pinned = true;
        }
    }
    order.sort_by_key(|at| std::cmp::Reverse(base.items.get(*at).map(|item| item.trust)));
    (pinned, order)
}

/// The front matter and the block of rules.
fn block(base: &Base, order: &[usize]) -> String {
    if order.is_empty() {
        return base.front.clone();
    }
    let mut page = Page::new(base);
    for at in order {
        page.item(*at, base.text(*at), &base.shown(*at));
    }
    joined(&[&base.front, &[RULES, "\n", &page.done(), "\n", END].concat()])
}

fn left_out_line(number: u32) -> String {
    ["\n<!-- ", &number.to_string(), LEFT_OUT, "\n"].concat()
}
