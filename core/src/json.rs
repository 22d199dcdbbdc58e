//! The one writer and the one reader of JSON for the library's own types.
//!
//! Each type costs code once for each serializer and deserializer it meets, so there is one of each: [`text`] writes what
//! `serde_json::to_string` would, and [`read`] reads what `serde_json::from_value` would, except that a list is no struct.

use std::fmt::{self, Display, Write};

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use serde::ser::{self, Serialize, Serializer};
use serde_json::{Value, map};

/// What is wrong with data. serde's own errors say more, in three times the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Fault>);

/// Behind a pointer, since most results have no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    message: String,
}

impl Error {
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

/// A value as plain data.
#[must_use]
pub fn value<T: Serialize + ?Sized>(value: &T) -> Value {
    parse(&text(value))
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// An object of these fields.
#[must_use]
pub fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let mut object = map::Map::new();
    for (name, value) in fields {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// Reads plain data as a value of a type.
///
/// # Errors
/// Where the data is not of the type.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Reader(value))
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

fn write<T: Serialize + ?Sized>(value: &T, camel: bool) -> String {
    let mut writer = Writer { out: String::with_capacity(128), camel };
    // The wire types serialize without fault: string keys, no fallible fields.
    if value.serialize(&mut writer).is_err() { "null".to_owned() } else { writer.out }
}

struct Writer {
    out: String,
    camel: bool,
}

impl Writer {
    fn quote(&mut self, text: &str) {
        self.out.push('"');
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.out.push_str(text.get(from..at).unwrap_or_default());
            from = at + 1;
            match byte {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                b'\n' => self.out.push_str("\\n"),
                b'\r' => self.out.push_str("\\r"),
                b'\t' => self.out.push_str("\\t"),
                8 => self.out.push_str("\\b"),
                12 => self.out.push_str("\\f"),
                other => self.show(&format_args!("\\u{other:04x}")),
            }
        }
        self.out.push_str(text.get(from..).unwrap_or_default());
        self.out.push('"');
    }

    fn show(&mut self, what: &dyn Display) {
        // writing to a string does not fail
        let _ = write!(self.out, "{what}");
    }

    fn comma(&mut self) {
        if !self.out.ends_with(['[', '{']) {
            self.out.push(',');
        }
    }

    fn field(&mut self, key: &str) {
        self.comma();
        if self.camel && key.contains('_') {
            self.quote(&to_camel(key));
        } else {
            self.quote(key);
        }
        self.out.push(':');
    }

    fn open(&mut self, mark: char, variant: Option<&str>) -> List<'_> {
        if let Some(variant) = variant {
            self.out.push('{');
            self.quote(variant);
            self.out.push(':');
        }
        self.out.push(mark);
        let end = match (mark, variant) {
            ('[', None) => "]",
            ('[', Some(_)) => "]}",
            (_, None) => "}",
            (_, Some(_)) => "}}",
        };
        List { writer: self, end }
    }
}

/// An array or an object that is being written.
struct List<'a> {
    writer: &'a mut Writer,
    end: &'static str,
}

impl List<'_> {
    fn close(self) {
        self.writer.out.push_str(self.end);
    }
}

macro_rules! shown {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(fn $name(self, value: $type) -> Result<(), Error> {
            self.show(&value);
            Ok(())
        })*
    };
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = List<'a>;
    type SerializeTupleVariant = List<'a>;
    type SerializeMap = List<'a>;
    type SerializeStruct = List<'a>;
    type SerializeStructVariant = List<'a>;

    shown! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        match serde_json::Number::from_f64(value) {
            Some(number) => self.show(&number),
            None => self.out.push_str("null"),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.quote(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.quote(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.out.push('{');
        self.quote(variant);
        self.out.push(':');
        value.serialize(&mut *self)?;
        self.out.push('}');
        Ok(())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<List<'a>, Error> {
        Ok(self.open('[', None))
    }

    fn serialize_tuple(self, _len: usize) -> Result<List<'a>, Error> {
        Ok(self.open('[', None))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<List<'a>, Error> {
        Ok(self.open('[', None))
    }

    fn serialize_tuple_variant(self, _name: &'static str, _index: u32, variant: &'static str, _len: usize) -> Result<List<'a>, Error> {
        Ok(self.open('[', Some(variant)))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<List<'a>, Error> {
        Ok(self.open('{', None))
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<List<'a>, Error> {
        Ok(self.open('{', None))
    }

    fn serialize_struct_variant(self, _name: &'static str, _index: u32, variant: &'static str, _len: usize) -> Result<List<'a>, Error> {
        Ok(self.open('{', Some(variant)))
    }
}

