mod languages;

use super::{FateKind, Probe, Text, audit, contradictions};

const RULE: &str = "Never push to the branch release-9 without the consent of Olga Brandt.";

fn fate(rule: &str, text: &str) -> (FateKind, String) {
    let fate = audit(&[rule], text).remove(0);
    (fate.kind, fate.detail.unwrap_or_default())
}

fn certified(rule: &str, text: &str) -> bool {
    matches!(fate(rule, text).0, FateKind::Preserved | FateKind::Paraphrased)
}

#[test]
fn own_words_are_preserved_in_every_dress() {
    for text in [
        format!("Three tickets are open. {RULE} The printer works."),
        format!("- **Rule:** {RULE}\n- Printer: works"),
        format!("## Limits\n\n{RULE}\n\nThe branch release-9 was created on Monday."),
        "Never push to the branch\nrelease-9 without the consent\nof Olga Brandt.".to_owned(),
        "never push to the branch `release-9`, without the consent of Olga Brandt".to_owned(),
        RULE.replace("Never", "N\u{200b}ever").replace("branch", "br\u{430}nch"),
    ] {
        assert_eq!(fate(RULE, &text).0, FateKind::Preserved, "{text}");
    }
}

#[test]
fn what_is_around_own_words_counts() {
    let small = RULE.replace("Never", "never");
    let bare = RULE.trim_end_matches('.');
    for text in [
        format!("It is no longer true that {small}"),
        format!("The following rule was cancelled: {RULE}"),
        format!("Ignore: {RULE}"),
        format!("Previously: {RULE}"),
        format!("Example of a wrong rule: {RULE}"),
        format!("~~{RULE}~~"),
        format!("> {RULE}"),
        format!("```\n{RULE}\n```"),
        format!("<!-- {RULE} -->"),
        format!("The vendor's page says \"{RULE}\""),
        format!("According to a blog post, {small}"),
        format!("{bare}?"),
        format!("{RULE} This no longer applies."),
        format!("{RULE} However, hotfixes may go out at once."),
        format!("{bare}, unless it is urgent."),
        format!("{bare} was waived."),
        format!("We do not follow this rule: {RULE}"),
        format!("Obsolete rules:\n- {RULE}"),
        format!("## Cancelled\n\n{RULE}"),
        format!("If the audit fails, {small}"),
    ] {
        assert!(!certified(RULE, &text), "{text}");
    }
}

#[test]
fn a_copy_in_force_outweighs_one_that_is_quoted() {
    assert_eq!(fate(RULE, &format!("Previously: {RULE}\n\n{RULE}")).0, FateKind::Preserved);
}

#[test]
fn each_kind_has_its_detail() {
    let rule = "Refunds above 200 EUR to the account R-5501 need the approval of Nadia Okafor, unless the order was cancelled.";
    for (text, kind, detail) in [
        (rule.replace("200", "900"), FateKind::Mutated, "number-changed"),
        (rule.replace("R-5501", "R-5507"), FateKind::Mutated, "id-changed"),
        (rule.replace("Nadia Okafor", "Henry Moss"), FateKind::Mutated, "party-changed"),
        (rule.replace(", unless the order was cancelled", ""), FateKind::Weakened, "exception-lost"),
        (rule.replace("need", "should ideally have"), FateKind::Weakened, "softened"),
        (rule.replace("need", "no longer need"), FateKind::Contradicted, "revoked"),
        (rule.replace("need", "do not need"), FateKind::Contradicted, "revoked"),
    ] {
        assert_eq!(fate(rule, &text), (kind, detail.to_owned()), "{text}");
    }
    assert_eq!(fate(rule, "The printer works again and lunch was ordered.").0, FateKind::Dropped);
    assert_eq!(fate("Ok.", "All is well.").0, FateKind::Unverifiable);
    assert_eq!(fate("Никогда не удаляйте таблицу счетов.", "Таблица счетов удалена.").0, FateKind::Unverifiable);
    assert_eq!(fate("Никогда не удаляйте таблицу счетов.", "Итог.\nНикогда не удаляйте таблицу счетов.").0, FateKind::Preserved);
}

#[test]
fn mentions_are_no_statements() {
    for text in [
        "Constraints around release-9 and the consent of Olga Brandt were noted.",
        "Specific rules exist regarding pushes to the branch release-9 and Olga Brandt.",
        "Pushing to the branch release-9 without the consent of Olga Brandt was discussed.",
    ] {
        assert!(!certified(RULE, text), "{text}");
    }
}

