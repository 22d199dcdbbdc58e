//! Puts a marker in the place of every rule and held text, so that no summary request shows one (P2, R8).

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::registry::{Registry, SOURCE_ABANDONED};
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
    search: Option<AhoCorasick>,
    entries: Vec<(Digest, Stands, String)>,
    straddles: bool,
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
        let mut texts: Vec<&str> = Vec::new();
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
            entries.push((rule.digest, stands, marker));
            texts.push(&rule.text);
        }
        for held in registry.held().into_iter().filter(|_| wanted(Stands::Held, None)) {
            entries.push((held.digest, Stands::Held, format!("[held {}]", held.fingerprint)));
            texts.push(&held.text);
        }
        let straddles = texts.iter().any(|text| text.contains("}\n") || text.contains("\n{"));
        let search = if texts.is_empty() {
            None
        } else {
            // the kind that is built soonest: it is made for every compaction, and the texts are skipped through by their first bytes
            let built =
                AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA)).build(&texts);
            Some(built.map_err(|_| Error::new(Code::TooManyRules, "the rules' texts are too large to be searched for"))?)
        };
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
        let Some(search) = &self.search else { return text.to_owned() };
        let mut out = String::with_capacity(text.len());
        search.replace_all_with(text, &mut out, |found, _, out| {
            out.push_str(self.entries.get(found.pattern().as_usize()).map_or("", |(_, _, marker)| marker));
            true
        });
        out
    }

    /// Sets the markers in `text`.
    #[must_use]
    pub fn apply<'t>(&self, text: &'t str) -> Marked<'t> {
        let mut marked = Marked::default();
        let mut at = 0;
        for found in self.search.iter().flat_map(|search| search.find_iter(text)) {
            let between = text.get(at..found.start()).unwrap_or_default();
            marked.other_text |= !between.trim().is_empty();
            marked.text += sentinel::neutralize(between);
            if let Some((digest, stands, marker)) = self.entries.get(found.pattern().as_usize()) {
                marked.text.to_mut().push_str(marker);
                marked.replaced.push((*digest, *stands));
            }
            at = found.end();
        }
        let rest = text.get(at..).unwrap_or_default();
        marked.other_text |= !rest.trim().is_empty();
        marked.text += sentinel::neutralize(rest);
        marked
    }

    /// What stands in `text`, in order.
    pub fn all_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Digest, Stands)> + 't {
        let found = self.search.iter().flat_map(move |search| search.find_iter(text));
        found.filter_map(|found| self.entries.get(found.pattern().as_usize()).map(|(digest, stands, _)| (*digest, *stands)))
    }

    /// `text` without the markers of this registry: what is left may not look like one.
    #[must_use]
    pub fn without_markers<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        // the single character is looked for first: most text has none
        if !text.contains('[') || !(text.contains("[rule ") || text.contains("[held ")) {
            return text;
        }
        let mut rest = text.into_owned();
        for (_, _, marker) in &self.entries {
            rest = rest.replace(marker.as_str(), "");
        }
        Cow::Owned(rest)
    }

    /// Whether a rule or held text stands anywhere in `text`.
    #[must_use]
    pub fn found_in(&self, text: &str) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_match(text))
    }
}
