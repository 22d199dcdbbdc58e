//! The library's own types as JSON: one writer and one reader.
//!
//! A type costs code once for each serializer and deserializer it meets, and the wasm file has a budget. So [`text`] is the
//! one writer, of what `serde_json::to_string` would write; and types are read from plain data ([`FromValue`]), not
//! through serde's visitors. For everybody else they implement serde's traits as usual.

mod parse;
mod read;
mod write;

use std::fmt::{self, Display};

use serde::Serialize;
use serde::de::{Expected, Unexpected};
use serde_json::{Map, Value};

pub use read::{FromValue, Object, Place, place_of, read};
use write::write;

/// What is wrong with data. serde's own errors say more, in three times the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Fault>);

/// Behind a pointer, since most results have no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    message: String,
}

impl Error {
    /// A fault in words.
    #[must_use]
    pub fn of(message: &str) -> Self {
        Self::new(message.to_owned())
    }

    fn new(message: String) -> Self {
        Self(Box::new(Fault { message }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl serde::ser::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl serde::de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}"))
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::new("unknown word".to_owned())
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(format!("unknown field `{field}`"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("missing field `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("duplicate field `{field}`"))
    }
}

/// The JSON text of a value, as it is stored.
#[must_use]
pub fn text<T: Serialize + ?Sized>(value: &T) -> String {
    write(value, false)
}

/// The JSON text of a value with the fields of structs in `camelCase`. Keys that are data stay as they are.
#[must_use]
pub fn camel_text<T: Serialize + ?Sized>(value: &T) -> String {
    write(value, true)
}

/// [`camel_text`] or [`text`].
#[must_use]
pub fn spelled<T: Serialize + ?Sized>(value: &T, camel: bool) -> String {
    write(value, camel)
}

/// A value as plain data.
#[must_use]
pub fn value<T: Serialize + ?Sized>(value: &T) -> Value {
    parse(&text(value), DEPTH).unwrap_or_default()
}

/// Levels that a text may nest, itself the first one.
pub const DEPTH: usize = 128;

/// Reads JSON text that nests less than `depth` levels, as `serde_json` would read it.
#[must_use]
pub fn parse(text: &str, depth: usize) -> Option<Value> {
    parse::parse(text, depth)
}

/// `window_tokens` → `windowTokens`.
#[must_use]
pub fn to_camel(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        if c == '_' {
            upper = true;
        } else {
            out.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    out
}

/// The fields of an object but for some.
#[must_use]
pub fn without(fields: Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let mut rest = Map::new();
    for (name, value) in fields {
        if !names.contains(&name.as_str()) {
            rest.insert(name, value);
        }
    }
    rest
}

/// An object of these fields.
#[must_use]
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut object = Map::new();
    for (name, value) in fields {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// Reads a struct from an object, in a third of the code that the derived reader has: fields that must be there, then
/// fields that are their type's default where missing. With `default`, all are those of the struct's default where missing.
/// `Type: A, B` reads an enum of words; `@serde Type` makes serde read what is [`FromValue`](json::FromValue).
#[macro_export]
#[doc(hidden)]
macro_rules! reads {
    ($type:ident default { $($field:ident),* $(,)? }) => {
        $crate::reads! { @impl $type, object => {
            let mut made = Self::default();
            $(object.set(stringify!($field), &mut made.$field);)*
            made
        } }
    };
    ($type:ident { $($field:ident),* $(,)? } $({ $($maybe:ident),* $(,)? })?) => {
        $crate::reads! { @impl $type, object => {
            let mut made = Self {
                $($field: ::std::default::Default::default(),)*
                $($($maybe: ::std::default::Default::default(),)*)?
            };
            $(object.must(stringify!($field), &mut made.$field);)*
            $($(object.set(stringify!($maybe), &mut made.$maybe);)*)?
            made
        } }
    };
    ($type:ident: $($word:ident),* $(,)?) => {
        impl $crate::json::FromValue for $type {
            fn from_value(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::json::Error> {
                // all of them: this does not compile otherwise
                let text = |word: &Self| match word { $(Self::$word => $crate::json::text(word),)* };
                let all = [$(Self::$word),*];
                let word = |at: usize| all.get(at).map(text).unwrap_or_default();
                let place = $crate::json::place_of(value, all.len(), &word)?;
                // never out of its bounds
                Ok(all.get(place).copied().unwrap_or([$(Self::$word),*][0]))
            }
        }
        $crate::reads! { @serde $type }
    };
    (@impl $type:ident, $object:ident => $body:expr) => {
        impl $crate::json::FromValue for $type {
            fn from_value(value: ::serde_json::Value) -> ::std::result::Result<Self, $crate::json::Error> {
                let mut object = $crate::json::Object::of(value)?;
                let $object = &mut object;
                let made = $body;
                object.end()?;
                Ok(made)
            }
        }
        $crate::reads! { @serde $type }
    };
    (@serde $type:ident) => {
        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                let value = ::serde_json::Value::deserialize(deserializer)?;
                $crate::json::read(value).map_err(::serde::de::Error::custom)
            }
        }
    };
}
