//! What a text costs, estimated.

/// Tokens of `text`: a quarter of its characters, rounded up.
#[must_use]
pub fn estimate(text: &str) -> u32 {
    u32::try_from(text.chars().count().div_ceil(4)).unwrap_or(u32::MAX)
}
