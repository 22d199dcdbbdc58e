use super::*;

fn relation(old: &str, new: &str) -> Relation {
    Slot::of(old).relation(&Slot::of(new))
}

fn lifts(rule: &str, said: &str) -> Option<(Relation, bool)> {
    Release::of(said).map(|release| (release.relation(&Slot::of(rule)), release.explicit))
}

#[test]
fn bounds_are_ordered() {
    for (old, new) in [
        ("Never refund more than GBP 500 at once.", "Never refund more than GBP 300 at once."),
        ("Spend a maximum of 800 EUR on ads.", "Spend no more than 600 EUR on ads."),
        ("Refunds above 500 EUR require approval.", "Refunds above 200 EUR require approval."),
        ("Do not let the battery fall below 20 percent.", "Do not let the battery fall below 30 percent."),
        ("Never merge with fewer than 2 reviews.", "Never merge with fewer than 3 reviews."),
        ("Never push without asking me.", "Never push."),
        ("Do not call the customer unless it is urgent.", "Do not call the customer."),
        ("Please avoid logging e-mails where possible.", "Never log e-mails."),
    ] {
        assert_eq!(relation(old, new), Relation::Stricter, "{old} -> {new}");
        assert_eq!(relation(new, old), Relation::Looser, "{new} -> {old}");
    }
}

#[test]
fn another_object_or_qualifier_is_another_slot() {
    for (old, new) in [
        ("The project budget is a maximum of 500.", "The travel budget is a maximum of 300."),
        ("Never deploy to staging.", "From now on never deploy to production."),
        ("Never delete folder 3 of the archive.", "From now on never delete folder 5 of the archive."),
        ("Never send Anna's file to Ben.", "From now on never send Ben's file to Anna."),
        ("Never refund more than 500 EUR.", "Never pay more than 300 EUR."),
        ("Never deploy if the tests fail.", "Never deploy if it is Friday."),
        ("Never accept customers.", "Never accept new customers."),
        ("Do not write to customer 7 in English.", "Do not write to customer 8 in English."),
        ("Never store card numbers.", "Never store phone numbers."),
    ] {
        assert_eq!(relation(old, new), Relation::Other, "{old} -> {new}");
    }
}

#[test]
fn a_part_of_the_slot_is_near() {
    assert_eq!(relation("Never reject a refund.", "From now on never refund."), Relation::Near);
    let old = "Never spend more than 500 EUR on the project budget.";
    assert_eq!(relation(old, "Make that a maximum of 300."), Relation::Near);
    assert_eq!(relation("Refund a maximum of 500 per order.", "From now on refund a maximum of 300."), Relation::Near);
    assert_eq!(relation("Refund a maximum of 500 per order.", "Refund a maximum of 300."), Relation::Other);
    assert_eq!(relation("The project budget is a maximum of 500.", "From now on the travel budget is a maximum of 300."), Relation::Other);
}

#[test]
fn change_cues_are_heard_in_eight_languages() {
    for text in [
        "Now never refund more than 300.",
        "Never refund more than 300 instead.",
        "From now on, no more than 300.",
        "Change the refund limit to a maximum of 300.",
        "OK, please raise the limit to a maximum of 800.",
        "Forget what I said about refunds: never more than 300.",
        "Scratch that, no more than 300.",
        "No longer a maximum of 500, never more than 300.",
        "Make that a maximum of 300.",
        "Ab jetzt nie mehr als 300.",
        "Stattdessen maximal 300.",
        "Désormais, jamais plus de 300.",
        "A partir de ahora nunca más de 300.",
        "A partir de agora nunca mais de 300.",
        "从现在起不得超过300元。",
        "今後は300円を超えないこと。",
        "앞으로 300원을 초과하지 마세요.",
    ] {
        assert!(Slot::of(text).changes(), "{text}");
    }
    for text in [
        "Never refund more than 300.",
        "Never change the limit.",
        "Never raise prices to a maximum of 300.",
        "Don't forget the limit of 300.",
        "Never make it public.",
        "Nie mehr als 300.",
    ] {
        assert!(!Slot::of(text).changes(), "{text}");
    }
}

#[test]
fn cues_do_not_belong_to_the_slot() {
    let old = "Never refund more than 500 EUR per order.";
    for new in [
        "From now on never refund more than 300 EUR per order.",
        "Never refund more than 300 EUR per order instead of 500 EUR.",
        "Scratch that, never refund more than 300 EUR per order.",
        "Actually, please never refund more than 300 EUR per order now.",
    ] {
        assert_eq!(relation(old, new), Relation::Stricter, "{new}");
    }
    assert_eq!(relation("退款不得超过500元。", "从现在起退款不得超过300元。"), Relation::Stricter);
    assert_eq!(relation("Nie mehr als 500 Euro erstatten.", "Ab jetzt nie mehr als 800 Euro erstatten."), Relation::Looser);
}

#[test]
fn releases_name_what_they_lift() {
    for (rule, said) in [
        ("Never push without asking me.", "You no longer need to ask before pushing."),
        ("Never push without asking me first.", "You don't need to ask me before pushing any more."),
        ("Do not refund more than 500 EUR.", "Forget the limit of 500 EUR for refunds."),
        ("Never push to main.", "Forget what I said about pushing to main."),
        ("Never push to main.", "The rule about pushing to main no longer applies."),
        ("Never push to main.", "From now on you may push to main."),
        ("Pushing to main is forbidden.", "Pushing to main is no longer forbidden."),
        ("Pushe niemals ohne Rückfrage.", "Du musst vor dem Pushen nicht mehr rückfragen."),
    ] {
        let found = lifts(rule, said);
        assert_eq!(found, Some((Relation::Looser, true)), "{rule} <- {said}");
    }
}

#[test]
fn what_forbids_or_is_for_once_lifts_nothing() {
    for (rule, said) in [
        ("Never push to main.", "You may no longer push to main."),
        ("Never push to main.", "I need you to no longer push to main."),
        ("Never push to main.", "You must not push to main any more."),
        ("Never push to main.", "Do not push to main any longer."),
        ("Never push to main.", "You no longer need to push to main."),
        ("Never push to main.", "You can push to main now."),
        ("Never push to main without asking.", "You no longer need to ask before pushing to staging."),
        ("Never push to main.", "Don't forget what I said about pushing to main."),
        ("Never push without asking me.", "You no longer need to ask before pushing this time."),
        ("Never send reminders.", "Do not send any more reminders."),
    ] {
        let found = lifts(rule, said);
        assert!(!matches!(found, Some((Relation::Looser, true))), "{rule} <- {said}: {found:?}");
    }
    assert_eq!(lifts("Never push to main without asking.", "You no longer need to ask before pushing."), Some((Relation::Near, true)));
}
