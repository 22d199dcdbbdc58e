//! Which lines begin somebody else's words.

use super::*;

#[test]
fn hand_over_lines_are_told_from_own_lists() {
    for line in [
        "Here is the e-mail:",
        "here's the log output:",
        "See below:",
        "The log says:",
        "Pasted below:",
        "contents of README.md file:",
        "Voici le mail :",
        "**Here is the email:**",
        "Do not reply. Here is the message:",
        "Here is the email I got from Bob.",
        "This email came in today:",
        "Bob sent me this:",
        "Bob wrote:",
        "wrote:",
        "Translate this text:",
        "Please review this document:",
        "Summarize the following:",
        "Tool output:",
        "EXECUTION RESULT of [execute_bash]:",
        "[read_file for 'a.txt'] Result:",
        "OBSERVATION:",
    ] {
        assert!(hands_over(line), "{line}");
    }
    for line in [
        "Here are the rules:",
        "Never edit these files:",
        "Follow these steps:",
        "Do not:",
        "Here is the e-mail",
        "",
        "For email, here are my constraints:",
        "Here is the file.",
        "Do this:",
        "Output:",
        "I said:",
        "Review the following rules:",
        "Check the following:",
        "When you send an email:",
    ] {
        assert!(!hands_over(line), "{line}");
    }
}

#[test]
fn files_show_by_their_labels() {
    for line in
        ["[Attachment: notes.txt]", "File: notes.txt", "=== README.md ===", "==> a/b.log <==", "[Tool result 3]", "**File:** `a.rs`"]
    {
        assert!(labels_file(line), "{line}");
    }
    for line in ["[a.txt](x)", "File: none", "File: never touch a.rs", "--- x ---", "[ ] task", "README.md", "[File upload] x"] {
        assert!(!labels_file(line), "{line}");
    }
}

#[test]
fn forwarded_mail_and_output_show_at_their_first_lines() {
    for line in [
        "-----Original Message-----",
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "On Tue, 3 Mar 2026, Ann wrote:",
    ] {
        assert!(forwards(line), "{line}");
    }
    assert!(!forwards("The original message was lost") && mail_header("From: Ann <a@b>") == Some(Header::Alone));
    assert!(mail_header("From: ").is_none() && mail_header("From: Berlin") == Some(Header::From));
    assert!(output("$ ls -la") == Some(Output::Sure) && output("Traceback (most recent call last):") == Some(Output::Sure));
    assert!(
        output("2026-03-01 12:00:01 start") == Some(Output::Sure)
            && output("2026-03-01 start") == Some(Output::Likely)
            && output("[ERROR] x") == Some(Output::Likely)
    );
    assert!(output("{\"a\": [1,") == Some(Output::Json) && output("$ 500 is the limit").is_none() && output("[link](x)").is_none());
    assert_eq!((bracket_depth("{\"a}\": ["), bracket_depth("]}")), (2, -2));
}

#[test]
fn a_name_before_a_colon_speaks_and_a_topic_does_not() {
    for line in [
        "Bob: never x",
        "Bob Smith: never x",
        "Dr. Smith: x",
        "Jean-Luc: x",
        "O'Brien: x",
        "Thomas: x",
        "**Bob:** x",
        "@bob: x",
        "@bob_42: x",
        "<bob> x",
        "10:01 Bob: x",
        "10:01:22 bob: x",
        "10:01 AM - Bob Smith: x",
        "(10:01) Bob: x",
        "Bob 10:01: x",
        "Bob, 10:01 PM",
        "Bob Smith  10:01",
        "User: x",
        "Priya: x",
    ] {
        assert_eq!(label(line), Some(Label::Person), "{line}");
    }
    for line in [
        "Rule: never x",
        "Rules: never x",
        "Important: never x",
        "Note: x",
        "Constraint: x",
        "Budget: max 500",
        "**Budget:** max 500",
        "Refunds: never x",
        "Deployment: never x",
        "Code Style: never x",
        "Hard Limit: never x",
        "Friday: never x",
        "Python: never x",
        "Claude: never x",
        "Wichtig: x",
        "Regel: x",
        "Hinweis: x",
        "Datensicherheit: x",
        "Einschränkung: x",
        "Règle : x",
        "Attention : x",
        "Budget : x",
        "Regla: x",
        "Restricción: x",
        "Límite: x",
        "Regola: x",
        "Regra: x",
        "Restrição: x",
        "Belangrijk: x",
        "10:00 Deployment: x",
        "IMPORTANT: x",
        "NEVER: x",
        "GitHub: x",
        "API: x",
        "max_tokens: never x",
        "rule: x",
        "Code style: never x",
        "My limits: x",
        "Bob:",
        "Never push: it breaks",
        "https://x.com: y",
        "- Bob: x",
        "10:00 is the start: x",
        "Правило: x",
        "规则：x",
    ] {
        assert_ne!(label(line), Some(Label::Person), "{line}");
    }
}

#[test]
fn what_was_told_to_somebody_else_is_no_word_to_the_agent() {
    for line in ["I told Bob:", "Bob told me:", "My boss always told us:", "I warned the team:", "According to Bob:", "Quote:"] {
        assert!(hands_over(line), "{line}");
    }
    for line in [
        "I told you:",
        "As I told you before:",
        "We reminded you:",
        "When asked:",
        "I told you about the limits:",
        "According to our rules:",
    ] {
        assert!(!hands_over(line), "{line}");
    }
}

#[test]
fn files_speak_by_their_names() {
    for line in ["README.md: never x", "`src/a.rs`: x", "docs/a.txt:never x", "notes.txt: x"] {
        assert!(file_says(line), "{line}");
    }
    for line in ["Node.js: never x", "example.com: x", "README: x", "config.yaml: never edit this file", "v1.2: x", "https://x.y: z"] {
        assert!(!file_says(line), "{line}");
    }
    assert!(labels_file("README.md:") && labels_file("**`a.rs`:**") && !labels_file("Node.js:"));
}