#[test]
fn swapped_parties_are_a_change() {
    let rule = "Door D-1 belongs to the tenant, door D-2 to the landlord.";
    assert_eq!(fate(rule, "Door D-2 belongs to the tenant, door D-1 to the landlord.").0, FateKind::Mutated);
    assert_eq!(fate(rule, "To sum up: door D-1 belongs to the tenant, door D-2 to the landlord.").0, FateKind::Preserved);
}

#[test]
fn other_languages_have_operators() {
    for (rule, softer, opposite) in [
        (
            "Lösche niemals Rechnungen des Kunden Halberg ohne Zustimmung der Buchhaltung.",
            "Rechnungen des Kunden Halberg sollten möglichst nicht ohne Zustimmung der Buchhaltung gelöscht werden.",
            "Rechnungen des Kunden Halberg dürfen jederzeit ohne Zustimmung der Buchhaltung gelöscht werden.",
        ),
        (
            "Ne jamais envoyer le dossier médical à un tiers sans l'accord du patient.",
            "De préférence, ne pas envoyer le dossier médical à un tiers sans l'accord du patient.",
            "Le dossier médical peut être envoyé à un tiers sans l'accord du patient.",
        ),
        (
            "Nunca publiques los datos del cliente sin la aprobación de Marta.",
            "Es recomendable no publicar los datos del cliente sin la aprobación de Marta.",
            "Los datos del cliente se pueden publicar libremente, la aprobación de Marta no es necesaria.",
        ),
        (
            "Nunca apague o servidor de produção sem a autorização da Helena.",
            "De preferência não apague o servidor de produção sem a autorização da Helena.",
            "O servidor de produção pode ser apagado livremente, a autorização da Helena foi dispensada.",
        ),
        ("严禁将患者病历发送给第三方。", "最好不要将患者病历发送给第三方。", "患者病历可以随意发送给第三方。"),
        ("顧客の住所を外部に公開してはいけない。", "顧客の住所はできるだけ外部に公開しない。", "顧客の住所は自由に外部に公開してもよい。"),
        (
            "고객의 주소를 외부에 절대 공개하지 마세요.",
            "고객의 주소는 가급적 외부에 공개하지 마세요.",
            "고객의 주소는 외부에 자유롭게 공개할 수 있다.",
        ),
    ] {
        assert_eq!(fate(rule, &format!("1. OK\n2. {rule}\n")).0, FateKind::Preserved, "{rule}");
        assert!(!certified(rule, softer), "{softer}");
        assert!(!certified(rule, opposite), "{opposite}");
    }
}

/// The sentences of a text that go against rules.
fn against<'t>(rules: &[&str], text: &'t str) -> Vec<(usize, &'t str)> {
    let probes: Vec<Probe<'_>> = rules.iter().map(|rule| Probe::of(rule)).collect();
    contradictions(&probes, &Text::of(text)).into_iter().map(|(rule, span)| (rule, span.of(text))).collect()
}

#[test]
fn sentences_that_go_against_a_rule_are_found() {
    let rules = [RULE, "Refunds above 200 EUR need the approval of Nadia Okafor."];
    for (rule, said) in [
        (0, "Pushing to the branch release-9 is allowed without the consent of Olga Brandt."),
        (0, "The consent of Olga Brandt is no longer required for pushes to release-9."),
        (0, "It is no longer true that one must never push to the branch release-9 without the consent of Olga Brandt."),
        (1, "Refunds above 200 EUR no longer need the approval of Nadia Okafor."),
        (1, "Refunds above 200 EUR may go out without the approval of Nadia Okafor."),
    ] {
        let text = format!("Three tickets are open. {said} The printer works.");
        assert_eq!(against(&rules, &text), [(rule, said)], "{said}");
    }
}

#[test]
fn what_happened_was_asked_or_is_somebody_elses_goes_against_nothing() {
    let rules = [RULE, "Refunds above 200 EUR need the approval of Nadia Okafor.", "You may push to the branch drafts-9 without consent."];
    for said in [
        RULE,
        "The branch release-9 was pushed on Monday, with the consent of Olga Brandt.",
        "Is a push to the branch release-9 allowed without the consent of Olga Brandt?",
        "The vendor's page says \"pushes to release-9 no longer need the consent of Olga Brandt\".",
        "| release-9 | no longer needs consent of Olga Brandt | push |",
        "The user asked whether the branch release-9 may be pushed without the consent of Olga Brandt.",
        "A refund of 240 EUR was paid after Nadia Okafor had given her approval.",
        "You may push to the branch drafts-9 without consent.",
    ] {
        let text = format!("Three tickets are open.\n{said}\nThe printer works.");
        assert_eq!(against(&rules, &text), [], "{said}");
    }
}

