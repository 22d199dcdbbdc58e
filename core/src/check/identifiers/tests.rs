use proptest::prelude::*;

use super::*;
use crate::trust::Trust;

const SOURCE: &str = "Move reports.daily_totals from db-west-2 (10.1.4.7, port 5433) before 9 April 2026. Branch fix/lane-swap, commit \
    4be77a1c90de, ticket LANE-2210, see https://wiki.example.net/p/8812 and src/lanes/swap_table.rs. Budget 12,500 EUR, limit 40 percent. \
    Valve 17 opened at 08:15 and closed at 08:40. Write to ops_2@example.net; id 5b0e3c1a-22f0-4f5e-8a01-77d0c2b1e9aa; MAX_LANES=6, \
    release 3.4.1, box 00412.";

fn found(summary: &str) -> Vec<(Fault, &str, Vec<&str>)> {
    let source = Source::of(&[(Trust::Agent, SOURCE)]);
    check(summary, &source).into_iter().map(|f| (f.fault, f.text, f.origins)).collect()
}

#[test]
fn what_stands_in_the_source_in_any_form_is_no_fault() {
    for kept in [
        "daily_totals moves from db-west-2 by 2026-04-09.",
        "12500 EUR (EUR 12.5k) at 40 %.",
        "Commit 4be77a1 on fix/lane-swap, see swap_table.rs and wiki.example.net/p/8812.",
        "Valve 17 stood open for 25 minutes, from 8:15 to 8:40.",
        "ID 5B0E3C1A-22F0-4F5E-8A01-77D0C2B1E9AA for v3.4.1; port 5433 at 10.1.4.7.",
        "1. Two lanes of 6 are left\n2. Nothing else, 3 people know",
        "Round 4: about 41 percent, p95 is fine, UTF-8 too.",
        "",
    ] {
        assert_eq!(found(kept), [], "{kept}");
    }
}

#[test]
fn near_misses_of_every_kind_are_changes() {
    for (summary, origin) in [
        ("It is LANE-2201.", "LANE-2210"),
        ("It is in src/lane/swap_table.rs", "src/lanes/swap_table.rs"),
        ("see https://wiki.example.net/p/8821", "https://wiki.example.net/p/8812"),
        ("on 10.1.4.17", "10.1.4.7"),
        ("release 3.4.2 is out", "3.4.1"),
        ("due 19 April 2026", "9 April 2026"),
        ("at most 12,050 EUR", "12,500 EUR"),
        ("mail ops-2@example.net", "ops_2@example.net"),
        ("5b0e3c1a-22f0-4f5e-8a01-77d0c2b1e9a", "5b0e3c1a-22f0-4f5e-8a01-77d0c2b1e9aa"),
        ("max_lanes is set", "MAX_LANES"),
        ("reports.dailytotals moved", "reports.daily_totals"),
        ("commit 4be77a1c90d3", "4be77a1c90de"),
        ("box 00421", "00412"),
        ("limit 45 percent", "40 percent"),
        ("valve 71 opened", "17"),
        ("closed at 08:04", "08:40"),
        ("from db_west_2", "db-west-2"),
    ] {
        let all = found(summary);
        assert_eq!(all.len(), 1, "{summary}: {all:?}");
        assert_eq!((all[0].0, &all[0].2), (Fault::Changed, &vec![origin]), "{summary}");
    }
}

#[test]
fn what_is_nowhere_in_the_source_is_invented() {
    for summary in [
        "Also see src/queue/drain.rs for it.",
        "The table audit.logins moved too.",
        "Host 192.168.77.1 answered.",
        "Signed on 1 December 2024.",
        "The rest, 731 USD, was paid.",
        "Reference QQ-99182 was filed.",
        "Room 7.31 is booked.",
        "DROP_ALL is set.",
        "Uses `halberd` for it.",
    ] {
        let all = found(summary);
        assert!(all.len() == 1 && all[0].0 == Fault::Invented, "{summary}: {all:?}");
    }
}

#[test]
fn one_that_the_summary_also_has_right_is_not_the_origin() {
    let all = found("LANE-2210 follows LANE-2211.");
    assert_eq!(all, [(Fault::Invented, "LANE-2211", vec![])]);
}

