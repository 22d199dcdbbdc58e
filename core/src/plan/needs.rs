//! The originals that a plan asks the host for.

use serde::Serialize;

use super::{How, Planned};
use crate::digest::Digest;
use crate::event::Presence;
use crate::reads;
use crate::state::State;

/// An original that is not here and that a segment is to be summarized anew from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// Its place in the log.
    pub seq: u32,
    /// Digest of the host's message: its key in a store. None where a restore found only the chain over it.
    pub digest: Option<Digest>,
}

reads! { Need { seq } { digest } }

/// The originals that are not here of all that `segments` would summarize anew.
pub(super) fn lacking(state: &State, segments: &[Planned]) -> Vec<Need> {
    let log = &state.log;
    let made = |planned: &Planned| !matches!(planned.how, How::Reuse | How::Line);
    let anew = |seq: u32| segments.iter().any(|planned| made(planned) && planned.from <= seq && seq <= planned.to);
    let missing = |seq: u32| log.event(seq).is_some_and(|event| event.presence == Presence::Missing);
    // what is known by the chain alone can only be shown from the head on
    let reach = log.away().filter(|seq| anew(*seq) && missing(*seq)).last();
    let mut needs = Vec::new();
    for event in log.away().filter_map(|seq| log.event(seq)) {
        let unknown = event.presence == Presence::Missing;
        let proves = unknown && event.seq >= log.head() && reach.is_some_and(|reach| event.seq <= reach);
        if proves || anew(event.seq) {
            needs.push(Need { seq: event.seq, digest: (!unknown).then_some(event.digest) });
        }
    }
    needs
}
