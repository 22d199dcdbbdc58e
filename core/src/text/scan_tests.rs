use super::*;
use proptest::prelude::*;

fn kinds(text: &str) -> Vec<(Kind, &str)> {
    scan(text).iter().map(|item| (item.kind, item.span.of(text))).collect()
}

fn quoted(text: &str) -> Vec<&str> {
    scan(text).iter().filter(|item| item.zone == Zone::Quoted).map(|item| item.span.of(text)).collect()
}

fn own(text: &str) -> Vec<&str> {
    scan(text).iter().filter(|item| item.zone == Zone::Own).map(|item| item.span.of(text)).collect()
}

#[test]
fn wrapped_lines_are_one_item() {
    let text = "First line\nsecond line\n\n- item one\n  goes on\n- item two";
    assert_eq!(own(text), ["First line\nsecond line", "- item one\n  goes on", "- item two"]);
}

#[test]
fn blocks_of_every_kind_are_told_apart() {
    let text = "---\nname: x\n---\n# Top\nSub\n===\n1. one\n   - two\n***\n| a | b |\n|---|---|\n> q\n> r\n```\ncode\n\n```\nend";
    let found: Vec<Kind> = kinds(text).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        found,
        [
            Kind::FrontMatter,
            Kind::Heading { level: 1 },
            Kind::Heading { level: 1 },
            Kind::ListItem { depth: 0, ordered: true },
            Kind::ListItem { depth: 1, ordered: false },
            Kind::Rule,
            Kind::TableRow,
            Kind::TableRow,
            Kind::Quote,
            Kind::Fence,
            Kind::Paragraph,
        ]
    );
}

#[test]
fn lead_ins_and_headings_govern() {
    let text = "## Never\n\nDo not:\n- push\n  - to main\n- force\n\nOther text";
    let items = scan(text);
    assert_eq!(items.iter().map(|item| item.lead_in).collect::<Vec<_>>(), [None, None, Some(1), Some(2), Some(1), None]);
    assert!(items.iter().skip(1).all(|item| item.heading == Some(0)));
    assert_eq!(items[2].body.of(text), "push");
}

#[test]
fn fences_quotes_and_documents_are_quoted_and_the_author_resumes() {
    for text in [
        "Mine.\n```\ntheirs\n```\nMine.",
        "Mine.\n\n> theirs\n\nMine.",
        "Mine.\n<document>\ntheirs\n\n# theirs\n</document>\nMine.",
        "Mine.\n<file name=\"a.md\">theirs</file>\nMine.",
        "Mine. <email>theirs\ntheirs</email> Mine.",
        "Here is the e-mail:\n```\ntheirs\n```\nMine.",
        "Here is the e-mail:\n\n> theirs\n\nMine.",
        "Here is the e-mail:\n<email>\ntheirs\n</email>\nMine.",
        "Mine.\n\n$ cat x\ntheirs\n\nMine.",
        "Mine.\n2026-01-01 10:00:00 theirs\n2026-01-01 10:00:01 theirs\n\nMine.",
        "Mine.\n\n{\n  \"a\": \"theirs\"\n}\nMine.",
        "Mine.\n\nTraceback (most recent call last):\n  File \"theirs\", line 1\n\nMine.",
    ] {
        assert!(quoted(text).iter().any(|part| part.contains("theirs")), "{text}");
        assert!(own(text).iter().all(|part| !part.contains("theirs")), "{text}: {:?}", own(text));
        assert!(own(text).last().is_some_and(|part| part.ends_with("Mine.")), "{text}: {:?}", own(text));
        assert!(quoted(text).iter().all(|part| !part.contains("Mine")), "{text}: {:?}", quoted(text));
    }
}

#[test]
fn what_is_handed_over_without_a_fence_is_quoted_to_the_end() {
    for text in [
        "Mine.\n\nHere is the e-mail:\ntheirs\n\ntheirs\n- theirs",
        "Mine. Here's the message: theirs. theirs\ntheirs",
        "Mine.\n-----Original Message-----\ntheirs\n\ntheirs",
        "Mine.\nFrom: theirs\nSubject: theirs\n\ntheirs",
        "Mine.\n\nOn Monday, A wrote:\ntheirs",
        "Mine.\n```\ntheirs\n\ntheirs",
        "Mine.\nThe log says:\n\ntheirs",
        "## Mine\nContents of the file:\n# theirs\ntheirs",
    ] {
        assert!(own(text).iter().all(|part| !part.contains("theirs")), "{text}: {:?}", own(text));
        assert!(!own(text).is_empty() && !quoted(text).is_empty(), "{text}");
    }
}

