//! Are the identifiers of a summary those of its source?
//!
//! [`check`] finds what was `changed` (a near miss of something in the source) or `invented` (nowhere in it); [`missing`]
//! what had to be carried and was not. A path may be shortened to its end, a hash to its beginning, an amount or a date
//! may be written another way: that is no change. [`repair`] puts the original of a near miss back where there is exactly
//! one, and takes the other sentences out (P9).
//!
//! ```
//! # use standfast::{check::identifiers::{check, Fault, Source}, Trust};
//! let source = Source::of(&[(Trust::Agent, "Ticket OPS-1180 moved 12,500 EUR to the books on 3 March.")]);
//! assert!(check("On March 3, EUR 12500 were booked for OPS-1180.", &source).is_empty());
//! let found = check("OPS-1108 moved 12,500 EUR.", &source);
//! assert_eq!((found[0].fault, found[0].text, found[0].origins[0]), (Fault::Changed, "OPS-1108", "OPS-1180"));
//! ```
//!
//! Tokens are looked up in sorted lists and compared with few entries each: linear, but for the sorting, in both texts.

mod figure;
mod index;
mod outdated;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub use index::Source;
pub use outdated::Outdated;
pub(crate) use outdated::{may_be_outdated, outdated};

use std::cell::OnceCell;

use self::index::{contexts, folded, key, marks, measured, number_of, trimmed};
use self::token::{Token, tokens, unmarked};
use super::statement::{Edited, before_end, statements};
use super::stems::listed;
use crate::item::Span;
use crate::text::frame::Bounded;
use crate::text::ident::Kind;
use crate::trust::Trust;

/// What is wrong with an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is a near miss of one in the source, or another of its shape in its place; a number, with another bound or unit.
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
    judged(summary, &tokens(summary), source)
}

/// The same where its tokens are known.
fn judged<'a>(summary: &'a str, mine: &[Token<'a>], source: &Source<'a>) -> Vec<Finding<'a>> {
    let mut used = Vec::new();
    for token in mine {
        used.push(key(token.text));
    }
    used.sort_unstable();
    let judge = Judge { summary, source, used, bounds: OnceCell::new() };
    let mut out = Vec::new();
    for token in mine {
        out.extend(judge.finding(token).or_else(|| judge.figure(token)));
    }
    out
}

/// Texts that several summaries are held against, read once.
#[derive(Debug)]
pub struct Texts<'a> {
    texts: Vec<(Trust, &'a str)>,
    source: Source<'a>,
}

impl<'a> Texts<'a> {
    /// Reads them.
    #[must_use]
    pub fn of(texts: Vec<(Trust, &'a str)>) -> Self {
        let source = Source::of(&texts);
        Self { texts, source }
    }

    /// The same as [`check`] for this source: `texts`, then these ones, then `last`. It is only read where something of the
    /// summary does not stand in one of them as it is.
    #[must_use]
    pub fn check_in<'b>(&'b self, summary: &'b str, texts: &[(Trust, &'b str)], last: (Trust, &'b str)) -> Vec<Finding<'b>> {
        let mine = tokens(summary);
        let plain = |token: &Token<'_>| token.kind != Some(Kind::Amount) && measured(token).is_empty();
        let all = || texts.iter().chain(&self.texts).chain([&last]);
        let stands = |token: &Token<'_>| plain(token) && all().any(|(_, text)| alone(text, token.text));
        if mine.len() <= LOOKED_FOR && mine.iter().all(stands) {
            return Vec::new();
        }
        let mut source = Source::default();
        for (trust, text) in texts {
            source.read(*trust, text);
        }
        source.extend(&self.source);
        source.read(last.0, last.1);
        judged(summary, &mine, &source.ready())
    }
}

/// So many bytes are looked through for what is no whole word.
const LOOKED_THROUGH: usize = 1 << 29;

/// So many identifiers are looked for one by one before a source is read.
const LOOKED_FOR: usize = 32;

