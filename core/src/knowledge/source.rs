//! A knowledge base as the operators see it: typed items, what governs each, and the headings it stands under.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::item::Knowledge;
use crate::json::{self, FromValue};
use crate::reads;
use crate::text::scan::{Kind, scan};
use crate::triage::{Given, Item, ItemKind, OperatingPoint, classify_items, triage};
use crate::trust::Trust;

/// Opens the block of rules in a compacted text.
pub(super) const RULES: &str = "<!-- rules -->";
/// Closes it.
pub(super) const END: &str = "<!-- /rules -->";
/// Says how many items a compacted text is without.
pub(super) const LEFT_OUT: &str = " items left out -->";

/// Steps from an item up to what governs it that are looked at.
const DEEP: usize = 32;

/// Something that is said once for all items below it: a heading, or a lead-in that is no item of its own.
#[derive(Debug)]
pub(super) struct Node {
    /// What this one stands under; the first node stands for the document.
    pub(super) parent: usize,
    /// Its words.
    pub(super) text: String,
    /// How deep a heading is, from 1; 0 for a lead-in.
    pub(super) depth: usize,
}

/// What an item needs around it to be read as a rule, so that no ban is shown as an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Around {
    Nothing,
    Leads,
    Headings,
}

/// Items and their order.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) items: Vec<Item>,
    /// The item that governs each, where that is one.
    pub(super) lead: Vec<Option<usize>>,
    /// The heading or lead-in each stands under.
    pub(super) node: Vec<usize>,
    pub(super) nodes: Vec<Node>,
    /// The place of each in its numbered list, from 1.
    pub(super) ordinal: Vec<u32>,
    /// What each needs around it; empty where that was not looked at.
    pub(super) arounds: Vec<Around>,
    /// The first of equal rules, for the others.
    pub(super) twin: Vec<Option<usize>>,
    /// What a ratio is a part of.
    pub(super) whole: String,
    /// The front matter, which stays.
    pub(super) front: String,
    /// Items that were left out before.
    pub(super) left_out: u32,
    /// Whether the whole is a document, not a list of items.
    pub(super) document: bool,
    /// Whether it is a text of ours.
    pub(super) compacted: bool,
}

/// An item as it is handed in: with a type that counts as declared, with one of triage's, or without.
#[derive(Debug, Default)]
struct Entry {
    text: String,
    knowledge: Option<Knowledge>,
    tier: Value,
    kind: Option<String>,
    heading_path: Vec<String>,
    lead_in: Option<String>,
    line: u32,
    polarity: Value,
    confidence: Option<u32>,
    p_constraint: Option<u32>,
    suspected: bool,
    declared: bool,
    scope: Vec<String>,
    source: String,
    trust: Option<Trust>,
}

reads! { @impl Entry, object => {
    Self {
        text: object.need("text"),
        knowledge: object.may("knowledge"),
        tier: object.may("tier"),
        kind: object.may("kind"),
        heading_path: object.may::<Option<_>>("heading_path").unwrap_or_default(),
        lead_in: object.may("lead_in"),
        line: object.may("line"),
        polarity: object.may("polarity"),
        confidence: object.may("confidence"),
        p_constraint: object.may("p_constraint"),
        suspected: object.may("suspected"),
        declared: object.may("declared"),
        scope: object.may::<Option<_>>("scope").unwrap_or_default(),
        source: object.may("source"),
        trust: object.may("trust"),
    }
} }

/// Reads items as they are handed in, and types those without a type.
pub(super) fn items_of(value: Value) -> Result<Vec<Item>> {
    let entries: Vec<Entry> = json::read(value).map_err(|error| Error::argument(format!("the items cannot be read: {error}")))?;
    let mut items = Vec::with_capacity(entries.len());
    for entry in entries {
        items.extend(typed(entry));
    }
    Ok(items)
}

fn typed(entry: Entry) -> Option<Item> {
    let Entry { text, kind, heading_path, lead_in, .. } = entry;
    let given = Given { text, heading_path, lead_in, kind };
    let mut item = classify_items(std::slice::from_ref(&given), OperatingPoint::Balanced).pop()?;
    if let Some(knowledge) = entry.knowledge {
        let rule = knowledge == Knowledge::Constraint;
        item.knowledge = knowledge;
        item.tier = crate::triage::tier_of(knowledge);
        // a type without a probability is the caller's own word
        item.declared = entry.declared || entry.p_constraint.is_none();
        item.p_constraint = entry.p_constraint.unwrap_or(if rule { 1000 } else { 0 });
        item.confidence = entry.confidence.unwrap_or(1000);
        item.suspected = entry.suspected;
    }
    item.line = entry.line;
    item.scope = entry.scope;
    item.source = entry.source;
    item.trust = entry.trust.unwrap_or(Trust::External);
    let _ = (entry.tier, entry.polarity);
    Some(item)
}