#[test]
fn repair_restores_what_is_certain_and_takes_out_the_rest() {
    let source = Source::of(&[
        (Trust::External, "lane LANE-1120 and LANE-1102"),
        (Trust::User, "close LANE-2210 today, cap is 450 EUR"),
        (Trust::Agent, "will do in src/close.rs"),
    ]);
    let summary = "LANE-2201 is closed. The fee 9,900 USD is due.\n- work is in src/close.rs\n- cap 450 EUR, LANE-1121 is open";
    let repaired = repair(summary, &check(summary, &source));
    assert_eq!(repaired.text, "LANE-2210 is closed.\n- work is in src/close.rs\n- cap 450 EUR, LANE-1120 is open");
    assert_eq!((repaired.restored, repaired.removed), (2, 1));
}

#[test]
fn what_a_figure_comes_to_is_no_form_of_it() {
    let mut texts: Vec<String> = (0..90).map(|n| format!("Shelf {} has crate {}.", 2_000 + n, 4_000 + n)).collect();
    texts.extend(
        [
            "Yesterday the dose was 12.5 mg, today it is 15.0 mg.",
            "Arm A: 72.4 kg on Monday and 70.0 kg on Friday.",
            "A has 412 rows, B has 401 rows.",
            "Latency went from 310 ms to 300 ms.",
            "The glue barrel of the workshop weighs 27 kg.",
            "Tank 1 has 65 kg left and tank 2 has 18 kg.",
        ]
        .map(str::to_owned),
    );
    let source = Source::of(&texts.iter().map(|text| (Trust::User, text.as_str())).collect::<Vec<_>>());
    for summary in [
        "The dose went up by 2.5 mg.",
        "The patient lost 2.4 kg.",
        "Both have 813 rows together.",
        "A has 11 more rows.",
        "Latency improved by 10 ms.",
    ] {
        assert_eq!(check(summary, &source), [], "{summary}");
    }
    // what nothing comes to is found, and no other figure takes its place
    for summary in [
        "The patient lost 7.4 kg.",
        "The nurse gave 119 mg at night.",
        "Latency improved by 13 ms.",
        "A bribe of 70.9 kg has the blessing of Mark.",
    ] {
        let found = check(summary, &source);
        assert!(found.len() == 1 && !found[0].is_restorable(), "{summary} {found:?}");
    }
    // the same said with another figure is put right, also where something else comes to that figure: 65 kg less 18
    for (summary, origin) in [("Yesterday the dose was 13.5 mg.", "12.5 mg"), ("The glue barrel of the workshop weighs 47 kg.", "27 kg")] {
        let found = check(summary, &source);
        let told: Vec<_> = found.iter().map(|finding| (finding.fault, finding.origins.clone())).collect();
        assert_eq!(told, [(Fault::Changed, vec![origin])], "{summary}");
    }
}

#[test]
fn higher_trust_is_the_origin_of_a_near_miss() {
    let source = Source::of(&[(Trust::External, "pay to ACC-7718"), (Trust::User, "pay to ACC-7711")]);
    assert_eq!(check("Paid to ACC-7712.", &source)[0].origins, ["ACC-7711"]);
    let both = Source::of(&[(Trust::User, "pay to ACC-7718"), (Trust::User, "pay to ACC-7711")]);
    let summary = "Paid to ACC-7712. Done.";
    assert_eq!(repair(summary, &check(summary, &both)).text, "Done.");
}

#[test]
fn required_identifiers_that_are_missing_are_named() {
    assert_eq!(missing("See swap.rs at lanes/swap.rs", &["lanes/swap.rs", "LANE-1", "swap.rs"]), ["LANE-1"]);
    // a piece of a longer name too, in a long text, as often as it is looked for
    let long = format!("{} xLANE-7718x", "the lanes are open ".repeat(50_000));
    let required: Vec<&str> = [["LANE-9", "LANE-7718"]; 40].concat();
    assert_eq!(missing(&long, &required), ["LANE-9"; 40]);
}

