//! Python values to JSON and back. Whatever cannot be JSON is refused with a code, never with a bare `TypeError`.

use standfast::ordered::Map;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde::Serialize;
use serde_json::{Number, Value};
use standfast::{Code, Error, Given, Item, Policy, Summary};

use crate::error::exception;

/// Containers inside each other that are read (O4).
const MAX_DEPTH: usize = 128;
/// Integers up to this are exact in every language; larger ones travel as decimal text (S2).
const MAX_SAFE: u64 = 1 << 53;

/// A value as JSON, and whether lone surrogates had to be replaced by U+FFFD on the way.
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) replaced: bool,
}

/// Any Python value as JSON. `name` is the argument it came as.
pub(crate) fn json(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Read<Value>> {
    let mut walker = Walker { name, replaced: false };
    let value = walker.walk(object, 0)?;
    Ok(Read { value, replaced: walker.replaced })
}

/// A list of messages as JSON; the nesting of each is counted from the message on.
pub(crate) fn messages(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Read<Vec<Value>>> {
    let mut walker = Walker { name, replaced: false };
    let value = items(object, name)?.iter().map(|item| walker.walk(item, 0)).collect::<PyResult<_>>()?;
    Ok(Read { value, replaced: walker.replaced })
}

/// Messages by seq.
pub(crate) fn messages_by_seq(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Map<u32, Value>> {
    let mut walker = Walker { name, replaced: false };
    pairs(object, name)?.iter().map(|(seq, item)| Ok((count(seq, "seq")?, walker.walk(item, 0)?))).collect()
}

/// A policy's fields. The error names the field and says nothing of its value.
pub(crate) fn policy(object: &Bound<'_, PyAny>) -> PyResult<Policy> {
    let fields = json(object, "policy")?.value;
    standfast::json::read::<Policy>(fields.clone()).map_err(|_| exception(object.py(), &bad_field(fields)))
}

fn bad_field(fields: Value) -> Error {
    let Value::Object(fields) = fields else { return Error::of(Code::InvalidPolicy, "a policy is a dict of fields") };
    for (name, value) in fields {
        let alone = Value::Object(serde_json::Map::from_iter([(name.clone(), value)]));
        if let Err(error) = standfast::json::read::<Policy>(alone) {
            let unknown = error.to_string().starts_with("unknown field");
            return Error::of(
                Code::InvalidPolicy,
                if unknown { format!("unknown field `{name}`") } else { format!("`{name}` is out of its range or type") },
            );
        }
    }
    Error::of(Code::InvalidPolicy, "the fields do not make a policy")
}

/// Answers to the requests of a plan: text, `{"text", "finish_reason"}`, or None for a failed call.
pub(crate) fn summaries(object: &Bound<'_, PyAny>) -> PyResult<Map<String, Option<Summary>>> {
    pairs(object, "summaries")?.iter().map(|(id, answer)| Ok((text(id, "request id")?, summary(answer)?))).collect()
}

fn summary(answer: &Bound<'_, PyAny>) -> PyResult<Option<Summary>> {
    let bad = || refused(answer, Code::SummaryNotText, format!("a summarizer returned `{}`", type_name(answer)));
    match (answer.is_none(), answer.is_instance_of::<PyString>(), answer.cast::<PyMapping>().is_ok()) {
        (true, _, _) => Ok(None),
        (_, true, _) => Ok(Some(Summary { text: Walker { name: "summary", replaced: false }.string(answer)?, finish_reason: None })),
        (_, _, true) => standfast::json::read(json(answer, "summary").map_err(|_| bad())?.value).map(Some).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

/// A text argument, which must be valid Unicode.
pub(crate) fn text(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<String> {
    text_or(object, name, Code::InvalidArgument)
}

/// The text of a rule: a lone surrogate has a code of its own.
pub(crate) fn rule_text(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<String> {
    text_or(object, name, Code::RuleNotText)
}

fn text_or(object: &Bound<'_, PyAny>, name: &'static str, surrogate: Code) -> PyResult<String> {
    let Ok(text) = object.cast::<PyString>() else { return Err(unlike(object, name, "a str")) };
    text.to_str().map(str::to_owned).map_err(|_| refused(object, surrogate, format!("`{name}` holds a lone surrogate")))
}

/// A text argument that may be None.
pub(crate) fn optional_text(object: Option<&Bound<'_, PyAny>>, name: &'static str) -> PyResult<Option<String>> {
    object.map(|object| text(object, name)).transpose()
}

/// A list of texts.
pub(crate) fn texts(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Vec<String>> {
    items(object, name)?.iter().map(|item| rule_text(item, name)).collect()
}

/// A dict of texts.
pub(crate) fn text_map(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Map<String, String>> {
    pairs(object, name)?.iter().map(|(key, value)| Ok((text(key, name)?, text(value, name)?))).collect()
}

/// A dict of lists of texts.
pub(crate) fn texts_map(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Map<String, Vec<String>>> {
    pairs(object, name)?.iter().map(|(key, value)| Ok((text(key, name)?, texts(value, name)?))).collect()
}

/// A number of tokens or a seq.
pub(crate) fn count(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<u32> {
    if object.is_instance_of::<PyBool>() || !object.is_instance_of::<PyInt>() {
        return Err(unlike(object, name, "an int"));
    }
    object.extract().map_err(|_| refused(object, Code::InvalidArgument, format!("`{name}` is not between 0 and {}", u32::MAX)))
}

/// Numbers of a list.
pub(crate) fn counts(object: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Vec<u32>> {
    items(object, name)?.iter().map(|item| count(item, name)).collect()
}

/// One of the words of a serde enum; any other text or value is `code`.
pub(crate) fn word<T: standfast::json::FromValue>(
    object: Option<&Bound<'_, PyAny>>,
    name: &'static str,
    code: Code,
) -> PyResult<Option<T>> {
    let Some(object) = object else { return Ok(None) };
    let word = Value::String(text(object, name)?);
    standfast::json::read(word).map(Some).map_err(|_| refused(object, code, format!("`{name}` is not one of its words")))
}

/// A wire value as plain Python data.
pub(crate) fn to_py<'py, T: Serialize + ?Sized>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    pythonize::pythonize(py, value).map_err(|_| exception(py, &Error::argument("a value could not be given to Python")))
}

/// A result that the engine wrote.
pub(crate) fn stored(text: &str) -> standfast::Result<Value> {
    serde_json::from_str(text).map_err(|_| Error::argument("the result cannot be read"))
}

/// Items of a list or a tuple. The list is copied first, so that nobody changes it while it is read.
fn items<'py>(object: &Bound<'py, PyAny>, name: &'static str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = object.cast::<PyList>() {
        return Ok(list.iter().collect());
    }
    object.cast::<PyTuple>().map(|tuple| tuple.iter().collect()).map_err(|_| unlike(object, name, "a list"))
}

/// Entries of a dict or another mapping, copied like `items`.
fn pairs<'py>(object: &Bound<'py, PyAny>, name: &'static str) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let entries = if let Ok(dict) = object.cast::<PyDict>() {
        dict.items()
    } else if let Ok(mapping) = object.cast::<PyMapping>() {
        mapping.items().map_err(|error| foreign(object, name, error))?
    } else {
        return Err(unlike(object, name, "a dict"));
    };
    entries.iter().map(|entry| entry.extract().map_err(|error| foreign(object, name, error))).collect()
}

/// Texts to be typed. They are read without a detour over JSON, since there may be many.
pub(crate) fn given(object: &Bound<'_, PyAny>) -> PyResult<Vec<Given>> {
    let mut walker = Walker { name: "items", replaced: false };
    let mut all = Vec::new();
    for item in items(object, "items")? {
        let mut given = Given::default();
        let mut named = false;
        for (key, value) in pairs(&item, "items")? {
            let key = key.cast::<PyString>().map_err(|_| unlike(&key, "items", "a str"))?;
            match &*key.to_string_lossy() {
                "text" => {
                    given.text = walker.string(&value)?;
                    named = true;
                }
                "heading_path" if value.is_none() => {}
                "heading_path" => {
                    given.heading_path =
                        self::items(&value, "heading_path")?.iter().map(|part| walker.string(part)).collect::<PyResult<_>>()?;
                }
                "lead_in" if !value.is_none() => given.lead_in = Some(walker.string(&value)?),
                "kind" if !value.is_none() => given.kind = Some(walker.string(&value)?),
                "lead_in" | "kind" => {}
                other => return Err(refused(&item, Code::InvalidArgument, format!("an item has no field `{other}`"))),
            }
        }
        if !named {
            return Err(refused(&item, Code::InvalidArgument, "an item has a `text`".to_owned()));
        }
        all.push(given);
    }
    Ok(all)
}

/// What was found out about each of many texts.
pub(crate) fn typed<'py>(py: Python<'py>, found: &[Item]) -> PyResult<Bound<'py, PyAny>> {
    let word = |value: Value| PyString::intern(py, value.as_str().unwrap_or_default());
    let all = PyList::empty(py);
    for item in found {
        let (knowledge, tier) = (word(standfast::json::value(&item.knowledge)), word(standfast::json::value(&item.tier)));
        let (kind, polarity) = (word(standfast::json::value(&item.kind)), word(standfast::json::value(&item.polarity)));
        all.append((knowledge, tier, kind, polarity, item.confidence, item.p_constraint, item.suspected))?;
    }
    Ok(all.into_any())
}

struct Walker {
    name: &'static str,
    replaced: bool,
}

impl Walker {
    fn walk(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
        if object.is_instance_of::<PyString>() {
            return self.string(object).map(Value::String);
        }
        if object.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(flag) = object.cast::<PyBool>() {
            return Ok(Value::Bool(flag.is_true()));
        }
        if object.is_instance_of::<PyInt>() {
            return self.integer(object);
        }
        if let Ok(float) = object.cast::<PyFloat>() {
            let number = Number::from_f64(float.value());
            return number
                .map(Value::Number)
                .ok_or_else(|| refused(object, Code::InvalidNumber, format!("`{}` holds NaN or Infinity", self.name)));
        }
        let list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        if !list && !object.is_instance_of::<PyDict>() && object.cast::<PyMapping>().is_err() {
            return Err(refused(
                object,
                Code::InvalidArgument,
                format!("`{}` holds a value of type `{}`, which is not JSON", self.name, type_name(object)),
            ));
        }
        if depth >= MAX_DEPTH {
            return Err(refused(object, Code::TooDeep, format!("`{}` is nested more than {MAX_DEPTH} levels deep", self.name)));
        }
        if list {
            return items(object, self.name)?.iter().map(|item| self.walk(item, depth + 1)).collect::<PyResult<_>>().map(Value::Array);
        }
        let mut map = serde_json::Map::new();
        for (key, value) in pairs(object, self.name)? {
            if !key.is_instance_of::<PyString>() {
                return Err(refused(
                    &key,
                    Code::InvalidArgument,
                    format!("`{}` holds a key of type `{}`; keys are str", self.name, type_name(&key)),
                ));
            }
            map.insert(self.string(&key)?, self.walk(&value, depth + 1)?);
        }
        Ok(Value::Object(map))
    }

    /// A str; surrogates that make no pair become U+FFFD.
    fn string(&mut self, object: &Bound<'_, PyAny>) -> PyResult<String> {
        let text = object.cast::<PyString>().map_err(|_| unlike(object, self.name, "a str"))?;
        if let Ok(valid) = text.to_str() {
            return Ok(valid.to_owned());
        }
        let bytes: Vec<u8> = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?.extract()?;
        let units = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(u16::from_le_bytes));
        let decode = |unit: Result<char, _>| {
            unit.unwrap_or_else(|_| {
                self.replaced = true;
                char::REPLACEMENT_CHARACTER
            })
        };
        Ok(char::decode_utf16(units).map(decode).collect())
    }

    fn integer(&self, object: &Bound<'_, PyAny>) -> PyResult<Value> {
        if let Ok(number) = object.extract::<i64>()
            && number.unsigned_abs() <= MAX_SAFE
        {
            return Ok(Value::from(number));
        }
        // `int.__repr__`, because a subclass may print itself otherwise; Python itself refuses more than 4,300 digits.
        let digits = object.py().get_type::<PyInt>().call_method1("__repr__", (object,)).and_then(|digits| digits.extract());
        digits
            .map(Value::String)
            .map_err(|_| refused(object, Code::InvalidNumber, format!("`{}` holds an int of too many digits", self.name)))
    }
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().qualname().map_or_else(|_| "?".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn unlike(object: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyErr {
    if object.cast::<PyFloat>().is_ok_and(|float| !float.value().is_finite()) {
        return refused(object, Code::InvalidNumber, format!("`{name}` is not a finite number"));
    }
    refused(object, Code::InvalidArgument, format!("`{name}` is of type `{}`, not {wanted}", type_name(object)))
}

fn refused(object: &Bound<'_, PyAny>, code: Code, message: String) -> PyErr {
    exception(object.py(), &Error::of(code, message))
}

/// What a host's own mapping raised: an interrupt passes, anything else says that the argument cannot be read.
fn foreign(object: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyErr {
    if error.is_instance_of::<pyo3::exceptions::PyException>(object.py()) {
        return refused(object, Code::InvalidArgument, format!("`{name}` holds a `{}` that cannot be read", type_name(object)));
    }
    error
}