/// A document, or items of one, as a knowledge base.
pub(super) fn base_of(value: Value) -> Result<Base> {
    match value {
        Value::String(document) => Ok(of_document(document)),
        items => {
            let items = items_of(items)?;
            let mut whole = String::new();
            for item in &items {
                whole.push_str(&item.text);
                whole.push('\n');
            }
            Ok(linked(items, whole))
        }
    }
}

fn of_document(document: String) -> Base {
    let front = front_matter(&document).to_owned();
    let (body, left_out) = left_out(document.get(front.len()..).unwrap_or_default());
    let rules = body.trim_start().strip_prefix(RULES).and_then(|rest| rest.split_once(END));
    let (items, compacted) = match rules {
        Some((rules, rest)) => {
            let mut items = read(&front, rules, &document);
            for item in &mut items {
                item.knowledge = Knowledge::Constraint;
                item.tier = crate::triage::tier_of(Knowledge::Constraint);
                item.declared = true;
                item.suspected = false;
                item.p_constraint = 1000;
            }
            items.append(&mut read(&front, rest, &document));
            (items, true)
        }
        None => (read(&front, body, &document), left_out > 0),
    };
    Base { left_out, document: true, compacted, front: front.trim_end().to_owned(), ..linked(items, document) }
}

/// The items of a part of a document, with the scope that its front matter gives.
fn read(front: &str, part: &str, document: &str) -> Vec<Item> {
    let mut items = triage(&[front, part].concat(), "", Trust::External, OperatingPoint::Balanced);
    // a part is a piece of the document
    let at = (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    let before = document.get(front.len()..at).unwrap_or_default();
    let lines = u32::try_from(before.matches('\n').count()).unwrap_or_default();
    for item in &mut items {
        item.line = item.line.saturating_add(lines);
    }
    items
}

/// The front matter of a document with its line break; empty where it has none.
fn front_matter(document: &str) -> &str {
    if !document.starts_with("---") {
        return "";
    }
    let mut end = 0;
    for line in document.split_inclusive('\n') {
        end += line.len();
        if end > line.len() && matches!(line.trim_end(), "---" | "...") {
            break;
        }
    }
    let front = document.get(..end).unwrap_or_default();
    let kinds = scan(front);
    if kinds.len() == 1 && kinds.iter().all(|item| item.kind == Kind::FrontMatter) { front } else { "" }
}

/// A document without its last line, where that says how many items were left out.
fn left_out(document: &str) -> (&str, u32) {
    let trimmed = document.trim_end();
    let (body, line) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let number = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(LEFT_OUT)).and_then(|number| number.parse().ok());
    number.map_or((document, 0), |number| (body, number))
}

/// Finds what governs each item.
fn linked(items: Vec<Item>, whole: String) -> Base {
    let root = Node { parent: 0, text: String::new(), depth: 0 };
    let count = items.len();
    let mut base = Base {
        items,
        lead: Vec::with_capacity(count),
        node: Vec::with_capacity(count),
        nodes: vec![root],
        ordinal: Vec::with_capacity(count),
        arounds: Vec::new(),
        twin: vec![None; count],
        whole,
        front: String::new(),
        left_out: 0,
        document: false,
        compacted: false,
    };
    let mut path: Vec<usize> = Vec::new();
    for at in 0..count {
        base.link(at, &mut path);
    }
    base.find_twins();
    base
}

impl Base {
    fn link(&mut self, at: usize, path: &mut Vec<usize>) {
        let Some(item) = self.items.get(at) else { return };
        let same = |(node, title): &(&usize, &String)| self.nodes.get(**node).is_some_and(|node| node.text == **title);
        let shared = path.iter().zip(&item.heading_path).take_while(same).count();
        path.truncate(shared);
        let titles: Vec<String> = item.heading_path.get(shared..).unwrap_or_default().to_vec();
        for title in titles {
            let parent = path.last().copied().unwrap_or_default();
            path.push(self.nodes.len());
            self.nodes.push(Node { parent, text: title, depth: path.len() });
        }
        let heading = path.last().copied().unwrap_or_default();
        let before = at.checked_sub(1);
        let beside = before.filter(|before| self.heading(*before) == heading);
        let mut lead = None;
        let mut node = heading;
        if let Some(words) = self.items.get(at).and_then(|item| item.lead_in.as_deref()) {
            lead = self.above(beside).find(|above| self.items.get(*above).is_some_and(|item| item.text == words));
            if lead.is_none() && !words.trim().is_empty() {
                let last = beside.and_then(|before| self.node.get(before)).copied().filter(|node| *node != heading);
                let same = last.filter(|node| self.nodes.get(*node).is_some_and(|node| node.text == words));
                node = same.unwrap_or(self.nodes.len());
                if same.is_none() {
                    let text = words.to_owned();
                    self.nodes.push(Node { parent: heading, text, depth: 0 });
                }
            }
        }
        self.lead.push(lead);
        self.node.push(node);
        let step = |above: &usize| self.kind(*above) == ItemKind::Step && self.governor(*above) == (lead, node);
        let ordinal = self.above(beside).find(step).and_then(|above| self.ordinal.get(above)).copied().unwrap_or_default();
        self.ordinal.push(ordinal.saturating_add(1));
    }

