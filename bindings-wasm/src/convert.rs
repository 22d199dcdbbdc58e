//! JSON text in, JSON text out.
//!
//! Values cross as JSON text. The strict walk over the host's objects (own properties, depth, numbers, surrogates) is
//! `npm/src/input.ts`: it makes a plain copy, which `sync` compares next time, and the text from it. Walking the objects from
//! here property by property was measured too, without any of the checks: 2.1 µs against 3.6 µs for a text of 1 KB, 6.9 µs
//! against 6.4 µs for three tool calls. Text was taken since none of the host's code then runs while a guard is in use.
//!
//! Names: fields of structs are `camelCase` in JavaScript and `snake_case` where stored. [`out`] renames fields of structs
//! only, so that keys that are data (source names, message payloads, error details) pass as they are; [`options`] renames
//! the keys of an option object, and not what is below them.

use serde::Serialize;
use serde_json::{Map, Value};
use standfast::json::{self, to_camel};
use standfast::{Code, Error, Result};

/// A result as JSON text in the JavaScript spelling.
pub(crate) fn out<T: Serialize + ?Sized>(value: &T) -> String {
    json::camel_text(value)
}

/// A value with the stored (`snake_case`) text of it or of a part of it: `{"value": …, "stored": "…"}`.
pub(crate) fn out_stored<T: Serialize, S: Serialize>(value: &T, stored: &S) -> String {
    format!("{{\"value\":{},\"stored\":{}}}", out(value), json::text(&json::text(stored)))
}

/// A host message. Its depth was capped by the walk that made the text.
pub(crate) fn message(text: &str) -> Result<Value> {
    read(text).ok_or_else(|| Error::argument("a message is not JSON text"))
}

/// Many host messages.
pub(crate) fn messages(text: &str) -> Result<Vec<Value>> {
    match read(text) {
        Some(Value::Array(messages)) => Ok(messages),
        _ => Err(not_messages()),
    }
}

/// Host messages by seq.
pub(crate) fn messages_by_seq(text: &str) -> Result<standfast::ordered::Map<u32, Value>> {
    let Some(Value::Object(given)) = read(text) else { return Err(not_messages()) };
    let mut messages = standfast::ordered::Map::new();
    for (seq, message) in given {
        messages.insert(seq.parse().map_err(|_| not_messages())?, message);
    }
    Ok(messages)
}

fn not_messages() -> Error {
    Error::argument("the messages are not JSON text")
}

/// All text is read into a [`Value`] first, so that there is one reader of text and one of values for each type.
fn read(text: &str) -> Option<Value> {
    json::parse(text, usize::MAX)
}

/// A stored document of ours (plan, texts), in its stored spelling.
pub(crate) fn stored<T: standfast::json::FromValue>(name: &str, text: &str) -> Result<T> {
    json::parse(text, json::DEPTH).and_then(|value| json::read(value).ok()).ok_or_else(|| not_ours(name))
}

fn not_ours(name: &str) -> Error {
    Error::argument(format!("`{name}` is not what this library wrote"))
}

/// An option object in the JavaScript spelling; absent means all defaults. `nested` names keys whose value is itself an
/// option object.
pub(crate) fn options<T: standfast::json::FromValue>(name: &str, text: Option<&str>, code: Code, nested: &[&str]) -> Result<T> {
    let map = option_map(name, text, code, nested)?;
    let read = |map: &Map<String, Value>| json::read::<T>(Value::Object(map.clone()));
    read(&map).map_err(|error| explain(name, code, &map, &error.to_string(), &|rest| read(rest).is_ok()))
}

fn option_map(name: &str, text: Option<&str>, code: Code, nested: &[&str]) -> Result<Map<String, Value>> {
    let given = match text.map(|text| json::parse(text, json::DEPTH)) {
        Some(Some(Value::Object(given))) => given,
        Some(_) => return Err(not_ours(name)),
        None => Map::new(),
    };
    let mut map = snake_keys(name, given, code)?;
    for key in nested {
        if let Some(Value::Object(inner)) = map.get_mut(*key) {
            *inner = snake_keys(key, std::mem::take(inner), code)?;
        }
    }
    Ok(map)
}

fn snake_keys(name: &str, map: Map<String, Value>, code: Code) -> Result<Map<String, Value>> {
    let mut renamed = Map::new();
    for (key, value) in map {
        if key.contains('_') {
            return Err(Error::of(code, format!("`{name}`: keys are written in camelCase")));
        }
        renamed.insert(to_snake(&key), value);
    }
    Ok(renamed)
}

