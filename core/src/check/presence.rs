//! Is every rule where it must be, byte for byte?

use crate::error::{Code, Error, Result};
use crate::json;
use crate::ordered::Map;
use crate::pinned;
use crate::receipt::Finding;
use crate::rule::Rule;
use crate::text::sentinel::{self, PINNED_FOOTER, PINNED_HEADER};

/// Fingerprints of the rules that do not stand as exactly one entry of `block`, in their order.
#[must_use]
pub fn missing(block: &str, rules: &[&Rule]) -> Vec<String> {
    let framed = rules.is_empty() || (block.starts_with(&format!("{PINNED_HEADER}\n")) && block.ends_with(&format!("\n{PINNED_FOOTER}")));
    // every entry begins at one of these places: one pass, not one for each rule
    let mut places: Map<&str, Vec<usize>> = Map::new();
    for (at, opening) in block.match_indices("\n- [") {
        let name = block.get(at + opening.len()..).and_then(|rest| rest.split(']').next());
        places.change(name.unwrap_or_default(), Vec::new(), |places| places.push(at));
    }
    let (mut missing, mut from) = (Vec::new(), 0);
    for rule in rules {
        let entry = format!("\n{}\n", pinned::entry(&rule.fingerprint, &rule.text));
        let named = places.get(rule.fingerprint.as_str()).into_iter().flatten().copied();
        let found: Vec<usize> = named.filter(|at| block.get(*at..).is_some_and(|rest| rest.starts_with(&entry))).collect();
        match found.as_slice() {
            [at] if framed && *at >= from => from = at + entry.len() - 1,
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
    /// All other texts, our own memory message left out.
    pub other: &'a [String],
    /// What users and operators say in it: neither tool results nor the agent's words.
    pub said: &'a [String],
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
            .with("missing", json::value(&missing)));
        }
        if outgoing.other.iter().any(|text| text.contains(block)) {
            findings.push(Finding::new("block_copy", "request", "none"));
        }
    }
    let gone: Vec<&str> = fresh
        .iter()
        .filter(|rule| !outgoing.said.iter().chain(outgoing.system).any(|text| text.contains(&rule.text)))
        .map(|rule| rule.fingerprint.as_str())
        .collect();
    if !gone.is_empty() {
        return Err(Error::new(Code::InvariantLost, format!("{} rules said since the last compaction are missing", gone.len()))
            .with("missing", json::value(&gone)));
    }
    if outgoing.other.iter().any(|text| sentinel::has_imitation(text)) {
        findings.push(Finding::new("block_imitation", "request", "none"));
    }
    Ok(findings)
}
