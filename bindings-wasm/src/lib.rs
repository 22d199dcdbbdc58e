//! The wasm binding: convert, call, convert.
