//! A document as typed items: heading paths, lead-ins, joined lines, rows under the head of their table, scope from front matter.

use super::classify::{Judge, Line};
use super::typed::{Given, Item, ItemKind, OperatingPoint, item};
use crate::item::{Knowledge, Span, Tier, Zone};
use crate::text::pattern::Cue;
use crate::text::scan::{Kind, Scanned, scan};
use crate::text::words::listed;
use crate::trust::{INVARIANT_SOURCES, Trust};

/// Longest heading and lead-in that an item carries, in bytes: one text must not be copied to each of a million items.
const AROUND: usize = 400;
/// Longest item that is typed where nobody asked for it, in bytes.
const LONGEST: usize = 1_200;
/// The names under which front matter says what paths a document is about.
const SCOPES: &str = "globs applyTo paths path glob scope files";

/// Where the sentences of a text begin that are constraints by all they say, in the author's own words. `sentences` gives
/// those of an item.
pub(super) fn constraints<'s>(text: &str, scanned: &[Scanned], sentences: &dyn Fn(usize) -> &'s [Span]) -> Vec<Cue> {
    let mut reader = Reader::of(text, OperatingPoint::Lean);
    let mut out = Vec::new();
    for (at, one) in scanned.iter().enumerate() {
        // a block of code is nobody's rule, and a very long paragraph is prose
        if one.zone != Zone::Own || one.kind == Kind::Fence || one.span.end - one.span.start > LONGEST {
            continue;
        }
        let Some((kind, whole)) = reader.read(one, scanned.get(at + 1)) else { continue };
        let parts = if kind == ItemKind::Row { std::slice::from_ref(&one.body) } else { sentences(at) };
        for part in parts {
            let said = if parts.len() == 1 { whole.clone() } else { joined(part.of(text)) };
            if reader.item(said, kind, one, scanned).knowledge == Knowledge::Constraint {
                let first = part.of(text).chars().next().map_or(0, char::len_utf8);
                out.push(Cue { name: "constraint", span: Span::new(part.start, part.start + first) });
            }
        }
    }
    out
}

/// The items of a document with their types. `source` names where it comes from, `trust` whose words it is.
///
/// ```
/// # use standfast::{Trust, item::Knowledge, triage::{OperatingPoint, triage}};
/// let text = "---\nglobs: src/**\n---\n# Guide\n## Never\n\n- push to `main`\n  without a review\n";
/// let items = triage(text, "file:AGENTS.md", Trust::External, OperatingPoint::Balanced);
/// assert_eq!((items[0].knowledge, items[0].line), (Knowledge::Constraint, 7));
/// assert_eq!((items[0].text.as_str(), items[0].heading_path.join(" > ")), ("push to `main` without a review", "Guide > Never".to_owned()));
/// assert_eq!(items[0].scope, ["src/**"]);
/// ```
#[must_use]
pub fn triage(document: &str, source: &str, trust: Trust, point: OperatingPoint) -> Vec<Item> {
    let scanned = scan(document);
    let mut reader = Reader::of(document, point);
    let mut items = Vec::new();
    for (at, one) in scanned.iter().enumerate() {
        let Some((kind, text)) = reader.read(one, scanned.get(at + 1)) else { continue };
        let mut made = reader.item(text, kind, one, &scanned);
        made.line = one.line.saturating_add(1);
        made.scope.clone_from(&reader.scope);
        source.clone_into(&mut made.source);
        // what is quoted is nobody's word here
        made.trust = if one.zone == Zone::Own { trust } else { Trust::External };
        if made.trust.has_authority() && INVARIANT_SOURCES.contains(&source) {
            (made.declared, made.knowledge, made.tier, made.suspected) = (true, Knowledge::Constraint, Tier::Invariant, false);
        }
        items.push(made);
    }
    items
}

struct Reader<'t> {
    document: &'t str,
    path: Vec<(u8, String)>,
    /// The head of the table that is read, once its line of dashes has come.
    table: Option<String>,
    scope: Vec<String>,
    judge: Judge,
    point: OperatingPoint,
}

impl<'t> Reader<'t> {
    fn of(document: &'t str, point: OperatingPoint) -> Self {
        Reader { document, path: Vec::new(), table: None, scope: Vec::new(), judge: Judge::default(), point }
    }

