//! Reads the vector files and runs their steps; a test binary brings the calls.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use standfast::Result;

/// A vector file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    about: String,
    target: String,
    cases: Vec<Case>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    steps: Vec<Step>,
}

/// One call and what it must come to.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    call: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    args: Map<String, Value>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    returns: Option<Value>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    matches: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    has: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lacks: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    save: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<String>,
}

/// `"returns": null` is an expectation, a missing one is none.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What a step asks for.
pub(crate) struct Call<'a> {
    /// The function or method.
    pub(crate) name: &'a str,
    /// Its arguments, saved results filled in.
    pub(crate) args: Map<String, Value>,
    /// The guard it is called on.
    #[allow(dead_code, reason = "functions have no guard")]
    pub(crate) on: Option<&'a str>,
    /// The name to save a new guard under.
    #[allow(dead_code, reason = "functions have no guard")]
    pub(crate) save: Option<&'a str>,
}

/// Runs all files of a target. `start` gives the calls of a fresh case.
pub(crate) fn run<F: FnMut(Call<'_>) -> Result<Value>>(target: &str, start: impl Fn() -> F) {
    let record = std::env::var("STANDFAST_RECORD").is_ok();
    let mut folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    // `pending` holds what is known to be wrong
    folder.extend(std::env::var("STANDFAST_VECTORS"));
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    let mut steps = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "json") && !path.ends_with("schema.json")) {
        let text = std::fs::read_to_string(path).unwrap();
        let mut file: File = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if file.target != target {
            continue;
        }
        assert_eq!(Some(file.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()), "a file is called as it says");
        let mut filled = false;
        for case in &mut file.cases {
            let mut calls = start();
            let mut saved = BTreeMap::new();
            for (index, step) in case.steps.iter_mut().enumerate() {
                steps += 1;
                match run_step(step, &mut calls, &mut saved, record) {
                    Ok(recorded) => filled |= recorded,
                    Err(why) => failures.push(format!("{}/{} step {index} `{}`: {why}", file.name, case.name, step.call)),
                }
            }
        }
        if filled {
            let text = serde_json::to_string_pretty(&file).unwrap();
            std::fs::write(path, text + "\n").unwrap();
        }
    }
    assert!(steps > 0, "no vectors for {target}");
    assert!(failures.is_empty(), "{} of {steps} steps differ:\n{}", failures.len(), failures.join("\n"));
}

/// Runs a step; tells whether a missing result was filled in.
fn run_step(
    step: &mut Step,
    calls: &mut impl FnMut(Call<'_>) -> Result<Value>,
    saved: &mut BTreeMap<String, Value>,
    record: bool,
) -> std::result::Result<bool, String> {
    let args = step.args.iter().map(|(name, value)| Ok((name.clone(), filled_in(value, saved)?)));
    let args = args.collect::<std::result::Result<Map<_, _>, String>>()?;
    let result = calls(Call { name: &step.call, args, on: step.on.as_deref(), save: step.save.as_deref() });
    let told = step.has.is_empty() && step.lacks.is_empty();
    let open = told && step.returns.is_none() && step.matches.is_none() && step.error.is_none();
    match (result, &step.error) {
        (Err(error), Some(code)) if error.code().as_str() == code => {
            let details = Value::Object(error.details().clone());
            match &step.details {
                Some(wanted) => contains(&details, wanted, "details").map(|()| false),
                None => Ok(false),
            }
        }
        (Err(error), None) if open && record => {
            step.error = Some(error.code().as_str().to_owned());
            Ok(true)
        }
        (Err(error), wanted) => Err(format!("error {} ({}), wanted {}", error.code().as_str(), error, wanted.as_deref().unwrap_or("none"))),
        (Ok(value), Some(code)) => Err(format!("no error, wanted {code}; got {}", short(&value))),
        (Ok(value), None) => {
            if let Some(name) = &step.save {
                saved.insert(name.clone(), value.clone());
            }
            if open && record && step.save.is_none() {
                step.returns = Some(value);
                return Ok(true);
            }
            if let Some(wanted) = step.returns.as_ref().filter(|wanted| **wanted != value) {
                return Err(format!("got {}, wanted {}", short(&value), short(wanted)));
            }
            if let Some(wanted) = &step.matches {
                contains(&value, wanted, "result")?;
            }
            says(&value, step).map(|()| false)
        }
    }
}

/// Whether the texts of a result have and lack what a step says.
fn says(value: &Value, step: &Step) -> std::result::Result<(), String> {
    if let Some(text) = step.has.iter().find(|text| !has(value, text)) {
        return Err(format!("no text has `{text}`: {}", short(value)));
    }
    match step.lacks.iter().find(|text| has(value, text)) {
        Some(text) => Err(format!("a text has `{text}`: {}", short(value))),
        None => Ok(()),
    }
}

/// Whether a text of a result, at any depth, has `text` in it.
fn has(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| has(item, text)),
        Value::Object(fields) => fields.values().any(|item| has(item, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Puts saved results in the place of references.
fn filled_in(value: &Value, saved: &BTreeMap<String, Value>) -> std::result::Result<Value, String> {
    Ok(match value {
        Value::Object(fields) if fields.len() == 1 && fields.contains_key("$ref") => {
            let path = fields.get("$ref").and_then(Value::as_str).unwrap_or_default();
            let mut parts = path.split('.');
            let mut found = parts.next().and_then(|name| saved.get(name));
            for part in parts {
                found = found.and_then(|value| part.parse::<usize>().ok().and_then(|i| value.get(i)).or_else(|| value.get(part)));
            }
            found.cloned().ok_or_else(|| format!("nothing is saved as `{path}`"))?
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok((name.clone(), filled_in(value, saved)?)));
            Value::Object(fields.collect::<std::result::Result<_, String>>()?)
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| filled_in(item, saved)).collect::<std::result::Result<_, _>>()?),
        other => other.clone(),
    })
}

/// Whether `whole` has what `part` names: objects may have more fields.
fn contains(whole: &Value, part: &Value, place: &str) -> std::result::Result<(), String> {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().try_for_each(|(name, part)| match whole.get(name) {
            Some(whole) => contains(whole, part, &format!("{place}.{name}")),
            None => Err(format!("{place} has no `{name}`")),
        }),
        (Value::Array(whole), Value::Array(part)) if whole.len() == part.len() => {
            let pairs = whole.iter().zip(part).enumerate();
            pairs.into_iter().try_for_each(|(i, (whole, part))| contains(whole, part, &format!("{place}.{i}")))
        }
        _ if whole == part => Ok(()),
        _ => Err(format!("{place} is {}, wanted {}", short(whole), short(part))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 2_000 { text.chars().take(2_000).chain("…".chars()).collect() } else { text }
}
