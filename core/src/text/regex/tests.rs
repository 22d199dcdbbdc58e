//! What is read means what it means to regex-lite.

use super::*;
use proptest::prelude::*;

/// All matches of both, as regex-lite goes through a text: an empty one is passed by one character.
fn same(pattern: &str, text: &str) -> Result<bool, String> {
    let Some(ours) = Regex::new(pattern) else { return Ok(false) };
    let theirs = regex_lite::Regex::new(pattern).map_err(|_| format!("{pattern:?} is no pattern to regex-lite"))?;
    for from in (0..=text.len()).filter(|from| text.is_char_boundary(*from)) {
        let (ours, theirs) = (ours.find(text, from), theirs.find_at(text, from).map(|found| (found.start(), found.end())));
        if ours != theirs {
            return Err(format!("{pattern:?} in {text:?} from {from}: {ours:?}, and to regex-lite {theirs:?}"));
        }
    }
    Ok(true)
}

#[test]
fn what_policies_say() {
    for pattern in [
        crate::text::pattern::CONSTRAINT_SHAPED,
        crate::text::pattern::DISCARDABLE_SHAPED,
        r"(?i)\b(?:nie(?:mals)?|nicht\s+ohne|darf\s+nicht)\b",
        r"^(?:rule|policy)\s*[:#]\s*\S+",
        r"(?m)^\s*-\s+\[[ xX]\]\s",
        r"[^\W\d_]{3,}-\d{2,4}",
        r"(?P<n>a|ab)(?<m>c|bcd)(d*)",
        r"(?s).{3}\z",
        r"[[:upper:]][[:^space:]]+",
        r"(?i:no)t(?-i:X)",
        r"a{2}b{1,}c{0,2}?d??",
        r"\x41\u0042\U00000043\x{44}",
        r"()|x*|(?:a*)*b",
    ] {
        for text in ["", "You must not ship. Never. Rule: X-12", "darf nicht\n- [x] do ABC-123 notX noTx aabccd ABCD abcd é💡"] {
            assert_eq!(same(pattern, text), Ok(true));
        }
    }
}

#[test]
fn what_is_no_pattern() {
    for pattern in
        ["(", ")", "a)", "[a", "[z-a]", "*", "a**b{", "a{2,1}", r"\", r"\q", "(?z)", "(?<1>a)", "[a&&b]", r"\x{110000}", "a{1000}{1000}"]
    {
        assert!(Regex::new(pattern).is_none() || regex_lite::Regex::new(pattern).is_ok(), "{pattern}");
    }
    let class: String = (0..2_000_u32).map(|n| char::from_u32(0x4e00 + 2 * n).unwrap()).collect();
    assert!(Regex::new(&format!("[{class}]{{90}}")).is_some());
    assert!(Regex::new(&format!("[{class}]{{9000}}")).is_none());
    assert!(Regex::new(&"(".repeat(100_000)).is_none());
    assert!(Regex::new(&"(?:".repeat(100_000)).is_none());
}

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        "é",
        ".",
        "^",
        "$",
        r"\b",
        r"\B",
        r"\d",
        r"\W",
        "[ab]",
        "[^a]",
        "[a-cé]",
        r"[\s\D-]",
        "[[:alpha:]]",
        "(?i)",
        "(?m)",
        "(?s)",
        r"\.",
        "1",
        "A",
        r"\n",
        "",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}|{b}")),
            (inner.clone(), prop::sample::select(vec!["(", "(?:", "(?i:", "(?-i:", "(?P<n>"])).prop_map(|(a, open)| format!("{open}{a})")),
            (inner, prop::sample::select(vec!["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}?", "{1,}"]))
                .prop_map(|(a, n)| format!("(?:{a}){n}")),
        ]
    })
}

#[test]
fn a_loop_in_a_loop_goes_on_where_it_was() {
    for pattern in ["(?:a|a|(?:.)*?)*", "(?:a|.*?)*", "(?:(?:ab)*?|a)*", "(?:(?:.)*)*?b", "(?:(?:a*)*?|.)*"] {
        for text in ["a .", "ab a", "", "bab."] {
            assert_eq!(same(pattern, text).map(|_| ()), Ok(()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn generated_patterns_find_the_same(pattern in pattern(), text in "[abAé1 \n.]{0,12}") {
        prop_assert_eq!(same(&pattern, &text).map(|_| ()), Ok(()));
    }

    #[test]
    fn any_text_as_a_pattern_ends(pattern in r"[ab(|)*+?\[\]{}^$\\.,0-9:iP<>-]{0,14}", text in "[ab1 ]{0,8}") {
        prop_assert_eq!(same(&pattern, &text).map(|_| ()), Ok(()));
    }
}
