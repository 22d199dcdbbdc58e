//! Puts the functions of a wasm file in an order in which they compress well: `order <file.wasm>`.
//!
//! A compressor looks back 32 KB. Functions made from one generic are much alike, so each is put behind the one it shares
//! most with. Only places change, and with them the indices by which functions are called.

#![expect(clippy::indexing_slicing, reason = "a build tool: a wrong index has to stop the build")]

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

/// Bytes that two functions have to share to count as alike there.
const WINDOW: usize = 5;

/// What more functions share tells nothing about any of them.
const COMMON: usize = 1_000;

/// Functions with the most calls stand first, where their index takes one byte.
const FREQUENT: usize = 100;

type Windows = Vec<u64>;

fn windows(body: &[u8]) -> Windows {
    let mut all: Windows = body.windows(WINDOW).map(|window| window.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The places of functions, each behind the one it shares most with.
fn by_likeness(bodies: &[&[u8]]) -> Vec<usize> {
    let windows: Vec<Windows> = bodies.iter().map(|body| windows(body)).collect();
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, windows) in windows.iter().enumerate() {
        for window in windows {
            places.entry(*window).or_default().push(place);
        }
    }
    places.retain(|_, places| (2..=COMMON).contains(&places.len()));
    let mut left = vec![true; bodies.len()];
    let mut order = Vec::with_capacity(bodies.len());
    let mut next = (0..bodies.len()).max_by_key(|place| windows[*place].len());
    while let Some(place) = next {
        left[place] = false;
        order.push(place);
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for other in windows[place].iter().filter_map(|window| places.get(window)).flatten().filter(|other| left[**other]) {
            *shared.entry(*other).or_default() += 1;
        }
        let of_both = |other: usize| windows[other].len() + windows[place].len();
        let alike = shared.into_iter().max_by_key(|(other, n)| (n * 1_000_000 / of_both(*other), std::cmp::Reverse(*other)));
        next = alike.map(|(other, _)| other).or_else(|| left.iter().position(|left| *left));
    }
    order
}

struct Order {
    imported: u32,
    /// The old place of each function in the new order.
    order: Vec<usize>,
    /// The new place of each function in the old order.
    places: Vec<u32>,
}

impl Reencode for Order {
    type Error = Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(index.checked_sub(self.imported).map_or(index, |own| self.imported + self.places[own as usize]))
    }

    fn parse_function_section(&mut self, section: &mut FunctionSection, given: FunctionSectionReader<'_>) -> Result<(), reencode::Error> {
        let types = given.into_iter().collect::<Result<Vec<u32>, _>>()?;
        for old in &self.order {
            section.function(types[*old]);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, section: &mut CodeSection, given: CodeSectionReader<'_>) -> Result<(), reencode::Error> {
        let bodies = given.into_iter().collect::<Result<Vec<_>, _>>()?;
        for old in self.order.clone() {
            self.parse_function_body(section, bodies[old].clone())?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("no <file.wasm> given")?;
    let wasm = std::fs::read(&path)?;
    let (mut imported, mut bodies, mut calls) = (0, Vec::new(), HashMap::<u32, usize>::new());
    for payload in Parser::new(0).parse_all(&wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => {
                for operator in body.get_operators_reader()? {
                    if let wasmparser::Operator::Call { function_index } = operator? {
                        *calls.entry(function_index).or_default() += 1;
                    }
                }
                bodies.push(&wasm[body.range()]);
            }
            _ => {}
        }
    }
    let mut order = by_likeness(&bodies);
    let mut frequent: Vec<(usize, u32)> =
        calls.into_iter().filter_map(|(index, n)| index.checked_sub(imported).map(|own| (n, own))).collect();
    frequent.sort_unstable_by(|a, b| b.cmp(a));
    frequent.truncate(FREQUENT);
    // a stable sort: the others stay in their order
    order.sort_by_key(|place| frequent.iter().position(|(_, own)| *own as usize == *place).unwrap_or(FREQUENT));
    let mut places = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        places[*old] = u32::try_from(new)?;
    }
    let mut module = Module::new();
    Order { imported, order, places }.parse_core_module(&mut module, Parser::new(0), &wasm)?;
    std::fs::write(path, module.finish())?;
    Ok(())
}
