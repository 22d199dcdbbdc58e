//! One door to the functional core for the bindings and the vectors: a name and named arguments in, plain data out.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    CONSTRAINT_SHAPED, ContextItem, DISCARDABLE_SHAPED, INVARIANT_SOURCES, PINNED_FOOTER, PINNED_HEADER, PublishedTaskState, Session,
    TriggerArgs, assert_invariants_present, classify, compact_begin, compact_finish, order, render_pinned_block, render_task_state,
    session_begin, session_finish, should_compact, trigger_limits,
};
use crate::digest;
use crate::error::{Code, Error, Result};
use crate::pinned;
use crate::trigger::Boundary;
use crate::trust::Trust;

/// The names [`call`] knows.
pub const CALLS: &[&str] = &[
    "classify",
    "render_pinned_block",
    "order",
    "fingerprint",
    "message_digest",
    "render_task_state",
    "compact_begin",
    "compact_finish",
    "assert_invariants_present",
    "trigger_limits",
    "should_compact",
    "boundary",
    "session_begin",
    "session_finish",
    "constants",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    message: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Classify {
    text: String,
    source: String,
    turn: u32,
    #[serde(default)]
    trust: Option<Trust>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Items {
    items: Vec<ContextItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    state: PublishedTaskState,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finish {
    items: Vec<ContextItem>,
    state: PublishedTaskState,
    #[serde(default)]
    summary: Option<String>,
    round_no: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Present {
    messages: Vec<Value>,
    items: Vec<ContextItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trigger {
    policy: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    policy: Value,
    used: u32,
    boundary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionEnd {
    session: Session,
    summary: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionStart {
    session: Session,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Calls the function `name` of this module with named arguments.
///
/// # Errors
/// Those of the function; `invalid_argument` for an unknown name or arguments that cannot be read.
pub fn call(name: &str, args: Value) -> Result<Value> {
    match name {
        "classify" => {
            let Classify { text, source, turn, trust } = read(name, args)?;
            out(&classify(&text, &source, turn, trust))
        }
        "render_pinned_block" => Ok(render_pinned_block(&read::<Items>(name, args)?.items)?.into()),
        "order" => out(&order(&read::<Items>(name, args)?.items)?),
        "fingerprint" => {
            let digest = pinned::fingerprint(&read::<Text>(name, args)?.text);
            Ok(json!({"fingerprint": digest.name(), "digest": digest.hex()}))
        }
        "message_digest" => Ok(digest::of_message(&read::<Message>(name, args)?.message).hex().into()),
        "render_task_state" => Ok(render_task_state(&read::<State>(name, args)?.state)?.into()),
        "compact_begin" => out(&compact_begin(&read::<Items>(name, args)?.items)?),
        "compact_finish" => {
            let Finish { items, state, summary, round_no } = read(name, args)?;
            out(&compact_finish(&items, &state, summary.as_deref(), round_no)?)
        }
        "assert_invariants_present" => {
            let Present { messages, items } = read(name, args)?;
            assert_invariants_present(&messages, &items).map(|()| Value::Null)
        }
        "trigger_limits" => out(&trigger_limits(&policy(read::<Trigger>(name, args)?.policy)?)?),
        "should_compact" => {
            let Ask { policy: given, used, boundary } = read(name, args)?;
            out(&should_compact(&policy(given)?, used, &boundary)?)
        }
        "boundary" => Ok(Boundary::parse(&read::<Named>(name, args)?.name)?.as_str().into()),
        "session_begin" => out(&session_begin(&read::<SessionStart>(name, args)?.session)?),
        "session_finish" => {
            let SessionEnd { session, summary } = read(name, args)?;
            session_finish(&session, &summary)
        }
        "constants" => {
            let Nothing {} = read(name, args)?;
            Ok(json!({
                "CONSTRAINT_SHAPED": CONSTRAINT_SHAPED,
                "DISCARDABLE_SHAPED": DISCARDABLE_SHAPED,
                "INVARIANT_SOURCES": INVARIANT_SOURCES,
                "PINNED_HEADER": PINNED_HEADER,
                "PINNED_FOOTER": PINNED_FOOTER,
            }))
        }
        _ => Err(Error::argument("there is no such function in the functional core")),
    }
}

/// A trigger policy's arguments: what cannot be read is a policy that cannot be used.
fn policy(given: Value) -> Result<TriggerArgs> {
    let bad = |why: String| Error::new(Code::InvalidPolicy, format!("the trigger policy cannot be read{}", missing(&why)));
    if !given.is_object() {
        return Err(bad(String::new()));
    }
    serde_json::from_value(given).map_err(|error| bad(error.to_string()))
}

/// Reads the arguments. What serde says may quote them, so only the names of fields that are missing are passed on.
fn read<T: DeserializeOwned>(name: &str, args: Value) -> Result<T> {
    let bad = |why: String| Error::argument(format!("the arguments of `{name}` cannot be read{}", missing(&why)));
    // serde would read a list as a struct's fields in order
    let object = |name: &str| args.get(name).is_none_or(Value::is_object);
    let items = args.get("items").and_then(Value::as_array).is_none_or(|items| items.iter().all(Value::is_object));
    if !args.is_object() || !object("state") || !object("session") || !items {
        return Err(bad(String::new()));
    }
    serde_json::from_value(args).map_err(|error| bad(error.to_string()))
}

fn missing(why: &str) -> String {
    why.strip_prefix("missing field ").map(|field| format!(": {field} is missing")).unwrap_or_default()
}

fn out<T: serde::Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|_| Error::argument("the result cannot be written"))
}
