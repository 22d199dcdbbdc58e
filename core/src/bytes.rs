//! Looks at eight bytes at once: most text has few bytes that matter to a search, and megabytes are searched.
//!
//! ```
//! # use standfast::bytes::Eight;
//! let eight = Eight::at(b"a \"word\" and more", 0).unwrap();
//! assert!(eight.any_is(b'"') && !eight.any_is(b'#') && !eight.any_below(b' ') && !eight.any_wide());
//! ```

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = EACH << 7;

/// Eight bytes.
#[derive(Debug, Clone, Copy)]
pub struct Eight(u64);

impl Eight {
    /// How many bytes there are.
    pub const LEN: usize = 8;

    /// The bytes from `at` on; nothing where fewer are left.
    #[inline]
    #[must_use]
    pub fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let (first, _) = bytes.get(at..)?.split_first_chunk()?;
        Some(Self(u64::from_le_bytes(*first)))
    }

    /// Whether any of them is below `limit`, which is at most 128.
    #[inline]
    #[must_use]
    pub fn any_below(self, limit: u8) -> bool {
        // a byte below it borrows into its high bit; the first one that does is surely below
        self.0.wrapping_sub(EACH * u64::from(limit)) & !self.0 & HIGH != 0
    }

    /// Whether any of them is `byte`.
    #[inline]
    #[must_use]
    pub fn any_is(self, byte: u8) -> bool {
        Self(self.0 ^ (EACH * u64::from(byte))).any_below(1)
    }

    /// Whether any of them is outside ASCII.
    #[inline]
    #[must_use]
    pub fn any_wide(self) -> bool {
        self.0 & HIGH != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_question_is_answered_as_byte_by_byte(bytes in any::<[u8; 8]>(), limit in 0_u8..=128, byte in any::<u8>(), near in 0_usize..8) {
            let mut bytes = bytes;
            for round in 0..3 {
                let eight = Eight::at(&bytes, 0).unwrap();
                prop_assert_eq!(eight.any_below(limit), bytes.iter().any(|b| *b < limit));
                prop_assert_eq!(eight.any_is(byte), bytes.contains(&byte));
                prop_assert_eq!(eight.any_wide(), !bytes.is_ascii());
                // then with the byte itself and one next to it
                bytes[near] = if round == 0 { byte } else { limit };
                bytes[(near + 1) % 8] = byte.wrapping_add(1);
            }
            prop_assert!(Eight::at(&bytes, 1).is_none());
        }
    }
}
