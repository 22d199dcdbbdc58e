use proptest::prelude::*;

use super::*;

fn one<'a>(topic: &'a str, polarity: Polarity, reason: &'a str) -> Decision<'a> {
    Decision { topic, polarity, reason }
}

fn fault(decision: Decision<'_>, summary: &str) -> Option<Fault> {
    check(&[decision], summary).first().map(|finding| finding.fault)
}

#[test]
fn a_refusal_stays_a_refusal_in_other_words() {
    let queue = || one("moving the queue to Redis", Polarity::Rejected, "operators have no experience with it");
    for kept in [
        "The queue won't move to Redis, operators lack experience.",
        "Redis for the queue: turned down (no experience among operators).",
        "They looked at moving the queue to Redis. It was refused, nobody among the operators has experience.",
        "The queue stays where it is and does not move to Redis; operators lack experience with it.",
    ] {
        assert_eq!(fault(queue(), kept), None, "{kept}");
    }
    for flipped in [
        "The queue moves to Redis, where operators gain experience.",
        "Redis was chosen for the queue; operators have experience.",
        "The move of the queue to Redis is postponed until operators have experience.",
    ] {
        assert_eq!(fault(queue(), flipped), Some(Fault::Flipped), "{flipped}");
    }
}

#[test]
fn an_earlier_decision_is_turned_round_by_a_plain_one_only() {
    let known = topics("We rejected the second lift because it blocks the fire door. The old gate was kept.");
    for line in ["The second lift was adopted because it is faster.", "We chose the second lift."] {
        assert_eq!(Deciding::of(line).turning(&[&known]), [line]);
    }
    for line in [
        "The second lift was rejected.",
        "The second lift is postponed until May.",
        "A second ramp was adopted because it is cheap.",
        "We adopted the lift.",
        "Nobody spoke of the second lift.",
    ] {
        assert!(Deciding::of(line).turning(&[&known]).is_empty(), "{line}");
    }
    let both = topics("We rejected the second lift. Later the second lift was adopted after all.");
    assert!(Deciding::of("The second lift was adopted.").turning(&[&both]).is_empty());
}

#[test]
fn what_waits_is_not_decided() {
    let audit = || one("external audit", Polarity::Deferred, "the auditor's quote is missing");
    assert_eq!(fault(audit(), "The external audit is still open, the auditor's quote is missing."), None);
    assert_eq!(fault(audit(), "External audit: later, once the quote of the auditor is in."), None);
    assert_eq!(fault(audit(), "The external audit was agreed with the auditor and the quote."), Some(Fault::Flipped));
    assert_eq!(fault(audit(), "The external audit was rejected, as the auditor's quote is missing."), Some(Fault::Flipped));
}

#[test]
fn what_was_taken_is_not_refused() {
    let port = || one("serial port for the scale", Polarity::Accepted, "network drops packets");
    assert_eq!(fault(port(), "The scale gets a serial port because the network drops packets."), None);
    assert_eq!(
        fault(port(), "The serial port for the scale, discussed at length, was rejected: network drops packets."),
        Some(Fault::Flipped)
    );
    assert_eq!(fault(port(), "No serial port for the scale, the network drops packets."), Some(Fault::Flipped));
    assert_eq!(fault(port(), "A serial port for the scale was put off, although the network drops packets."), Some(Fault::Flipped));
    let none = one("no alcohol at the fair", Polarity::Accepted, "insurance");
    assert_eq!(fault(none, "There will be no alcohol at the fair, for insurance."), None);
}

#[test]
fn refusals_of_refusals_are_no_refusals() {
    let format = || one("dropping the old format", Polarity::Rejected, "two readers need it");
    assert_eq!(fault(format(), "The old format can't be dropped, two readers need it."), None);
    assert_eq!(fault(format(), "The old format is dropped although two readers need it."), Some(Fault::Flipped));
    let tent = || one("tent for the market", Polarity::Rejected, "wind");
    assert_eq!(fault(tent(), "The tent for the market was not rejected despite the wind."), Some(Fault::Flipped));
    assert_eq!(fault(tent(), "Nothing speaks against a tent for the market, wind or not."), Some(Fault::Flipped));
}

#[test]
fn a_date_alone_does_not_put_off() {
    let clerk = || one("hiring a second clerk", Polarity::Deferred, "rent talks come first");
    assert_eq!(fault(clerk(), "A second clerk is hired after the rent talks."), Some(Fault::Flipped));
    assert_eq!(fault(clerk(), "No second clerk before the rent talks are over."), None);
    let lamp = one("lamp in the yard", Polarity::Accepted, "dark evenings");
    assert_eq!(fault(lamp, "A lamp in the yard was proposed for the dark evenings."), Some(Fault::Flipped));
}

