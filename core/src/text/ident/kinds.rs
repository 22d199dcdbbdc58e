//! One recognizer per kind of identifier. Each looks at one whole piece of text in one pass.

use super::Kind;
use super::tables::{
    ABBREVIATIONS, CURRENCIES, EXTENSIONS, HOST_ENDS, MULTIPLIERS, NOT_FILES, NOT_TICKETS, ROOTS, UNITS, has, has_caseless,
};

/// What a piece is made of, gathered in one pass so that few recognizers have to look at it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Made(u16);

impl Made {
    pub(super) const DIGIT: u16 = 1;
    const UPPER: u16 = 1 << 1;
    const LOWER: u16 = 1 << 2;
    const DOT: u16 = 1 << 3;
    pub(super) const SLASH: u16 = 1 << 4;
    const UNDERSCORE: u16 = 1 << 5;
    const DASH: u16 = 1 << 6;
    pub(super) const COLON: u16 = 1 << 7;
    pub(super) const AT: u16 = 1 << 8;
    pub(super) const HASH: u16 = 1 << 9;
    pub(super) const BACKSLASH: u16 = 1 << 10;
    pub(super) const OTHER: u16 = 1 << 11;
    const WIDE: u16 = 1 << 12;

    #[cfg_attr(standfast_hot, optimize(speed))]
    pub(super) fn of(piece: &str) -> Self {
        let mut made = 0;
        for b in piece.as_bytes() {
            made |= match b {
                b'0'..=b'9' => Self::DIGIT,
                b'A'..=b'Z' => Self::UPPER,
                b'a'..=b'z' => Self::LOWER,
                b'.' => Self::DOT,
                b'/' => Self::SLASH,
                b'_' => Self::UNDERSCORE,
                b'-' => Self::DASH,
                b':' => Self::COLON,
                b'@' => Self::AT,
                b'#' => Self::HASH,
                b'\\' => Self::BACKSLASH,
                0x80.. => Self::WIDE,
                _ => Self::OTHER,
            };
        }
        Self(made)
    }

    /// Whether any of the given is there.
    pub(super) fn any(self, of: u16) -> bool {
        self.0 & of != 0
    }

    /// Whether nothing but letters is there.
    pub(super) fn only_letters(self) -> bool {
        self.0 & !(Self::UPPER | Self::LOWER | Self::WIDE) == 0
    }
}

/// A recognizer with what a piece must hold for it: all of `all`, one of `any`.
struct Row {
    kind: Kind,
    all: u16,
    any: u16,
    test: fn(&str) -> bool,
}

const fn row(kind: Kind, all: u16, any: u16, test: fn(&str) -> bool) -> Row {
    Row { kind, all, any, test }
}

/// The recognizers in order: what is more particular comes first.
const TABLE: &[Row] = &[
    row(Kind::Uuid, Made::DASH, Made::DASH, uuid),
    row(Kind::Date, Made::DIGIT, Made::DASH | Made::SLASH | Made::COLON | Made::DOT, date),
    row(Kind::Address, Made::DIGIT, Made::DOT | Made::COLON, address),
    row(Kind::Amount, Made::DIGIT, Made::DIGIT, amount),
    row(Kind::Version, Made::DIGIT, Made::DIGIT, version),
    row(Kind::Email, Made::AT | Made::DOT, Made::AT, email),
    row(Kind::Ticket, Made::DIGIT, Made::DIGIT, ticket),
    row(Kind::Hash, Made::DIGIT, Made::UPPER | Made::LOWER, hash),
    row(Kind::Env, Made::UNDERSCORE | Made::UPPER, Made::UPPER, env_name),
    row(Kind::Path, 0, Made::SLASH | Made::DOT | Made::BACKSLASH, path),
    row(Kind::Path, 0, Made::UPPER, well_known),
    row(Kind::Url, Made::DOT | Made::LOWER, Made::DOT, host),
    row(Kind::Url, Made::AT | Made::COLON, Made::AT, remote),
    row(Kind::Name, 0, Made::UNDERSCORE | Made::DOT | Made::DASH, name),
];