#[test]
fn pasted_text_without_a_fence_is_quoted_to_the_end() {
    for text in [
        "Mine.\n\nOn Mon, 2 Mar 2026 at 10:00, Bob <b@x>\nwrote:\n\ntheirs",
        "Mine.\n\n____\nFrom: Bob <b@x.com>\n\ntheirs",
        "Mine.\n\n____\nFrom: b@x.com\n\ntheirs",
        "Mine.\n\nFrom: Bob Smith\nDate: 2 March 2026\n\ntheirs",
        "Mine.\n\nFrom: Bob Smith\nDate: Monday\n\ntheirs",
        "Mine.\n\nFwd: the plan\n\ntheirs",
        "Mine.\n\nBob replied:\n\ntheirs",
        "Mine.\n\nHere is the email I got from Bob.\n\ntheirs",
        "Mine.\n\nThis email came in today:\n\ntheirs",
        "Mine.\n\nBob sent me this:\ntheirs",
        "Mine.\n\nBob wrote:\n\ntheirs",
        "Mine.\n\nTranslate this text:\n\ntheirs",
        "Mine.\n\nReview this document:\ntheirs",
        "Mine.\n\nSummarize the following:\n\ntheirs\n\ntheirs",
        "Mine.\n\n[Attachment: notes.txt]\ntheirs",
        "Mine.\n\nFile: notes.txt\ntheirs\n\ntheirs",
        "Mine.\n\n=== README.md ===\ntheirs",
        "Mine.\n\n<file>\ntheirs\n\ntheirs",
        "Mine.\n\n[Tool result 1]\ntheirs",
        "Mine.\n\nTool output:\ntheirs",
        "Mine.\n\nEXECUTION RESULT of [execute_bash]:\ntheirs",
        "Mine.\n\n[read_file for 'a.txt'] Result:\ntheirs",
        "Mine.\n\nOBSERVATION:\ntheirs",
        "Mine.\n\n- ```sh\ntheirs\n\ntheirs",
    ] {
        assert!(own(text).iter().all(|part| !part.contains("theirs")), "{text}: {:?}", own(text));
        assert_eq!(own(text).first(), Some(&"Mine."), "{text}");
        assert!(quoted(text).iter().any(|part| part.contains("theirs")), "{text}");
    }
}

#[test]
fn pasted_text_with_an_end_lets_the_author_resume() {
    for text in [
        "Mine.\n\nMar  3 10:00:01 host app[1]: theirs\n\nMine.",
        "Mine.\n\n2026-03-01T10:00:01Z theirs\n\nMine.",
        "Mine.\n\n03/01/2026 10:00:01 theirs\n\nMine.",
        "Mine.\n\nweb_1  | theirs\n\nMine.",
        "Mine.\n\nnpm ERR! theirs\n\nMine.",
        "Mine.\n\nremote: theirs\n\nMine.",
        "Mine.\n\njava.lang.IllegalArgumentException: theirs\n\tat a.b(C.java:1)\n\nMine.",
        "Mine.\n\nfoo.py:12: DeprecationWarning: theirs\n\nMine.",
        "Mine.\n\nerror[E0001]: theirs\n --> src/a.rs:1:1\n\nMine.",
        "Mine.\n\nwarning: theirs\n --> src/a.rs:1:1\n\nMine.",
        "Mine.\n\n# cat x\ntheirs\n\nMine.",
        "Mine.\n\n% cat x\ntheirs\n\nMine.",
        "Mine.\n\n[root@host ~]# cat x\ntheirs\n\nMine.",
        "Mine.\n\n-----BEGIN NOTE-----\ntheirs\n\ntheirs\n-----END NOTE-----\nMine.",
        "Mine.\n\n@@ -1,2 +1,2 @@\n+theirs\n-theirs\n\nMine.",
        "Mine.\n\n-theirs\n+theirs\n\nMine.",
        "Mine.\n\n- ```sh\n  theirs\n  ```\n- Mine.",
        "Mine.\n\n1. ```\ntheirs\n```\n\nMine.",
        "Mine. ```sh\ntheirs\n```\nMine.",
        "Mine.\n\u{200b}```\ntheirs\n```\nMine.",
        "Mine.\n\n    theirs\n\n    theirs\nMine.",
        "Mine.\n\n\"\"\"\ntheirs\n\ntheirs\n\"\"\"\nMine.",
        "Mine.\n\n'''\ntheirs\n\ntheirs\n'''\nMine.",
        "Mine. <!-- theirs --> Mine.",
        "Mine.\n<!--\ntheirs\n\ntheirs -->\nMine.",
        "Mine.\n\n[10:01] Bob: theirs\n\nMine.",
        "Mine.\n\nBob (10:01): theirs\n\nMine.",
        "Mine.\n\nBob said: theirs\n\nMine.",
        "Mine.\n\nBob: theirs\n\nMine.",
        "Mine.\n\n10:01 Bob: theirs\n10:02 alice: theirs\n\nMine.",
        "Mine.\n\nBob  10:01 AM\ntheirs\n\nMine.",
        "Mine.\n\nAlice: theirs?\nBob: theirs\n\nMine.",
        "Mine. Bob: theirs\n\nMine.",
        "Mine. I told Bob: theirs\n\nMine.",
        "Mine.\n\nREADME.md: theirs\n\nMine.",
        "Mine.\n\n@@ -1,2 +1,3 @@\n a\n\n+ theirs\n\nMine.",
        "Mine.\n\n- theirs\n+ theirs\n\nMine.",
        "Mine.\n\n Mine\n+theirs\n\nMine.",
    ] {
        assert!(quoted(text).iter().any(|part| part.contains("theirs")), "{text}: {:?}", own(text));
        assert!(own(text).iter().all(|part| !part.contains("theirs")), "{text}: {:?}", own(text));
        assert!(own(text).first().is_some_and(|part| part.starts_with("Mine.")), "{text}: {:?}", own(text));
        assert!(own(text).last().is_some_and(|part| part.ends_with("Mine.")), "{text}: {:?}", own(text));
        assert!(quoted(text).iter().all(|part| !part.contains("Mine")), "{text}: {:?}", quoted(text));
    }
}

