//! Items as Markdown. Every piece is a function of its own item, so that the price of a text is about the sum of its pieces.

use super::source::{Base, Node};
use crate::triage::ItemKind;

/// The lines of an item.
pub(super) fn piece(base: &Base, at: usize, text: &str) -> String {
    let depth = base.above(base.lead.get(at).copied().flatten()).filter(|above| base.listed(*above)).count();
    let indent = "  ".repeat(depth);
    match base.kind(at) {
        ItemKind::Item => lines(&[&indent, "- ", text, "\n"]),
        ItemKind::Step => {
            let number = base.ordinal.get(at).copied().unwrap_or(1).to_string();
            lines(&[&indent, &number, ". ", text, "\n"])
        }
        ItemKind::Row if text.starts_with('|') => lines(&[text, "\n"]),
        ItemKind::Row => lines(&["| ", text, " |\n"]),
        ItemKind::Quote if !text.starts_with('>') => lines(&["\n> ", text, "\n"]),
        ItemKind::Fence if !text.starts_with("```") && !text.starts_with("~~~") => lines(&["\n```\n", text, "\n```\n"]),
        ItemKind::Paragraph | ItemKind::Quote | ItemKind::Fence => lines(&["\n", text, "\n"]),
    }
}

/// The line of a heading or a lead-in.
pub(super) fn node_piece(node: &Node) -> String {
    let marks = "######".get(..node.depth.min(6)).unwrap_or_default();
    let gap = if node.depth > 0 { " " } else { "" };
    lines(&["\n", marks, gap, &node.text, "\n"])
}

fn lines(parts: &[&str]) -> String {
    parts.concat()
}

/// A text that is being written.
pub(super) struct Page<'a> {
    base: &'a Base,
    out: String,
    /// The nodes in force.
    path: Vec<usize>,
    /// The last item.
    last: Option<usize>,
}

impl<'a> Page<'a> {
    /// An empty text.
    pub(super) fn new(base: &'a Base) -> Self {
        Self { base, out: String::new(), path: Vec::new(), last: None }
    }

    /// Adds an item under the headings `wanted`, as far as they are not in force.
    pub(super) fn item(&mut self, at: usize, text: &str, wanted: &[usize]) {
        let shared = self.path.iter().zip(wanted).take_while(|(a, b)| a == b).count();
        for node in wanted.iter().skip(shared) {
            if let Some(node) = self.base.nodes.get(*node) {
                self.out.push_str(&node_piece(node));
                self.last = None;
            }
        }
        // what is in force no longer, and nothing says so
        let left = shared < self.path.len() && shared == wanted.len();
        self.path = wanted.to_vec();
        if left || self.base.listed(at) && self.misled(at) {
            self.out.push_str("\n---\n");
        }
        self.out.push_str(&piece(self.base, at, text));
        self.last = Some(at);
    }

    /// Adds an item that stands for itself.
    pub(super) fn bare(&mut self, at: usize) {
        let listed = self.base.listed(at);
        let text = self.base.text(at);
        self.out.push_str(&if listed { lines(&["- ", text, "\n"]) } else { lines(&["\n", text, "\n"]) });
    }

    /// Whether an item would seem to belong to what governs the list above it.
    fn misled(&self, at: usize) -> bool {
        let Some(last) = self.last.filter(|last| self.base.listed(*last)) else { return false };
        let governor = self.base.governor(at);
        let fits =
            |above: usize| above == governor.0.unwrap_or(usize::MAX) || self.base.listed(above) && self.base.governor(above) == governor;
        !self.base.above(Some(last)).any(fits)
    }

    /// The text without empty lines at its ends.
    pub(super) fn done(self) -> String {
        self.out.trim_matches('\n').to_owned()
    }
}

/// Some items in their order, with the items that govern them and all their headings.
pub(super) fn render(base: &Base, items: &[usize]) -> String {
    let mut page = Page::new(base);
    for at in items {
        page.item(*at, base.text(*at), &base.path(base.governor(*at).1));
    }
    page.done()
}

/// Some items and all that govern them, in their order.
pub(super) fn with_leads(base: &Base, items: &[usize]) -> Vec<usize> {
    let mut all = Vec::with_capacity(items.len());
    for at in items {
        all.extend(base.above(Some(*at)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The parts that there are, one below the other.
pub(super) fn joined(parts: &[&str]) -> String {
    let mut out = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(part);
    }
    out
}
