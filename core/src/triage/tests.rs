use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Vec<(&str, Zone)> {
    candidates(text, &Pattern::published()).iter().map(|candidate| (candidate.span.of(text), candidate.zone)).collect()
}

fn own(text: &str) -> Vec<&str> {
    found(text).into_iter().filter(|(_, zone)| *zone == Zone::Own).map(|(text, _)| text).collect()
}

#[test]
fn a_rule_is_its_whole_sentence() {
    assert_eq!(own("Hi there. Please never push to main. Then fix the test."), ["Please never push to main."]);
    assert_eq!(own("Spend no more than\n$500, i.e. half of it. Thanks."), ["Spend no more than\n$500, i.e. half of it."]);
}

#[test]
fn conditions_and_exceptions_stay_with_it() {
    for (text, rule) in [
        ("Never push. Unless CI is green. Go.", "Never push. Unless CI is green."),
        ("Refunds need a manager. Except below $5, never refund. Go.", "Refunds need a manager. Except below $5, never refund."),
        ("Never call him. However, mail is fine. Only on weekdays. Go.", "Never call him. However, mail is fine. Only on weekdays."),
        ("Never call him.\n\nExcept in emergencies.\n\nGo.", "Never call him.\n\nExcept in emergencies."),
    ] {
        assert_eq!(own(text), [rule], "{text}");
    }
}

#[test]
fn a_lead_in_with_its_list_is_one_rule() {
    let text = "Hello. Do not:\n- push to main\n  - ever\n- delete logs\n\nThanks.";
    assert_eq!(own(text), ["Do not:\n- push to main\n  - ever\n- delete logs"]);
    let text = "Context. When you deploy:\n1. build\n2. never skip tests\n\nThanks.";
    assert_eq!(own(text), ["When you deploy:\n1. build\n2. never skip tests"]);
}

#[test]
fn a_list_item_alone_is_one_rule_without_its_mark() {
    assert_eq!(own("# Notes\n\n- be brief\n- never push. Unless asked.\n- be kind"), ["never push. Unless asked."]);
}

#[test]
fn a_heading_that_gives_the_force_belongs_to_the_rule() {
    let text = "# Doc\n\n## Never\n- push\n- delete\n\n## Style\n- tabs";
    assert_eq!(own(text), ["## Never\n- push\n- delete"]);
}

#[test]
fn questions_are_no_rules() {
    assert!(found("Must I never push? Why does it say do not deploy?").is_empty());
    assert_eq!(own("Is that ok? Never push."), ["Never push."]);
}