#[test]
fn what_stays_is_not_changed() {
    let baker = || one("changing the baker", Polarity::Accepted, "late bread");
    assert_eq!(fault(baker(), "The baker stays in spite of late bread."), Some(Fault::Flipped));
    assert_eq!(fault(baker(), "The baker is changed for late bread."), None);
    let grid = || one("moving the map to hex tiles", Polarity::Rejected, "files grow");
    assert_eq!(fault(grid(), "The map stays away from hex tiles, files would grow."), None);
    let bell = || one("keeping the school bell", Polarity::Accepted, "parents like it");
    assert_eq!(fault(bell(), "The school bell is abolished, although parents like it."), Some(Fault::Flipped));
    assert_eq!(fault(bell(), "The school bell remains, since parents like it."), None);
}

#[test]
fn what_is_given_up_does_not_stay() {
    let fax = || one("dropping the fax line", Polarity::Accepted, "nobody calls it");
    assert_eq!(fault(fax(), "The fax line is no longer run, nobody calls it."), None);
    assert_eq!(fault(fax(), "The fax line is retained, nobody calls it."), Some(Fault::Flipped));
    assert_eq!(fault(fax(), "The fax line won't be dropped, nobody calls it."), Some(Fault::Flipped));
}

#[test]
fn what_waits_is_not_finished() {
    let sign = one("new sign for the shop", Polarity::Deferred, "font is missing");
    assert_eq!(fault(sign, "The new sign for the shop is complete, the font was missing."), Some(Fault::Flipped));
    let label = one("second gate", Polarity::Rejected, "steep slope");
    assert_eq!(fault(label, "Yard: one lamp. Rejected: the second gate, as the slope is steep."), None);
    let fee = one("fee for late books", Polarity::Rejected, "readers complain");
    assert_eq!(fault(fee, "There is a fee for late books now, whether or not readers complain."), Some(Fault::Flipped));
}

#[test]
fn a_reason_must_come_along() {
    let roof = || one("flat roof", Polarity::Rejected, "snow load of 240 kg");
    assert_eq!(fault(roof(), "The flat roof was rejected. The kitchen is finished."), Some(Fault::ReasonLost));
    assert_eq!(fault(roof(), "The flat roof was rejected: snow load of 420 kg."), Some(Fault::ReasonChanged));
    assert_eq!(fault(roof(), "The flat roof was rejected: snow load of 240 kg."), None);
    assert_eq!(fault(roof(), "The kitchen is finished."), Some(Fault::Dropped));
}

#[test]
fn two_decisions_of_one_kind_are_told_apart() {
    let both =
        [one("paper size A4", Polarity::Accepted, "fits the folders"), one("paper size A5", Polarity::Rejected, "too small for the table")];
    assert_eq!(check(&both, "Paper size is A4, it fits the folders. A5 is excluded, too small for the table."), []);
    let flipped = check(&both, "Paper size A5 it is, small as the table is. A4 was dropped although it fits the folders.");
    assert_eq!(flipped.iter().map(|f| (f.decision, f.fault)).collect::<Vec<_>>(), [(0, Fault::Flipped), (1, Fault::Flipped)]);
}

#[test]
fn other_languages_are_read() {
    for (topic, polarity, kept, flipped) in [
        ("Umstieg auf Glasfaser", Polarity::Rejected, "Den Umstieg auf Glasfaser gibt es nicht.", "Der Umstieg auf Glasfaser kommt."),
        ("terrasse en bois", Polarity::Rejected, "Pas de terrasse en bois.", "La terrasse sera en bois."),
        ("horario de verano", Polarity::Deferred, "El horario de verano queda pendiente.", "Hay horario de verano."),
        ("数据库迁移", Polarity::Rejected, "数据库迁移被拒绝了。", "进行数据库迁移。"),
    ] {
        assert_eq!(fault(one(topic, polarity, ""), kept), None, "{kept}");
        assert_eq!(fault(one(topic, polarity, ""), flipped), Some(Fault::Flipped), "{flipped}");
    }
}

#[test]
fn decisions_of_a_text_are_found_with_their_reason() {
    let text =
        "The build ran. We chose the blue theme because it prints well. He wrote \"we rejected it\" once.\n\n- Dark mode was postponed.";
    let found = decisions(text);
    let seen: Vec<_> = found.iter().map(|d| (d.polarity, d.reason)).collect();
    assert_eq!(seen, [(Polarity::Accepted, "because it prints well."), (Polarity::Deferred, "")]);
}

