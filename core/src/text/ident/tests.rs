use super::*;
use crate::trust::Trust;
use Kind::*;

fn found(text: &str) -> Vec<(Kind, &str)> {
    identifiers(text).iter().map(|i| (i.kind, i.text)).collect()
}

fn one(text: &str) -> Option<(Kind, &str)> {
    let all = found(text);
    (all.len() == 1).then(|| all[0])
}

#[test]
fn each_kind_alone() {
    for (kind, texts) in [
        (
            Path,
            &[
                "/var/log/app.log",
                "/tmp/out",
                "~/notes.md",
                "./run.sh",
                "../lib/x.rs",
                "src/main.rs",
                "core/src/text/",
                "settle.py",
                "Cargo.toml",
                ".env",
                ".github/workflows/ci.yml",
                r"C:\Users\ann\report.xlsx",
                r"\\fileserver\share\q3.pdf",
                "origin/main",
                "Dockerfile",
                "feature/settle-batches",
                "node_modules/left-pad/index.js",
                "/home/ann/données/bilan.csv",
                "src/**/*.ts",
            ][..],
        ),
        (
            Url,
            &[
                "https://example.com/a?b=1&c=2#top",
                "http://localhost:3000/x",
                "s3://bucket/key/part-0001.parquet",
                "example.com",
                "api.acme.io",
                "git@github.com:acme/billing.git",
                "file:///etc/hosts",
                "https://en.wikipedia.org/wiki/Rust_(language)",
            ],
        ),
        (Email, &["ann.lee+ops@example.co.uk", "no-reply@acme.io"]),
        (Hash, &["9f3c2e1", "1a2b3c4d5e6f7890abcdef1234567890abcdef12", "0x7ffe", "DEADBEEF01"]),
        (Uuid, &["123e4567-e89b-12d3-a456-426614174000"]),
        (Ticket, &["SETTLE-118", "#1234", "INV-2026-0042", "CVE-2024-12345", "acme/billing#12", "4471932", "B-2024-118"]),
        (Version, &["1.2.3", "v2.0", "v2", "1.0.0-rc.1", "2.4.1+build5"]),
        (
            Date,
            &[
                "2026-03-12",
                "2026-03-12T10:00:00Z",
                "2026-03-12 10:30",
                "12 Mar 2026",
                "March 12, 2026",
                "Mar 2026",
                "3rd May",
                "12/03/2026",
                "2026/03/12",
                "10:30",
                "5:30pm",
                "12.03.2026",
                "2026-03",
            ],
        ),
        (
            Amount,
            &[
                "GBP 500",
                "$1,250",
                "£99.99",
                "500 GBP",
                "412 rows",
                "12 %",
                "12%",
                "500 mg",
                "200ms",
                "8GB",
                "$2 million",
                "EUR 1.5m",
                "1,250 EUR",
                "-5%",
                "5 mmol/l",
                "€20",
                "30 days",
                "37.5 °C",
            ],
        ),
        (
            Address,
            &["10.0.0.1", "10.0.0.1:8443", "10.0.0.0/24", "localhost:5432", "db.internal:5432", "fe80::1ff:fe23:4567:890a", "port 8443"],
        ),
        (Env, &["DATABASE_URL", "AWS_REGION", "MAX_RETRIES_2"]),
        (
            Name,
            &[
                "settlements.amount",
                "df.group_by",
                "get_batch",
                "batch_0042",
                "eu-west-2",
                "prod-db1",
                "com.acme.billing",
                "settlements_read",
                "worker-03",
                "gpt-4o",
            ],
        ),
        (Code, &["`git push --force`", "`yes`", "`get_batch(118)`"]),
    ] {
        for text in texts {
            let bare = text.trim_matches('`');
            assert_eq!(one(text), Some((kind, bare)), "{text}: {:?}", found(text));
            let sentence = format!("We saw ({text}), twice.");
            assert_eq!(one(&sentence), Some((kind, bare)), "{sentence}: {:?}", found(&sentence));
            let quoted = format!("{{\"x\":\"{text}\",\"y\":[true]}}");
            assert_eq!(one(&quoted), Some((kind, bare)), "{quoted}: {:?}", found(&quoted));
        }
    }
}

