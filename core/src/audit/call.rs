//! One door to the audits for the bindings and the vectors: a name and named arguments in, JSON text out.

use serde_json::Value;

use super::{
    audit_compaction, audit_session, check_authority, check_decisions, check_drift, check_idempotence, check_identifiers, read_session,
};
use crate::check::fate::audit;
use crate::error::{Error, Result};
use crate::json::{self, Object};

/// The names [`call`] knows.
pub const CALLS: &[&str] = &[
    "audit",
    "audit_compaction",
    "read_session",
    "audit_session",
    "check_identifiers",
    "check_decisions",
    "check_authority",
    "check_drift",
    "check_idempotence",
];

/// Calls the function `name` with named arguments: `rules` and `text`; `before`, `after` and perhaps `rules`; `text`, and for `audit_session` perhaps `rules`; `source`, `summary`
/// and perhaps `required`; `events` and `summary`; `events`, `rounds` and perhaps `required`; `first` and `second`. The result is stored text or, where `camel` is set, text in the spelling of JavaScript. That of
/// `audit_compaction` is a list of the report and the report as a text to be read; that of `audit_session` has the texts of its rounds.
///
/// # Errors
/// Those of the function; `invalid_argument` for an unknown name or arguments that cannot be read.
pub fn call(name: &str, args: Value, camel: bool) -> Result<String> {
    let mut args = Object::of(args).map_err(|_| unreadable(name))?;
    let done = |args: Object| args.end().map_err(|_| unreadable(name));
    match name {
        "audit" => {
            let (rules, text): (Vec<String>, String) = (args.need("rules"), args.need("text"));
            done(args)?;
            Ok(json::spelled(&audit(&rules, &text), camel))
        }
        "audit_compaction" => {
            let (before, after): (Value, Value) = (args.need("before"), args.need("after"));
            let rules: Option<Vec<String>> = args.may("rules");
            done(args)?;
            let report = audit_compaction(&before, &after, rules.as_deref())?;
            Ok(format!("[{},{}]", json::spelled(&report, camel), json::text(&report.to_string())))
        }
        "read_session" | "audit_session" => {
            let (text, rules): (String, Option<Vec<String>>) = (args.need("text"), args.may("rules"));
            done(args)?;
            if name == "read_session" {
                return Ok(json::spelled(&read_session(&text)?, camel));
            }
            let report = audit_session(&text, rules.as_deref())?;
            let mut texts = Vec::new();
            for round in &report.rounds {
                texts.push(round.report.to_string());
            }
            Ok(format!("[{},{}]", json::spelled(&report, camel), json::text(&texts)))
        }
        "check_identifiers" => {
            let (source, summary): (Value, String) = (args.need("source"), args.need("summary"));
            let required: Vec<String> = args.may("required");
            done(args)?;
            Ok(json::spelled(&check_identifiers(&source, &summary, &required)?, camel))
        }
        "check_decisions" | "check_authority" => {
            let (events, summary): (Value, String) = (args.need("events"), args.need("summary"));
            done(args)?;
            if name == "check_decisions" {
                return Ok(json::spelled(&check_decisions(&events, &summary)?, camel));
            }
            Ok(json::spelled(&check_authority(&events, &summary)?, camel))
        }
        "check_drift" => {
            let (events, rounds): (Value, Vec<String>) = (args.need("events"), args.need("rounds"));
            let required: Vec<String> = args.may("required");
            done(args)?;
            Ok(json::spelled(&check_drift(&events, &rounds, &required)?, camel))
        }
        "check_idempotence" => {
            let (first, second): (String, String) = (args.need("first"), args.need("second"));
            done(args)?;
            Ok(json::spelled(&check_idempotence(&first, &second), camel))
        }
        _ => Err(Error::argument("there is no such audit")),
    }
}

fn unreadable(name: &str) -> Error {
    Error::argument(format!("the arguments of `{name}` cannot be read"))
}