#[test]
fn distances_are_counted_up_to_two() {
    for (a, b, wanted) in [
        ("abc", "abc", 0),
        ("abcd", "abdc", 1),
        ("abc", "abcde", 2),
        ("abc", "xbz", 2),
        ("", "ab", 2),
        ("aab", "ab", 1),
        ("abc", "xyz", 3),
        ("kitten", "sitting", 3),
    ] {
        assert_eq!(distance(a.as_bytes(), b.as_bytes()), wanted, "{a} {b}");
    }
}

#[test]
fn long_texts_take_no_longer_than_their_length() {
    for unit in ["A-1 ", "12 ", "a_b.c/d ", "2026-01-01 ", "1.2.3.", "x1", "`", "/a1", "10 USD "] {
        let text = unit.repeat(60_000);
        let source = Source::of(&[(Trust::Agent, text.as_str())]);
        let _ = check(&text, &source);
    }
    let many: String = (0..20_000).map(|n| format!("Step took lane L-{n} to {}.{} USD. ", n * 7, n % 100)).collect();
    let other: String = (0..20_000).map(|n| format!("Step took lane L-{}9 to {}.{} USD. ", n, n * 13, n % 100)).collect();
    let source = Source::of(&[(Trust::Agent, many.as_str())]);
    let findings = check(&other, &source);
    let _ = repair(&other, &findings);
}

#[test]
fn a_padded_number_before_a_unit_is_no_quantity() {
    let text = "00`b\n";
    assert!(check(text, &Source::of(&[(Trust::Agent, text)])).is_empty());
}

#[test]
fn an_estimate_is_round() {
    let source = Source::of(&[(Trust::Agent, "The bill came to 18,764.00 EUR.")]);
    assert!(check("The bill was over 18,700 EUR.", &source).is_empty());
    assert_eq!(check("A bill over 18,464.00 EUR came.", &source).len(), 1);
}

#[test]
fn a_number_with_another_bound_or_unit_is_put_right() {
    let text = "The ferry carries at most 1,480 crates a trip, says the log of the pier. The drum at gate four weighed 612 kg on Friday. Port 8080 \
        timed out twice.";
    let source = Source::of(&[(Trust::External, text)]);
    let put_right = |summary: &str| repair(summary, &check(summary, &source)).text;
    for (summary, right) in [
        ("The ferry carries at least 1480 crates a trip.", "The ferry carries at most 1,480 crates a trip."),
        ("The ferry carries no less than 1,480 crates a trip.", "The ferry carries at most 1,480 crates a trip."),
        ("The drum at gate four weighed 612 tonnes on Friday.", "The drum at gate four weighed 612 kg on Friday."),
        ("The ferry carries at most 1,480 horses a trip.", "The ferry carries at most 1,480 crates a trip."),
        ("The ferry carries from 1,480 crates a trip.", ""),
    ] {
        assert_eq!(put_right(summary), right);
    }
    for kept in [
        "The ferry carries no more than 1,480 crates a trip.",
        "The ferry carries up to 1,480 full crates.",
        "At least 1,480 people came to see the harbor.",
        "Port 8080 serves requests again.",
        "The drum at gate four weighed 612 kg, which is less than on Monday.",
    ] {
        assert_eq!(put_right(kept), kept);
    }
}

proptest! {
    #[test]
    fn a_text_is_faithful_to_itself(text in "[a-zA-Z0-9 ./:_@#$%,()'\"`\\n\u{e9}\u{4e2d}-]{0,120}") {
        let source = Source::of(&[(Trust::Agent, text.as_str())]);
        let findings = check(&text, &source);
        prop_assert!(findings.is_empty(), "{:?}", findings);
    }

    #[test]
    fn any_two_texts_are_compared(a in "\\PC{0,80}", b in "\\PC{0,80}") {
        let source = Source::of(&[(Trust::User, a.as_str())]);
        let findings = check(&b, &source);
        for finding in &findings {
            prop_assert_eq!(finding.span.of(&b), finding.text);
        }
        let _ = repair(&b, &findings);
    }
}

