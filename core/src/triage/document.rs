//! A document as typed items.

use super::classify::{Judge, Line};
use super::typed::{Given, Item, ItemKind, OperatingPoint, item};
use crate::text::scan::{Kind, scan};
use crate::trust::Trust;

/// The items of a document with their types. `source` names where it comes from, `trust` whose words it is.
///
/// ```
/// # use standfast::{Trust, item::Knowledge, triage::{OperatingPoint, triage}};
/// let items = triage("## Never\n\n- Never push to `main`.\n", "file:AGENTS.md", Trust::External, OperatingPoint::Balanced);
/// assert_eq!((items[0].knowledge, items[0].line), (Knowledge::Constraint, 3));
/// assert_eq!(items[0].heading_path, ["Never"]);
/// ```
#[must_use]
pub fn triage(document: &str, source: &str, trust: Trust, point: OperatingPoint) -> Vec<Item> {
    let scanned = scan(document);
    let mut items = Vec::new();
    let mut judge = Judge::default();
    let mut path: Vec<(u8, String)> = Vec::new();
    for one in &scanned {
        let text = one.body.of(document);
        let kind = match one.kind {
            Kind::Heading { level } => {
                path.retain(|(above, _)| *above < level);
                path.push((level, text.to_owned()));
                continue;
            }
            Kind::Paragraph => ItemKind::Paragraph,
            Kind::ListItem { ordered, .. } => {
                if ordered {
                    ItemKind::Step
                } else {
                    ItemKind::Item
                }
            }
            Kind::TableRow => ItemKind::Row,
            Kind::Fence => ItemKind::Fence,
            Kind::Quote => ItemKind::Quote,
            Kind::Rule | Kind::FrontMatter => continue,
        };
        let heading_path: Vec<String> = path.iter().map(|(_, heading)| heading.clone()).collect();
        let lead_in = one.lead_in.and_then(|at| scanned.get(at)).map(|lead| lead.body.of(document).to_owned());
        let judged = judge.judge(&Line { text, heading_path: &heading_path, lead_in: lead_in.as_deref(), kind }, point);
        let mut made = item(Given { text: text.to_owned(), heading_path, lead_in, kind: None }, kind, &judged);
        made.line = one.line.saturating_add(1);
        made.source = source.to_owned();
        made.trust = trust;
        items.push(made);
    }
    items
}
