//! Any text as a snapshot: a guard or a typed error.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use standfast::{Guard, RestoreOptions};

fuzz_target!(|text: &str| {
    if let Ok(restored) = Guard::restore(text, &RestoreOptions::default(), None, &BTreeMap::new()) {
        let _ = restored.guard.rules();
    }
    let _ = Guard::texts_needed(text);
});
