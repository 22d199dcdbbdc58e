//! The python binding: convert, call, convert.