/// The kind of a piece without surrounding punctuation, or `None` for plain words.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn kind_of(piece: &str) -> Option<Kind> {
    if piece.len() < 2 || piece.len() > super::MAX_PIECE {
        return None;
    }
    let made = Made::of(piece).0;
    TABLE.iter().find(|row| made & row.all == row.all && made & row.any != 0 && (row.test)(piece)).map(|row| row.kind)
}

/// What most pieces fail at first: dates, times and versions begin with a digit.
fn begins_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

#[cfg_attr(standfast_hot, optimize(speed))]
fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn number_in(text: &str, low: u32, high: u32) -> bool {
    digits(text) && text.len() <= 4 && text.parse::<u32>().is_ok_and(|n| (low..=high).contains(&n))
}

/// A decimal number, thousands set off by commas or underscores: `1,250.50`, `12`, `0.5`.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    if fraction.is_some_and(|f| !digits(f)) {
        return false;
    }
    let mut groups = whole.split([',', '_']);
    let first = groups.next().unwrap_or_default();
    let mut grouped = false;
    let rest_fits = groups.all(|g| {
        grouped = true;
        digits(g) && g.len() == 3
    });
    digits(first) && rest_fits && (!grouped || first.len() <= 3)
}

pub(super) fn uuid(text: &str) -> bool {
    text.len() == 36
        && text.split('-').count() == 5
        && text.split('-').zip([8, 4, 4, 4, 12]).all(|(group, length)| group.len() == length && hex(group))
}

pub(super) fn hash(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("0x") {
        return (4..=64).contains(&rest.len()) && hex(rest);
    }
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let mixed = letters > 0 && letters < text.len();
    let one_case = !(text.bytes().any(|b| b.is_ascii_lowercase()) && text.bytes().any(|b| b.is_ascii_uppercase()));
    // `12e4567` is a number.
    let exponent = letters == 1 && text.split_once(['e', 'E']).is_some_and(|(a, b)| digits(a) && digits(b));
    (7..=64).contains(&text.len()) && hex(text) && mixed && one_case && !exponent
}

fn date(text: &str) -> bool {
    if !begins_with_digit(text) {
        return false;
    }
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    if time.is_some_and(|t| !clock(t)) {
        return false;
    }
    let in_order = |separator: char| {
        let mut parts = day.split(separator);
        let (a, b, c) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
        if parts.next().is_some() {
            return false;
        }
        match c {
            Some(c) if a.len() == 4 => {
                number_in(a, 1000, 2999) && b.len() <= 2 && number_in(b, 1, 12) && c.len() <= 2 && number_in(c, 1, 31)
            }
            Some(c) => {
                let (a, b) = (number_in(a, 1, 31) && a.len() <= 2, number_in(b, 1, 31) && b.len() <= 2);
                a && b && c.len() == 4 && number_in(c, 1900, 2999)
            }
            None => separator == '-' && a.len() == 4 && number_in(a, 1900, 2999) && b.len() == 2 && number_in(b, 1, 12),
        }
    };
    in_order('-') || in_order('/') || (day.len() >= 8 && in_order('.')) || (time.is_none() && clock(text))
}

