//! Whether two words are forms of one, or only begin alike: "approved" and "approval", not "taxable" and "taxed".

use super::stem::stem;
use crate::text::skeleton::skeleton;
use crate::text::words::listed;

/// How a word stands to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kin {
    /// A form of it, or another word altogether.
    Other,
    /// Begins like it and is another word.
    Alike,
    /// Means its opposite, by its beginning or its ending.
    Opposite,
}

/// Endings that make another word, by what they say: without it, with it, able to be it.
const MEANINGS: [&str; 3] = ["frei los less free", "pflichtig gebunden haltig voll ful", "able ible abel bar fahig avel ivel avei ivei"];

/// Beginnings that say not.
const NOT: &str = "un in im ir il non dis des";

/// What may follow the part that two forms of a word share.
const TAILS: &str = " e y i s d n t r a o es ed er en em et te ten ter tes st ies ied ier ily ing ion ions al als ers ly ally \
ment ments ement ements ness ance ence ances ences ation ations ization isation ition itions ive ative ate ates ated ating ung ungen c ic \
ical ically cally ual ial as os ar ir ada ado adas ados ida ido idas idos ando endo cion ciones cao coes acion aciones acao acoes ee ees ption ptions ication ications bed be bes bing ";

/// The length of what two words share at the beginning.
fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// The length of a word without the ending that makes it another, and the place of that among the meanings.
fn meaning(word: &str) -> (usize, usize) {
    for tail in ["", "e", "s", "n", "es", "en", "er", "em"] {
        let Some(rest) = word.strip_suffix(tail) else { continue };
        for (at, endings) in MEANINGS.iter().enumerate() {
            let base = endings.split(' ').find_map(|ending| rest.strip_suffix(ending));
            // "disclose" is not without discs
            if let Some(base) = base.filter(|base| base.len() > 3 && !base.ends_with("sc")) {
                return (base.len(), at + 1);
            }
        }
    }
    (word.len(), 0)
}

/// Whether one word is another with a beginning that says not.
fn negates(a: &str, b: &str) -> bool {
    let rest = NOT.split(' ').filter_map(|not| a.strip_prefix(not).filter(|rest| rest.len() + not.len() / 3 > 4));
    a.len() > b.len() / 2 + 2 && rest.into_iter().any(|rest| stem(rest) == stem(b))
}

/// How a word stands to another.
pub(crate) fn kin(a: &str, b: &str) -> Kin {
    // most pairs begin with other letters, and not with one that may begin a word for not
    let other = |a: u8, b: u8| !a.eq_ignore_ascii_case(&b) && ![a, b].iter().any(|byte| b"uind".contains(&(byte | 0x20)));
    let first = |word: &str| word.bytes().next().filter(|_| word.is_ascii());
    if let (Some(a), Some(b)) = (first(a), first(b))
        && other(a, b)
    {
        return Kin::Other;
    }
    let (mut a, mut b) = (skeleton(a), skeleton(b));
    a.make_ascii_lowercase();
    b.make_ascii_lowercase();
    if negates(&a, &b) || negates(&b, &a) {
        return Kin::Opposite;
    }
    let ((base, one), (other_base, other)) = (meaning(&a), meaning(&b));
    let shared = shared(&a, &b);
    if one != other && shared > 2 && shared + 2 >= base.min(other_base) {
        return if one == 1 || other == 1 { Kin::Opposite } else { Kin::Alike };
    }
    let known = |tail: &str| tail.is_empty() || listed(TAILS, tail);
    let end = |word: &str, from: usize| {
        let tail = word.get(from..).unwrap_or("-");
        let tail = tail.strip_suffix("'s").unwrap_or(tail);
        // "stop" and "stopped"
        let double = from > 0 && word.as_bytes().get(from) == word.as_bytes().get(from - 1);
        known(tail) || double && known(tail.get(1..).unwrap_or_default())
    };
    // "autorización" and "autorizado" share a letter of their endings
    let form = (0..3).any(|back| end(&a, shared.saturating_sub(back)) && end(&b, shared.saturating_sub(back)));
    let thing = a.get(..shared) == Some("product") && a.contains("ion") != b.contains("ion");
    if stem(&a) == stem(&b) && (thing || !form) { Kin::Alike } else { Kin::Other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_told_from_words_that_begin_alike() {
        for (a, b, expected) in [
            ("genehmigungspflichtig", "genehmigungsfreie", Kin::Opposite),
            ("genehmigungspflichtige", "genehmigungspflichtigen", Kin::Other),
            ("meldefrei", "meldepflichtigen", Kin::Opposite),
            ("unencrypted", "Encrypted", Kin::Opposite),
            ("sugarless", "sugar", Kin::Opposite),
            ("recoverable", "recovered", Kin::Alike),
            ("Kundendatenbank", "Kundendaten", Kin::Alike),
            ("contractors", "contracts", Kin::Alike),
            ("production", "products", Kin::Alike),
            ("stop", "stopped", Kin::Other),
            ("category", "categories", Kin::Other),
            ("approve", "approval", Kin::Other),
            ("administrator's", "administrator", Kin::Other),
            ("Mitarbeiter", "Mitarbeitern", Kin::Other),
            ("autorización", "autorizado", Kin::Other),
            ("delete", "erase", Kin::Other),
            ("table", "tables", Kin::Other),
        ] {
            assert_eq!((kin(a, b), kin(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
