//! SHA-256 digests: of texts, of host messages in canonical form, and the chain over a history.
//!
//! [`of_message`] reads any JSON value to the same 32 bytes in every language: keys sorted, integral numbers without a
//! fraction, integers beyond 2^53 as decimal text, other floats in their shortest form.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

use crate::json::{self, FromValue};
use crate::reads;

/// A SHA-256 digest. Its text form is 64 hexadecimal digits; [`Digest::name`] gives the first 16.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent))]
pub struct Digest(#[cfg_attr(feature = "schema", schemars(with = "String"))] [u8; 32]);

const HEX: &[u8; 16] = b"0123456789abcdef";

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// The chain digest after `next`: over this digest and the next.
    #[must_use]
    pub fn chain(self, next: Digest) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(next.0);
        Self(hasher.finalize().into())
    }

    /// 64 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        hex(&self.0)
    }

    /// The first 16 hexadecimal digits, the name by which a rule is shown.
    #[must_use]
    pub fn name(self) -> String {
        hex(self.0.get(..8).unwrap_or_default())
    }

    /// The first 32 hexadecimal digits: enough to recognize a history, half the size.
    #[must_use]
    pub fn short(self) -> String {
        hex(self.0.get(..16).unwrap_or_default())
    }

    /// The lowest and the highest digest with the same [`Digest::name`].
    #[must_use]
    pub fn same_name(self) -> (Self, Self) {
        let (mut low, mut high) = ([0_u8; 32], [0xff_u8; 32]);
        for ((from, low), high) in self.0.iter().zip(&mut low).zip(&mut high).take(8) {
            (*low, *high) = (*from, *from);
        }
        (Self(low), Self(high))
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0_u8; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

/// A digest that is written as 43 characters of base64, for snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Compact(pub Digest);

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The digit of the low six bits.
fn digit(bits: u32) -> char {
    DIGITS.get((bits & 63) as usize).copied().map_or('A', char::from)
}

impl Compact {
    /// The text form.
    pub(crate) fn text(self) -> String {
        // 256 bits and two more make 43 digits of six bits
        let (mut text, mut bits, mut held) = (String::with_capacity(43), 0_u32, 0_u32);
        for byte in self.0.0 {
            (bits, held) = ((bits << 8) | u32::from(byte), held + 8);
            while held >= 6 {
                held -= 6;
                text.push(digit(bits >> held));
            }
        }
        text.push(digit(bits << (6 - held)));
        text
    }

    pub(crate) fn parse(text: &str) -> Option<Digest> {
        let (mut bytes, mut bits, mut held) = (Vec::with_capacity(32), 0_u32, 0_u32);
        for digit in text.bytes() {
            let value = DIGITS.iter().position(|known| *known == digit)?;
            (bits, held) = ((bits << 6) | u32::try_from(value).ok()?, held + 6);
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
            }
        }
        // the last digit holds two bits of nothing
        let spare = text.len() == 43 && bits & 3 == 0;
        bytes.try_into().ok().filter(|_| spare).map(Digest)
    }
}

impl Serialize for Compact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl FromValue for Compact {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        Self::parse(&String::from_value(value)?).map(Self).ok_or_else(|| json::Error::of("expected 43 characters of base64"))
    }
}

reads! { @serde Compact }

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(HEX.get(usize::from(n)).copied().unwrap_or(b'0'));
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl FromValue for Digest {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        Self::parse(&String::from_value(value)?).ok_or_else(|| json::Error::of("expected 64 hexadecimal digits"))
    }
}

reads! { @serde Digest }

/// The digest of a host message: SHA-256 over its canonical JSON.
///
/// ```
/// # use serde_json::json;
/// # use standfast::digest::of_message;
/// assert_eq!(of_message(&json!({"a": 1.0, "b": 2})), of_message(&json!({"b": 2, "a": 1})));
/// ```
#[must_use]
pub fn of_message(message: &Value) -> Digest {
    let mut hasher = Sha256::new();
    feed(&mut hasher, message);
    Digest(hasher.finalize().into())
}

fn feed(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hasher.update(b"null"),
        Value::Bool(true) => hasher.update(b"true"),
        Value::Bool(false) => hasher.update(b"false"),
        Value::Number(number) => feed_number(hasher, number),
        Value::String(text) => feed_text(hasher, text),
        Value::Array(items) => {
            hasher.update(b"[");
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    hasher.update(b",");
                }
                feed(hasher, item);
            }
            hasher.update(b"]");
        }
        Value::Object(map) => {
            hasher.update(b"{");
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    hasher.update(b",");
                }
                feed_text(hasher, key);
                hasher.update(b":");
                feed(hasher, item);
            }
            hasher.update(b"}");
        }
    }
}

