//! From the text of an expression to its program.

use super::{Place, Range, Step};

/// Most steps of a program: counted repetitions are written out.
const MAX_STEPS: usize = 20_000;

/// Most ranges of characters in all steps together: a class is written out with its step.
const MAX_RANGES: usize = 200_000;

/// How deep groups may stand in each other.
const MAX_DEPTH: usize = 50;

/// The program of an expression; nothing where it is not of the syntax or too large.
pub(super) fn program(pattern: &str) -> Option<Vec<Step>> {
    let mut parser = Parser { rest: pattern, names: Vec::new(), flags: Flags::default(), depth: 0, ranges: 0, steps: Vec::new() };
    parser.alternatives()?;
    if !parser.rest.is_empty() {
        return None;
    }
    parser.push(Step::Match)?;
    Some(parser.steps)
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    /// `i`: ASCII letters in either case.
    caseless: bool,
    /// `m`: `^` and `$` at lines.
    lines: bool,
    /// `s`: `.` takes a line feed too.
    all: bool,
}

struct Parser<'p> {
    rest: &'p str,
    /// Names of groups.
    names: Vec<&'p str>,
    flags: Flags,
    depth: usize,
    /// Ranges in all steps.
    ranges: usize,
    steps: Vec<Step>,
}

impl<'p> Parser<'p> {
    fn push(&mut self, step: Step) -> Option<usize> {
        if let Step::Take(ranges) = &step {
            self.ranges += ranges.len();
        }
        self.steps.push(step);
        (self.steps.len() <= MAX_STEPS && self.ranges <= MAX_RANGES).then(|| self.steps.len() - 1)
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Makes room for one step at `at`: everything from there on moves.
    fn insert(&mut self, at: usize, step: Step) -> Option<()> {
        for step in self.steps.iter_mut().skip(at) {
            match step {
                Step::Split(a, b) => (*a, *b) = (*a + 1, *b + 1),
                Step::Jump(to) => *to += 1,
                _ => {}
            }
        }
        self.steps.insert(at, step);
        (self.steps.len() <= MAX_STEPS).then_some(())
    }

    /// `a|b|c`, up to a closing bracket or the end.
    fn alternatives(&mut self) -> Option<()> {
        let mut start = self.steps.len();
        let mut jumps = Vec::new();
        self.sequence()?;
        while self.eat("|") {
            // split here or behind this one, whose end jumps over the others
            let other = self.steps.len() + 2;
            self.insert(start, Step::Split(start + 1, other))?;
            jumps.push(self.push(Step::Jump(0))?);
            start = self.steps.len();
            self.sequence()?;
        }
        let end = self.steps.len();
        for jump in jumps {
            *self.steps.get_mut(jump)? = Step::Jump(end);
        }
        Some(())
    }

    fn sequence(&mut self) -> Option<()> {
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let start = self.steps.len();
            if self.atom()? {
                while self.repetition(start)? {}
            }
        }
        Some(())
    }

    /// One item; false for flags, which nothing can repeat.
    fn atom(&mut self) -> Option<bool> {
        let step = match self.next()? {
            '(' => return self.group(),
            '.' if self.flags.all => Step::Take(vec![('\0', char::MAX)]),
            '.' => Step::Take(vec![('\0', '\t'), ('\u{b}', char::MAX)]),
            '^' => Step::Assert(if self.flags.lines { Place::LineStart } else { Place::TextStart }),
            '$' => Step::Assert(if self.flags.lines { Place::LineEnd } else { Place::TextEnd }),
            '[' => Step::Take(self.class()?),
            '\\' if self.eat("A") => Step::Assert(Place::TextStart),
            '\\' if self.eat("z") => Step::Assert(Place::TextEnd),
            '\\' if self.eat("B") => Step::Assert(Place::NoBoundary),
            '\\' if self.eat("b") => {
                if self.rest.starts_with('{') {
                    return None;
                }
                Step::Assert(Place::Boundary)
            }
            '\\' => {
                let ranges = self.escape()?;
                Step::Take(self.cased(ranges))
            }
            '*' | '+' | '?' | '{' => return None,
            c => Step::Take(self.cased(vec![(c, c)])),
        };
        self.push(step)?;
        Some(true)
    }

