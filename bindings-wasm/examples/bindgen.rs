//! Makes the JavaScript glue of a built wasm file: `bindgen <file.wasm> <folder> <nodejs|web>`.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |name: &str| arguments.next().ok_or_else(|| format!("no <{name}> given"));
    let (wasm, folder, target) = (next("file.wasm")?, next("folder")?, next("target")?);
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name("standfast").typescript(true).remove_name_section(true).remove_producers_section(true);
    match target.as_str() {
        "nodejs" => bindgen.nodejs(true)?,
        "web" => bindgen.web(true)?,
        other => return Err(format!("unknown target `{other}`").into()),
    };
    bindgen.generate(folder)?;
    Ok(())
}
