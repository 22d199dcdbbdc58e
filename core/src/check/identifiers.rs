//! Are the identifiers of a summary those of its source?
//!
//! [`check`] finds what was `changed` (a near miss of something in the source) or `invented` (nowhere in it); [`missing`]
//! what had to be carried and was not. A path may be shortened to its end, a hash to its beginning, an amount or a date
//! may be written another way: that is no change. [`repair`] puts the original of a near miss back where there is exactly
//! one, and takes the other sentences out (P9).
//!
//! ```
//! # use standfast::{check::identifiers::{check, Fault, Source}, Trust};
//! let source = Source::of([(Trust::Agent, "Ticket OPS-1180 moved 12,500 EUR to the books on 3 March.")]);
//! assert!(check("On March 3, EUR 12500 were booked for OPS-1180.", &source).is_empty());
//! let found = check("OPS-1108 moved 12,500 EUR.", &source);
//! assert_eq!((found[0].fault, found[0].text, found[0].origins[0]), (Fault::Changed, "OPS-1108", "OPS-1180"));
//! ```
//!
//! Tokens are looked up in sorted lists and compared with few entries each: linear, but for the sorting, in both texts.

mod index;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub use index::Source;

use self::index::{contexts, folded, marks, measured};
use self::token::{Token, beside, tokens};
use crate::check::statement::statements;
use crate::item::Span;
use crate::text::ident::Kind;

/// What is wrong with an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is a near miss of one in the source, or another of its shape in its place.
    Changed,
    /// It is nowhere in the source.
    Invented,
}

/// An identifier of a summary that its source does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// What is wrong.
    pub fault: Fault,
    /// As it stands in the summary.
    pub text: &'a str,
    /// Where it stands.
    pub span: Span,
    /// What it may have been: those of the highest trust.
    pub origins: Vec<&'a str>,
}

/// Names with digits that are nobody's identifiers, in lower case.
const COMMON: &str = " 24/7 2d 2fa 3d arm64 b2b base64 co2 h1 h2 http/1.1 http/2 http/3 i18n ipv4 ipv6 iso-8601 k8s l10n md5 mp3 mp4 oauth2 p50 p90 p95 p99 \
    q1 q2 q3 q4 s3 sha-1 sha-256 sha1 sha256 sha512 utf-16 utf-8 utf8 x64 x86 ";

/// Before a number that is an estimate.
const ABOUT: &str = " about almost approximately around approx circa environ etwa knapp nearly over roughly rund some under ungefahr unos ";

/// Before a number that counts parts of the text itself.
const NUMBERED: &str = " appendix chapter event events item option part phase point question round section step task turn turns ";

/// Counts up to this one may be the summary's own.
const COUNTED: u64 = 12;

/// The identifiers of `summary` that are not its source's, in order.
#[must_use]
pub fn check<'a>(summary: &'a str, source: &Source<'a>) -> Vec<Finding<'a>> {
    let mine = tokens(summary);
    let mut used: Vec<&str> = mine.iter().map(|token| token.text).collect();
    used.sort_unstable();
    let judge = Judge { summary, source, used };
    mine.iter().filter_map(|token| judge.finding(token)).collect()
}

/// Those of `required` (see `text::ident::required`) that a summary does not hold.
#[must_use]
pub fn missing<'a>(summary: &str, required: &[&'a str]) -> Vec<&'a str> {
    let own = Source::of([(crate::trust::Trust::Agent, summary)]);
    required.iter().copied().filter(|text| !own.has(text) && !summary.contains(text)).collect()
}

/// A summary after its repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The text; the summary's own where nothing was found.
    pub text: String,
    /// Identifiers put back.
    pub restored: u32,
    /// Sentences taken out.
    pub removed: u32,
}

/// Puts near misses right that have exactly one origin, and takes out the sentences of the other findings of [`check`].
#[must_use]
pub fn repair(summary: &str, findings: &[Finding<'_>]) -> Repaired {
    let mut edits: Vec<(Span, &str)> = Vec::new();
    let (mut restored, mut removed) = (0, 0);
    let beyond = findings.iter().filter(|finding| !finding.is_restorable());
    let lost: Vec<Span> = if beyond.clone().next().is_some() { holding(summary, beyond) } else { Vec::new() };
    for finding in findings.iter().filter(|finding| finding.is_restorable()) {
        let gone = lost.partition_point(|span| span.end <= finding.span.start);
        if lost.get(gone).is_none_or(|span| finding.span.end <= span.start) {
            edits.extend(finding.origins.first().map(|origin| (finding.span, *origin)));
            restored += 1;
        }
    }
    for span in lost {
        edits.push((span, ""));
        removed += 1;
    }
    Repaired { text: super::statement::edited(summary, edits), restored, removed }
}

/// The sentences that hold findings, each once.
fn holding<'f>(summary: &str, findings: impl Iterator<Item = &'f Finding<'f>>) -> Vec<Span> {
    let all = statements(summary);
    let mut out: Vec<Span> = Vec::new();
    for finding in findings {
        let at = all.partition_point(|statement| statement.span.end <= finding.span.start);
        let span = all.get(at).map_or(finding.span, |statement| statement.span);
        if out.last() != Some(&span) {
            out.push(span);
        }
    }
    out
}