#[test]
fn a_range_of_names_has_both_ends() {
    let source = Source::of(&[(Trust::User, "Steps s0, s1, s9 and s10; lanes K-4 and K-7.")]);
    for (summary, holds) in [
        ("s0-s10 are done.", true),
        ("s0-s9 are done.", true),
        ("s0-s8 are done.", false),
        ("s0-t9 are done.", false),
        ("s2-s9 done.", false),
    ] {
        assert_eq!(check(summary, &source).is_empty(), holds, "{summary}");
    }
}

#[test]
fn a_value_that_was_put_right_stays_right() {
    use crate::check::statement::statements;

    let found = |said: &[&str], summary: &'static str| {
        let cut: Vec<_> = said.iter().map(|text| statements(text)).collect();
        let texts: Vec<_> = said.iter().zip(&cut).map(|(text, cut)| (*text, cut.as_slice())).collect();
        let found: Vec<String> = outdated(summary, &texts).iter().map(|found| format!("{} {}", found.old, found.line)).collect();
        found
    };
    let pump = ["The pump runs at 40 bar and 12 litres.", "Correction: it runs at 45 bar."];
    assert_eq!(found(&pump, "The pump runs at 40 bar."), ["40 Correction: it runs at 45 bar."]);
    assert!(found(&pump, "The pump runs at 45 bar, not 40 bar.").is_empty());
    assert!(found(&pump, "The pump pushes 12 litres.").is_empty());
    let gate = ["The gate code is 4471.", "Thanks.", "Sorry, that was wrong. It is 4417."];
    assert_eq!(found(&gate, "The gate code is 4471."), ["4471 It is 4417."]);
    assert_eq!(found(&["Korrektur: nicht DOCK-11, sondern DOCK-17."], "Sie laden an DOCK-11.").len(), 1);
    assert_eq!(found(&["The ferry leaves at 09:40.", "I meant 09:50."], "The ferry leaves at 09:40.").len(), 1);
    // it came back itself
    let again = ["Berth 14.", "Correction: berth 15.", "No, berth 14 was right."];
    assert!(found(&again, "Berth 14.").is_empty());
    // nothing was put right, or not this
    assert!(found(&["Load 40 pallets.", "Then load 45 pallets."], "40 pallets were loaded.").is_empty());
    assert!(found(&["Load 40 pallets on lane 3.", "Correction: 45 crates."], "40 pallets were loaded.").is_empty());
    assert!(found(&["Load 40 at 10, 50 at 20.", "Actually 60."], "40 were loaded.").is_empty());
}

#[test]
fn what_follows_from_the_source_costs_no_sentence() {
    for (said, summary, holds) in [
        ("He takes 20 mg in the morning and 20 mg in the evening.", "He takes 40 mg a day.", true),
        ("He takes 20 mg in the morning and 20 mg in the evening.", "He takes 40 mg in the morning.", false),
        ("He takes 20 mg in the morning and 20 mg in the evening.", "He takes 60 mg a day.", false),
        ("The review is on 2026-02-26, one week later we ship.", "The review is on 2026-02-26, we ship on 2026-03-05.", true),
        ("The review is on 2026-02-26, 10 days later we ship.", "We ship on 2026-03-08.", true),
        ("The review is on 2026-02-26, one week later we ship.", "We ship on 2026-03-06.", false),
        ("The review is on 2026-02-26, we ship later.", "We ship on 2026-03-05.", false),
        ("Parcel KV-30871 is late.", "Parcel KV-30871 is 1 day late.", true),
        ("Parcel KV-30871 is late.", "Parcel KV-30817 is 1 day late.", false),
        ("Parcel KV-30871 is 4 days late.", "Parcel KV-30871 is 9 days late.", false),
        ("Five tickets came in, most are closed.", "3 of 5 tickets are closed.", true),
        ("The lab sent its results.", "The lab sent two tests.", true),
        ("The parcel was paid.", "The parcel was paid with 75 EUR.", false),
    ] {
        let source = Source::of(&[(Trust::User, said)]);
        assert_eq!(check(summary, &source).is_empty(), holds, "{said} / {summary} {:?}", check(summary, &source));
    }
}
