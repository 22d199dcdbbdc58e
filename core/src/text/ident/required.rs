//! Which identifiers a summary has to carry (P9).

use super::{identifiers, secret_shaped};
use crate::ordered::firsts;
use crate::trust::Trust;

/// A longer identifier is not carried.
pub const CARRIED_MAX_CHARS: usize = 128;

#[derive(Clone, Copy, Default)]
struct Use {
    count: usize,
    first: usize,
    last: usize,
}

/// The identifiers worth carrying out of `texts` (in order of their events), at most `most` of them, in order of first
/// use: those that user, agent or operator used, the most frequent first to be chosen, then the most recent.
///
/// What stands in external text alone is not carried, and how often external text repeats something does not count.
pub fn required<'a>(texts: impl IntoIterator<Item = (Trust, &'a str)>, most: usize) -> Vec<&'a str> {
    let own = texts.into_iter().filter(|(trust, _)| *trust >= Trust::Agent);
    let all: Vec<&'a str> = own.flat_map(|(_, text)| identifiers(text)).map(|ident| ident.text).collect();
    let mut uses = vec![Use::default(); all.len()];
    for (place, first) in firsts(&all).into_iter().enumerate() {
        if let Some(used) = uses.get_mut(first) {
            *used = Use { count: used.count + 1, first, last: place };
        }
    }
    let mut ranked: Vec<(&str, Use)> = all.into_iter().zip(uses).filter(|(_, used)| used.count > 0).collect();
    ranked.sort_unstable_by_key(|(_, used)| (std::cmp::Reverse(used.count), std::cmp::Reverse(used.last)));
    let mut ranked: Vec<(&str, Use)> = ranked.into_iter().filter(|(text, _)| carried(text)).take(most).collect();
    ranked.sort_unstable_by_key(|(_, used)| used.first);
    ranked.into_iter().map(|(text, _)| text).collect()
}

/// Whether a name may be carried: it is no secret, nor too long, and breaks no line.
pub(crate) fn carried(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= CARRIED_MAX_CHARS && !text.chars().any(char::is_control) && !secret_shaped(text)
}