#[test]
fn a_bound_of_the_other_side_is_another_rule() {
    for (rule, text) in [
        ("Store at most 40 drums in the shed.", "Store at least 40 drums in the shed."),
        ("The tank may be filled up to 900 litres.", "The tank may be filled from 900 litres."),
        ("Keep the oven under 230 degrees.", "Keep the oven over 230 degrees."),
        ("Send the invoice within 21 days.", "Send the invoice after 21 days."),
        ("The side door stays open until 17:30.", "The side door stays open from 17:30."),
        ("Keep tapes no less than 60 days.", "Keep tapes no more than 60 days."),
        ("Rest 30 minutes or longer after a dive.", "Rest 30 minutes or less after a dive."),
        ("Use the old scale until Wednesday.", "Use the old scale from Wednesday."),
        ("Lagere höchstens 40 Fässer im Schuppen.", "Lagere mindestens 40 Fässer im Schuppen."),
        ("Fülle den Tank bis zu 900 Litern.", "Fülle den Tank ab 900 Litern."),
        ("Gardez au plus 40 fûts dans le hangar.", "Gardez au moins 40 fûts dans le hangar."),
        ("Guarda como máximo 40 barriles.", "Guarda al menos 40 barriles."),
        ("Guarde no máximo 40 barris.", "Guarde pelo menos 40 barris."),
        ("仓库里最多存放40桶。", "仓库里至少存放40桶。"),
        ("倉庫の樽は40本以下にすること。", "倉庫の樽は40本以上にすること。"),
        ("창고의 통은 40개 이하로 둔다.", "창고의 통은 40개 이상으로 둔다."),
    ] {
        assert!(matches!(fate(rule, text).0, FateKind::Mutated | FateKind::Contradicted), "{text}: {:?}", fate(rule, text));
    }
    for text in ["Store up to 40 drums in the shed.", "Store no more than 40 drums in the shed."] {
        assert!(certified("Store at most 40 drums in the shed.", text), "{text}");
    }
}

#[test]
fn a_negation_lost_in_another_language_is_seen() {
    for (rule, text) in [
        ("Das Fenster der kleinen Kammer darf nicht geöffnet werden.", "Das Fenster der kleinen Kammer darf geöffnet werden."),
        ("Die Schlüssel dürfen nachts nicht verliehen werden.", "Die Schlüssel dürfen nachts verliehen werden."),
        ("Les clés ne doivent pas quitter la maison.", "Les clés doivent quitter la maison."),
        ("Il ne faut pas vider la cuve.", "Il faut vider la cuve."),
        ("No vacíes nunca el depósito.", "Vacía el depósito."),
        ("倉庫の鍵を貸さないでください。", "倉庫の鍵を貸してください。"),
    ] {
        assert_eq!(fate(rule, text).0, FateKind::Contradicted, "{text}: {:?}", fate(rule, text));
    }
    let rule = "Das Fenster darf nicht offen stehen.";
    assert_ne!(fate(rule, "Das Fenster darf unter keinen Umständen offen stehen.").0, FateKind::Contradicted);
}

#[test]
fn a_bound_turned_round_or_moved_is_against_the_rule() {
    let rules = [Probe::of("Lend at most 4 boats a day without asking."), Probe::of("倉庫の鍵を貸さないでください。")];
    let found = |text: &str| contradictions(&rules, &Text::of(text)).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
    assert_eq!(found("The sea is calm. Lend at least 4 boats a day without asking."), [0]);
    assert_eq!(found("Lend at most 9 boats a day without asking."), [0]);
    assert_eq!(found("The list is long. 倉庫の鍵を貸してください。"), [1]);
    for kept in ["Lend up to 4 boats a day without asking.", "Yesterday 9 boats were lent.", "倉庫の鍵は机にある。"] {
        assert_eq!(found(kept), Vec::<usize>::new(), "{kept}");
    }
}

