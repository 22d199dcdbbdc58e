//! Exact search for many texts at once (Aho and Corasick 1975), leftmost-longest, in one pass over the bytes.
//!
//! A library's automata would be a tenth of the wasm file; this one has no start-up, jumps over what begins no text (Wu and
//! Manber 1994), and searches as fast as the texts that are looked for are long and rare.

/// A place in the tree of texts.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// The byte that leads here.
    byte: u8,
    /// The first of the places one byte further on; the others are its siblings. 0 is none.
    child: u32,
    sibling: u32,
    /// The place of the longest proper suffix that also begins a text.
    suffix: u32,
    /// Bytes to here.
    depth: u32,
    /// The place of the longest text that ends here, itself or a suffix; 0 is none.
    ends: u32,
    /// The text that ends exactly here.
    text: u32,
}

/// Finds texts. Empty ones are never found.
#[derive(Debug, Clone)]
pub struct Literals {
    /// The first is the root.
    nodes: Vec<Node>,
    /// The places one byte from the root.
    first: [u32; 256],
    jumps: Jumps,
}

/// How far to the next place where a text may begin.
#[derive(Debug, Clone, Default)]
struct Jumps {
    /// Bytes that each text has at least, up to [`WINDOW`].
    window: usize,
    /// For the last block of a window, by [`slot`]: how far from the end of a window a text has it; 0 is at the end.
    by: Vec<u8>,
}

/// The longest jump and a little more: bytes.
const WINDOW: usize = 24;
/// Bytes that are looked at to jump.
const BLOCK: usize = 3;

/// Where a block stands in the table of jumps. Others may stand there too.
fn slot(block: &[u8]) -> usize {
    let number = block.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    (number.wrapping_mul(0x9e37_79b1) >> 19) as usize
}

impl Jumps {
    fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let long = |text: &&str| !text.is_empty();
        let window = texts.clone().filter(long).map(str::len).min().unwrap_or_default().min(WINDOW);
        let blocks = (window + 1).saturating_sub(BLOCK);
        let Some(longest) = u8::try_from(blocks).ok().filter(|longest| *longest > 0) else {
            return Self::default();
        };
        let mut by = vec![longest; 1 << 13];
        for text in texts.filter(long) {
            for (block, jump) in text.as_bytes().windows(BLOCK).zip((0..longest).rev()) {
                if let Some(least) = by.get_mut(slot(block)) {
                    *least = jump.min(*least);
                }
            }
        }
        Self { window, by }
    }

    /// The first place at or after `start` where a text may begin.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn next(&self, bytes: &[u8], mut start: usize) -> Option<usize> {
        if self.by.is_empty() {
            return Some(start);
        }
        loop {
            let end = start + self.window;
            let jump = self.by.get(slot(bytes.get(end - BLOCK..end)?)).copied().unwrap_or_default();
            if jump == 0 {
                return Some(start);
            }
            start += usize::from(jump);
        }
    }
}

/// A text that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its place among the texts; where several are equal, that of the first.
    pub text: usize,
}

impl Literals {
    /// An automaton for `texts`; nothing where they have more bytes than it can number.
    #[must_use]
    pub fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Option<Self> {
        let mut all = Self { nodes: vec![Node::default()], first: [0; 256], jumps: Jumps::of(texts.clone()) };
        for (index, text) in texts.enumerate() {
            all.add(text.as_bytes(), u32::try_from(index).ok()?)?;
        }
        all.link();
        Some(all)
    }

    fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or_default()
    }

    /// The place one byte on, within the tree.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn below(&self, at: u32, byte: u8) -> u32 {
        if at == 0 {
            return self.first.get(usize::from(byte)).copied().unwrap_or(0);
        }
        let mut next = self.node(at).child;
        while next != 0 && self.node(next).byte != byte {
            next = self.node(next).sibling;
        }
        next
    }

    fn add(&mut self, text: &[u8], index: u32) -> Option<()> {
        let mut at = 0;
        for byte in text {
            let mut next = self.below(at, *byte);
            if next == 0 {
                next = u32::try_from(self.nodes.len()).ok()?;
                let Node { depth, child, .. } = self.node(at);
                self.nodes.push(Node { byte: *byte, sibling: child, depth: depth + 1, ..Node::default() });
                if let Some(parent) = self.nodes.get_mut(at as usize) {
                    parent.child = next;
                }
                if at == 0
                    && let Some(first) = self.first.get_mut(usize::from(*byte))
                {
                    *first = next;
                }
            }
            at = next;
        }
        match self.nodes.get_mut(at as usize) {
            Some(node) if at != 0 && node.ends == 0 => (node.ends, node.text) = (at, index),
            _ => {}
        }
        Some(())
    }

    /// Finds the suffix of each place, the shallow ones first.
    fn link(&mut self) {
        let mut level: Vec<u32> = vec![0];
        while !level.is_empty() {
            let mut below = Vec::new();
            for at in level {
                let mut next = self.node(at).child;
                while next != 0 {
                    below.push(next);
                    let suffix = if at == 0 { 0 } else { self.step(self.node(at).suffix, self.node(next).byte) };
                    let ends = self.node(suffix).ends;
                    if let Some(node) = self.nodes.get_mut(next as usize) {
                        node.suffix = suffix;
                        if node.ends == 0 {
                            node.ends = ends;
                        }
                        next = node.sibling;
                    }
                }
            }
            level = below;
        }
    }

    /// The place after one more byte.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn step(&self, mut at: u32, byte: u8) -> u32 {
        loop {
            let next = self.below(at, byte);
            if next != 0 || at == 0 {
                return next;
            }
            at = self.node(at).suffix;
        }
    }

    /// The first text at or after `from`, the longest where several begin there.
    #[must_use]
    #[cfg_attr(standfast_hot, optimize(speed))]
    pub fn find(&self, text: &str, from: usize) -> Option<Found> {
        if self.nodes.len() == 1 {
            return None;
        }
        let bytes = text.as_bytes();
        let (mut at, mut end, mut best) = (0, from, None::<Found>);
        loop {
            if at == 0 {
                if best.is_some() {
                    return best;
                }
                // most bytes begin no text
                loop {
                    end = self.jumps.next(bytes, end)?;
                    if self.below(0, *bytes.get(end)?) != 0 {
                        break;
                    }
                    end += 1;
                }
            }
            let Some(byte) = bytes.get(end) else { return best };
            at = self.step(at, *byte);
            end += 1;
            let node = self.node(at);
            let start = end - node.depth as usize;
            if best.is_some_and(|best| start > best.start) {
                // whatever is still to come begins later
                return best;
            }
            if node.ends != 0 {
                let found = self.node(node.ends);
                let start = end - found.depth as usize;
                if best.is_none_or(|best| start <= best.start) {
                    best = Some(Found { start, end, text: found.text as usize });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slowly(texts: &[String], text: &str, from: usize) -> Option<Found> {
        (from..text.len()).find_map(|start| {
            let rest = &text.as_bytes()[start..];
            let here = texts.iter().enumerate().filter(|(_, wanted)| !wanted.is_empty() && rest.starts_with(wanted.as_bytes()));
            let (index, wanted) = here.max_by_key(|(index, wanted)| (wanted.len(), std::cmp::Reverse(*index)))?;
            Some(Found { start, end: start + wanted.len(), text: index })
        })
    }

    #[test]
    fn the_longest_of_those_that_begin_first() {
        let search = Literals::of(["pay", "pay no refund", "no refund at all", ""].into_iter()).unwrap();
        assert_eq!(search.find("we pay no refund at all", 0), Some(Found { start: 3, end: 16, text: 1 }));
        assert_eq!(search.find("we pay no refunds", 4), None);
        assert_eq!(Literals::of(std::iter::empty()).unwrap().find("anything", 0), None);
    }

    proptest! {
        #[test]
        fn it_finds_what_a_slow_search_finds(
            texts in prop::collection::vec("[abä]{0,6}", 0..8),
            text in "[abcä]{0,60}",
            from in 0_usize..8,
            least in 0_usize..5,
        ) {
            let texts: Vec<String> = texts.into_iter().filter(|text| text.is_empty() || text.len() >= least).collect();
            let search = Literals::of(texts.iter().map(String::as_str)).unwrap();
            prop_assert_eq!(search.find(&text, from), slowly(&texts, &text, from));
        }
    }
}
