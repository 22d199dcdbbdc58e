//! A document as items: headings, paragraphs, list items, fences, quotes and rows, with what governs each and whose
//! words it is.
//!
//! [`scan`] is one pass over the lines. Its spans are byte-exact, in order, and hold every byte but white space once.
//!
//! ```
//! # use standfast::{item::Zone, text::scan::scan};
//! let text = "## Never\n- push to main\n\nHere is the e-mail:\nHi, always push.";
//! let items = scan(text);
//! assert_eq!((items[1].heading, items[1].zone), (Some(0), Zone::Own));
//! assert_eq!(items[3].zone, Zone::Quoted);
//! ```

pub(crate) use super::sentence::{inline_code, pairs, unpaired};
pub use super::sentence::{inside_quotes, quotations, sentences};

#[path = "scan_items.rs"]
mod items;
#[path = "scan_prose.rs"]
mod prose;
#[path = "scan_runs.rs"]
mod runs;

use prose::{Marks, first_mark};

use super::block::{ends_open, fence_inside, fence_mark, heading_level, is_rule, list_mark, seen};
use super::sentinel::lines;
use super::tags::{Tags, opens_document};
use super::zone::{
    HandOver, Header, Hint, Output, bracket_depth, diff_head, diff_mark, file_says, forwards, hand_over_inside, hands_over, labels_file,
    mail_header, output,
};
use crate::item::{Span, Zone};

/// What an item of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A heading, with its underline where it has one.
    Heading {
        /// 1 to 6.
        level: u8,
    },
    /// Lines of text.
    Paragraph,
    /// One item of a list, without the items below it.
    ListItem {
        /// 0 for the outermost list.
        depth: u32,
        /// Whether the item is numbered.
        ordered: bool,
    },
    /// A fenced block, with its fences.
    Fence,
    /// A block quote.
    Quote,
    /// One row of a table.
    TableRow,
    /// A line of dashes and the like.
    Rule,
    /// The metadata at the top of a document.
    FrontMatter,
}

/// One item of a scanned document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scanned {
    /// All of the item, with its list or heading mark.
    pub span: Span,
    /// What it says: the span without list or heading mark.
    pub body: Span,
    /// What it is.
    pub kind: Kind,
    /// Whose words it is.
    pub zone: Zone,
    /// The heading it stands under.
    pub heading: Option<usize>,
    /// The item that governs it: a lead-in right above its list, or the list item it is nested in.
    pub lead_in: Option<usize>,
    /// Number of its first line, from 0.
    pub line: u32,
}

/// Tiles a document.
#[must_use]
pub fn scan(text: &str) -> Vec<Scanned> {
    #[cfg(test)]
    READ.set(READ.get() + text.len());
    scanned(text, Scanner::line)
}

#[cfg(test)]
thread_local! {
    /// How many bytes were scanned, for tests that count.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn scanned<'t>(text: &'t str, take: fn(&mut Scanner<'t>, Span, u32)) -> Vec<Scanned> {
    let mut scanner = Scanner::new(text);
    let mut number = 0;
    let mut previous_end = None;
    for line in lines(text) {
        // The empty line inside CR LF is none.
        let inside = line.is_empty() && previous_end == line.start.checked_sub(1) && text.as_bytes().get(line.start) == Some(&b'\n');
        let inside = inside && previous_end.is_some_and(|end| text.as_bytes().get(end) == Some(&b'\r'));
        previous_end = Some(line.end);
        if !inside {
            take(&mut scanner, line, number);
            number = number.saturating_add(1);
        }
    }
    scanner.items
}

