//! Values of our types out of plain data.

use serde_json::{Map, Value};

use super::Error;
use crate::ordered;

/// What can be read out of plain data.
pub trait FromValue: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// Where the data is not of the type; what the data holds is not repeated.
    fn from_value(value: Value) -> Result<Self, Error>;
}

/// A place that a value is read into, whatever its type: readers of structs are compiled for none in particular.
pub trait Place {
    /// Reads a value into the place.
    ///
    /// # Errors
    /// Where the data is not of the place's type; the place keeps what it held.
    fn fill(&mut self, value: Value) -> Result<(), Error>;
}

impl<T: FromValue> Place for T {
    fn fill(&mut self, value: Value) -> Result<(), Error> {
        *self = T::from_value(value)?;
        Ok(())
    }
}

/// Reads plain data as a value of a type.
///
/// # Errors
/// Where the data is not of the type.
pub fn read<T: FromValue>(value: Value) -> Result<T, Error> {
    T::from_value(value)
}

fn expected(what: &str) -> Error {
    Error::new(format!("expected {what}"))
}

impl FromValue for Value {
    fn from_value(value: Value) -> Result<Self, Error> {
        Ok(value)
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Result<Self, Error> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(expected("a string")),
        }
    }
}

impl FromValue for bool {
    fn from_value(value: Value) -> Result<Self, Error> {
        value.as_bool().ok_or_else(|| expected("a boolean"))
    }
}

impl FromValue for u64 {
    fn from_value(value: Value) -> Result<Self, Error> {
        value.as_u64().ok_or_else(|| expected("a whole number"))
    }
}

impl FromValue for f64 {
    fn from_value(value: Value) -> Result<Self, Error> {
        value.as_f64().ok_or_else(|| expected("a number"))
    }
}

macro_rules! smaller_numbers {
    ($($type:ident)*) => {
        $(impl FromValue for $type {
            fn from_value(value: Value) -> Result<Self, Error> {
                u64::from_value(value)?.try_into().map_err(|_| expected("a smaller number"))
            }
        })*
    };
}

smaller_numbers! { u8 u16 u32 usize }

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

fn list(value: Value) -> Result<Vec<Value>, Error> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(expected("a list")),
    }
}

/// Takes the items of a list one by one; compiled once for all types.
fn each(value: Value, take: &mut dyn FnMut(Value) -> Result<(), Error>) -> Result<(), Error> {
    list(value)?.into_iter().try_for_each(take)
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: Value) -> Result<Self, Error> {
        let mut all = Self::new();
        each(value, &mut |item| {
            all.push(T::from_value(item)?);
            Ok(())
        })?;
        Ok(all)
    }
}

/// The items of a list of so many.
fn exactly<const N: usize>(value: Value) -> Result<[Value; N], Error> {
    list(value)?.try_into().map_err(|_| expected("a list of another length"))
}

impl<A: FromValue, B: FromValue> FromValue for (A, B) {
    fn from_value(value: Value) -> Result<Self, Error> {
        let [a, b] = exactly(value)?;
        Ok((A::from_value(a)?, B::from_value(b)?))
    }
}

impl<A: FromValue, B: FromValue, C: FromValue> FromValue for (A, B, C) {
    fn from_value(value: Value) -> Result<Self, Error> {
        let [a, b, c] = exactly(value)?;
        Ok((A::from_value(a)?, B::from_value(b)?, C::from_value(c)?))
    }
}

impl<V: FromValue> FromValue for ordered::Map<String, V> {
    fn from_value(value: Value) -> Result<Self, Error> {
        let Value::Object(fields) = value else { return Err(expected("a map")) };
        let mut map = Self::new();
        for (key, value) in fields {
            map.insert(key, V::from_value(value)?);
        }
        Ok(map)
    }
}

/// An object whose fields are taken out one by one. The first fault is kept for [`Object::end`], so that a reader of many
/// fields is one straight line.
pub struct Object {
    /// Values are taken out, keys stay: taking an entry out of such a map is a tenth of all the code of reading.
    fields: Map<String, Value>,
    taken: Vec<&'static str>,
    fault: Option<Error>,
}

impl Object {
    /// The object that is to be read.
    ///
    /// # Errors
    /// Where it is none.
    pub fn of(value: Value) -> Result<Self, Error> {
        match value {
            Value::Object(fields) => Ok(Self { fields, taken: Vec::new(), fault: None }),
            _ => Err(expected("an object")),
        }
    }

    fn note(&mut self, fault: Error) {
        self.fault.get_or_insert(fault);
    }

    /// Reads a field that may be missing into its place.
    pub fn set(&mut self, name: &'static str, place: &mut dyn Place) {
        let Some(value) = self.fields.get_mut(name) else { return };
        self.taken.push(name);
        if let Err(fault) = place.fill(std::mem::take(value)) {
            self.note(fault);
        }
    }

    /// Reads a field that must be there into its place.
    pub fn must(&mut self, name: &'static str, place: &mut dyn Place) {
        if !self.fields.contains_key(name) {
            self.note(Error::new(format!("missing field `{name}`")));
        }
        self.set(name, place);
    }

    /// A field that must be there.
    pub fn need<T: FromValue + Default>(&mut self, name: &'static str) -> T {
        let mut made = T::default();
        self.must(name, &mut made);
        made
    }

    /// A field that may be missing.
    pub fn may<T: FromValue + Default>(&mut self, name: &'static str) -> T {
        let mut made = T::default();
        self.set(name, &mut made);
        made
    }

    /// Whether all fields were good and none is left.
    ///
    /// # Errors
    /// The first fault; else the name of a field that is not known.
    pub fn end(self) -> Result<(), Error> {
        let Self { fields, taken, fault } = self;
        let unknown = fields.keys().find(|name| !taken.contains(&name.as_str()));
        fault.or_else(|| unknown.map(|name| Error::new(format!("unknown field `{name}`")))).map_or(Ok(()), Err)
    }

    /// What was made of the fields, where all were good; others may be left.
    ///
    /// # Errors
    /// The first fault.
    pub fn partly<T>(self, made: T) -> Result<T, Error> {
        self.fault.map_or(Ok(made), Err)
    }
}

/// Which of `count` words, of which `word` gives the written form, a value is.
///
/// # Errors
/// Names the words.
pub fn place_of(value: Value, count: usize, word: &dyn Fn(usize) -> String) -> Result<usize, Error> {
    let given = super::text(&value);
    (0..count).find(|at| word(*at) == given).ok_or_else(|| {
        let words: Vec<String> = (0..count).map(word).collect();
        expected(&words.join(" or "))
    })
}
