//! Puts the functions of a wasm file in an order in which they compress well: `order <file.wasm>`.
//!
//! A compressor looks back 32 KB. Functions made from one generic are much alike, so each is put behind those it shares most
//! with. Only places change, and with them the indices by which functions are called.

#![expect(clippy::indexing_slicing, reason = "a build tool: a wrong index has to stop the build")]

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::error::Error;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, FunctionSection, MemArg, Module};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

/// Bytes that functions have to share to count as alike there.
const WINDOW: usize = 6;

/// What more functions share tells nothing about any of them.
const COMMON: usize = 5_000;

/// Bytes of functions that the next one is to be like. More than this do not help.
const NEAR: usize = 8_000;

/// Bytes of a function that count for nothing: else the shortest ones, which are alike by chance, come first.
const SHORT: usize = 60;

/// Functions with the most calls stand first, where their index takes one byte.
const FREQUENT: usize = 60;

fn windows(body: &[u8]) -> Vec<u64> {
    let mut all: Vec<u64> = body.windows(WINDOW).map(|window| window.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The lists each function is in, and the lists: of the functions that hold one window.
fn shared(bodies: &[&[u8]]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let windows: Vec<Vec<u64>> = bodies.iter().map(|body| windows(body)).collect();
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, windows) in windows.iter().enumerate() {
        for window in windows {
            holders.entry(*window).or_default().push(place);
        }
    }
    let mut lists: Vec<(u64, Vec<usize>)> = holders.into_iter().filter(|(_, places)| (2..=COMMON).contains(&places.len())).collect();
    lists.sort_unstable();
    let mut held = vec![Vec::new(); bodies.len()];
    for (list, (_, places)) in lists.iter().enumerate() {
        for place in places {
            held[*place].push(list);
        }
    }
    (held, lists.into_iter().map(|(_, places)| places).collect())
}

/// The places of functions, each behind those it shares most with.
fn by_likeness(bodies: &[&[u8]]) -> Vec<usize> {
    let (held, lists) = shared(bodies);
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    // how often each window is near, and how many near windows each function has
    let (mut near, mut score) = (vec![0_u32; lists.len()], vec![0_usize; bodies.len()]);
    let (mut recent, mut size) = (VecDeque::new(), 0);
    let mut order = Vec::with_capacity(bodies.len());
    while let Some(at) = (0..left.len()).max_by_key(|at| {
        let place = left[*at];
        (score[place] * 1_000_000 / (bodies[place].len() + SHORT), bodies[place].len(), place)
    }) {
        let place = left.swap_remove(at);
        order.push(place);
        recent.push_back(place);
        size += bodies[place].len();
        for list in &held[place] {
            near[*list] += 1;
            if near[*list] == 1 {
                lists[*list].iter().for_each(|other| score[*other] += 1);
            }
        }
        while size > NEAR && recent.len() > 1 {
            let Some(gone) = recent.pop_front() else { break };
            size -= bodies[gone].len();
            for list in &held[gone] {
                near[*list] -= 1;
                if near[*list] == 0 {
                    lists[*list].iter().for_each(|other| score[*other] -= 1);
                }
            }
        }
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

    /// Alignment is a hint that no engine heeds: always the same compresses better.
    fn mem_arg(&mut self, arg: wasmparser::MemArg) -> Result<MemArg, reencode::Error> {
        Ok(MemArg { offset: arg.offset, align: 0, memory_index: arg.memory })
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