impl Finding<'_> {
    /// Whether there is exactly one text it can have been.
    #[must_use]
    pub fn is_restorable(&self) -> bool {
        self.fault == Fault::Changed && self.origins.len() == 1
    }
}

struct Judge<'s, 'a> {
    summary: &'a str,
    source: &'s Source<'a>,
    /// The tokens of the summary, sorted.
    used: Vec<&'a str>,
}

impl<'a> Judge<'_, 'a> {
    fn finding(&self, token: &Token<'a>) -> Option<Finding<'a>> {
        let values = measured(token);
        let small = values.iter().all(|value| value.amount <= COUNTED * 1_000_000 && value.amount % 1_000_000 == 0) && !values.is_empty();
        if self.stands(token) || self.is_own(token, small) {
            return None;
        }
        let misplaced =
            token.kind != Some(Kind::Amount) && values.iter().any(|value| value.of == value::PLAIN) && self.source.has(token.text);
        if values.iter().any(|value| self.source.has_value(*value)) || misplaced {
            return None;
        }
        let about = token.before.to_ascii_lowercase();
        let estimate =
            super::stems::listed(ABOUT, about.as_bytes()) || self.summary.get(..token.span.start).is_some_and(|head| head.ends_with('~'));
        let derived = |value: &value::Value| (estimate && self.source.has_about(*value)) || self.source.comes_to(*value);
        if !small && values.iter().any(derived) {
            return None;
        }
        let mut origins = self.origins(token, !values.is_empty());
        if small && origins.is_empty() && values.iter().all(|value| value.of == value::PLAIN) {
            return None; // a count of the summary's own
        }
        let highest = origins.iter().map(|(trust, _)| *trust).max();
        origins.retain(|(trust, _)| Some(*trust) == highest);
        let mut origins: Vec<&str> = origins.into_iter().map(|(_, text)| text).collect();
        origins.sort_unstable();
        origins.dedup();
        let fault = if origins.is_empty() { Fault::Invented } else { Fault::Changed };
        Some(Finding { fault, text: token.text, span: token.span, origins })
    }

    /// Whether the token stands in the source, as it is or in another form of the same.
    fn stands(&self, token: &Token<'a>) -> bool {
        let text = token.text;
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let numbered = bare.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let value = value::readings(bare) != [None, None];
        let amount = token.kind == Some(Kind::Amount);
        let counted = value && value::unit(token.after).is_some();
        if !amount && !counted {
            let marked = format!("v{bare}");
            if self.source.has(text)
                || self.source.has(bare)
                || numbered.is_some_and(|n| self.source.has(n))
                || (value && self.source.has(&marked))
            {
                return true;
            }
        }
        match token.kind {
            Some(Kind::Date) => self.source.has_date(text),
            Some(Kind::Url) => {
                let rest = text.split_once("://").map_or(text, |(_, rest)| rest).trim_end_matches('/');
                self.source.has(rest) || rest.strip_prefix("www.").is_some_and(|rest| self.source.has(rest)) || self.caseless(token)
            }
            Some(Kind::Uuid | Kind::Email) => self.caseless(token),
            // a short form of a hash, and no half of one
            Some(Kind::Hash) => self.caseless(token) || ((4..=12).contains(&bare.len()) && self.source.begins(bare)),
            Some(Kind::Address) => text.rsplit_once(' ').is_some_and(|(_, port)| self.source.has(port)),
            Some(Kind::Code) if bare.chars().all(char::is_alphabetic) => self.caseless(token),
            _ => {
                // a sentence may begin with it
                let opened = text.starts_with(|c: char| c.is_ascii_uppercase()) && self.opens(token.span);
                let lower = text.get(..1).map(str::to_ascii_lowercase).zip(text.get(1..)).map(|(first, rest)| first + rest);
                (opened && lower.is_some_and(|text| self.source.has(&text))) || self.range(bare)
            }
        }
    }

    /// `10-12`, `13:05-13:21`: both ends stand in the source.
    fn range(&self, text: &str) -> bool {
        let end = |part: &str| {
            let kind = if part.contains(':') { self.source.has_date(part) } else { false };
            kind || (value::readings(part) != [None, None] && self.source.has(part))
        };
        text.split_once(['-', '/']).is_some_and(|(a, b)| a.len() == b.len() && end(a) && end(b))
    }

    fn caseless(&self, token: &Token<'_>) -> bool {
        let mark = marks(token).next().map_or(0, |(_, mark)| mark);
        self.source.under(mark).any(|entry| entry.token.text.eq_ignore_ascii_case(token.text))
            || self.source.has(&token.text.to_ascii_lowercase())
    }

    fn opens(&self, span: Span) -> bool {
        let head = self.summary.get(..span.start).unwrap_or_default().trim_end_matches([' ', '`', '*', '"', '-', '(']);
        head.is_empty() || head.ends_with(['.', '\n', ':', '!', '?'])
    }

    /// Numbers of the summary's own lists and parts, and names that are everybody's.
    fn is_own(&self, token: &Token<'_>, small: bool) -> bool {
        let lower = token.text.to_ascii_lowercase();
        let before = token.before.to_ascii_lowercase();
        let head = self.summary.get(..token.span.start).unwrap_or_default();
        let next = self.summary.get(token.span.end..).and_then(|rest| rest.chars().next());
        let line = head.rsplit('\n').next().unwrap_or_default().trim_matches([' ', '\t', '*', '#', '>', '-', '(']);
        let ordinal = line.is_empty() && matches!(next, Some('.' | ')' | ':'));
        let enclosed = head.ends_with('(') && next == Some(')');
        super::stems::listed(COMMON, lower.as_bytes())
            || (small && (ordinal || enclosed || super::stems::listed(NUMBERED, before.as_bytes())))
    }

    /// What the token may have been.
    fn origins(&self, token: &Token<'a>, number: bool) -> Vec<(crate::trust::Trust, &'a str)> {
        let mine: Vec<u8> = folded(token.text).take(128).collect();
        let mut best = 3;
        let mut out: Vec<(crate::trust::Trust, &'a str)> = Vec::new();
        // a plain number is near others only where it stands in their place
        let short = number && mine.len() < 4;
        let near = marks(token).filter(|(context, _)| !context && !short);
        for entry in near.flat_map(|(_, mark)| self.source.under(mark)) {
            let text = entry.token.text;
            let theirs: Vec<u8> = folded(text).take(128).collect();
            let other = entry.token.kind != token.kind && entry.token.kind.is_some() && token.kind.is_some();
            if self.is_used(text) || (other && mine != theirs) {
                continue;
            }
            let allowed = if mine.len().min(theirs.len()) < 5 { 1 } else { 2 };
            let distance = distance(&mine, &theirs).filter(|distance| *distance <= allowed);
            let Some(distance) = distance.filter(|distance| *distance <= best) else { continue };
            if distance < best {
                out.clear();
            }
            best = distance;
            out.push((entry.trust, text));
        }
        if !out.is_empty() {
            return out;
        }
        let placed = contexts(token).flat_map(|mark| self.source.under(mark)).filter(|entry| !self.is_used(entry.token.text));
        let beside_both = beside(token.before).is_some() && beside(token.after).is_some();
        let fits = |entry: &&index::Entry<'a>| {
            !beside_both
                || token.kind.is_some()
                || beside(entry.token.before) == beside(token.before)
                || beside(entry.token.after) == beside(token.after)
        };
        placed.filter(fits).map(|entry| (entry.trust, entry.token.text)).collect()
    }

    /// Whether the summary has this one too: then the other is not a form of it.
    fn is_used(&self, text: &str) -> bool {
        self.used.binary_search(&text).is_ok()
    }
}

