//! The pinned block (F1).

use crate::text::sentinel::{PINNED_FOOTER, PINNED_HEADER};

/// Renders the block.
#[must_use]
pub fn render<'a>(rules: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let entries: Vec<String> = rules.map(|(name, text)| format!("- [{name}] {text}\n")).collect();
    if entries.is_empty() { String::new() } else { format!("{PINNED_HEADER}\n{}{PINNED_FOOTER}", entries.concat()) }
}

/// Trims (R4).
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
