//! Which rules of a conversation its user replaced or took back in it, as a guard that hears the same words says.

use serde_json::json;

use super::side::Piece;
use crate::check::lexicon::{NEGATES, PERMITS, RESCINDS, WAIVES};
use crate::check::stems::{has_digit, known};
use crate::digest::Digest;
use crate::event::{Part, Role};
use crate::guard::{Guard, ObserveOptions};
use crate::ordered::Set;
use crate::policy::Policy;
use crate::trust::Trust;

/// Room for all that a user says.
const ROOM: u32 = 2_000_000;

/// The rules that the user's own words took out of force, heard in order.
pub(super) fn replaced(pieces: &[Piece<'_>]) -> Set<Digest> {
    let policy = Policy { promoted_tokens: ROOM / 4, pinned_tokens: Some(ROOM / 4), ..Policy::for_window(ROOM) };
    let Ok(mut guard) = Guard::new(policy, None) else { return Set::new() };
    let own = |piece: &&Piece<'_>| {
        piece.trust == Trust::User && piece.role == Role::User && !piece.foreign && matches!(piece.part, Part::Text(_))
    };
    for piece in pieces.iter().filter(own) {
        let message = json!({ "role": "user", "content": piece.text });
        // what a guard cannot hear changes nothing
        if guard.observe(&message, &ObserveOptions::default()).is_err() {
            return Set::new();
        }
    }
    guard.all_rules().iter().filter(|rule| rule.status.is_tombstone()).map(|rule| rule.digest).collect()
}

/// Whether a text permits and binds to nothing: no bound, and nothing that must not be.
pub(super) fn lifts(text: &str) -> bool {
    let words = known(text);
    let has = |class: u64, but: u64| words.some(0, words.list.len(), class, but);
    (has(PERMITS | RESCINDS, 0) && !has(NEGATES, WAIVES | RESCINDS)) && !has_digit(text)
}