/// Whether `word` stands in a text and is not a piece of a longer one.
fn alone(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "-_./:@".contains(c));
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
        !joins(before.chars().next_back()) && !joins(after.chars().next())
    })
}

/// Those of `required` (see `text::ident::required`) that a summary does not hold.
#[must_use]
pub fn missing<'a>(summary: &str, required: &[&'a str]) -> Vec<&'a str> {
    let own = Source::of(&[(Trust::Agent, summary)]);
    // a piece of a longer name is looked for through the whole text, as often as that takes linear time
    let mut looks = (LOOKED_THROUGH / summary.len().max(1)).max(LOOKED_FOR);
    let mut within = |text: &str| {
        let may = looks > 0;
        looks = looks.saturating_sub(1);
        may && summary.contains(text)
    };
    required.iter().copied().filter(|text| !own.has(text) && !within(text)).collect()
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
    let mut edited = Edited::of(summary);
    let (mut restored, mut removed) = (0, 0);
    let mut rest = findings;
    for statement in statements(summary) {
        let length = rest.partition_point(|finding| finding.span.start < statement.span.end);
        let (here, beyond) = rest.split_at_checked(length).unwrap_or_default();
        rest = beyond;
        if here.iter().all(Finding::is_restorable) {
            for finding in here {
                edited.replace(finding.span, finding.origins.first().copied().unwrap_or(finding.text));
                restored += 1;
            }
        } else {
            edited.remove(statement.span);
            removed += 1;
        }
    }
    Repaired { text: edited.finish(), restored, removed }
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
    /// The tokens of the summary by their keys, sorted.
    used: Vec<u64>,
    /// The bounds of the summary, read where a number may have one.
    bounds: OnceCell<Vec<Bounded>>,
}