/// Says which field is at fault without repeating its value.
fn explain(name: &str, code: Code, map: &Map<String, Value>, message: &str, readable: &dyn Fn(&Map<String, Value>) -> bool) -> Error {
    let culprit = map.keys().find(|key| readable(&json::without(map.clone(), &[key.as_str()])));
    let field = match culprit.filter(|key| key.len() <= 40 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')) {
        Some(key) => format!("`{name}`: field `{}`", to_camel(key)),
        None => format!("`{name}`"),
    };
    let why = if message.starts_with("unknown field") {
        "is not known".to_owned()
    } else if let Some((_, expected)) = message.split_once("expected ") {
        format!("is not usable, expected {expected}")
    } else if message.contains(['"', '`']) {
        "is not usable".to_owned()
    } else {
        format!("is not usable: {message}")
    };
    Error::of(code, format!("{field} {why}"))
}

/// `windowTokens` → `window_tokens`.
fn to_snake(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use standfast::Policy;

    fn policy(value: Value) -> Result<Policy> {
        options("policy", Some(&value.to_string()), Code::InvalidPolicy, &[])
    }

    #[test]
    fn option_keys_are_read_in_camel_case_only() {
        assert_eq!(policy(json!({"windowTokens": 5_000})).unwrap().window_tokens, Some(5_000));
        assert_eq!(policy(json!({"window_tokens": 5_000})).unwrap_err().code(), Code::InvalidPolicy);
    }

    #[test]
    fn data_keys_below_an_option_stay() {
        let read = policy(json!({"windowTokens": 5_000, "trustedSources": {"my_Loader": "operator"}})).unwrap();
        assert!(read.trusted_sources.contains_key("my_Loader"));
    }

    #[test]
    fn faults_name_the_field_and_never_the_value() {
        let unknown = policy(json!({"windowTokens": 5_000, "bogusKey": 1})).unwrap_err();
        assert_eq!(unknown.message(), "`policy`: field `bogusKey` is not known");
        let fraction = policy(json!({"qualityFraction": 1.5})).unwrap_err();
        assert_eq!(fraction.message(), "`policy`: field `qualityFraction` is not usable: a fraction lies in (0, 1]");
        for secret in [json!({"windowTokens": "CANARY"}), json!({"onDegraded": "CANARY"}), json!({"pattern": ["CANARY"]})] {
            let error = policy(secret).unwrap_err();
            assert!(!error.message().contains("CANARY"), "{}", error.message());
        }
    }

    #[test]
    fn results_rename_fields_and_leave_data() {
        #[derive(Serialize)]
        struct Inner {
            finish_reason: Option<u8>,
        }
        #[derive(Serialize)]
        struct Outer {
            budget_tokens: u32,
            by_source: standfast::ordered::Map<String, u32>,
            own_message: Value,
            inner_list: Vec<Inner>,
            a_pair: (u32, u32),
        }
        let outer = Outer {
            budget_tokens: 7,
            by_source: standfast::ordered::Map::from([("tool:get_it".to_owned(), 1)]),
            own_message: json!({"tool_calls": [{"call_id": 1}]}),
            inner_list: vec![Inner { finish_reason: None }],
            a_pair: (1, 2),
        };
        let expected = json!({
            "budgetTokens": 7,
            "bySource": {"tool:get_it": 1},
            "ownMessage": {"tool_calls": [{"call_id": 1}]},
            "innerList": [{"finishReason": null}],
            "aPair": [1, 2],
        });
        assert_eq!(serde_json::from_str::<Value>(&out(&outer)).unwrap(), expected);
        let both: Value = serde_json::from_str(&out_stored(&1, &outer)).unwrap();
        assert!(both["stored"].as_str().unwrap().contains("budget_tokens"));
    }

    #[test]
    fn nested_options_are_renamed_where_named() {
        type Outer = standfast::ordered::Map<String, standfast::ordered::Map<String, u32>>;
        let text = json!({"policy": {"windowTokens": 1}, "rules": {"myLoader": 2}}).to_string();
        let outer: Outer = options("options", Some(&text), Code::InvalidArgument, &["policy"]).unwrap();
        let has = |option: &str, key: &str| outer.get(option).is_some_and(|inner| inner.contains_key(key));
        assert!(has("policy", "window_tokens") && has("rules", "myLoader"));
    }

    #[test]
    fn deep_messages_are_read_to_the_cap() {
        let text = format!("{}{}", "[".repeat(130), "]".repeat(130));
        assert!(message(&text).is_ok());
        assert!(message("{} x").is_err());
    }
}
