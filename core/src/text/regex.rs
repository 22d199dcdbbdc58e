//! The regular expressions of a policy's own pattern: parsed to a program, run by a Pike machine in time that is linear in
//! the text, leftmost-first like those of every library.
//!
//! A library for this one field would be a twentieth of the wasm file. What is read here means what it means to the
//! regex-lite crate, which the tests compare with; classes and word boundaries are ASCII. Not read: the flags `R`, `U` and
//! `x`, and the half boundaries.

mod parse;

type Range = (char, char);

/// One step of a program.
#[derive(Debug, Clone)]
enum Step {
    /// Takes one of these characters.
    Take(Vec<Range>),
    /// Goes on at both places, the first one preferred.
    Split(usize, usize),
    /// Goes on elsewhere.
    Jump(usize),
    /// Goes on where this holds.
    Assert(Place),
    /// Done.
    Match,
}

/// What holds between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Boundary,
    NoBoundary,
}

impl Place {
    fn holds(self, before: Option<char>, after: Option<char>) -> bool {
        let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            Self::TextStart => before.is_none(),
            Self::TextEnd => after.is_none(),
            Self::LineStart => matches!(before, None | Some('\n')),
            Self::LineEnd => matches!(after, None | Some('\n')),
            Self::Boundary => word(before) != word(after),
            Self::NoBoundary => word(before) == word(after),
        }
    }
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct Regex {
    steps: Vec<Step>,
}

/// The places a machine is at, in the order of their preference, each with where its match began.
struct Threads {
    list: Vec<(usize, usize)>,
    /// For each step the round in which it was reached last.
    reached: Vec<usize>,
    round: usize,
}

impl Threads {
    fn clear(&mut self) {
        self.list.clear();
        self.round += 1;
    }
}

impl Regex {
    /// Reads an expression; nothing where it is not of the syntax or too large.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        parse::program(pattern).map(|steps| Self { steps })
    }

    /// Follows the steps from `at` that take no character.
    fn follow(&self, threads: &mut Threads, at: usize, start: usize, before: Option<char>, after: Option<char>) {
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            match threads.reached.get_mut(at) {
                Some(round) if *round != threads.round => *round = threads.round,
                _ => continue,
            }
            match self.steps.get(at) {
                Some(Step::Split(first, second)) => open.extend([*second, *first]),
                Some(Step::Jump(to)) => open.push(*to),
                Some(Step::Assert(place)) if place.holds(before, after) => open.push(at + 1),
                Some(Step::Take(_) | Step::Match) => threads.list.push((at, start)),
                Some(Step::Assert(_)) | None => {}
            }
        }
    }

    fn threads(&self) -> Threads {
        Threads { list: Vec::new(), reached: vec![0; self.steps.len()], round: 1 }
    }

    /// The first match at or after `from`.
    pub(super) fn find(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let (mut now, mut next) = (self.threads(), self.threads());
        let (mut at, mut best) = (from, None);
        let mut before = text.get(..from)?.chars().next_back();
        let mut chars = text.get(from..)?.chars();
        let mut after = chars.next();
        loop {
            if best.is_none() {
                self.follow(&mut now, 0, at, before, after);
            }
            let (beyond, end) = (chars.next(), at + after.map_or(0, char::len_utf8));
            for (step, start) in &now.list {
                match (self.steps.get(*step), after) {
                    (Some(Step::Match), _) => {
                        best = Some((*start, at));
                        // what is less preferred is over
                        break;
                    }
                    (Some(Step::Take(ranges)), Some(c)) if holds(ranges, c) => {
                        self.follow(&mut next, step + 1, *start, after, beyond);
                    }
                    _ => {}
                }
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
            if after.is_none() || (best.is_some() && now.list.is_empty()) {
                return best;
            }
            (before, after, at) = (after, beyond, end);
        }
    }
}

fn holds(ranges: &[Range], c: char) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

#[cfg(test)]
mod tests;