impl<'a> Judge<'_, 'a> {
    fn finding(&self, token: &Token<'a>) -> Option<Finding<'a>> {
        let values = measured(token);
        let small = values.iter().all(|value| value.0 <= COUNTED * 1_000_000 && value.0 % 1_000_000 == 0) && !values.is_empty();
        if self.stands(token) || self.is_own(token, small) || (token.kind == Some(Kind::Date) && self.source.comes_to_date(token.text)) {
            return None;
        }
        let misplaced =
            token.kind != Some(Kind::Amount) && values.iter().any(|value| value.1 == value::PLAIN) && self.source.has(token.text);
        if values.iter().any(|value| self.source.has_value(*value)) || misplaced {
            return None;
        }
        let about = token.before.to_ascii_lowercase();
        let estimate = listed(ABOUT, &about) || self.summary.get(..token.span.start).is_some_and(|head| head.ends_with('~'));
        // what is given to the last digit is no estimate
        let (mut digits, mut given) = (0, 0);
        for b in token.text.bytes().filter(u8::is_ascii_digit) {
            digits += u32::from(digits > 0 || b != b'0');
            given = if b == b'0' { given } else { digits };
        }
        let round = given <= 3;
        let origins = self.origins(token, !values.is_empty());
        // what the source says of the same with another figure is a change, whatever that figure might also come to
        let shared = origins.iter().filter(|_| !values.is_empty()).map(|origin| self.shared(token, origin)).max().unwrap_or_default();
        let total = self.is_total(token);
        let alike = shared.0 > 1 && shared.0 * 5 >= shared.1 * 3 && !total;
        let derived = |value: &value::Value| {
            let summed = !alike && (!small || value.1 != value::PLAIN) && self.source.comes_to(*value);
            summed || (!small && estimate && round && self.source.has_about(*value))
        };
        if values.iter().any(derived) {
            return None;
        }
        if small && origins.is_empty() && values.iter().all(|value| value.1 == value::PLAIN) {
            return None; // a count of the summary's own
        }
        if self.is_delay(token) && !alike {
            return None;
        }
        let fault = if origins.is_empty() { Fault::Invented } else { Fault::Changed };
        // another figure is put in its place only where that is said of the same, or half of it and one digit slipped: "lost
        // 2.4 kg" is no form of "weighs 72.4 kg"
        let slip = |origin: &&str| {
            let (a, b) = (number_of(token.text).as_bytes(), number_of(origin).as_bytes());
            a.len() == b.len() && distance(a, b) == 1 && shared.0 * 2 >= shared.1
        };
        let sure = values.is_empty() || (origins.len() == 1 && (alike || origins.iter().all(slip)));
        Some(Finding { fault, text: token.text, span: token.span, origins: if sure { origins } else { Vec::new() } })
    }

    /// Whether a figure is told as a sum: "50 mg a day", "30 in all".
    fn is_total(&self, token: &Token<'_>) -> bool {
        let behind = self.summary.get(token.span.end..).unwrap_or_default();
        let behind = behind.split(['.', ';', '\n']).next().unwrap_or_default();
        let mut words = behind.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let all = ["total", "altogether", "together", "combined", "overall", "daily", "insgesamt", "zusammen", "täglich"];
        let per = ["a", "per", "each", "pro"];
        let (first, second, third) = (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let day = |word: &str| matches!(word, "day" | "Tag");
        [first, second, third].iter().any(|word| all.contains(word))
            || (per.contains(&first) && day(second))
            || (per.contains(&second) && day(third))
            || listed("total altogether together insgesamt zusammen", &token.before.to_ascii_lowercase())
    }

    /// Whether a few days or weeks are told that something is late, early or past: no figure of anything.
    fn is_delay(&self, token: &Token<'_>) -> bool {
        let Some((count, rest)) = self.summary.get(token.span.start..).and_then(|rest| rest.split_once([' ', '-'])) else { return false };
        let mut words = rest.split(|c: char| !c.is_alphabetic());
        let few = count.parse::<u64>().is_ok_and(|count| count <= COUNTED);
        few && words.next().is_some_and(|unit| listed("day days week weeks month months tag tage woche wochen", &unit.to_ascii_lowercase()))
            && words.next().is_some_and(|word| listed("late early overdue ago old behind ahead zu verspätet überfällig", word))
    }

    /// Whether the token stands in the source, as it is or in another form of the same.
    fn stands(&self, token: &Token<'a>) -> bool {
        let text = token.text;
        let bare = trimmed(text);
        let value = value::readings(bare) != [None, None];
        let amount = token.kind == Some(Kind::Amount);
        let counted = value && value::unit(token.after).is_some() && !measured(token).is_empty();
        if !amount
            && !counted
            && (self.source.has(text) || self.source.has(bare) || unmarked(bare).is_some_and(|rest| self.source.has(rest)))
        {
            return true;
        }
        match token.kind {
            Some(Kind::Date) => self.source.has_date(text),
            Some(Kind::Url) => {
                let rest = before_end(text.split_once("://").map_or(text, |(_, rest)| rest), "/");
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

    /// `10-12`, `13:05-13:21`, `s0-s2`: both ends stand in the source.
    fn range(&self, text: &str) -> bool {
        let Some((a, b)) = text.split_once(['-', '/']) else { return false };
        let name = a.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = |part: &str| part.strip_prefix(name).is_some_and(|rest| rest.parse::<u32>().is_ok());
        if !name.is_empty() && numbered(a) && numbered(b) {
            return self.source.has(a) && self.source.has(b);
        }
        let end = |part: &str| {
            let kind = if part.contains(':') { self.source.has_date(part) } else { false };
            kind || (value::readings(part) != [None, None] && self.source.has(part))
        };
        a.len() == b.len() && end(a) && end(b)
    }

    fn caseless(&self, token: &Token<'_>) -> bool {
        let mut found = Vec::new();
        marks(token, &mut found);
        let mark = found.first().copied().unwrap_or_default();
        self.source.under(mark).any(|entry| entry.token.text.eq_ignore_ascii_case(token.text))
            || self.source.has(&token.text.to_ascii_lowercase())
    }

    fn opens(&self, span: Span) -> bool {
        let head = before_end(self.summary.get(..span.start).unwrap_or_default(), " `*\"-(");
        head.is_empty() || head.ends_with(['.', '\n', ':', '!', '?'])
    }

    /// Numbers of the summary's own lists and parts, and names that are everybody's.
    fn is_own(&self, token: &Token<'_>, small: bool) -> bool {
        let lower = token.text.to_ascii_lowercase();
        let before = token.before.to_ascii_lowercase();
        let head = self.summary.get(..token.span.start).unwrap_or_default();
        let next = self.summary.get(token.span.end..).and_then(|rest| rest.chars().next());
        let line = before_end(head, " \t*#>-(");
        let ordinal = (line.is_empty() || line.ends_with('\n')) && matches!(next, Some('.' | ')' | ':'));
        let enclosed = head.ends_with('(') && next == Some(')');
        listed(COMMON, &lower) || (small && (ordinal || enclosed || listed(NUMBERED, &before)))
    }

    /// What the token may have been: of the nearest, those of the highest trust.
    fn origins(&self, token: &Token<'a>, number: bool) -> Vec<&'a str> {
        let mine = folded(token.text);
        let mut best = (MOST_CHANGED + 1, Trust::External);
        let mut out: Vec<&'a str> = Vec::new();
        // a short number is near others only where it stands in their place
        let mut found = Vec::new();
        if !number || mine.len() >= 4 {
            marks(token, &mut found);
        }
        let placed = found.len();
        found.extend_from_slice(&contexts(token));
        for (at, mark) in found.iter().enumerate() {
            let near = at < placed;
            if !near && best.0 <= MOST_CHANGED {
                break;
            }
            for entry in self.source.under(*mark) {
                let text = entry.token.text;
                let theirs = folded(text);
                let other = near && mine != theirs && entry.token.kind.is_some() && token.kind.is_some() && entry.token.kind != token.kind;
                let allowed = if mine.len().min(theirs.len()) < 5 { 1 } else { MOST_CHANGED };
                let changes = if near { distance(&mine, &theirs) } else { best.0 };
                if other || self.is_used(text) || (near && changes > allowed) || changes > best.0 {
                    continue;
                }
                if changes < best.0 || entry.trust > best.1 {
                    best = (changes, entry.trust);
                    out.clear();
                }
                if entry.trust == best.1 && !out.contains(&text) {
                    out.push(text);
                }
            }
        }
        out
    }

    /// Whether the summary has this one too: then the other is not a form of it.
    fn is_used(&self, text: &str) -> bool {
        self.used.binary_search(&key(text)).is_ok()
    }
}

/// So many changes make a near miss.
const MOST_CHANGED: usize = 2;

/// Changes between two short texts, swapped neighbors counted once; more than [`MOST_CHANGED`] are not told apart.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let far = MOST_CHANGED + 1;
    if a.len().abs_diff(b.len()) > MOST_CHANGED {
        return far;
    }
    // what both begin with; then the cheapest of the next changes
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    changes(a, b, MOST_CHANGED).unwrap_or(far)
}

fn changes(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..)?, b.get(same..)?);
    if a.is_empty() && b.is_empty() {
        return Some(0);
    }
    let most = most.checked_sub(1)?;
    let mut least = None;
    let swapped = a.len() > 1 && b.len() > 1 && a.first() == b.get(1) && a.get(1) == b.first();
    for (skip_a, skip_b) in [(1, 1), (1, 0), (0, 1), (2, 2)] {
        if let (Some(a), Some(b), true) = (a.get(skip_a..), b.get(skip_b..), skip_a < 2 || swapped)
            && let Some(rest) = changes(a, b, most)
        {
            least = Some(least.map_or(rest + 1, |least: usize| least.min(rest + 1)));
        }
    }
    least
}