    /// The kind and the text of an item that is typed; what stands above others is taken note of.
    fn read(&mut self, one: &Scanned, next: Option<&Scanned>) -> Option<(ItemKind, String)> {
        let body = one.body.of(self.document);
        if one.kind != Kind::TableRow {
            self.table = None;
        }
        let (kind, text) = match one.kind {
            Kind::Heading { level } => {
                self.path.retain(|(above, _)| *above < level);
                self.path.push((level, short(&joined(body.trim_end_matches(['#', ' ', '=', '-', '\n'])))));
                return None;
            }
            Kind::Rule => return None,
            Kind::FrontMatter => {
                scope(body, &mut self.scope);
                return None;
            }
            Kind::TableRow => (ItemKind::Row, self.row(body, next)?),
            Kind::Paragraph => (ItemKind::Paragraph, joined(body)),
            Kind::ListItem { ordered: true, .. } => (ItemKind::Step, joined(body)),
            Kind::ListItem { .. } => (ItemKind::Item, joined(body)),
            Kind::Quote => (ItemKind::Quote, joined(body)),
            Kind::Fence => (ItemKind::Fence, body.to_owned()),
        };
        text.chars().any(char::is_alphanumeric).then_some((kind, text))
    }

    /// A text of an item with its type.
    fn item(&mut self, text: String, kind: ItemKind, one: &Scanned, scanned: &[Scanned]) -> Item {
        let mut heading_path: Vec<String> = self.path.iter().map(|(_, heading)| heading.clone()).collect();
        heading_path.extend(self.table.clone());
        let lead_in = one.lead_in.and_then(|at| scanned.get(at)).map(|lead| short(&joined(lead.body.of(self.document))));
        let judged = self.judge.judge(&Line { text: &text, heading_path: &heading_path, lead_in: lead_in.as_deref(), kind }, self.point);
        item(Given { text, heading_path, lead_in, kind: None }, kind, &judged)
    }

    /// The cells of a row. The row above a line of dashes is the head of the table and no item.
    fn row(&mut self, body: &str, next: Option<&Scanned>) -> Option<String> {
        if is_dashes(body) {
            return None;
        }
        let mut text = String::new();
        for cell in body.trim().trim_matches('|').split('|') {
            if !text.is_empty() {
                text.push_str(" | ");
            }
            text.push_str(cell.trim());
        }
        if next.is_some_and(|next| next.kind == Kind::TableRow && is_dashes(next.body.of(self.document))) {
            self.table = Some(short(&["[table: ", &text, "]"].concat()));
            return None;
        }
        Some(text)
    }
}

fn is_dashes(row: &str) -> bool {
    row.contains('-') && row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}

/// Wrapped lines as one, without the marks of a quote.
fn joined(text: &str) -> String {
    if !text.contains('\n') {
        return text.trim().trim_start_matches(['>', ' ']).to_owned();
    }
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['>', ' ']);
        if !whole.is_empty() && !line.is_empty() {
            whole.push(' ');
        }
        whole.push_str(line);
    }
    whole
}

fn short(text: &str) -> String {
    let mut end = text.len().min(AROUND);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Span::new(0, end).of(text).to_owned()
}

/// The globs of front matter: `globs: a, b`, `applyTo: "a"`, a list in brackets or below the name. Whatever else stands there is
/// passed over.
fn scope(front: &str, globs: &mut Vec<String>) {
    let mut inside = false;
    for line in front.lines() {
        let value = if let Some((name, value)) = line.split_once(':').filter(|(name, _)| !name.trim_start().starts_with('-')) {
            inside = listed(SCOPES, name.trim());
            value
        } else if let Some(value) = line.trim_start().strip_prefix("- ") {
            value
        } else {
            continue;
        };
        if !inside {
            continue;
        }
        let mut depth = 0_u32;
        let parts = value.trim().trim_start_matches('[').trim_end_matches(']').split(|c| {
            depth = depth.saturating_add(u32::from(c == '{')).saturating_sub(u32::from(c == '}'));
            c == ',' && depth == 0
        });
        for part in parts {
            let glob = part.trim().trim_matches(['"', '\'']);
            if !glob.is_empty() && glob.len() <= AROUND && globs.len() < 64 {
                globs.push(glob.to_owned());
            }
        }
    }
}
