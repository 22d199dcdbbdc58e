use super::*;
use crate::triage::triage;

fn given(text: &str, heading: &str, lead_in: Option<&str>) -> Given {
    let heading_path = if heading.is_empty() { Vec::new() } else { vec![heading.to_owned()] };
    Given { text: text.to_owned(), heading_path, lead_in: lead_in.map(str::to_owned), kind: Some("item".to_owned()) }
}

fn type_of(text: &str, heading: &str, lead_in: Option<&str>) -> Knowledge {
    classify_items(&[given(text, heading, lead_in)], OperatingPoint::Balanced)[0].knowledge
}

#[test]
fn plain_cases_have_their_type() {
    let cases = [
        ("Never push to the protected branch without an approval.", "Rules", Knowledge::Constraint),
        ("API keys must never be written to a log.", "Security", Knowledge::Constraint),
        ("Run `make check`, then open a pull request.", "Workflow", Knowledge::Procedural),
        ("The gateway forwards requests to the workers over a queue.", "Architecture", Knowledge::Belief),
        ("Prefer early returns and descriptive names.", "Code style", Knowledge::Preference),
        ("Fixed a crash when the list is empty (#412)", "Changelog", Knowledge::Episodic),
    ];
    for (text, heading, knowledge) in cases {
        assert_eq!(type_of(text, heading, None), knowledge, "{text}");
    }
}

#[test]
fn a_lead_in_governs_the_items_below_it() {
    let free = explain(&given("commit files from `secrets/`", "Project", None), OperatingPoint::Balanced);
    let governed = explain(&given("commit files from `secrets/`", "Project", Some("Never do any of these:")), OperatingPoint::Balanced);
    assert!(governed.p_constraint > free.p_constraint);
}

#[test]
fn contributions_sum_to_the_scores() {
    for text in ["Never delete a backup unless two people agree.", "", "严禁将密钥提交到代码仓库。", "`x` | 1.2.3 | 2024-01-02 | 5 % ✅"]
    {
        let why = explain(&given(text, "Rules > Ask first", Some("Do not:")), OperatingPoint::Balanced);
        let mut sums = Scores::default();
        for part in &why.contributions {
            sums.constraint += part.scores.constraint;
            sums.procedural += part.scores.procedural;
            sums.belief += part.scores.belief;
            sums.preference += part.scores.preference;
            sums.episodic += part.scores.episodic;
        }
        assert_eq!(sums, why.scores, "{text}");
    }
}

#[test]
fn an_operating_point_moves_only_the_border_of_constraints() {
    let texts =
        ["Keep production data out of tests.", "Ask before adding a dependency.", "Use tabs.", "Only the owner may change the address."];
    for text in texts {
        let types = [OperatingPoint::Strict, OperatingPoint::Balanced, OperatingPoint::Lean]
            .map(|point| classify_items(&[given(text, "", None)], point)[0].clone());
        let is = types.clone().map(|item| item.knowledge == Knowledge::Constraint);
        assert!(is[0] >= is[1] && is[1] >= is[2], "{text}");
        assert!(types.iter().all(|item| item.p_constraint == types[0].p_constraint));
    }
}

#[test]
fn what_stands_beside_an_item_does_not_matter() {
    let many = ["Never share a key.", "Fast and small.", "Run the tests."].map(|text| given(text, "Rules", None));
    let together = classify_items(&many, OperatingPoint::Balanced);
    for (one, item) in many.iter().zip(&together) {
        assert_eq!(classify_items(std::slice::from_ref(one), OperatingPoint::Balanced)[0], *item);
    }
}

#[test]
fn documents_give_paths_rows_scope_and_lines() {
    let text = "---\nglobs: [\"src/**/*.ts\", 'lib/{a,b}/*']\nalwaysApply: false\n---\n# Guide\n\nDo not:\n- push\n  to main\n  - or tag\n\n\
                ## Tools\n| Tool | Use |\n|---|:---|\n| `rg` | search |\n\n> Quoted words\n> of others\n\n```sh\nmake\n```\n";
    let items = triage(text, "file:x.md", Trust::External, OperatingPoint::Balanced);
    let told: Vec<_> = items.iter().map(|item| (item.text.as_str(), item.kind, item.line)).collect();
    let expected = [
        ("Do not:", ItemKind::Paragraph, 7),
        ("push to main", ItemKind::Item, 8),
        ("or tag", ItemKind::Item, 10),
        ("`rg` | search", ItemKind::Row, 15),
        ("Quoted words of others", ItemKind::Quote, 17),
        ("```sh\nmake\n```", ItemKind::Fence, 20),
    ];
    assert_eq!(told, expected);
    assert_eq!(items[1].lead_in.as_deref(), Some("Do not:"));
    assert_eq!(items[3].heading_path, ["Guide", "Tools", "[table: Tool | Use]"]);
    assert!(items.iter().all(|item| item.scope == ["src/**/*.ts", "lib/{a,b}/*"]));
}

#[test]
fn a_declaring_source_decides_whatever_the_words() {
    let items = triage("The sky is blue.", "policy_loader", Trust::Operator, OperatingPoint::Balanced);
    assert!(items[0].declared && items[0].knowledge == Knowledge::Constraint && items[0].tier == Tier::Invariant);
    let items = triage("The sky is blue.", "policy_loader", Trust::External, OperatingPoint::Balanced);
    assert!(!items[0].declared);
}

#[test]
fn broken_documents_give_a_result() {
    for text in [
        "",
        "\n\n",
        "---\n: : :\n- [\n---\n",
        "---\nglobs: [a",
        "| a\n|-\n|",
        "# \n## #\n- \n> \n```",
        "\u{feff}# x\r\n- y\r\n",
        "****:**`",
    ] {
        let _ = triage(text, "", Trust::External, OperatingPoint::Strict);
    }
    // a rule at the end of a very long line is found
    let long = format!("{}Never delete the production database without approval.", "The queue holds jobs. ".repeat(5_000));
    let item = &triage(&long, "", Trust::External, OperatingPoint::Balanced)[0];
    assert!(item.p_constraint > 500, "{}", item.p_constraint);
}