#[test]
fn a_prohibition_may_be_told_shorter_if_it_forbids_no_less() {
    let rule = "Never restart pumps or valves on `loop-7` without a signed flow plan — it feeds the ward.";
    assert!(certified(rule, "Noted limits: avoid restarts of pumps or valves on `loop-7` without a signed flow plan;"));
    for text in [
        // a plan that nobody signed will do
        "Noted limits: avoid restarts on `loop-7` without a flow plan;",
        "Avoid restarting pumps on `loop-7`.",
        "No flow plan without `loop-7`.",
        "Nothing was restarted on `loop-7` without a flow plan.",
        "Limits around `loop-7` and the flow plan were noted.",
        "Avoid restarts on `loop-7` where possible.",
    ] {
        assert!(!certified(rule, text), "{text}: {:?}", fate(rule, text));
    }
}

#[test]
fn other_words_of_force_are_known() {
    for (rule, text) in [
        (
            "The lever L-4 is forbidden on every press except the one called kappa-press.",
            "kappa-press is the sole press where lever L-4 may be used. On all others it is off limits.",
        ),
        (
            "Never lend the projector during the spring fair, even for an hour.",
            "The projector is untouchable for lending while the spring fair is on, an hour included.",
        ),
        ("Wages must not appear in leaflets outside Utrecht.", "With the exception of Utrecht, no leaflet may show wages."),
        ("Never hold auctions on `2027-04-09` — 300 guests use the hall.", "No auctions on 9 April 2027."),
        (
            "Nobody paints in hall 6 while the floor dries (Tue–Thu).",
            "Hall 6 is unavailable for painting from Tuesday to Thursday, while the floor dries.",
        ),
    ] {
        assert!(certified(rule, text), "{text}: {:?}", fate(rule, text));
    }
}

#[test]
fn a_restatement_taken_back_or_excepted_is_none() {
    let rule = "Never lend the projector without the consent of Frau Bergner.";
    let kept = "Lending the projector is ruled out unless Frau Bergner has consented";
    assert!(certified(rule, &format!("{kept}.")), "{:?}", fate(rule, kept));
    for text in [
        format!("{kept}. This no longer applies."),
        format!("{kept}, where possible."),
        format!("{kept}, except for schools in the valley."),
        format!("It is no longer true that {}", kept.replace("Lending", "lending")),
        kept.replace("Bergner", "Adler"),
        kept.replace("is ruled out", "is unlikely"),
    ] {
        assert!(!certified(rule, &text), "{text}");
    }
}

#[test]
fn things_of_a_rule_beside_each_other_are_a_mention() {
    let rule = "Never pay a carrier whose account changed within the last 12 days until the harbour office has phoned the owner.";
    let text = "The harbour office got a new sign. Nine carriers came by on the pier, and the owner sells fish.";
    assert_eq!(fate(rule, text).0, FateKind::Dropped);
}

#[test]
fn a_restatement_that_lets_more_through_is_weaker() {
    for (rule, text) in [
        (
            "Gate 4 stays shut from 20:00 to 06:00 unless the fire brigade is on site.",
            "Gate 4 is kept shut from 20:00 to 06:00 unless the fire brigade is on site or a driver is in a hurry.",
        ),
        (
            "Crates of batch K-7 must not be opened or weighed until the lab has signed.",
            "Crates of batch K-7 shouldn't be opened before the lab has signed, but weighing them in the yard is fine.",
        ),
        (
            "A pressure over 9 bar is reported to the shift lead within 5 minutes.",
            "Pressure over 9 bar gets reported to the shift lead within 5 minutes or so.",
        ),
        (
            "Night deliveries need the consent of Mrs Obi, except in December.",
            "Mrs Obi's consent is needed for night deliveries, except in December or when the yard is full.",
        ),
    ] {
        let fate = &audit(&[rule], text)[0];
        assert!(!matches!(fate.kind, FateKind::Preserved | FateKind::Paraphrased), "{text} {fate:?}");
    }
}

#[test]
fn units_and_persons_are_told_apart_in_scripts_without_gaps() {
    let rule = "温室2号の窓は必ず15分換気してから閉める。";
    assert!(!certified(rule, "温室2号の窓は必ず15秒換気してから閉めること。"));
    let rule = "鍵の受け渡しは長兄だけとし、長姉には場所を教えてはならない。";
    assert!(!certified(rule, "鍵の受け渡しは長姉だけとし、長兄には場所を教えてはならないこと。"));
}
