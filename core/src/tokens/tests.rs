use super::*;
use proptest::prelude::*;

#[test]
fn a_spaced_word_costs_the_same_either_way() {
    for letters in 1..40 {
        for hard in 0..letters {
            let word = Letters { small: letters, hard, ..Letters::default() };
            assert_eq!(spaced_price(letters, hard), word.price(Lead::Space));
        }
    }
    for text in [" word", " Word", " wördchen", " ab12", " rhythmstrng", " a", " camelCase", "  two", " don't"] {
        let mut cursor = Cursor { text, at: 0 };
        let small = text.bytes().skip(1).take_while(u8::is_ascii_lowercase).count();
        let whole = text.as_bytes().get(1 + small).is_none_or(u8::is_ascii);
        assert_eq!(cursor.spaced_word().map_or(0, |(letters, _)| letters), if whole { small as u64 } else { 0 }, "{text}");
    }
}

proptest! {
    #[test]
    fn whole_lines_add_up(lines in prop::collection::vec("[#-]( ?[a-zA-Zé語😀 0-9.,;:'\"\\n\r\t-]{0,30})", 0..8)) {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        let sum = lines.iter().map(|line| sixteenths(line)).sum();
        prop_assert_eq!(of_sixteenths(sum), estimate(&lines.concat()));
    }

    #[test]
    fn letters_are_counted_alike_either_way(text in "[a-zA-Zéя]{0,24}") {
        let (mut narrow, mut wide) = (Letters::default(), Letters::default());
        for c in text.chars() {
            let taken = wide.take(class(c), c);
            prop_assert_eq!(taken, if c.is_ascii() { narrow.take_narrow(u8::try_from(c).ok()) } else { narrow.take(class(c), c) });
            prop_assert_eq!((narrow.hard, narrow.run, narrow.small, narrow.capitals), (wide.hard, wide.run, wide.small, wide.capitals));
        }
    }
}

#[test]
fn nothing_is_free_and_empty_is_zero() {
    assert_eq!((estimate(""), upper("")), (0, 0));
    for text in ["a", " ", "\n", "1", "-", "é", "я", "中", "😀", "\u{200b}", "\0"] {
        assert!(estimate(text) >= 1, "{text:?}");
        assert!(upper(text) >= estimate(text), "{text:?}");
    }
}

#[test]
fn known_sentences_come_close() {
    for (text, truth) in [
        ("Never delete the audit log.", 6),
        ("Ask before every deployment to production.", 7),
        ("fn main() { println!(\"{}\", 12345); }", 14),
        ("don't", 1),
    ] {
        assert!(estimate(text).abs_diff(truth) <= 2, "{text}: {}", estimate(text));
        assert!(upper(text) >= truth, "{text}");
    }
}

#[test]
fn a_repeated_text_costs_in_proportion() {
    let line = "Keep a copy of every invoice, 2019-2024, in `s3://bucket/x`; never the originals. ";
    let (once, ten) = (estimate(line), estimate(&line.repeat(10)));
    assert!(ten >= once * 9 && ten <= once * 11, "{once} {ten}");
}

#[test]
fn hard_runs_are_read_in_one_pass() {
    for unit in ["a", " ", "\n", "A", "7", "=", "😀", "中", "x9", "\r\n", "\u{301}", "aGVsbG8h"] {
        let text = unit.repeat(300_000);
        assert!(upper(&text) >= estimate(&text), "{unit:?}");
    }
}