/// `10:30`, `10:30:15.250Z`, `09:00+01:00`, `5:30pm`.
pub(super) fn clock(text: &str) -> bool {
    if text.len() > 24 {
        return false;
    }
    let text = ["am", "pm", "AM", "PM"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (time, offset) = text.split_once(['+', '-']).map_or((text, None), |(t, o)| (t, Some(o)));
    if offset.is_some_and(|o| !(digits(&o.replace(':', "")) && (2..=5).contains(&o.len()))) {
        return false;
    }
    let mut parts = time.split(':');
    let (hour, minute, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
    let second_fits = second.is_none_or(|s| {
        let whole = s.split_once('.').map_or(s, |(whole, part)| if digits(part) { whole } else { "" });
        whole.len() == 2 && number_in(whole, 0, 60)
    });
    hour.len() <= 2 && number_in(hour, 0, 24) && minute.len() == 2 && number_in(minute, 0, 59) && second_fits && parts.next().is_none()
}

/// `10.0.0.1`, `10.0.0.0/24`, `10.0.0.1:8443`, `localhost:3000`, `db.internal:5432`, `fe80::1`.
fn address(text: &str) -> bool {
    let port = |p: &str| digits(p) && p.len() <= 5 && p.parse::<u32>().is_ok_and(|n| (1..=65_535).contains(&n));
    let v4 = |t: &str| t.split('.').count() == 4 && t.split('.').all(|o| o.len() <= 3 && number_in(o, 0, 255));
    if let Some((net, bits)) = text.split_once('/') {
        return v4(net) && number_in(bits, 0, 32);
    }
    if let Some((name, end)) = text.split_once(':') {
        let named = name == "localhost" || v4(name) || (host(name) && end.len() >= 2);
        if named && port(end) {
            return true;
        }
    }
    v4(text) || v6(text)
}

fn v6(text: &str) -> bool {
    let colons = text.bytes().filter(|b| *b == b':').count();
    let groups = text.split(':').filter(|g| !g.is_empty()).count();
    let shaped = text.len() <= 39 && text.split(':').all(|g| g.len() <= 4 && (g.is_empty() || hex(g)));
    let dense = if text.contains("::") { groups >= 2 } else { colons == 7 };
    shaped && dense && text.bytes().any(|b| b.is_ascii_digit())
}

/// `$1,250`, `£500`, `12%`, `200ms`, `8GB`, `1.5M`, `EUR20`.
fn amount(text: &str) -> bool {
    if text.starts_with(|c: char| c.is_ascii_lowercase() || c == '/') {
        return false;
    }
    let signless = text.strip_prefix(['-', '+', '~']).unwrap_or(text);
    let money = signless.strip_prefix(['$', '£', '€', '¥']);
    let code = signless.get(..3).filter(|code| has(CURRENCIES, code));
    let body = money.or_else(|| code.and(signless.get(3..))).unwrap_or(signless);
    let end = body.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.' | '_'))).unwrap_or(body.len());
    let (value, unit) = body.split_at_checked(end).unwrap_or((body, ""));
    let priced = money.is_some() || code.is_some();
    if !number(value) {
        return false;
    }
    if unit.is_empty() {
        return priced;
    }
    let multiplied = has_caseless(MULTIPLIERS, unit) && (priced || unit != "m");
    multiplied || has(CURRENCIES, unit) || has(&["$", "£", "€", "¥"], unit) || has_caseless(UNITS, unit)
}

#[cfg_attr(standfast_hot, optimize(speed))]
fn version(text: &str) -> bool {
    let (marked, rest) = match text.strip_prefix(['v', 'V']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if !begins_with_digit(rest) {
        return false;
    }
    let core_end = rest.find(['-', '+']).unwrap_or(rest.len());
    let (core, label) = rest.split_at_checked(core_end).unwrap_or((rest, ""));
    let parts = core.split('.').count();
    let numbered = core.split('.').all(|part| digits(part) && part.len() <= 8);
    let labelled = label.len() <= 48 && label.bytes().skip(1).all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'));
    numbered && labelled && if marked { parts <= 4 } else { (3..=4).contains(&parts) }
}

fn email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let local_fits = !local.is_empty() && local.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-'));
    local_fits && domain.contains('.') && labels(domain) && domain.rsplit('.').next().is_some_and(|top| top.len() >= 2 && alphabetic(top))
}

fn alphabetic(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic())
}

fn labels(domain: &str) -> bool {
    domain.split('.').all(|l| !l.is_empty() && !l.starts_with('-') && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// `example.com`, `api.acme.io`.
fn host(text: &str) -> bool {
    let Some((rest, top)) = text.rsplit_once('.') else { return false };
    let lower = text.bytes().all(|b| !b.is_ascii_uppercase());
    lower && has(HOST_ENDS, top) && labels(rest) && rest.len() >= 2 && rest.bytes().any(|b| b.is_ascii_alphabetic())
}

/// `git@github.com:acme/billing.git`.
fn remote(text: &str) -> bool {
    let Some((place, path)) = text.split_once(':') else { return false };
    place.split_once('@').is_some_and(|(user, name)| word(user) && host(name)) && path.contains('/') && path.split('/').all(word)
}

/// `SETTLE-118`, `INV-2026-0042`, `CVE-2024-12345`, `#1234`, `acme/billing#12`, record numbers of six digits and more.
fn ticket(text: &str) -> bool {
    if let Some((repository, id)) = text.split_once('#') {
        let named = repository.is_empty() || (repository.split('/').count() == 2 && repository.split('/').all(word));
        return named && digits(id) && id.len() <= 9;
    }
    if digits(text) {
        return (6..=32).contains(&text.len());
    }
    let mut parts = text.split('-');
    let prefix = parts.next().unwrap_or_default();
    let upper = prefix.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && prefix.starts_with(|c: char| c.is_ascii_uppercase())
        && prefix.len() <= 12;
    let mut count = 0_usize;
    let mut has_digit = 0_usize;
    let parts_fit = parts.all(|part| {
        count += 1;
        has_digit += part.bytes().filter(u8::is_ascii_digit).count();
        !part.is_empty() && part.len() <= 12 && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    });
    let enough = if prefix.len() == 1 { has_digit >= 3 } else { has_digit >= 1 };
    upper && parts_fit && (1..=5).contains(&count) && enough && !has(NOT_TICKETS, prefix)
}

fn word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

fn env_name(text: &str) -> bool {
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && text.bytes().filter(u8::is_ascii_uppercase).count() >= 3
}

/// Unix, home and relative paths, Windows drives and shares, bare file names, branches.
#[cfg_attr(standfast_hot, optimize(speed))]
fn path(text: &str) -> bool {
    if windows(text) {
        return true;
    }
    if text.contains(['\\', '@', '=', '|', '"', '?', ':']) || text.as_bytes().windows(2).any(|pair| pair == b"//") {
        return false;
    }
    let segments = || text.trim_end_matches('/').split('/');
    let last = segments().next_back().unwrap_or_default();
    if !text.contains('/') {
        return file_name(text);
    }
    let solid = |s: &str| s.chars().any(char::is_alphanumeric) || matches!(s, "." | ".." | "~" | "*" | "**");
    if let Some(rest) = text.strip_prefix('/') {
        let first = rest.split('/').next().unwrap_or_default();
        let lettered = rest.chars().filter(|c| c.is_alphabetic()).count() >= 2;
        return lettered && !first.is_empty() && segments().skip(1).all(solid);
    }
    if !segments().all(solid) {
        return false;
    }
    if ["~/", "./", "../"].iter().any(|start| text.starts_with(start)) {
        return text.chars().any(char::is_alphabetic);
    }
    let first = segments().next().unwrap_or_default();
    if first.ends_with('s') && (first == "s" || digits(first.trim_end_matches('s'))) {
        return false; // a sed command
    }
    let odd = |s: &str| s.bytes().any(|b| matches!(b, b'_' | b'.' | b'*')) && s.bytes().any(|b| b.is_ascii_alphabetic());
    let count = segments().count();
    let known_root = has(ROOTS, first)
        && (count >= 3 || text.ends_with('/') || last.bytes().any(|b| matches!(b, b'-' | b'_' | b'.')) || !plain_pair(first));
    file_name(last) || known_root || (count >= 3 && segments().any(odd))
}

/// Roots that are ordinary words too: `client/server` and `test/build` are prose.
fn plain_pair(first: &str) -> bool {
    matches!(
        first,
        "api"
            | "app"
            | "build"
            | "client"
            | "config"
            | "core"
            | "data"
            | "fix"
            | "home"
            | "public"
            | "release"
            | "server"
            | "static"
            | "test"
            | "tests"
            | "tools"
            | "frontend"
            | "backend"
            | "internal"
            | "target"
            | "docs"
            | "examples"
            | "python"
            | "npm"
            | "feature"
    )
}

/// A drive's path, whose separators may be doubled as in JSON text, or a share, where they may not.
fn windows(text: &str) -> bool {
    let clean = !text.contains(['<', '>', '|', '"', '?', '*', '/']);
    let drive = text.get(1..3) == Some(":\\") && text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.len() >= 4;
    let share = text.strip_prefix("\\\\").and_then(|rest| rest.split_once('\\')).is_some_and(|(server, rest)| {
        server.len() >= 2
            && server.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
            && rest.split('\\').all(|s| !s.is_empty())
    });
    clean && (drive || share)
}

fn well_known(text: &str) -> bool {
    has(&["Dockerfile", "Makefile", "Jenkinsfile", "Procfile"], text)
}

fn file_name(text: &str) -> bool {
    if has(&[".env", ".gitignore", ".npmrc", ".dockerignore"], text) {
        return true;
    }
    let text = text.strip_prefix('.').unwrap_or(text);
    let Some((stem, extension)) = text.rsplit_once('.') else { return false };
    let stem_fits = stem.chars().any(char::is_alphanumeric) && !stem.contains("..") && !stem.contains([',', ':', ';', '(', ')', '$', '#']);
    let short = stem.chars().count() == 1 && extension.len() == 1;
    stem_fits && !short && has_caseless(EXTENSIONS, extension) && !has_caseless(NOT_FILES, text)
}

/// `settlements.amount`, `df.group_by`, `get_batch`, `batch_0042`, `eu-west-2`, `prod-db1`.
fn name(text: &str) -> bool {
    let text = text.strip_suffix("()").unwrap_or(text);
    if text.contains('.') {
        return dotted(text);
    }
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    if text.contains('_') {
        let simple = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let inner = text.trim_matches('_').contains('_') || (text.trim_matches('_') != text && letters >= 3 && text.starts_with('_'));
        return simple && letters >= 2 && inner;
    }
    kebab(text)
}

fn dotted(text: &str) -> bool {
    let label =
        |l: &str| l.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !text.split('.').all(label) || has_caseless(ABBREVIATIONS, text) {
        return false;
    }
    let lower = |l: &str| l.len() >= 2 && !l.bytes().any(|b| b.is_ascii_uppercase());
    let camel = |l: &str| l.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && l.bytes().any(|b| b.is_ascii_lowercase());
    let long = text.split('.').all(|l| l.len() >= 2);
    text.contains('_') || text.split('.').all(lower) || (long && (text.split('.').any(camel) || text.split('.').count() >= 3))
}

fn kebab(text: &str) -> bool {
    if !text.contains('-') || text.len() > 64 || text.starts_with('-') {
        return false;
    }
    let simple = text.split('-').all(|s| !s.is_empty() && s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
    let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
    let ordinal = |s: &str| {
        let tail = s.trim_start_matches(|c: char| c.is_ascii_digit());
        tail.len() < s.len() && has(&["s", "st", "nd", "rd", "th"], tail)
    };
    let mixed = |s: &str| s.bytes().any(|b| b.is_ascii_digit()) && s.bytes().any(|b| b.is_ascii_alphabetic()) && !ordinal(s);
    let last = text.rsplit('-').next().unwrap_or_default();
    let padded = digits(last) && last.starts_with('0') && last.len() >= 2;
    simple && starts && (text.split('-').any(mixed) || padded || (text.split('-').count() >= 3 && text.split('-').any(digits)))
}
