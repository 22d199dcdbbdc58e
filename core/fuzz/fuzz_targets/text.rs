//! Any text through every reader of text: no panic, and what they promise of spans and bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use standfast::text::{ident, pattern::Pattern, scan, sentinel, skeleton};
use standfast::{tokens, triage};

fuzz_target!(|text: &str| {
    assert!(tokens::upper(text) >= tokens::estimate(text));
    let neutral = sentinel::neutralize(text);
    assert_eq!(sentinel::neutralize(&neutral), neutral);
    assert!(!sentinel::has_imitation(&neutral));
    let _ = skeleton::skeleton(text);
    let mut end = 0;
    for item in scan::scan(text) {
        assert!(item.span.start >= end && item.span.end <= text.len());
        end = item.span.end;
    }
    for found in triage::candidates(text, &Pattern::published()) {
        assert!(!found.span.of(text).is_empty());
    }
    let whole = serde_json::Value::from(text);
    assert!(standfast::audit_compaction(&whole, &whole, None).is_ok_and(|report| report.ok || report.counts.rules_unread > 0));
    if let Some((before, after)) = text.split_once('\n') {
        let report = standfast::audit_compaction(&before.into(), &after.into(), Some(&[text.to_owned()]));
        assert!(report.is_ok_and(|report| !report.to_string().contains('\u{1b}')));
    }
    for found in ident::identifiers(text) {
        assert!(text.contains(found.text));
    }
});
