//! Is every rule where it must be, byte for byte?

use crate::error::{Code, Error, Result};
use crate::pinned;
use crate::receipt::Finding;
use crate::rule::Rule;
use crate::text::sentinel::{self, PINNED_FOOTER, PINNED_HEADER};

/// Fingerprints of the rules that do not stand as exactly one entry of `block`, in their order.
#[must_use]
pub fn missing(block: &str, rules: &[&Rule]) -> Vec<String> {
    let mut missing = Vec::new();
    let framed = rules.is_empty() || (block.starts_with(&format!("{PINNED_HEADER}\n")) && block.ends_with(&format!("\n{PINNED_FOOTER}")));
    let mut rest = block;
    for rule in rules {
        let entry = format!("\n{}\n", pinned::entry(&rule.fingerprint, &rule.text));
        let mut places = rest.match_indices(&entry);
        match (places.next(), places.next()) {
            (Some((at, _)), None) if framed && block.matches(&entry).count() == 1 => {
                rest = rest.get(at + entry.len() - 1..).unwrap_or_default();
            }
            _ => missing.push(rule.fingerprint.clone()),
        }
    }
    missing
}

/// What stands in an outgoing request.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// Texts of the system slot and of system or developer messages.
    pub system: &'a [String],
    /// All other texts.
    pub other: &'a [String],
}

/// Asserts that the block stands exactly once in the system slot, and that each rule promoted since the last commit
/// stands in the request (W2, W4).
///
/// # Errors
/// `invariant_lost` with the fingerprints that are missing.
pub fn assert_request(outgoing: Outgoing<'_>, block: &str, pinned: &[&Rule], fresh: &[&Rule]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    if !block.is_empty() {
        let times: usize = outgoing.system.iter().map(|text| text.matches(block).count()).sum();
        if times != 1 {
            let all: Vec<&str> = pinned.iter().map(|rule| rule.fingerprint.as_str()).collect();
            let gone: Vec<&str> = pinned
                .iter()
                .filter(|rule| {
                    times > 1 || !outgoing.system.iter().any(|text| text.contains(&pinned::entry(&rule.fingerprint, &rule.text)))
                })
                .map(|rule| rule.fingerprint.as_str())
                .collect();
            let missing = if gone.is_empty() { all } else { gone };
            return Err(Error::new(
                Code::InvariantLost,
                format!("the pinned block stands {times} times in the system slot; it must stand once"),
            )
            .with("times", times)
            .with("missing", serde_json::json!(missing)));
        }
        if outgoing.other.iter().any(|text| text.contains(block)) {
            findings.push(Finding::new("block_copy", "request", "none"));
        }
    }
    let gone: Vec<&str> = fresh
        .iter()
        .filter(|rule| !outgoing.other.iter().chain(outgoing.system).any(|text| text.contains(&rule.text)))
        .map(|rule| rule.fingerprint.as_str())
        .collect();
    if !gone.is_empty() {
        return Err(Error::new(Code::InvariantLost, format!("{} rules said since the last compaction are missing", gone.len()))
            .with("missing", serde_json::json!(gone)));
    }
    if outgoing.other.iter().any(|text| sentinel::has_imitation(text)) {
        findings.push(Finding::new("block_imitation", "request", "none"));
    }
    Ok(findings)
}