    fn group(&mut self) -> Option<bool> {
        let flags = self.flags;
        if self.eat("?P<") || self.eat("?<") {
            let rest: &'p str = self.rest;
            let (name, rest) = rest.split_once('>')?;
            let first = |c: char| c.is_ascii_alphabetic() || c == '_';
            let fits = |c: char| first(c) || c.is_ascii_digit() || matches!(c, '.' | '[' | ']');
            if !name.starts_with(first) || !name.chars().all(fits) || self.names.contains(&name) {
                return None;
            }
            self.names.push(name);
            self.rest = rest;
        } else if self.eat("?") {
            let (mut on, mut any) = (true, false);
            loop {
                match self.next()? {
                    '-' if on => (on, any) = (false, false),
                    'i' => (self.flags.caseless, any) = (on, true),
                    'm' => (self.flags.lines, any) = (on, true),
                    's' => (self.flags.all, any) = (on, true),
                    ')' if any => return Some(false),
                    ':' if any || on => break,
                    _ => return None,
                }
            }
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.alternatives()?;
        self.depth -= 1;
        // flags set inside end with the group
        self.flags = flags;
        self.eat(")").then_some(true)
    }

    /// What follows the item that begins at `start`: how often it is to come. False where nothing follows.
    fn repetition(&mut self, start: usize) -> Option<bool> {
        let (least, most) = match self.rest.chars().next() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let (counts, rest) = self.rest.get(1..)?.split_once('}')?;
                // the last character of what was read is taken below
                self.rest = self.rest.get(self.rest.len() - rest.len() - 1..)?;
                let count = |text: &str| Some(text).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?.parse::<usize>().ok();
                match counts.split_once(',') {
                    None => (count(counts)?, Some(count(counts)?)),
                    Some((least, "")) => (count(least)?, None),
                    Some((least, most)) => (count(least)?, Some(count(most)?)),
                }
            }
            _ => return Some(false),
        };
        self.next();
        let greedy = !self.eat("?");
        if most.is_some_and(|most| most < least) {
            return None;
        }
        let item: Vec<Step> = self.steps.drain(start..).collect();
        let split = |go_on: usize, leave: usize| if greedy { Step::Split(go_on, leave) } else { Step::Split(leave, go_on) };
        let before = if most.is_none() { least.saturating_sub(1) } else { least };
        for _ in 0..before {
            self.copy(&item, start)?;
        }
        match most {
            // one place to go on from: a loop around this one must not come in by another
            None if least == 0 && !may_be_empty(&item, start) => {
                let at = self.push(Step::Match)?;
                self.copy(&item, start)?;
                let end = self.steps.len() + 1;
                self.push(Step::Jump(at))?;
                *self.steps.get_mut(at)? = split(at + 1, end);
            }
            None => {
                // `x*` is `(x+)?`: it prefers what it should even where `x` may be empty
                let question = if least == 0 { Some(self.push(Step::Match)?) } else { None };
                let body = self.steps.len();
                self.copy(&item, start)?;
                let end = self.steps.len() + 1;
                self.push(split(body, end))?;
                if let Some(at) = question {
                    *self.steps.get_mut(at)? = split(body, end);
                }
            }
            Some(most) => {
                let mut leaves = Vec::new();
                for _ in least..most {
                    leaves.push(self.push(Step::Match)?);
                    self.copy(&item, start)?;
                }
                let end = self.steps.len();
                for at in leaves {
                    *self.steps.get_mut(at)? = split(at + 1, end);
                }
            }
        }
        Some(true)
    }

    /// Writes an item that stood at `from` once more.
    fn copy(&mut self, item: &[Step], from: usize) -> Option<()> {
        let to = self.steps.len();
        for step in item {
            self.push(match step {
                Step::Split(a, b) => Step::Split(a - from + to, b - from + to),
                Step::Jump(at) => Step::Jump(at - from + to),
                other => other.clone(),
            })?;
        }
        Some(())
    }

    /// Behind a backslash: a class, or a character.
    fn escape(&mut self) -> Option<Vec<Range>> {
        let c = self.next()?;
        let c = match c {
            'd' | 's' | 'w' => return perl(c),
            'D' | 'S' | 'W' => return perl(c.to_ascii_lowercase()).map(|ranges| others(&ranges)),
            'a' => '\u{7}',
            'f' => '\u{c}',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'v' => '\u{b}',
            'x' | 'u' | 'U' => {
                let digits = if self.eat("{") {
                    let (digits, rest) = self.rest.split_once('}')?;
                    self.rest = rest;
                    digits
                } else {
                    let length = match c {
                        'x' => 2,
                        'u' => 4,
                        _ => 8,
                    };
                    let (digits, rest) = self.rest.split_at_checked(length)?;
                    self.rest = rest;
                    digits
                };
                let hexadecimal = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
                char::from_u32(u32::from_str_radix(digits, 16).ok()?).filter(|_| hexadecimal)?
            }
            c if c.is_ascii_punctuation() && !matches!(c, '<' | '>') => c,
            _ => return None,
        };
        Some(vec![(c, c)])
    }

    /// Behind `[`.
    fn class(&mut self) -> Option<Vec<Range>> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        let mut first = true;
        while first || !self.eat("]") {
            if self.rest.starts_with("[:") {
                let (name, rest) = self.rest.get(2..)?.split_once(":]")?;
                self.rest = rest;
                ranges.extend(posix(name)?);
                first = false;
                continue;
            }
            let item = match self.next()? {
                '\\' => self.escape()?,
                '[' => return None,
                ']' if !first => return None,
                c => vec![(c, c)],
            };
            first = false;
            let ahead = self.rest.strip_prefix('-').and_then(|rest| rest.chars().next());
            match (item.as_slice(), ahead) {
                (_, Some('-')) => return None,
                ([(low, same)], Some(next)) if low == same && next != ']' => {
                    self.next();
                    let high = match self.next()? {
                        '\\' => self.escape()?,
                        '[' => return None,
                        c => vec![(c, c)],
                    };
                    match high.as_slice() {
                        [(high, same)] if high == same && low <= high => ranges.push((*low, *high)),
                        _ => return None,
                    }
                }
                _ => ranges.extend(item),
            }
            if self.rest.starts_with("&&") || self.rest.starts_with("~~") {
                return None;
            }
        }
        let ranges = self.cased(ranges);
        Some(if negated { others(&ranges) } else { ranges })
    }

    /// With the other case of ASCII letters, where the flag says so.
    fn cased(&self, mut ranges: Vec<Range>) -> Vec<Range> {
        if self.flags.caseless {
            for (low, high) in ranges.clone() {
                for (first, last) in [('a', 'z'), ('A', 'Z')] {
                    let (low, high) = (low.max(first), high.min(last));
                    if low <= high {
                        let flip = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
                        ranges.push((flip(low), flip(high)));
                    }
                }
            }
        }
        ranges
    }
}

