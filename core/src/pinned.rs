//! The pinned block: the active rules, byte for byte, between two fixed lines (F1).
//!
//! [`render`] writes it, [`fingerprint`] names its entries. The block is a pure function of what it is given: same
//! rules in the same order, same bytes.
//!
//! ```
//! # use standfast::pinned::{fingerprint, render};
//! let text = "Never email customers.";
//! let name = fingerprint(text).name();
//! let block = render([(name.as_str(), text)].into_iter());
//! assert!(block.ends_with(&format!("\n- [{name}] Never email customers.\n## END CONSTRAINTS")));
//! ```

use crate::digest::Digest;
use crate::text::sentinel::{PINNED_FOOTER, PINNED_HEADER};

/// A text without the white space around it: Rust's trim set and the four separators U+001C to U+001F (R4).
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

/// The identity of a rule: SHA-256 of its trimmed raw text.
#[must_use]
pub fn fingerprint(text: &str) -> Digest {
    Digest::of(trim(text))
}

/// One entry of the block, without a line break at its end.
#[must_use]
pub fn entry(fingerprint: &str, text: &str) -> String {
    format!("- [{fingerprint}] {text}")
}

/// The block of these fingerprints and texts, in this order. Empty without rules. Line breaks inside a text stay.
pub fn render<'a>(rules: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut block = String::new();
    for (fingerprint, text) in rules {
        if block.is_empty() {
            block.push_str(PINNED_HEADER);
        }
        block.push('\n');
        block.push_str(&entry(fingerprint, text));
    }
    if !block.is_empty() {
        block.push('\n');
        block.push_str(PINNED_FOOTER);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_header_entries_footer() {
        let block = render([("0011223344556677", "One."), ("8899aabbccddeeff", "Two\n  lines.")].into_iter());
        let wanted = "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)\n- [0011223344556677] One.\n- [8899aabbccddeeff] Two\n  lines.\n## END CONSTRAINTS";
        assert_eq!(block, wanted);
        assert_eq!(render(std::iter::empty()), "");
    }

    #[test]
    fn trimming_is_part_of_the_identity_and_nothing_else_is() {
        assert_eq!(trim("\u{1c}\u{a0} \u{3000}a b\u{1f}\u{85}\n"), "a b");
        assert_eq!(trim("\u{feff}a\u{200b}"), "\u{feff}a\u{200b}");
        assert_eq!(fingerprint(" Never.\n"), fingerprint("Never."));
        assert_ne!(fingerprint("Never."), fingerprint("never."));
        assert_eq!(fingerprint("Patient is allergic to penicillin.").name().len(), 16);
    }
}