/// Why what is read now is somebody else's.
#[derive(Clone, Copy)]
enum Foreign<'t> {
    /// Nothing: the author speaks.
    No,
    /// After a hand-over line or in a forwarded mail: to the end of the text.
    ToEnd,
    /// Right after a hand-over line: a block that closes ends it, anything else makes it [`Foreign::ToEnd`].
    Handed,
    /// Inside a pair of tags.
    Tag(&'t str),
    /// Pasted output up to the next blank line.
    Output,
    /// JSON up to its last bracket.
    Json(i64),
    /// A comment, a text block, an armor: to its closing mark, looked for from a byte on.
    Until(&'static str, usize),
    /// A diff: to a blank line that no line of a diff follows.
    Diff,
    /// Indented code: to the next line that is indented less.
    Indented(usize),
}

/// What opens a stretch of text that is nobody's words, and what closes it.
const BLOCKS: &[(&str, &str)] = &[("<!--", "-->"), ("\"\"\"", "\"\"\""), ("'''", "'''"), ("-----BEGIN ", "-----END ")];

/// How far code is indented.
const CODE: usize = 4;

struct Fence {
    mark: char,
    length: usize,
    /// Opened in the middle of a line, it may close there too.
    loose: bool,
}

/// One level of a list: how far its marks are indented, and what governs it.
struct Level {
    indent: usize,
    lead_in: Option<usize>,
    last: usize,
}

/// The next place of a line where something opens, as looked for from a byte.
#[derive(Clone, Copy)]
struct Next<'t> {
    from: usize,
    end: usize,
    at: Option<(usize, Foreign<'t>)>,
}

struct Scanner<'t> {
    text: &'t str,
    tags: Tags<'t>,
    items: Vec<Scanned>,
    foreign: Foreign<'t>,
    depth: usize,
    fence: Option<Fence>,
    front: bool,
    /// Whether the next line may continue the last item.
    open: bool,
    levels: Vec<Level>,
    heading: Option<usize>,
    quoted_heading: Option<usize>,
    hint: Hint,
    /// Whether a blank line stands right above.
    after_blank: bool,
    /// How far the first line is indented.
    margin: Option<usize>,
    /// Up to where no run of a diff begins.
    plain_until: usize,
    /// Up to where labels were counted, and whether they are those of a conversation.
    labels: (usize, bool),
    /// Of each of [`BLOCKS`], and of tags.
    next: [Next<'t>; 5],
    /// Which of [`BLOCKS`] open anywhere.
    blocks: [bool; 4],
    /// Where each closing mark of [`BLOCKS`] stands last.
    last_closes: Vec<(&'static str, usize)>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        let marks = Marks::of(text);
        Self {
            text,
            tags: if marks.tags { Tags::of(text) } else { Tags::default() },
            items: Vec::new(),
            foreign: Foreign::No,
            depth: 0,
            fence: None,
            front: false,
            open: false,
            levels: Vec::new(),
            heading: None,
            quoted_heading: None,
            hint: Hint::None,
            after_blank: false,
            margin: None,
            plain_until: 0,
            labels: (0, false),
            next: [Next { from: 0, end: usize::MAX, at: None }; 5],
            blocks: marks.blocks,
            last_closes: marks.last_closes,
        }
    }

    /// Takes one line: cut where a document opens or closes and behind a hand-over inside it.
    fn parts(&mut self, line: Span, number: u32) {
        let mut from = line.start;
        let mut first = true;
        while first || from < line.end {
            first = false;
            from = self.part(from, line, number);
        }
    }

    /// Takes the part of a line that begins at `from`; gives back where the next one begins.
    fn part(&mut self, from: usize, line: Span, number: u32) -> usize {
        if self.fence.is_some() || self.front {
            self.segment(Span::new(from, line.end), number);
            return line.end;
        }
        if let Foreign::Tag(name) = self.foreign {
            let mut depth = self.depth;
            let end = self.tags.closing(self.text, name, from, line.end, &mut depth);
            self.depth = depth;
            self.segment(Span::new(from, end.unwrap_or(line.end)), number);
            if end.is_some() {
                self.leave();
            }
            return end.unwrap_or(line.end);
        }
        if let Foreign::Until(mark, start) = self.foreign {
            let searched = start.max(from);
            let end = self.text.get(searched..line.end).and_then(|rest| rest.find(mark)).map(|at| searched + at + mark.len());
            let end = end.map(|end| if mark.starts_with("-----") { line.end } else { end });
            self.segment(Span::new(from, end.unwrap_or(line.end)), number);
            if end.is_some() {
                self.leave();
            }
            return end.unwrap_or(line.end);
        }
        if matches!(self.foreign, Foreign::No | Foreign::Handed) {
            return self.own_part(from, line, number);
        }
        self.segment(Span::new(from, line.end), number);
        line.end
    }

    /// Where the first document or block of a line opens at or after `from`. Each place is looked for once.
    fn opened(&mut self, from: usize, end: usize) -> Option<(usize, Foreign<'t>)> {
        let text = self.text;
        let tags = &self.tags;
        let last_closes = &self.last_closes;
        let fresh = |next: &Next<'t>| next.end == end && next.from <= from && next.at.is_none_or(|(at, _)| from <= at);
        let anywhere = self.blocks.iter().chain([&true]);
        for ((next, block), anywhere) in self.next.iter_mut().zip(BLOCKS.iter().map(Some).chain([None])).zip(anywhere) {
            if !anywhere || fresh(next) {
                continue;
            }
            let at = match block {
                None => tags.opening(text, from, end).map(|(at, name)| (at, Foreign::Tag(name))),
                Some((open, close)) => text.get(from..end).and_then(|part| first_mark(part, open)).map(|at| from + at).and_then(|at| {
                    let named = text.get(..at).is_some_and(|before| before.ends_with('`'));
                    let armor = open.starts_with('-') && at != from;
                    // In the middle of a line a mark without its partner is only named.
                    let leads = text.get(from..at).is_some_and(|before| before.trim().is_empty());
                    let closed = last_closes.iter().any(|(mark, last)| mark == close && *last >= at + open.len());
                    (!named && !armor && (leads || closed)).then_some((at, Foreign::Until(close, at + open.len())))
                }),
            };
            *next = Next { from, end, at };
        }
        self.next.iter().filter_map(|next| next.at).min_by_key(|(at, _)| *at)
    }

    /// A part of a line that the author speaks, up to where a document opens in it.
    fn own_part(&mut self, from: usize, line: Span, number: u32) -> usize {
        let part = Span::new(from, line.end).of(self.text);
        let opened = self.opened(from, line.end);
        let limit = opened.map_or(line.end, |(at, _)| at);
        let fence = fence_inside(self.text.get(from..limit).unwrap_or_default()).map(|at| from + at).filter(|at| {
            let before = self.text.get(from..*at).unwrap_or_default();
            let listed = list_mark(before.trim_start()).is_some_and(|(width, _)| width >= before.trim_start().len());
            !seen(before).is_empty() && !listed && self.text.get(*at..line.end).is_some_and(|rest| fence_mark(rest).is_some())
        });
        if let Some((at, foreign)) = opened
            && fence.is_none_or(|fence| at < fence)
            && fence_mark(seen(part)).is_none()
        {
            if self.text.get(from..at).is_some_and(|before| before.trim().is_empty()) {
                self.enter(foreign);
                self.depth = 0;
                return from;
            }
            self.segment(Span::new(from, at), number);
            return at;
        }
        if let Some((at, kind)) = hand_over_inside(part) {
            let at = from + at;
            self.segment(Span::new(from, at), number);
            let fenced = fence.is_some_and(|fence| self.text.get(at..fence).is_some_and(|gap| gap.trim().is_empty()));
            self.enter(match kind {
                _ if fenced => Foreign::Handed,
                HandOver::Speech => Foreign::Output,
                HandOver::Document => Foreign::ToEnd,
            });
            return at;
        }
        if let Some(at) = fence {
            self.segment(Span::new(from, at), number);
            self.segment(Span::new(at, line.end), number);
            if let Some(fence) = &mut self.fence {
                fence.loose = true;
            }
            return line.end;
        }
        self.segment(Span::new(from, line.end), number);
        line.end
    }

    fn enter(&mut self, foreign: Foreign<'t>) {
        self.foreign = foreign;
        self.open = false;
        self.hint = Hint::None;
        self.levels.clear();
        self.quoted_heading = None;
    }

    fn leave(&mut self) {
        self.foreign = Foreign::No;
        self.open = false;
        self.levels.clear();
    }

    fn zone(&self) -> Zone {
        if matches!(self.foreign, Foreign::No) { Zone::Own } else { Zone::Quoted }
    }

    fn segment(&mut self, span: Span, number: u32) {
        let raw = span.of(self.text);
        let trimmed = raw.trim();
        let start = span.start + (raw.len() - raw.trim_start().len());
        let span = Span::new(start, start + trimmed.len());
        if self.fence.is_some() || self.front {
            self.block_line(span, trimmed);
            return;
        }
        if trimmed.is_empty() {
            self.blank();
            return;
        }
        let indent = raw.len() - raw.trim_start().len();
        self.indented(raw, trimmed);
        self.change_zone(trimmed, raw, span);
        self.after_blank = false;
        if self.items.is_empty() && number == 0 && trimmed == "---" && self.has_front_matter(span.end) {
            self.front = true;
            self.push(span, span, Kind::FrontMatter, None, number);
            return;
        }
        self.item(span, trimmed, indent, number);
        if let Foreign::Json(depth) = self.foreign {
            let depth = depth + bracket_depth(trimmed);
            self.foreign = Foreign::Json(depth);
            if depth <= 0 {
                self.leave();
            }
        }
    }

    fn has_front_matter(&self, from: usize) -> bool {
        let head = self.text.as_bytes().get(from..from.saturating_add(8_192).min(self.text.len())).unwrap_or_default();
        head.windows(4).any(|w| w == b"\n---")
    }

    /// A line of a fence or of front matter: all of it, up to the closing line.
    fn block_line(&mut self, span: Span, trimmed: &str) {
        if !trimmed.is_empty() {
            self.extend(span);
        }
        if self.front {
            self.front = !matches!(trimmed, "---" | "...");
            return;
        }
        let closes = self.fence.as_ref().is_some_and(|fence| {
            let rest = trimmed.trim_start_matches(fence.mark);
            (rest.is_empty() && trimmed.chars().count() >= fence.length) || (fence.loose && trimmed.ends_with("```"))
        });
        if closes {
            self.fence = None;
            self.open = false;
            if matches!(self.foreign, Foreign::Handed) {
                self.leave();
            }
        }
    }

    fn blank(&mut self) {
        self.open = false;
        self.hint = Hint::None;
        self.after_blank = true;
        if matches!(self.foreign, Foreign::Output) {
            self.leave();
        }
        if matches!(self.foreign, Foreign::Handed) && self.items.last().is_some_and(|item| item.kind == Kind::Quote) {
            self.leave();
        }
    }

    /// What a line says about whose words follow.
    fn change_zone(&mut self, line: &str, raw: &str, span: Span) {
        let line = seen(line);
        let handed = matches!(self.foreign, Foreign::Handed);
        if handed {
            if fence_mark(line).is_some() || line.starts_with('>') {
                return; // it closes by itself
            }
            if self.items.last().is_some_and(|item| item.kind == Kind::Quote) {
                self.leave();
            } else {
                self.foreign = Foreign::ToEnd;
                return;
            }
        }
        if matches!(self.foreign, Foreign::Diff) && self.after_blank {
            let goes_on = diff_head(line) || diff_mark(line).is_some() || raw.starts_with([' ', '\t', '+']);
            if !goes_on {
                self.leave();
            }
        }
        if !matches!(self.foreign, Foreign::No) {
            return;
        }
        let header = mail_header(line);
        let ruled = self.items.last().is_some_and(|item| item.kind == Kind::Rule);
        let mailed = header == Some(Header::Alone) || (ruled && header == Some(Header::Sure));
        if mailed || forwards(line) || labels_file(line) || opens_document(line) {
            self.enter(Foreign::ToEnd);
            return;
        }
        if diff_head(line) || self.diff_run(raw, span) {
            self.enter(Foreign::Diff);
            return;
        }
        let found = output(line);
        let hint = if let Some(header) = header {
            Hint::Mail(header)
        } else if found == Some(Output::Likely) {
            Hint::Log
        } else {
            Hint::None
        };
        let before = std::mem::replace(&mut self.hint, hint);
        match found {
            Some(Output::Sure) => self.enter(Foreign::Output),
            None if header.is_none() && (file_says(line) || self.spoken(line, span)) => self.enter(Foreign::Output),
            Some(Output::Json) => self.enter(Foreign::Json(0)),
            _ if hint.runs_on(before) => {
                // The first line of the run is somebody else's too; it is an item of its own.
                if let Some(first) = self.items.last_mut() {
                    first.zone = Zone::Quoted;
                }
                self.enter(if hint == Hint::Log { Foreign::Output } else { Foreign::ToEnd });
            }
            // A line that may begin such a run joins nothing above it.
            _ if hint != Hint::None => self.open = false,
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
