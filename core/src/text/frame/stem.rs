//! Words to stems: suffixes off, cut to a length. Crude, the same for every language written in Latin letters.

/// Longest stem, in bytes.
const LONGEST: usize = 8;

/// Endings that are taken off if enough is left: those with a last letter, the longest first.
fn endings(last: Option<&u8>) -> &'static [&'static str] {
    match last {
        Some(b'n') => &["ization", "isation", "ation", "ition", "ungen", "ion", "en"],
        Some(b's') => &["ements", "ments", "ness", "ies", "es", "s"],
        Some(b't') => &["ement", "ment"],
        Some(b'e') => &["ance", "ence", "able", "ible"],
        Some(b'y') => &["ally", "ly"],
        Some(b'g') => &["ing", "ung"],
        Some(b'd') => &["ied", "ed"],
        Some(b'r') => &["er", "or", "ar", "ir"],
        Some(b'o') => &["acao", "ado", "ido"],
        Some(b'a') => &["ada", "ida"],
        Some(b'l') => &["al"],
        _ => &[],
    }
}

/// A hash of a text (FNV-1a), for comparison within one run.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, b| (sum ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// The stem of a word in skeleton form.
pub(crate) fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word;
    }
    let word = word.strip_suffix("'s").unwrap_or(word).trim_end_matches('\'');
    let mut out = word;
    // a plural may hide another ending
    for _ in 0..2 {
        let mut endings = endings(out.as_bytes().last()).iter();
        let found = endings.find_map(|end| out.strip_suffix(end).filter(|rest| fits(rest, end)));
        let Some(rest) = found else { break };
        let plural = out.len() - rest.len() == 1;
        // "verification" is of "verify"
        out = rest.strip_suffix("ic").filter(|_| rest.ends_with("ific") && rest.len() > 5).unwrap_or(rest);
        if !plural {
            break;
        }
    }
    if out.len() == word.len() && word.len() == 4 && word.ends_with("ed") {
        out = word.get(..3).unwrap_or(word);
    }
    if out.len() > 3 {
        out = out.strip_suffix(['e', 'y', 'i']).unwrap_or(out);
    }
    if out.len() > 6 {
        out = out.strip_suffix(['a', 'o']).unwrap_or(out);
    }
    let mut last = out.bytes().rev();
    if out.len() > 3 && last.next() == last.next() {
        out = out.get(..out.len() - 1).unwrap_or(out);
    }
    out.get(..LONGEST).unwrap_or(out)
}

/// Whether what is left of a word without an ending can be its stem.
fn fits(rest: &str, end: &str) -> bool {
    let least = match end {
        "s" => return rest.len() >= 3 && !rest.ends_with(['s', 'u', 'i']),
        "ado" | "ido" | "ada" | "ida" | "acao" | "ar" | "ir" => return rest.len() >= 4,
        "es" => return rest.len() >= 3 && (rest.ends_with("sh") || rest.ends_with("ch") || rest.ends_with(['s', 'x', 'z'])),
        "en" | "er" | "or" | "al" | "able" | "ance" | "ence" | "ment" => 4,
        _ => 3,
    };
    rest.len() >= least && rest.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            &["deploy", "deploys", "deployed", "deploying", "deployments"][..],
            &["approve", "approval", "approved", "approves"],
            &["stop", "stopped", "stopping"],
            &["category", "categories"],
            &["release", "released", "releases"],
            &["call", "calls", "calling"],
        ] {
            assert!(
                forms.windows(2).all(|pair| stem(pair[0]) == stem(pair[1])),
                "{forms:?} {:?}",
                forms.iter().map(|f| stem(f)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn short_words_stay() {
        assert_eq!([stem("is"), stem("the"), stem("bus"), stem("class")], ["is", "the", "bus", "clas"]);
    }
}
