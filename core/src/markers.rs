//! Puts a marker in the place of every rule and held text, so that no summary request shows one (P2, R8).

use std::borrow::Cow;

use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::registry::{Registry, SOURCE_ABANDONED};
use crate::text::literals::{Found, Literals};
use crate::text::sentinel;

/// What a marker stands for; also the outcome of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stands {
    /// A rule in force.
    Pinned,
    /// A rule that was replaced, revoked or rejected.
    Withheld,
    /// A held external text.
    Held,
}

/// Leftmost-longest exact search over the whole registry, as it was when this was made.
#[derive(Debug)]
pub struct Markers {
    search: Literals,
    entries: Vec<Entry>,
    straddles: bool,
}

/// A text to be replaced.
#[derive(Debug)]
struct Entry {
    digest: Digest,
    stands: Stands,
    marker: String,
    text: String,
}

/// Bytes of a text that are searched for; the rest of a longer one is compared where its beginning was found. A held
/// text has any length, and the search takes time and memory to build.
const SEARCHED: usize = 256;

/// The part of a text that is searched for.
fn beginning(text: &str) -> &str {
    let mut end = SEARCHED.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// A text with its markers set and imitations of our marks neutralized.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked<'t> {
    /// The text with a marker for each rule; the given one where there is nothing to change.
    pub text: Cow<'t, str>,
    /// What was replaced, in order.
    pub replaced: Vec<(Digest, Stands)>,
    /// Whether anything but white space stands outside the markers.
    pub other_text: bool,
}

impl Markers {
    /// Of all rules in force, tombstones and held texts.
    ///
    /// # Errors
    /// `too_many_rules` where the texts are too large to be searched for.
    pub fn of(registry: &Registry) -> Result<Self> {
        Self::build(registry, |_, _| true)
    }

    fn build(registry: &Registry, wanted: impl Fn(Stands, Option<&str>) -> bool) -> Result<Self> {
        let mut entries = Vec::new();
        for rule in registry.all() {
            let stands = match rule.status {
                status if status.is_active() => Stands::Pinned,
                status if status.is_tombstone() => Stands::Withheld,
                _ => continue,
            };
            if !wanted(stands, rule.reason.as_deref()) {
                continue;
            }
            let marker = match stands {
                Stands::Pinned => format!("[rule {}]", rule.fingerprint),
                _ => format!("[rule {} no longer in force]", rule.fingerprint),
            };
            entries.push(Entry { digest: rule.digest, stands, marker, text: rule.text.clone() });
        }
        for held in registry.held().into_iter().filter(|_| wanted(Stands::Held, None)) {
            let marker = format!("[held {}]", held.fingerprint);
            entries.push(Entry { digest: held.digest, stands: Stands::Held, marker, text: held.text.clone() });
        }
        let straddles = entries.iter().any(|entry| entry.text.contains("}\n") || entry.text.contains("\n{"));
        let search = Literals::of(entries.iter().map(|entry| beginning(&entry.text)))
            .ok_or_else(|| Error::new(Code::TooManyRules, "the rules' texts are too large to be searched for"))?;
        Ok(Self { search, entries, straddles })
    }

    /// Of tombstones alone: what a recall withholds.
    ///
    /// # Errors
    /// As [`Markers::of`].
    pub fn tombstones(registry: &Registry) -> Result<Self> {
        Self::build(registry, |stands, _| stands == Stands::Withheld)
    }

    /// Of tombstones that somebody set: not of rules whose branch was left.
    ///
    /// # Errors
    /// As [`Markers::of`].
    pub fn replaced(registry: &Registry) -> Result<Self> {
        Self::build(registry, |stands, reason| stands == Stands::Withheld && reason != Some(SOURCE_ABANDONED))
    }

    /// Whether a text could begin in one line of a request and end in another: only one that holds a border between
    /// two lines of JSON.
    #[must_use]
    pub fn may_straddle(&self) -> bool {
        self.straddles
    }

    /// Sets the markers in `text` and changes nothing else.
    #[must_use]
    pub fn replace(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some((start, entry)) = self.next(text, at) {
            out.push_str(text.get(at..start).unwrap_or_default());
            out.push_str(&entry.marker);
            at = start + entry.text.len();
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }

    /// The first entry at or after `from`, the longest where several begin.
    fn next(&self, text: &str, from: usize) -> Option<(usize, &Entry)> {
        let mut from = from;
        while let Some(Found { start, text: index, .. }) = self.search.find(text, from) {
            let entry = self.entries.get(index).filter(|entry| entry.text.len() <= SEARCHED);
            let rest = text.get(start..).unwrap_or_default();
            let whole = || self.entries.iter().filter(|entry| rest.starts_with(&entry.text)).max_by_key(|entry| entry.text.len());
            if let Some(entry) = entry.or_else(whole) {
                return Some((start, entry));
            }
            from = start + rest.chars().next().map_or(1, char::len_utf8);
        }
        None
    }

    /// Sets the markers in `text`.
    #[must_use]
    pub fn apply<'t>(&self, text: &'t str) -> Marked<'t> {
        let mut marked = Marked::default();
        let mut at = 0;
        while let Some((start, entry)) = self.next(text, at) {
            let between = text.get(at..start).unwrap_or_default();
            marked.other_text |= !between.trim().is_empty();
            marked.text += sentinel::neutralize(between);
            marked.text.to_mut().push_str(&entry.marker);
            marked.replaced.push((entry.digest, entry.stands));
            at = start + entry.text.len();
        }
        let rest = text.get(at..).unwrap_or_default();
        marked.other_text |= !rest.trim().is_empty();
        marked.text += sentinel::neutralize(rest);
        marked
    }

    /// What stands in `text`, in order.
    pub fn all_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Digest, Stands)> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (start, entry) = self.next(text, at)?;
            at = start + entry.text.len();
            Some((entry.digest, entry.stands))
        })
    }

    /// `text` without the markers of this registry: what is left may not look like one.
    #[must_use]
    pub fn without_markers<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        // the single character is looked for first: most text has none
        if !text.contains('[') || !(text.contains("[rule ") || text.contains("[held ")) {
            return text;
        }
        let mut rest = text.into_owned();
        for entry in &self.entries {
            rest = rest.replace(entry.marker.as_str(), "");
        }
        Cow::Owned(rest)
    }

    /// Whether a rule or held text stands anywhere in `text`.
    #[must_use]
    pub fn found_in(&self, text: &str) -> bool {
        self.next(text, 0).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markers(texts: &[&str]) -> Markers {
        let entry = |text: &&str| Entry {
            digest: Digest::of(text),
            stands: Stands::Held,
            marker: format!("[{}]", text.len()),
            text: (*text).to_owned(),
        };
        let entries: Vec<Entry> = texts.iter().map(entry).collect();
        let search = Literals::of(entries.iter().map(|entry| beginning(&entry.text))).unwrap();
        Markers { search, entries, straddles: false }
    }

    #[test]
    fn the_longest_text_is_replaced_whatever_its_length() {
        let (long, longer) = ("é".repeat(200), format!("{}x", "é".repeat(200)));
        let found = markers(&["ab", "abc", &long, &longer]);
        assert_eq!(found.replace("abcab"), "[3][2]");
        assert_eq!(found.replace(&format!("-{longer}-{long}-")), "-[401]-[400]-");
        let almost = "é".repeat(199);
        assert_eq!(found.replace(&almost), almost);
        assert_eq!(found.apply(&format!("{almost}z{long}ab")).replaced.len(), 2);
    }
}
