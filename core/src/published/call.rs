//! One door to the functional core for the bindings and the vectors: a name and named arguments in, plain data out.

use serde_json::Value;

use super::{
    CONSTRAINT_SHAPED, ContextItem, DISCARDABLE_SHAPED, INVARIANT_SOURCES, PINNED_FOOTER, PINNED_HEADER, PublishedTaskState, Session,
    TriggerArgs, assert_invariants_present, classify, compact_begin, compact_finish, order, render_pinned_block, render_task_state,
    session_begin, session_finish, should_compact, trigger_limits,
};
use crate::digest;
use crate::error::{Code, Error, Result};
use crate::json::{self, FromValue, Object};
use crate::ordered::Map;
use crate::pinned;
use crate::trigger::Boundary;
use crate::window;

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
    "render",
];

/// Calls the function `name` of this module with named arguments.
///
/// # Errors
/// Those of the function; `invalid_argument` for an unknown name or arguments that cannot be read.
pub fn call(name: &str, args: Value) -> Result<Value> {
    let mut args = Object::of(args).map_err(|_| unreadable(name, ""))?;
    // what is read first counts only where all arguments were good
    match name {
        "classify" => {
            let (text, source): (String, String) = (args.need("text"), args.need("source"));
            let (turn, trust) = (args.need("turn"), args.may("trust"));
            done(name, args)?;
            out(&classify(&text, &source, turn, trust))
        }
        "render_pinned_block" => Ok(render_pinned_block(&items(name, args)?)?.into()),
        "order" => out(&order(&items(name, args)?)?),
        "fingerprint" => {
            let digest = pinned::fingerprint(&only::<String>(name, args, "text")?);
            Ok(json::value(&Map::from([("fingerprint", digest.name()), ("digest", digest.hex())])))
        }
        "message_digest" => Ok(digest::of_message(&only::<Value>(name, args, "message")?).hex().into()),
        "render_task_state" => Ok(render_task_state(&only(name, args, "state")?)?.into()),
        "compact_begin" => out(&compact_begin(&items(name, args)?)?),
        "compact_finish" => {
            let (items, state): (Vec<ContextItem>, PublishedTaskState) = (args.need("items"), args.need("state"));
            let (summary, round_no): (Option<String>, u32) = (args.may("summary"), args.need("round_no"));
            done(name, args)?;
            out(&compact_finish(&items, &state, summary.as_deref(), round_no)?)
        }
        "assert_invariants_present" => {
            let (messages, items): (Vec<Value>, Vec<ContextItem>) = (args.need("messages"), args.need("items"));
            done(name, args)?;
            assert_invariants_present(&messages, &items).map(|()| Value::Null)
        }
        "trigger_limits" => out(&trigger_limits(&policy(only(name, args, "policy")?)?)?),
        "should_compact" => {
            let (given, used, boundary): (Value, u32, String) = (args.need("policy"), args.need("used"), args.need("boundary"));
            done(name, args)?;
            out(&should_compact(&policy(given)?, used, &boundary)?)
        }
        "boundary" => Ok(Boundary::parse(&only::<String>(name, args, "name")?)?.as_str().into()),
        "session_begin" => out(&session_begin(&only(name, args, "session")?)?),
        "session_finish" => {
            let (session, summary): (Session, Value) = (args.need("session"), args.need("summary"));
            done(name, args)?;
            session_finish(&session, &summary)
        }
        "constants" => {
            done(name, args)?;
            let mut constants: Map<&str, Value> = [
                ("CONSTRAINT_SHAPED", CONSTRAINT_SHAPED),
                ("DISCARDABLE_SHAPED", DISCARDABLE_SHAPED),
                ("PINNED_HEADER", PINNED_HEADER),
                ("PINNED_FOOTER", PINNED_FOOTER),
            ]
            .into_iter()
            .map(|(name, text)| (name, text.into()))
            .collect();
            constants.insert("INVARIANT_SOURCES", json::value(INVARIANT_SOURCES));
            Ok(json::value(&constants))
        }
        "render" => {
            let (messages, provider): (Vec<Value>, Value) = (args.need("messages"), args.need("provider"));
            let system: Option<Value> = args.may("system");
            done(name, args)?;
            let to = json::read(provider)
                .map_err(|_| Error::argument("`provider` is \"openai\", \"anthropic\", \"responses\" or \"gemini\""))?;
            out(&window::render(to, &messages, system.as_ref())?)
        }
        _ => Err(Error::argument("there is no such function in the functional core")),
    }
}

/// A trigger policy's arguments: what cannot be read is a policy that cannot be used.
fn policy(given: Value) -> Result<TriggerArgs> {
    json::read(given)
        .map_err(|error| Error::new(Code::InvalidPolicy, format!("the trigger policy cannot be read{}", missing(&error.to_string()))))
}

/// All arguments of `name` were read.
fn done(name: &str, args: Object) -> Result<()> {
    args.end().map_err(|error| unreadable(name, &error.to_string()))
}

fn only<T: FromValue + Default>(name: &str, mut args: Object, field: &'static str) -> Result<T> {
    let value = args.need(field);
    done(name, args).map(|()| value)
}

fn items(name: &str, args: Object) -> Result<Vec<ContextItem>> {
    only(name, args, "items")
}

/// What serde says may quote the arguments, so only the names of fields that are missing are passed on.
fn unreadable(name: &str, why: &str) -> Error {
    Error::argument(format!("the arguments of `{name}` cannot be read{}", missing(why)))
}

fn missing(why: &str) -> String {
    why.strip_prefix("missing field ").map(|field| format!(": {field} is missing")).unwrap_or_default()
}

fn out<T: serde::Serialize>(value: &T) -> Result<Value> {
    Ok(json::value(value))
}
