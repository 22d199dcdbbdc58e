//! Prints the JSON Schema of every wire type as one object, `{"<type>": schema}`, for the generator of the Python and
//! TypeScript types: `cargo run -p standfast --features schema --example schema`.
#![expect(clippy::print_stdout, reason = "the schemas are this program's output")]

#[cfg(feature = "schema")]
fn main() {
    use schemars::generate::SchemaSettings;
    use serde_json::{Map, Value};

    /// What a host gives may leave fields out; what the engine gives has them all.
    macro_rules! schemas {
        (given: $($given:ident)*; out: $($out:ident)*) => {{
            let mut all = Map::new();
            let settings = SchemaSettings::draft2020_12();
            $(all.insert(stringify!($given).to_owned(), Value::from(settings.clone().for_deserialize().into_generator().into_root_schema_for::<standfast::$given>()));)*
            $(all.insert(stringify!($out).to_owned(), Value::from(settings.clone().for_serialize().into_generator().into_root_schema_for::<standfast::$out>()));)*
            all
        }};
    }

    let all = schemas!(
        given: Policy Summary Asked Boundary Shape Given OperatingPoint CompactMode;
        out: Trust Rule Held Review Change RulesDiff Observed Synced TaskState Verdict Plan Window Receipt Finding Evidence SegmentView Recalled RestoreVerdict Fate
            AuditReport Session SessionReport Difference DriftReport Item Explanation Compacted Decomposition Retrieved
    );
    println!("{:#}", Value::Object(all));
}

#[cfg(not(feature = "schema"))]
fn main() {
    println!("built without the feature `schema`; run with --features schema");
}
