//! What a line of the author's own text is: a paragraph, a list item, a heading, and what it belongs to.

use super::*;

impl Scanner<'_> {
    pub(super) fn item(&mut self, span: Span, line: &str, indent: usize, number: u32) {
        let listed = list_mark(line).and_then(|(width, _)| line.get(width..)).unwrap_or_default();
        if let Some((mark, length)) = fence_mark(seen(line)).or_else(|| fence_mark(seen(listed))) {
            self.fence = Some(Fence { mark, length, loose: false });
            let lead_in = self.lead_in();
            self.push(span, span, Kind::Fence, lead_in, number);
            return;
        }
        if seen(line).starts_with('>') {
            if self.open && self.items.last().is_some_and(|item| item.kind == Kind::Quote) {
                self.extend(span);
                return;
            }
            let lead_in = self.lead_in();
            self.push(span, span, Kind::Quote, lead_in, number);
            self.open = true;
            return;
        }
        if let Some(level) = heading_level(line) {
            self.heading(span, line, level, number);
            return;
        }
        if self.underline(span, line) {
            return;
        }
        if is_rule(line) {
            self.levels.clear();
            self.push(span, span, Kind::Rule, None, number);
            return;
        }
        if let Some((width, ordered)) = list_mark(line) {
            self.list_item(span, width, ordered, indent, number);
            return;
        }
        if line.starts_with('|') {
            let lead_in = self.items.last().map(|last| (last.kind, last.lead_in)).filter(|(kind, _)| *kind == Kind::TableRow);
            let lead_in = lead_in.map_or_else(|| self.lead_in(), |(_, lead_in)| lead_in);
            self.push(span, span, Kind::TableRow, lead_in, number);
            return;
        }
        self.paragraph(span, line, indent, number);
    }

    pub(super) fn paragraph(&mut self, span: Span, line: &str, indent: usize, number: u32) {
        self.paragraph_line(span, indent, number);
        if matches!(self.foreign, Foreign::No) && hands_over(line) {
            self.enter(Foreign::Handed);
        }
    }

    /// A line of a paragraph: it goes on with the one before, or begins one.
    pub(super) fn paragraph_line(&mut self, span: Span, indent: usize, number: u32) {
        let joins = self.items.last().is_some_and(|last| {
            matches!(last.kind, Kind::Paragraph | Kind::ListItem { .. }) && last.zone == self.zone() || last.kind == Kind::Quote
        });
        if self.open && joins && self.hint == Hint::None {
            self.extend(span);
        } else {
            let inner = indent > 0 && !self.levels.is_empty();
            if !inner {
                self.levels.clear();
            }
            let lead_in = if inner { self.levels.last().map(|level| level.last) } else { None };
            self.push(span, span, Kind::Paragraph, lead_in, number);
            self.open = true;
        }
    }

    pub(super) fn list_item(&mut self, span: Span, width: usize, ordered: bool, indent: usize, number: u32) {
        while self.levels.last().is_some_and(|level| level.indent > indent + 1) {
            self.levels.pop();
        }
        let same = self.levels.last().is_some_and(|level| indent < level.indent + 2);
        if !same {
            let lead_in = self.levels.last().map(|level| level.last).or_else(|| self.lead_in());
            self.levels.push(Level { indent, lead_in, last: 0 });
        }
        let depth = u32::try_from(self.levels.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let lead_in = self.levels.last().and_then(|level| level.lead_in);
        let index = self.items.len();
        if let Some(level) = self.levels.last_mut() {
            level.last = index;
        }
        let body = Span::new((span.start + width).min(span.end), span.end);
        self.push(span, body, Kind::ListItem { depth, ordered }, lead_in, number);
        self.open = true;
        if matches!(self.foreign, Foreign::No) && hands_over(body.of(self.text)) {
            self.enter(Foreign::Handed);
        }
    }

    /// The last item, if it leads in what comes right below: it ends in a colon or is one bold line.
    pub(super) fn lead_in(&self) -> Option<usize> {
        let index = self.items.len().checked_sub(1)?;
        let last = self.items.get(index)?;
        let leads =
            matches!(last.kind, Kind::Paragraph | Kind::ListItem { .. }) && last.zone == self.zone() && ends_open(last.body.of(self.text));
        leads.then_some(index)
    }

    pub(super) fn heading(&mut self, span: Span, line: &str, level: u8, number: u32) {
        let rest = line.trim_start_matches('#').trim_start();
        let body = Span::new(span.end - rest.len(), span.end);
        self.levels.clear();
        self.push(span, body, Kind::Heading { level }, None, number);
        self.set_heading();
        if matches!(self.foreign, Foreign::No) && hands_over(line) {
            self.enter(Foreign::Handed);
        }
    }

    pub(super) fn set_heading(&mut self) {
        let index = self.items.len().checked_sub(1);
        if self.zone() == Zone::Own {
            self.heading = index;
        } else {
            self.quoted_heading = index;
        }
    }

    /// A line of `=` or `-` right under one line of text makes that line a heading.
    pub(super) fn underline(&mut self, span: Span, line: &str) -> bool {
        let level = if line.bytes().all(|b| b == b'=') {
            1
        } else if line.bytes().all(|b| b == b'-') {
            2
        } else {
            return false;
        };
        let zone = self.zone();
        let text = self.text;
        let Some(last) = self.items.last_mut() else { return false };
        let fits =
            self.open && line.len() > 2 && last.kind == Kind::Paragraph && last.zone == zone && !last.span.of(text).contains(['\n', '\r']);
        if !fits {
            return false;
        }
        last.kind = Kind::Heading { level };
        last.span.end = span.end;
        last.lead_in = None;
        self.open = false;
        self.set_heading();
        true
    }

    pub(super) fn extend(&mut self, span: Span) {
        if let Some(last) = self.items.last_mut() {
            last.span.end = span.end;
            last.body.end = span.end;
        }
    }

    pub(super) fn push(&mut self, span: Span, body: Span, kind: Kind, lead_in: Option<usize>, line: u32) {
        let zone = self.zone();
        let heading = if zone == Zone::Own { self.heading } else { self.quoted_heading };
        let zone = if matches!(kind, Kind::Fence | Kind::Quote) { Zone::Quoted } else { zone };
        self.items.push(Scanned { span, body, kind, zone, heading, lead_in, line });
        self.open = false;
    }
}