    /// Equal rules in equal places: the one of most trust stands for all.
    fn find_twins(&mut self) {
        let mut rules: Vec<usize> = (0..self.items.len()).filter(|at| self.is_rule(*at)).collect();
        let trust = |at: usize| self.items.get(at).map(|item| std::cmp::Reverse(item.trust));
        rules.sort_by(|a, b| self.text(*a).cmp(self.text(*b)).then_with(|| trust(*a).cmp(&trust(*b))));
        let mut first: Option<usize> = None;
        for at in rules {
            let same = first.filter(|first| self.items.get(*first).zip(self.items.get(at)).is_some_and(|(a, b)| alike(a, b)));
            match same.filter(|first| !self.opens(*first)) {
                Some(first) => {
                    if let Some(twin) = self.twin.get_mut(at) {
                        *twin = Some(first);
                    }
                }
                None => first = Some(at),
            }
        }
    }

    /// An item and those that govern it, upwards.
    pub(super) fn above(&self, from: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut next = from;
        std::iter::from_fn(move || {
            let now = next?;
            next = self.lead.get(now).copied().flatten();
            Some(now)
        })
        .take(DEEP)
    }

    /// What an item is.
    pub(super) fn kind(&self, at: usize) -> ItemKind {
        self.items.get(at).map_or(ItemKind::Paragraph, |item| item.kind)
    }

    /// Whether an item stands in a list.
    pub(super) fn listed(&self, at: usize) -> bool {
        matches!(self.kind(at), ItemKind::Item | ItemKind::Step)
    }

    /// The item, and the heading or lead-in, that govern one.
    pub(super) fn governor(&self, at: usize) -> (Option<usize>, usize) {
        (self.lead.get(at).copied().flatten(), self.node.get(at).copied().unwrap_or_default())
    }

    /// The heading an item stands under.
    pub(super) fn heading(&self, at: usize) -> usize {
        let node = self.node.get(at).copied().unwrap_or_default();
        self.nodes.get(node).map_or(0, |found| if found.depth == 0 { found.parent } else { node })
    }

    /// A node and those above it, the outermost first, without the document.
    pub(super) fn path(&self, node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = node;
        while at > 0 {
            path.push(at);
            at = self.nodes.get(at).map_or(0, |node| node.parent);
        }
        path.reverse();
        path
    }

    /// What an item needs around it.
    pub(super) fn needs(&self, at: usize) -> Around {
        self.arounds.get(at).copied().unwrap_or(Around::Headings)
    }

    /// The nodes an item needs above it: a lead-in that is no item, and the nearest heading.
    pub(super) fn around(&self, at: usize) -> Vec<usize> {
        let mut path = self.path(self.governor(at).1);
        let (needs, heading) = (self.needs(at), self.heading(at));
        path.retain(|node| {
            let lead_in = self.nodes.get(*node).is_some_and(|node| node.depth == 0);
            if lead_in { needs != Around::Nothing } else { needs == Around::Headings && *node == heading }
        });
        path
    }

    /// The nodes shown above an item: of a document all headings, of items only what they need, since nobody counted more.
    pub(super) fn shown(&self, at: usize) -> Vec<usize> {
        if self.document { self.path(self.governor(at).1) } else { self.around(at) }
    }

    /// The text of an item.
    pub(super) fn text(&self, at: usize) -> &str {
        self.items.get(at).map_or("", |item| item.text.as_str())
    }

    /// Whether an item is a rule.
    pub(super) fn is_rule(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| item.knowledge == Knowledge::Constraint)
    }

    /// Whether a text of an item leads in what stands below it.
    pub(super) fn opens(&self, at: usize) -> bool {
        opens(self.text(at))
    }
}

/// Whether a text leads in what stands below it.
pub(super) fn opens(text: &str) -> bool {
    text.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn alike(a: &Item, b: &Item) -> bool {
    a.text == b.text && a.scope == b.scope && a.heading_path == b.heading_path && a.lead_in == b.lead_in
}

/// Reads a value of ours from an argument.
pub(super) fn argument<T: FromValue>(name: &str, value: Value) -> Result<T> {
    json::read(value).map_err(|_| Error::argument(format!("`{name}` cannot be read")))
}
