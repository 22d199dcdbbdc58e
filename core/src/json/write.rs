//! The one serializer: JSON text, with the fields of structs as they are or in `camelCase`.

use std::fmt::{Display, Write};

use serde::ser::{self, Serialize, Serializer};

use super::{Error, to_camel};
use crate::bytes::Eight;

pub(super) fn write<T: Serialize + ?Sized>(value: &T, camel: bool) -> String {
    let mut writer = Writer { out: String::with_capacity(128), camel };
    // The wire types serialize without fault: string keys, no fallible fields.
    if value.serialize(&mut writer).is_err() { "null".to_owned() } else { writer.out }
}

struct Writer {
    out: String,
    camel: bool,
}

/// Where the bytes end, from `at` on, that stand as they are.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn plain_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(eight) = Eight::at(bytes, at)
        && !(eight.any_below(b' ') | eight.any_is(b'"') | eight.any_is(b'\\'))
    {
        at += Eight::LEN;
    }
    while let Some(byte) = bytes.get(at)
        && !matches!(byte, ..b' ' | b'"' | b'\\')
    {
        at += 1;
    }
    at
}

impl Writer {
    fn quote(&mut self, text: &str) {
        // room for some escapes: a large text should not be moved
        self.out.reserve(text.len() + text.len() / 8 + 2);
        self.out.push('"');
        let mut from = 0;
        loop {
            let at = plain_end(text.as_bytes(), from);
            self.out.push_str(text.get(from..at).unwrap_or_default());
            let escape = match text.as_bytes().get(at) {
                None => break,
                Some(b'"') => "\\\"",
                Some(b'\\') => "\\\\",
                Some(b'\n') => "\\n",
                Some(b'\r') => "\\r",
                Some(b'\t') => "\\t",
                Some(8) => "\\b",
                Some(12) => "\\f",
                Some(other) => {
                    self.show(&format_args!("\\u{other:04x}"));
                    ""
                }
            };
            self.out.push_str(escape);
            from = at + 1;
        }
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