/// Whether an item that stands at `from` can be gone through without taking a character.
fn may_be_empty(item: &[Step], from: usize) -> bool {
    let (mut open, mut seen) = (vec![from], vec![false; item.len()]);
    while let Some(at) = open.pop() {
        let Some(step) = at.checked_sub(from).and_then(|place| item.get(place)) else { return true };
        let Some(seen) = seen.get_mut(at - from).filter(|seen| !**seen) else { continue };
        *seen = true;
        match step {
            Step::Split(a, b) => open.extend([*a, *b]),
            Step::Jump(to) => open.push(*to),
            Step::Assert(_) => open.push(at + 1),
            Step::Take(_) | Step::Match => {}
        }
    }
    false
}

fn perl(c: char) -> Option<Vec<Range>> {
    posix(match c {
        'd' => "digit",
        's' => "space",
        _ => "word",
    })
}

fn posix(name: &str) -> Option<Vec<Range>> {
    if let Some(name) = name.strip_prefix('^') {
        return posix(name).map(|ranges| others(&ranges));
    }
    let pairs = match name {
        "alnum" => "09AZaz",
        "alpha" => "AZaz",
        "ascii" => "\0\u{7f}",
        "blank" => "\t\t  ",
        "cntrl" => "\0\u{1f}\u{7f}\u{7f}",
        "digit" => "09",
        "graph" => "!~",
        "lower" => "az",
        "print" => " ~",
        "punct" => "!/:@[`{~",
        "space" => "\t\r  ",
        "upper" => "AZ",
        "word" => "09AZaz__",
        "xdigit" => "09AFaf",
        _ => return None,
    };
    let chars: Vec<char> = pairs.chars().collect();
    Some(chars.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect())
}

/// The characters that are in none of the ranges.
fn others(ranges: &[Range]) -> Vec<Range> {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let step = |c: char, by: i32| match (u32::from(c).checked_add_signed(by)?, by) {
        (0xd800..=0xdfff, 1) => Some('\u{e000}'),
        (0xd800..=0xdfff, _) => Some('\u{d7ff}'),
        (code, _) => char::from_u32(code),
    };
    let (mut rest, mut from) = (Vec::new(), Some('\0'));
    for (low, high) in ranges {
        let Some(start) = from else { break };
        if let Some(end) = step(low, -1).filter(|end| *end >= start) {
            rest.push((start, end));
        }
        from = step(high, 1).map(|next| next.max(start));
    }
    rest.extend(from.map(|start| (start, char::MAX)));
    rest
}