#[test]
fn prose_has_no_identifiers() {
    for text in [
        "Please read the report and/or ask him/her, e.g. tomorrow, i.e. soon.",
        "It is 24/7 support, true/false, read/write, input/output; 2/3 of them.",
        "I have 3 ideas and 12 questions. In 5 a row. The 1st, 2nd and 3rd were fine.",
        "We are well-known for state-of-the-art work - really. See above...",
        "He said: \"stop!\" (twice). What now? OK; go on.",
        "Use UTF-8 and SHA-256 with Node.js; 3.14 is pi, 2.0 is two, 42 is the answer.",
        "You may go. Please march on. In may be true.",
        "a decade of faded facades, added beef, dead cafe",
        "TCP/IP, client/server, w/o, n/a, c/o, s/he, 1/2.",
        "# Heading\n\n- item\n- [ ] todo\n\n---\n\n* * *\n> quote\n\n```\ncode\n```\n",
        "Hello,world.Next sentence.And another.",
        "<b>bold</b> <br/> </div> &amp; &#39;",
        "10 x 10 = 100; 5 + 5 = 10; 1e10",
        "\u{4f60}\u{597d}\u{ff0c}\u{4e16}\u{754c}\u{3002}",
        "the top-10 list, a 3-day trip, the mid-90s, one-on-one",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn real_lines() {
    assert_eq!(found("Called get_batch(118); returned 412 rows, status=FAILED."), [(Name, "get_batch"), (Amount, "412 rows")]);
    assert_eq!(
        found("error[E0308]: mismatched types --> core/src/lib.rs:42:17 (commit 9f3c2e1, PR #77)"),
        [(Path, "core/src/lib.rs"), (Hash, "9f3c2e1"), (Ticket, "#77")]
    );
    assert_eq!(
        found(r#"{"cmd":"cat /etc/hosts\nls src/a.py","region":"eu-west-2","amount":"GBP 500"}"#),
        [(Path, "/etc/hosts"), (Path, "src/a.py"), (Name, "eu-west-2"), (Amount, "GBP 500")]
    );
    assert_eq!(
        found("export DATABASE_URL=postgres://db.internal:5432/settle?sslmode=require && npm i lodash@4.17.21"),
        [(Env, "DATABASE_URL"), (Url, "postgres://db.internal:5432/settle?sslmode=require"), (Version, "4.17.21")]
    );
    assert_eq!(
        found("Never issue a refund above GBP 500 without a human approver; ask ann@acme.io by 12 Mar 2026."),
        [(Amount, "GBP 500"), (Email, "ann@acme.io"), (Date, "12 Mar 2026")]
    );
    assert_eq!(
        found("See [the docs](https://docs.rs/regex/1.2.3/regex/), `Cargo.toml` and image sha256:9f3c2e1a77."),
        [(Url, "https://docs.rs/regex/1.2.3/regex/"), (Path, "Cargo.toml"), (Hash, "9f3c2e1a77")]
    );
    assert_eq!(found("path \"C:\\Program Files\\Settle\\run.exe\" ok"), [(Path, "C:\\Program Files\\Settle\\run.exe")]);
    assert_eq!(
        found("Give amoxicillin 500 mg every 8 hours; BP 120/80 mmHg, HbA1c 48 mmol/mol on 2026-03-12."),
        [(Amount, "500 mg"), (Amount, "8 hours"), (Date, "2026-03-12")]
    );
    assert_eq!(found("GBP 500/day; **$1,250** (net)"), [(Amount, "GBP 500"), (Amount, "$1,250")]);
    assert_eq!(found("SETTLE-118/SETTLE-119"), [(Ticket, "SETTLE-118"), (Ticket, "SETTLE-119")]);
}

#[test]
fn spans_are_exact_ordered_and_apart() {
    let text = "é GBP\u{a0}500 → /données/é.csv; `x y` “https://ex.com/é” 10.0.0.1:80, 12 Mar 2026. ## $DATABASE_URL";
    let all = identifiers(text);
    assert!(all.len() >= 6, "{all:?}");
    let mut end = 0;
    for ident in &all {
        assert_eq!(ident.span.of(text), ident.text);
        assert!(ident.span.start >= end);
        end = ident.span.end;
    }
}

#[test]
fn linear_on_hostile_input() {
    for unit in [
        "a/", "a://", "a://\\", "`", "`a", "1,", "1.", "-", "\"C:\\", "GBP ", "12 Mar ", "a@", "=a", "\\n", "::", "((", "http://(", "é/",
        "[rule ",
    ] {
        let text = unit.repeat(20_000);
        let count = identifiers(&text).len();
        assert!(count <= text.len());
    }
}

#[test]
fn secrets_are_seen() {
    for token in [
        "sk-proj-9aB3xQ7pLm2vT5rK8wYz",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-2345-abc9ZK",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
        "-----BEGIN RSA PRIVATE KEY-----",
        "glpat-9xYz8Kq7Lm6nPo5r",
        "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY9",
        "https://user:hunter22@example.com/x",
        "password=hunter22",
        "https://x.io/?api_key=abc123def",
        "Zx9Kq2Lm7Pw4Rt8Vb3Nc",
        "q7w2e9r4t1y8u3i6o5p0a9s8",
        "API_TOKEN=abcdef123456",
    ] {
        assert!(secret_shaped(token), "{token}");
    }
    for token in [
        "123e4567-e89b-12d3-a456-426614174000",
        "1a2b3c4d5e6f7890abcdef1234567890abcdef12",
        "/home/ann/projects/settlements/reports/2026/q3_final_v2.csv",
        "https://docs.rs/regex/1.2.3/regex/struct.RegexBuilder.html",
        "sk-learn-contributors",
        "getUserByIdFromCache",
        "AWS_SECRET_ACCESS_KEY",
        "settlements_read",
        "GBP 500",
        "feature/SETTLE-118-round-amounts",
        "com.acme.billing.SettlementBatchProcessor",
        "token_count",
        "eu-west-2",
        "2026-03-12T10:00:00.000Z",
        "core/src/text/ident/required.rs",
    ] {
        assert!(!secret_shaped(token), "{token}");
    }
}

#[test]
fn secrets_are_left_out_where_they_stand() {
    for (text, wanted) in [
        ("I log in with glpat-9xYz8Kq7Lm6nPo5r and read on.", "I log in with [secret] and read on."),
        ("Header: Authorization: Bearer a1b2c3d4e5", "Header: Authorization: Bearer [secret]"),
        ("https://ann:hunter22@example.com/x?page=2", "https://ann:[secret]@example.com/x?page=2"),
        ("{\"id\": \"ORD-7\", \"apiKey\": \"k3y5and7\"}", "{\"id\": \"ORD-7\", \"apiKey\": \"[secret]\"}"),
        ("The password is tulip77.", "The password is [secret]."),
        ("DB_PASSWORD=correcthorse make run", "DB_PASSWORD=[secret] make run"),
        ("密钥是AKIAIOSFODNN7EXAMPLE。", "密钥是[secret]。"),
        ("a wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY9==, b", "a [secret], b"),
        ("x\n-----BEGIN RSA PRIVATE KEY-----\nMIIa\nQz==\n-----END RSA PRIVATE KEY-----\ny", "x\n[secret]\ny"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "[secret]\ncut off"),
    ] {
        assert_eq!(redacted(text).as_deref(), Some(wanted));
    }
    for plain in [
        "The token count is 4000 and the secret is out since May.",
        "fn read(token: String) needs the signature: PAT-06987.",
        "-----BEGIN CERTIFICATE-----\nabc",
        "Commit 1a2b3c4d5e6f7890abcdef1234567890abcdef12 of 2026-03-12T10:00:00Z, see /srv/share/ann/2026/batch-0012.json",
        "",
    ] {
        assert_eq!(redacted(plain), None, "{plain}");
    }
}

#[test]
fn required_takes_what_user_and_agent_use() {
    let texts = [
        (Trust::External, "ignore ATTACK-1 ATTACK-1 ATTACK-1; batch SETTLE-118 is open"),
        (Trust::User, "Look at SETTLE-118 and src/settle.py. Key: sk-proj-9aB3xQ7pLm2vT5rK8wYz"),
        (Trust::Agent, "SETTLE-118 has 412 rows."),
        (Trust::Agent, "Now SETTLE-119."),
    ];
    assert_eq!(required(texts, 10), ["SETTLE-118", "src/settle.py", "412 rows", "SETTLE-119"]);
    assert_eq!(required(texts, 2), ["SETTLE-118", "SETTLE-119"]);
    assert_eq!(required(texts, 0), Vec::<&str>::new());
    let long = format!("https://example.com/{}", "a".repeat(120));
    assert_eq!(required([(Trust::User, long.as_str())], 5), Vec::<&str>::new());
}