#[test]
fn own_words_that_look_a_little_like_pasted_text_stay_own() {
    for text in [
        "# Never\n- push",
        "Do not:\n-push\n-delete",
        "Do not:\n\n    - push\n    - delete",
        "    Indented all.\n\n    Never push.",
        "- a\n\n    goes on",
        "WARNING: never push.",
        "1.2.3 Never push\n1.2.4 Never delete",
        "Output: no more than 3 lines.",
        "Here is the file. Never edit it.",
        "Never use ```x``` in a comment.",
        "When you send an email:\n- never add links",
        "I said: never push.",
        "I told you: never push.",
        "Rule: never push.\nBudget: no more than 500.",
        "Note: never push.",
        "Wichtig: never push.\nRegel: never merge.",
        "Règle : never push.",
        "Tone: formal\nBudget: no more than 500\nBahnhof: never push",
        "- Bob: never push",
        "Thanks. Budget: no more than 500.",
        "config.yaml: never edit this file.",
        "+ never push\n+ never merge",
        "Lists:\n+ never push\n  unless I say so",
        "+ never push",
        "- a\n  + never push",
        "Never use \"\"\" in docs.\n\nNever push.",
        "Never write <!-- in a page.\n\nNever push.",
    ] {
        assert!(quoted(text).is_empty(), "{text}: {:?}", quoted(text));
    }
}

#[test]
fn wrapped_lines_of_a_forwarded_mail_stay_together() {
    let text = "Subject: x\nFrom: a@b\n\nYou must\nnot pay.";
    assert_eq!(quoted(text).last(), Some(&"You must\nnot pay."));
}

#[test]
fn own_lists_with_a_colon_hand_nothing_over() {
    for text in [
        "Here are the rules:\n- never push",
        "Never edit these files:\n- a.rs",
        "My limits: no more than 3.",
        "From: Berlin\nTo: Paris\nmine",
        "Vec<String> and a < b > c\nmine",
    ] {
        assert!(quoted(text).is_empty(), "{text}: {:?}", quoted(text));
    }
}

#[test]
fn a_closing_tag_inside_a_document_does_not_free_what_follows() {
    let text = "<document>\nx\n</document>\nNever ask.\n</document>\nMine.";
    assert_eq!(own(text), ["Mine."]);
}

#[test]
fn a_quoted_heading_governs_no_own_text() {
    let text = "# Mine\n<doc>\n# Theirs\n</doc>\ntext";
    let items = scan(text);
    assert_eq!(items.last().unwrap().heading, Some(0));
}

#[test]
fn line_ends_of_every_system_read_alike() {
    let unix = "# A\n\npara\nmore\n- x\n```\nc\n```\n";
    let shape = |text: &str| scan(text).iter().map(|item| (item.kind, item.line)).collect::<Vec<_>>();
    assert_eq!(shape(unix), shape(&unix.replace('\n', "\r\n")));
    assert_eq!(shape(unix), shape(&unix.replace('\n', "\r")));
}