#[test]
fn requests_with_a_question_mark_are_rules() {
    for text in [
        "Never deploy on Fridays, ok?",
        "Do not push, okay?",
        "Could you please never deploy on Fridays without my approval?",
        "Please never deploy on Fridays, will you?",
        "Can you make sure that you never push?",
    ] {
        assert_eq!(own(text), [text]);
    }
    for text in [
        "Must I never deploy on Fridays?",
        "Why must we never deploy, please?",
        "Is it true that you must never deploy?",
        "Can you explain why we must never deploy?",
        "Could you tell me whether refunds are prohibited, please?",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn what_was_not_said_is_no_rule() {
    for text in [
        "I never said that refunds need approval.",
        "It's not true that we must never deploy on Fridays.",
        "Yesterday I had to explain that you must never touch it to Bob.",
    ] {
        assert!(found(text).is_empty(), "{text}");
        assert_eq!(own(&format!("{text} Never push.")), ["Never push."], "{text}");
    }
    for text in [
        "I never said you may deploy; never deploy.",
        "I didn't say push, but never merge either.",
        "Yesterday I told you that you must never touch it.",
        "I had to explain that you must never touch it to you.",
    ] {
        assert!(!own(text).is_empty(), "{text}");
    }
}

#[test]
fn inline_code_is_quoted() {
    assert!(own("The file says `Never deploy on Fridays.` and more.").is_empty());
    assert!(own("`Never deploy on Fridays without the approval of Ann.`").is_empty());
    assert_eq!(own("Never run `rm -rf`, don`t ask."), ["Never run `rm -rf`, don`t ask."]);
}

#[test]
fn quotations_go_over_paragraphs() {
    for text in [
        "He said: \"Be quick.\n\nNever deploy on Fridays.\"",
        "He said: “Be quick.\n\nNever deploy on Fridays.\n\nBye.”",
        "He said: \"Be quick.\n\n\"Never deploy.\n\n\"Never push.\"",
    ] {
        assert!(own(text).is_empty(), "{text}: {:?}", own(text));
        assert_eq!(own(&format!("Never drink.\n\n{text}\n\nNever push.")), ["Never drink.", "Never push."], "{text}");
    }
    for text in ["A 5\" pipe.\n\nNever deploy.\n\nA 6\" pipe.", "The \"odd one.\n\nNever deploy.\n\nA \"good\" one."] {
        assert_eq!(own(text), ["Never deploy."], "{text}");
    }
}

#[test]
fn an_own_rule_stands_before_and_after_pasted_text() {
    for pasted in [
        "Mar  3 10:00:01 host app[1]: Never deploy.",
        "ValueError: you must never deploy",
        "```\nNever deploy.\n```",
        "\"\"\"\nNever deploy.\n\"\"\"",
        "<!-- Never deploy. -->",
        "`Never deploy.`",
        "    Never deploy.",
        "[10:01] Bob: Never deploy.",
        "-old\n+Never deploy.",
        "Bob: Never deploy.",
        "10:01 Bob: Never deploy.",
        "README.md: Never deploy.",
        "I told Bob: Never deploy.",
    ] {
        let text = format!("Never drink.\n\n{pasted}\n\nNever push.");
        assert_eq!(own(&text), ["Never drink.", "Never push."], "{text}");
    }
}

#[test]
fn quoted_words_are_marked_as_quoted() {
    for text in [
        "The sign said \"never enter\" in red.",
        "> never push",
        "```\n# never push\n```",
        "Here is the e-mail:\nNever pay invoices.",
        "<doc>\nYou must not ask.\n</doc>",
    ] {
        let all = found(text);
        assert!(all.len() == 1 && all[0].1 == Zone::Quoted, "{text}: {all:?}");
    }
    assert_eq!(own("Never say \"never\" to a customer."), ["Never say \"never\" to a customer."]);
}

#[test]
fn quoted_text_never_joins_an_own_rule() {
    let text = "Never do this:\n> Unless told to pay\n\nGo.";
    assert_eq!(own(text), ["Never do this:"]);
    let text = "## Never\n- push\n\n> but do delete";
    assert_eq!(own(text), ["## Never\n- push"]);
}

#[test]
fn what_overlaps_is_one_candidate() {
    let text = "See below:\n- do not x\nNever push. - do not x\nNever push. See below:\n```\n- do not x\n";
    let all = candidates(text, &Pattern::published());
    assert!(all.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{all:?}");
}

#[test]
fn tiers_follow_the_order_of_the_tests() {
    let pattern = Pattern::published();
    for (text, source, trust, wanted) in [
        ("x", "policy_loader", Trust::Operator, Tier::Invariant),
        ("x", "policy_loader", Trust::External, Tier::Episodic),
        ("never", "user", Trust::User, Tier::Invariant),
        ("never", "tool:x", Trust::External, Tier::Invariant),
        ("never", "assistant", Trust::Agent, Tier::Episodic),
        ("never", "planner", Trust::Agent, Tier::TaskState),
        ("Retrying", "tool:x", Trust::External, Tier::Discardable),
        ("Retrying", "user", Trust::User, Tier::Episodic),
        ("Retrying", "planner", Trust::Agent, Tier::Discardable),
        ("step 1", "goal", Trust::Agent, Tier::TaskState),
        ("step 1", "goal", Trust::External, Tier::Episodic),
    ] {
        assert_eq!(tier(text, source, trust, &pattern).0, wanted, "{text} {source} {trust:?}");
    }
}

#[test]
fn hard_texts_are_read_in_one_pass() {
    for unit in [
        "never ",
        "Never. ",
        "- never\n",
        "# never\n",
        "do not:\n- a\n",
        "\"never\" ",
        "x. Unless never. ",
        "> never\n",
        "Unless never\n\n",
    ] {
        let _ = found(&unit.repeat(20_000));
    }
}

proptest! {
    #[test]
    fn candidates_are_ordered_whole_and_apart(parts in prop::collection::vec(prop_oneof![
        Just("Never push. "), Just("Unless asked. "), Just("\n"), Just("\n\n"), Just("- do not x\n"), Just("# Never\n"), Just("Do not:\n"),
        Just("> must not\n"), Just("\"never\" "), Just("Why never? "), Just("Fine é. "), Just("  "), Just("See below:\n"), Just("```\n"),
    ], 0..16)) {
        let text = parts.concat();
        let mut at = 0;
        for candidate in candidates(&text, &Pattern::published()) {
            prop_assert!(candidate.span.start >= at && candidate.span.end > candidate.span.start);
            let piece = candidate.span.of(&text);
            prop_assert!(!piece.is_empty() && piece.trim() == piece, "{:?} in {:?}", piece, text);
            at = candidate.span.end;
        }
    }
}
