//! Any text as a snapshot: a guard or a typed error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use standfast::{Guard, RestoreOptions, ordered::Map};

fuzz_target!(|text: &str| {
    if let Ok(restored) = Guard::restore(text, &RestoreOptions::default(), None, &Map::new()) {
        let _ = restored.guard.rules();
    }
    let _ = Guard::texts_needed(text);
});
