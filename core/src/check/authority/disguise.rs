//! Sentences that hide what they say: base64, turned letters, digits for letters.

use super::super::lexicon::{EMPTY, NUMBER};
use super::super::stems::{Words, known};

/// What a sentence hides; none that is plain already.
pub(super) fn hidden(sentence: &str, words: &Words<'_>) -> Option<String> {
    if !sentence.is_ascii() {
        return None;
    }
    encoded(sentence).or_else(|| spelled_in_digits(sentence, words)).or_else(|| turned(sentence, words))
}

/// Fewer words are a name or a code.
const FEWEST: usize = 5;

/// A sentence with each letter turned by thirteen places, where that gives one its small words, and none stands there as it is.
fn turned(sentence: &str, words: &Words<'_>) -> Option<String> {
    let small = |words: &Words<'_>| words.list.iter().filter(|word| word.is(EMPTY) && word.end - word.start > 1).count();
    if words.list.len() < FEWEST || small(words) > 0 {
        return None;
    }
    let turn = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from(c as u8 + 13),
        'n'..='z' | 'N'..='Z' => char::from(c as u8 - 13),
        c => c,
    };
    let text: String = sentence.chars().map(turn).collect();
    (small(&known(&text)) > 1).then_some(text)
}

/// A sentence with letters for the digits that stand in the middle of its words, where many do.
fn spelled_in_digits(sentence: &str, words: &Words<'_>) -> Option<String> {
    let digits = words.list.iter().filter(|word| word.is(NUMBER)).count();
    if digits < 4 || digits * 2 < words.list.len() {
        return None;
    }
    let letter = |c: char| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        c => c,
    };
    let mixed = |word: &&str| word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_lowercase());
    let many = sentence.split(' ').filter(mixed).count() > 3;
    many.then(|| sentence.chars().map(letter).collect())
}

/// The text that a long word of base64 holds; what is no ASCII in it is not read.
fn encoded(sentence: &str) -> Option<String> {
    let mut text = String::new();
    let (mut bits, mut length) = (0_u32, 0);
    for b in sentence.bytes().chain([b' ']) {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ if length >= 24 => break,
            _ => {
                text.clear();
                length = 0;
                continue;
            }
        };
        bits = (bits << 6) | u32::from(digit);
        length += 1;
        if length % 4 != 1 {
            let byte = (bits >> (6 - 2 * ((length + 3) % 4))) as u8;
            text.push(char::from(byte));
        }
    }
    // a nested one is not looked for
    let plain = text.bytes().all(|b| (b' '..0x7f).contains(&b));
    (length >= 24 && plain && text.contains(' ') && text.split(' ').all(|word| word.len() < 24)).then_some(text)
}
