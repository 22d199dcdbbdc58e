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