#[test]
fn long_texts_take_no_longer_than_their_length() {
    let text: String = (0..10_000).map(|n| format!("We rejected lane {n} because of noise {}. ", n % 7)).collect();
    let made = decisions(&text);
    assert_eq!(made.len(), 10_000);
    assert_eq!(check(&made, &text).iter().filter(|finding| finding.fault == Fault::Flipped).count(), 0);
    for unit in ["a", ".", "7", "(", "[", "不"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let _ = check(&decisions(&text), &text);
    }
    for unit in ["(", "no ", "rejected, ", "because ", "不", ". "] {
        let text = unit.repeat(50_000);
        let _ = check(&decisions(&text), &text);
    }
}

proptest! {
    #[test]
    fn any_two_texts_are_compared(a in "\\PC{0,60}", b in "\\PC{0,60}", reason in "\\PC{0,20}") {
        let _ = decisions(&a);
        let _ = check(&[one(&a, Polarity::Rejected, &reason)], &b);
    }
}

#[test]
fn a_text_that_tells_a_decision_is_never_passed_over() {
    assert!(!may_tell("The build ran for 12 minutes; 3 of 40 tests failed."));
    for entry in super::super::lexicon::listed_words(REFUSES | PUTS_OFF | DECIDES) {
        for text in [format!("The second press: {entry}."), format!("{entry} the second press"), format!("(We {entry}, as it is loud)")] {
            assert!(decisions(&text).is_empty() || may_tell(&text), "{text}");
        }
    }
    for proposal in ["The motion", "Our plan", "Der Antrag"] {
        for fate in ["passed", "failed", "fails"] {
            let text = format!("{proposal} on the second press {fate}.");
            assert_eq!(decisions(&text).len(), 1, "{text}");
            assert!(may_tell(&text), "{text}");
        }
    }
}

#[test]
fn who_stops_to_think_puts_nothing_off() {
    for text in ["Wait, let me look at the second press again.", "Wait — the second press is not on this floor."] {
        assert!(decisions(text).is_empty(), "{text} {:?}", decisions(text));
    }
    assert_eq!(decisions("Wait with the second press until May.").len(), 1);
}

#[test]
fn a_choice_turned_round_is_flipped() {
    for (source, summary) in [
        ("We will go with paper maps, because the signal is weak.", "The idea of paper maps was rejected, because the signal is weak."),
        ("We settled on a wooden jetty; stone is dear.", "The idea of a wooden jetty was voted down; stone is dear."),
        (
            "We postpone the new buoys, because the crane is broken.",
            "The new buoys are decided and come, because the crane is broken. It goes on with the next pier.",
        ),
        ("We are not going to use plastic floats, because they break.", "The choice fell on plastic floats, because they break."),
        ("We chose rope over chain because it floats.", "The choice was chain over rope because it floats."),
    ] {
        let made = decisions(source);
        let found = check(&made, summary);
        assert!(found.iter().any(|finding| finding.fault == Fault::Flipped), "{source} {made:?} {found:?}");
    }
    for (source, summary) in [
        ("We chose rope over chain because it floats.", "Rope was chosen instead of chain because it floats."),
        (
            "We postpone the new buoys, because the crane is broken.",
            "The new buoys were discussed. They come next year, the crane is broken.",
        ),
    ] {
        let found = check(&decisions(source), summary);
        assert!(!found.iter().any(|finding| finding.fault == Fault::Flipped), "{source} {found:?}");
    }
}

#[test]
fn what_things_do_is_no_decision() {
    for plain in
        ["The queue drops messages over 4 KB.", "The retry delays the next job by a second.", "Order 14 is waiting for the courier."]
    {
        assert!(decisions(plain).is_empty(), "{plain}");
    }
    for made in ["The owner drops the winch plan.", "We dropped the winch.", "The winch waits for the audit."] {
        assert_eq!(decisions(made).len(), 1, "{made}");
    }
}

#[test]
fn proposals_pass_and_fail() {
    let polarity = |text: &str| decisions(text).first().map(|made| made.polarity);
    assert_eq!(polarity("The motion for a second winch failed."), Some(Polarity::Rejected));
    assert_eq!(polarity("The proposal of a second winch passed."), Some(Polarity::Accepted));
    assert_eq!(polarity("The test of the winch failed."), None);
}
