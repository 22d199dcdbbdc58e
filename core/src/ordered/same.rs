//! Which of many texts are the same.

/// For each text the place of the first one that is the same.
///
/// Texts are put in order by a number made of their bytes; two of one number are compared, so any texts will do.
pub(crate) fn firsts(texts: &[&str]) -> Vec<usize> {
    let text = |place: usize| texts.get(place).copied().unwrap_or_default();
    let mut order: Vec<(u64, usize)> = Vec::with_capacity(texts.len());
    for (place, text) in texts.iter().enumerate() {
        order.push((number(text.as_bytes()), place));
    }
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| text(a.1).cmp(text(b.1))).then(a.1.cmp(&b.1)));
    let mut out = vec![0; texts.len()];
    let mut first = (0, usize::MAX);
    for (number, place) in order {
        if first.0 != number || text(first.1) != text(place) || first.1 == usize::MAX {
            first = (number, place);
        }
        if let Some(slot) = out.get_mut(place) {
            *slot = first.1;
        }
    }
    out
}

/// A number made of some bytes, the same on every platform. Others may have it too.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    let mut all = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        all = mixed(all, u64::from_le_bytes(*word));
    }
    mixed(all, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

fn mixed(all: u64, word: u64) -> u64 {
    (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_text_has_the_first_that_is_the_same(texts in proptest::collection::vec("[ab]{0,3}|call_[0-9]|.{0,12}", 0..60)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let wanted: Vec<usize> = texts.iter().map(|text| texts.iter().position(|other| other == text).unwrap()).collect();
            prop_assert_eq!(firsts(&texts), wanted);
        }
    }

    #[test]
    fn texts_of_one_number_are_told_apart() {
        // zero bytes weigh nothing within a word of eight, but the length does
        assert_eq!(number(b"\0a"), number(b"\0a"));
        assert_eq!(firsts(&["", "\0", "a", "\0a", "", "a"]), [0, 1, 2, 3, 0, 2]);
    }
}