macro_rules! lists {
    ($($compound:ident::$method:ident),* $(,)?) => {
        $(impl ser::$compound for List<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.writer.comma();
                value.serialize(&mut *self.writer)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

impl ser::SerializeMap for List<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.writer.comma();
        let at = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.out.as_bytes().get(at) != Some(&b'"') {
            // a number as a key
            self.writer.out.insert(at, '"');
            self.writer.out.push('"');
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.out.push(':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

macro_rules! structs {
    ($($compound:ident),*) => {
        $(impl ser::$compound for List<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.writer.field(key);
                value.serialize(&mut *self.writer)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

structs!(SerializeStruct, SerializeStructVariant);

/// Reads a value of a type out of plain data.
struct Reader(Value);

impl Reader {
    fn mistaken(expected: &dyn Expected) -> Error {
        Error::new(format!("expected {expected}"))
    }
}

fn elements<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value, Error> {
    let mut items = Items(items.into_iter());
    let value = visitor.visit_seq(&mut items)?;
    if items.0.len() == 0 { Ok(value) } else { Err(too_long()) }
}

fn too_long() -> Error {
    Error::new("the list is too long".to_owned())
}

fn fields<'de, V: Visitor<'de>>(fields: map::Map<String, Value>, visitor: V) -> Result<V::Value, Error> {
    visitor.visit_map(&mut Fields { left: fields.into_iter(), value: None })
}

macro_rules! forward_numbers {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(_) => self.number(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => elements(items, visitor),
            Value::Object(object) => fields(object, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(value),
            _ => Err(Self::mistaken(&visitor)),
        }
    }

    forward_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(Self::mistaken(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => elements(items, visitor),
            _ => Err(Self::mistaken(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(object) => fields(object, visitor),
            _ => Err(Self::mistaken(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        // the wire has no variants with data
        match self.0 {
            Value::String(text) => visitor.visit_enum(key(text)),
            _ => Err(Self::mistaken(&"a name")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit unit_struct tuple_struct identifier }
}

fn key(text: String) -> StringDeserializer<Error> {
    text.into_deserializer()
}

impl Reader {
    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(n) = self.0.as_u64() {
            visitor.visit_u64(n)
        } else if let Some(n) = self.0.as_i64() {
            visitor.visit_i64(n)
        } else if let Some(n) = self.0.as_f64() {
            visitor.visit_f64(n)
        } else {
            Err(Self::mistaken(&visitor))
        }
    }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Reader(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields {
    left: map::IntoIter,
    value: Option<Value>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.left.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(key(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Reader(self.value.take().unwrap_or_default()))
    }
}

/// An object whose fields are taken out one by one. The first fault is kept for [`Object::end`], so that a reader of many
/// fields is one straight line.
pub struct Object {
    left: map::Map<String, Value>,
    fault: Option<Error>,
}

impl Object {
    /// The object that is to be read.
    ///
    /// # Errors
    /// Where it is none.
    pub fn of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::Deserialize::deserialize(deserializer).map(|left| Self { left, fault: None })
    }

    /// An object given as plain data; nothing where it is none.
    #[must_use]
    pub fn of_value(value: Value) -> Option<Self> {
        match value {
            Value::Object(left) => Some(Self { left, fault: None }),
            _ => None,
        }
    }

    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let value = self.left.remove(name)?;
        read(value).map_err(|error| self.note(error)).ok()
    }

    fn note(&mut self, error: Error) {
        self.fault.get_or_insert(error);
    }

    /// A field that must be there.
    pub fn need<T: DeserializeOwned + Default>(&mut self, name: &'static str) -> T {
        if !self.left.contains_key(name) {
            self.note(Error::missing_field(name));
        }
        self.may(name)
    }

    /// A field that may be missing.
    pub fn may<T: DeserializeOwned + Default>(&mut self, name: &str) -> T {
        self.take(name).unwrap_or_default()
    }

    /// Reads a field that may be missing into its place.
    pub fn set<T: DeserializeOwned>(&mut self, name: &str, place: &mut T) {
        if let Some(value) = self.take(name) {
            *place = value;
        }
    }

    /// What was made of the fields, where all were good and none is left.
    ///
    /// # Errors
    /// The first fault; else the name of a field that is not known.
    pub fn end<T>(self, made: T) -> Result<T, Error> {
        self.fault().map_or(Ok(made), Err)
    }

    /// What was made of the fields, where all were good; others may be left.
    ///
    /// # Errors
    /// The first fault.
    pub fn partly<T>(self, made: T) -> Result<T, Error> {
        self.fault.map_or(Ok(made), Err)
    }

    fn fault(self) -> Option<Error> {
        self.fault.or_else(|| self.left.keys().next().map(|name| Error::new(format!("unknown field `{name}`"))))
    }
}

/// Which of `words`, as they are written, a text is.
pub fn place_of(word: &str, mut words: impl Iterator<Item = String>) -> Option<usize> {
    let quoted = text(word);
    words.position(|word| word == quoted)
}

/// Reads a struct from an object, in a third of the code that the derived reader has: fields that must be there, then
/// fields that are their type's default where missing. With `default`, all are those of the struct's default where missing.
/// `Type: A, B` reads an enum of words.
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
            Self {
                $($field: object.need(stringify!($field)),)*
                $($($maybe: object.may(stringify!($maybe)),)*)?
            }
        } }
    };
    ($type:ident: $($word:ident),* $(,)?) => {
        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                let text = <::std::string::String as ::serde::Deserialize>::deserialize(deserializer)?;
                // all of them: this does not compile otherwise
                let word = |word: &Self| match word { $(Self::$word => $crate::json::text(word),)* };
                let all = [$(Self::$word),*];
                $crate::json::place_of(&text, all.iter().map(word)).and_then(|at| all.get(at).copied()).ok_or_else(|| {
                    let words: ::std::vec::Vec<::std::string::String> = all.iter().map(word).collect();
                    ::serde::de::Error::custom(::std::format!("unknown word, expected {}", words.join(" or ")))
                })
            }
        }
    };
    (@impl $type:ident, $object:ident => $body:expr) => {
        impl $type {
            fn from_object($object: &mut $crate::json::Object) -> Self { $body }
        }

        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::std::result::Result<Self, D::Error> {
                let mut object = $crate::json::Object::of(deserializer)?;
                let made = Self::from_object(&mut object);
                object.end(made).map_err(::serde::de::Error::custom)
            }
        }
    };
}