#[test]
fn hard_texts_are_read_in_one_pass() {
    let deep: String = (0..2_000).map(|n| format!("{}- x\n", " ".repeat(n))).collect();
    for text in [
        "a".repeat(2_000_000),
        "<a1>".repeat(100_000),
        "<a1></a1>".repeat(50_000),
        "here is the mail: ".repeat(50_000),
        "> ".repeat(200_000),
        "- ".repeat(200_000),
        "```\n".repeat(100_001),
        "\0\n".repeat(100_000),
        "{\n".repeat(100_000),
        "From: x\n".repeat(50_000),
        ":\n- a\n".repeat(50_000),
        "-a\n".repeat(100_000),
        "-a\n-b\n\n".repeat(50_000),
        "+ a\n".repeat(100_000),
        "Bob: x\n".repeat(50_000),
        "a. Bob: x ".repeat(50_000),
        "<!-- ".repeat(100_000),
        "<!-- --> ".repeat(20_000),
        "a ``` ".repeat(50_001),
        "\"\"\"".repeat(20_001),
        "this: ".repeat(50_000),
        deep,
    ] {
        check_tiling(&text);
    }
}

fn check_tiling(text: &str) {
    let items = scan(text);
    let mut at = 0;
    for (index, item) in items.iter().enumerate() {
        assert!(item.span.start >= at && !item.span.is_empty(), "{item:?}");
        assert!(text.get(at..item.span.start).is_some_and(|gap| gap.trim().is_empty()), "lost before {item:?} in {text:?}");
        assert_eq!(item.span.of(text).trim(), item.span.of(text));
        assert!(item.body.start >= item.span.start && item.body.end <= item.span.end && text.is_char_boundary(item.body.start));
        assert!(item.lead_in.is_none_or(|lead| lead < index) && item.heading.is_none_or(|heading| heading < index));
        at = item.span.end;
    }
    assert!(text.get(at..).is_some_and(|rest| rest.trim().is_empty()), "lost at the end of {text:?}");
}

fn documents() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\n\n"),
        Just("- x"),
        Just("  1. y:"),
        Just("# h"),
        Just("==="),
        Just("---"),
        Just("> q"),
        Just("```"),
        Just("~~~~"),
        Just("<doc>"),
        Just("</doc>"),
        Just("Here is the mail: z"),
        Just("See below:"),
        Just("$ ls"),
        Just("2026-01-01 x"),
        Just("From: a"),
        Just("{\"a\":"),
        Just("}"),
        Just("| a |"),
        Just("Never é中."),
        Just("<!--"),
        Just("-->"),
        Just("\"\"\""),
        Just("-----BEGIN X-----"),
        Just("-----END X-----"),
        Just("    code"),
        Just("+x"),
        Just("+ x"),
        Just("Bob: x"),
        Just("Rule: x"),
        Just("10:01 Bob: x"),
        Just("a.md: x"),
        Just("-x"),
        Just("a ```"),
        Just("- ```"),
        Just("\u{200b}```"),
        Just("<file>"),
        Just("File: a.txt"),
        Just("B said: c"),
        Just(" "),
        Just("\u{2028}"),
        Just("\0"),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn items_tile_every_text(text in documents()) {
        check_tiling(&text);
    }

    #[test]
    fn items_tile_any_characters(text in "\\PC{0,60}") {
        check_tiling(&text);
    }
}

/// Texts of lines that are prose, and of lines that only look like it.
fn paragraphs() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("Never deploy on Fridays."),
        Just("the batch was read"),
        Just("412 rows failed "),
        Just("Here is the email I received."),
        Just("This email came in."),
        Just("Below is the log I got."),
        Just("npm ERR! code 1"),
        Just("Uncaught exception of it"),
        Just("Traceback (most recent call last)"),
        Just("thread 'main' panicked"),
        Just("diff --git a b"),
        Just("Begin forwarded message"),
        Just("begin it"),
        Just("ERROR no space"),
        Just("2026-11-30 started"),
        Just("1. one"),
        Just("1) one"),
        Just("a) one"),
        Just("12 one"),
        Just("don't '''quote'''"),
        Just("user@host ~ % cat x"),
        Just("sh-5# ls"),
        Just("at home (now)"),
        Just("Mar 3 is the day"),
        Just("x"),
        Just("a\tb"),
        Just("é"),
        Just("- item"),
        Just("    code"),
        Just("==="),
        Just("---"),
        Just("> quoted"),
        Just("Bob: never"),
        Just("Note: never"),
        Just(""),
        Just(" "),
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn prose_is_read_as_any_line_is(text in paragraphs(), document in documents()) {
        for text in [&text, &document, &format!("{text}\n{document}")] {
            let (found, parts) = (scan(text), scanned(text, Scanner::parts));
            prop_assert_eq!(format!("{found:?}"), format!("{parts:?}"), "{:?}", text);
        }
    }
}
