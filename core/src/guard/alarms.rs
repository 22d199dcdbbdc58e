//! The alarms of a decision (O1): what a person should know even where nobody reads receipts.

use super::Guard;
use crate::check::drift;
use crate::ledger::{Ledger, Origin};
use crate::receipt::Alarm;

impl Guard {
    /// Those of a compaction that left the ledger `old` behind.
    pub(super) fn alarms(&self, old: &Ledger) -> Vec<Alarm> {
        let mut alarms = self.size_alarms();
        let was_line = |from, to| old.segments.iter().any(|o| o.origin == Origin::Line && o.from <= from && o.to >= to);
        let dropped = self.state.ledger.segments.iter().filter(|s| s.origin == Origin::Line && !was_line(s.from, s.to));
        let spans: Vec<String> = dropped.map(|segment| format!("{}-{}", segment.from, segment.to)).collect();
        if !spans.is_empty() {
            alarms.push(warn("summary_dropped", format!("of events {}", spans.join(", "))));
        }
        if let Some((backstops, boundaries)) = self.state.meter.boundary_ratio() {
            alarms.push(warn("boundary_ratio", format!("{backstops} backstops to {boundaries} boundaries")));
        }
        let (round, tested) = (self.state.ledger.round, self.state.policy.tested_rounds);
        if round > tested {
            alarms.push(warn("untested_round", format!("round {round}, tested {tested}")));
        }
        if let Some((then, now)) = drift::fall(&self.state.meter.rounds()) {
            let (tokens, source) = ((now.tokens, then.tokens), (now.source, then.source));
            let detail =
                format!("{} after {} summary tokens per thousand events, which have {} after {}", tokens.0, tokens.1, source.0, source.1);
            alarms.push(warn("drift", detail));
        }
        alarms
    }

    /// Those that tell of what does not fit, whether or not anything was compacted.
    pub(super) fn size_alarms(&self) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        let (used, window) = (self.state.meter.used(), self.state.limits.window);
        if used > window {
            let detail = format!("{used} tokens in a window of {window}");
            alarms.push(Alarm { kind: "window_over_size".to_owned(), severity: "page".to_owned(), detail });
        }
        let overflow = self.rule_counts().overflow;
        if overflow > 0 {
            alarms.push(warn("rules_overflow", format!("{overflow} rules of users are not in force")));
        }
        alarms
    }
}

fn warn(kind: &str, detail: String) -> Alarm {
    Alarm { kind: kind.to_owned(), severity: "warn".to_owned(), detail }
}