/// Changes between two short texts, swapped neighbors counted once; `None` beyond 2.
fn distance(a: &[u8], b: &[u8]) -> Option<usize> {
    const MOST: usize = 2;
    if a.len().abs_diff(b.len()) > MOST {
        return None;
    }
    let far = MOST + 1;
    // rows of the table: two before, one before, this one
    let mut rows = [vec![far; b.len() + 1], (0..=b.len()).map(|n| n.min(far)).collect::<Vec<_>>(), vec![far; b.len() + 1]];
    for (i, x) in a.iter().enumerate() {
        let [older, old, new] = &mut rows;
        new.fill(far);
        if let Some(first) = new.first_mut() {
            *first = (i + 1).min(far);
        }
        for j in i.saturating_sub(MOST)..b.len().min(i + MOST + 1) {
            let (Some(y), Some(diagonal), Some(above), Some(left)) = (b.get(j), old.get(j), old.get(j + 1), new.get(j)) else { continue };
            let mut least = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            let swapped = j > 0 && i > 0 && b.get(j - 1) == Some(x) && a.get(i - 1) == Some(y);
            if let (true, Some(before)) = (swapped, j.checked_sub(1).and_then(|at| older.get(at))) {
                least = least.min(before + 1);
            }
            if let Some(slot) = new.get_mut(j + 1) {
                *slot = least.min(far);
            }
        }
        rows.rotate_left(1);
    }
    let [_, last, _] = &rows;
    last.last().copied().filter(|distance| *distance <= MOST)
}
