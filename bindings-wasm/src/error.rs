//! Core errors as JavaScript `Error` objects with `code`, `className`, `hint` and `details`.
//!
//! The npm package rethrows them as its own `StandfastError`, so that `instanceof` works.

use standfast::{Code, Error};
use wasm_bindgen::JsValue;

use crate::convert;

/// The JavaScript form of a core error.
pub(crate) fn thrown(error: &Error) -> JsValue {
    let object = js_sys::Error::new(error.message());
    let details = js_sys::JSON::parse(&convert::out(error.details())).unwrap_or(JsValue::NULL);
    let fields = [
        ("code", JsValue::from_str(error.code().as_str())),
        ("className", JsValue::from_str(error.class().name())),
        ("hint", JsValue::from_str(error.hint())),
        ("details", details),
    ];
    for (name, value) in fields {
        // Setting a property of a plain object does not fail.
        let _ = js_sys::Reflect::set(&object, &JsValue::from_str(name), &value);
    }
    object.into()
}

/// The code of this text form; a fault of an argument where there is none.
pub(crate) fn code(name: &str) -> Code {
    Code::ALL.iter().copied().find(|code| code.as_str() == name).unwrap_or(Code::InvalidArgument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_text() {
        for known in Code::ALL {
            assert_eq!(code(known.as_str()), *known);
        }
        assert_eq!(code("no_such_code"), Code::InvalidArgument);
    }
}
