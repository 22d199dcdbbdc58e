//! One door to the classifier for the bindings and the vectors: a name and named arguments in, JSON text out.

use serde_json::Value;

use super::{Given, classify_items, explain, triage};
use crate::error::{Error, Result};
use crate::json::{self, Object};
use crate::trust::Trust;

/// The names [`call`] knows.
pub const CALLS: &[&str] = &["classify_items", "triage", "explain_item"];

/// Calls the function `name` with named arguments: `items` and perhaps `point`; `document`, `source` and perhaps `trust` and
/// `point`; `item` and perhaps `point`. The result is stored text or, where `camel` is set, text in the spelling of JavaScript.
///
/// # Errors
/// `invalid_argument` for an unknown name or arguments that cannot be read.
pub fn call(name: &str, args: Value, camel: bool) -> Result<String> {
    let unreadable = |_| Error::argument(format!("the arguments of `{name}` cannot be read"));
    let mut args = Object::of(args).map_err(unreadable)?;
    let point = args.may("point");
    match name {
        "classify_items" => {
            let items: Vec<Given> = args.need("items");
            args.end().map_err(unreadable)?;
            Ok(json::spelled(&classify_items(&items, point), camel))
        }
        "triage" => {
            let (document, source): (String, String) = (args.need("document"), args.need("source"));
            let trust: Option<Trust> = args.may("trust");
            args.end().map_err(unreadable)?;
            Ok(json::spelled(&triage(&document, &source, trust.unwrap_or_default(), point), camel))
        }
        "explain_item" => {
            let item: Given = args.need("item");
            args.end().map_err(unreadable)?;
            Ok(json::spelled(&explain(&item, point), camel))
        }
        _ => Err(Error::argument("there is no such function")),
    }
}