/// A text as its length and raw bytes: no escaping, and no two texts alike.
fn feed_text(hasher: &mut Sha256, text: &str) {
    hasher.update(b"\"");
    hasher.update(text.len().to_string());
    hasher.update(b":");
    hasher.update(text);
}

const MAX_SAFE: u64 = 1 << 53;

/// All digits of a whole number of at least 2^53.
fn large(float: f64) -> String {
    const LIMB: u64 = 1_000_000_000;
    let bits = float.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // lowest first
    let mut limbs = vec![mantissa % LIMB, mantissa / LIMB];
    for _ in 1075..(bits >> 52) & 0x7ff {
        let mut carry = 0;
        for limb in &mut limbs {
            let doubled = *limb * 2 + carry;
            (*limb, carry) = (doubled % LIMB, doubled / LIMB);
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut digits = if float < 0.0 { "-".to_owned() } else { String::new() };
    for (at, limb) in limbs.iter().rev().enumerate() {
        digits += &if at == 0 { limb.to_string() } else { format!("{limb:09}") };
    }
    digits
}

fn feed_number(hasher: &mut Sha256, number: &Number) {
    let float = number.as_f64().unwrap_or_default();
    let (negative, size) = match (number.as_u64(), number.as_i64()) {
        (Some(n), _) => (false, n),
        (_, Some(n)) => (true, n.unsigned_abs()),
        _ if float.fract() != 0.0 => return hasher.update(number.to_string()),
        _ if float.abs() >= 18_446_744_073_709_551_616.0 => return feed_text(hasher, &large(float)),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number in range")]
        _ => (float < 0.0, float.abs() as u64),
    };
    let digits = format!("{}{size}", if negative { "-" } else { "" });
    if size > MAX_SAFE { feed_text(hasher, &digits) } else { hasher.update(digits) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn all_digits_are_written(exponent in 53_i32..1024, mantissa: u64, negative: bool) {
            let float = f64::from_bits((u64::try_from(exponent + 1023).unwrap() << 52) | (mantissa >> 12) | (u64::from(negative) << 63));
            prop_assert_eq!(large(float), format!("{float:.0}"));
        }

        #[test]
        fn the_short_form_is_base64(bytes: [u8; 32], other in "[A-Za-z0-9_-]{42,44}") {
            let text = Compact(Digest(bytes)).text();
            prop_assert_eq!(&text, &URL_SAFE_NO_PAD.encode(bytes));
            prop_assert_eq!(Compact::parse(&text), Some(Digest(bytes)));
            let decoded = URL_SAFE_NO_PAD.decode(&other).ok().and_then(|bytes| bytes.try_into().ok()).map(Digest);
            prop_assert_eq!(Compact::parse(&other), decoded);
        }
    }

    #[test]
    fn integral_floats_equal_integers() {
        assert_eq!(of_message(&json!(-0.0)), of_message(&json!(0)));
        assert_eq!(of_message(&json!(3.0)), of_message(&json!(3)));
        assert_ne!(of_message(&json!(3.5)), of_message(&json!(3)));
    }

    #[test]
    fn integers_beyond_2_53_equal_their_decimal_text() {
        let text = json!("9007199254740994");
        assert_eq!(of_message(&json!(9_007_199_254_740_994_u64)), of_message(&text));
        assert_eq!(of_message(&json!(9_007_199_254_740_994.0)), of_message(&text));
        assert_ne!(of_message(&json!(9_007_199_254_740_992_u64)), of_message(&json!("9007199254740992")));
    }

    #[test]
    fn texts_cannot_run_into_each_other() {
        assert_ne!(of_message(&json!(["a", "b"])), of_message(&json!(["a\",\"b"])));
    }

    #[test]
    fn hex_round_trips() {
        let digest = Digest::of("x");
        assert_eq!(Digest::parse(&digest.hex()), Some(digest));
        assert!(digest.hex().starts_with(&digest.name()) && digest.name().len() == 16);
        let (low, high) = digest.same_name();
        assert!(low < digest && digest < high && low.name() == high.name());
    }
}
