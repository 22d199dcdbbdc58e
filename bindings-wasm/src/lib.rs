//! The wasm binding: convert, call, convert. Every value crosses as JSON text (see [`convert`]).
//!
//! The package in `npm/` wraps [`Guard`]: it keeps the host's own objects and turns thrown objects into `StandfastError`.

use standfast::knowledge::Work;
use standfast::ordered::Map;
use standfast::text::shared::SharedText;
use std::cell::Cell;

use serde::Serialize;
use serde_json::Value;
use standfast::{Asked, Code, DeclareOptions, Error, ObserveOptions, Plan, Policy, RestoreOptions, Result, Shape, Summary};
use wasm_bindgen::prelude::*;

mod convert;
mod error;

use convert::{options, out, out_stored};
use error::thrown;

type Js<T> = std::result::Result<T, JsValue>;

/// One guard. The core is taken out for a call and put back after it, errors included. Arguments are plain text, so none of
/// the host's code runs in between and no call finds the guard in use. Only a trap leaves it empty, for good.
#[wasm_bindgen]
pub struct Guard {
    core: Cell<Option<Box<standfast::Guard>>>,
    /// The plan made last, so that its texts need not cross again: a plan holds all it asks to be summarized, twice.
    made: Cell<Option<Plan>>,
}

impl Guard {
    fn of(core: standfast::Guard) -> Self {
        Self { core: Cell::new(Some(Box::new(core))), made: Cell::new(None) }
    }

    fn call<T>(&self, call: impl FnOnce(&mut standfast::Guard) -> Result<T>) -> Js<T> {
        let mut core =
            self.core.take().ok_or_else(|| thrown(&Error::of(Code::GuardClosed, "the engine stopped inside an earlier call")))?;
        let result = call(&mut core);
        self.core.set(Some(core));
        result.map_err(|error| thrown(&error))
    }

    fn with_plan<T>(&self, given: &str, call: impl FnOnce(&Plan) -> Result<T>) -> Result<T> {
        let made = self.made.take();
        let result = match &made {
            Some(plan) if plan.id == given => call(plan),
            _ => convert::stored("plan", given).and_then(|plan| call(&plan)),
        };
        self.made.set(made);
        result
    }

    fn json<T: Serialize>(&self, call: impl FnOnce(&mut standfast::Guard) -> Result<T>) -> Js<String> {
        self.call(|core| call(core).map(|value| out(&value)))
    }
}

#[wasm_bindgen]
impl Guard {
    /// A guard for a policy and, where given, a shape.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &str, shape: Option<String>) -> Js<Self> {
        let made = options("policy", Some(policy), Code::InvalidPolicy, &[])
            .and_then(|policy: Policy| standfast::Guard::new(policy, named::<Shape>("shape", shape)?));
        made.map(Self::of).map_err(|error| thrown(&error))
    }

    /// A call that takes texts alone, by its name.
    pub fn ask(&self, what: &str, given: Vec<String>) -> Js<String> {
        self.call(|core| {
            Ok(match (what, given.as_slice()) {
                ("shape", []) => out(&core.shape()),
                ("setRules", [source, texts @ ..]) => out(&core.set_rules(source, texts)?),
                ("supersede", [handle, text, by, source]) => out(&core.supersede(handle, text, by, source)?),
                ("revoke", [handle, by, source]) => out(&core.revoke(handle, by, source)?),
                ("approve", [handle, by, source]) => out(&core.approve(handle, by, source)?),
                ("reject", [handle, by, source]) => out(&core.reject(handle, by, source)?),
                ("rules", []) => out(&core.rules()),
                ("allRules", []) => out(&core.all_rules()),
                ("held", []) => out(&core.held()),
                ("reviewQueue", []) => out(&core.review_queue()),
                ("changes", []) => out(&core.changes()),
                ("recordDecision", [what, why, polarity, source @ ..]) => out(&core.record_decision(what, why, polarity, first(source))?),
                ("setGoal", [text, source @ ..]) => out(&core.set_goal(text, first(source))?),
                ("openQuestion", [text, source @ ..]) => out(&core.open_question(text, first(source))?),
                ("closeQuestion", [question, source @ ..]) => out(&core.close_question(question, first(source))?),
                ("boundary", [name]) => out(&core.boundary(name)?),
                ("task", []) => out_stored(core.task(), core.task()),
                ("shouldCompact", []) => out(&core.should_compact()?),
                ("window", []) => core.window().map(|window| out_stored(&window, &window.receipt))?,
                ("receipt", []) => out_stored(core.receipt(), core.receipt()),
                ("evidence", []) => out(core.evidence()),
                ("segments", []) => out(&core.segments()),
                ("degraded", []) => out(&core.degraded()),
                _ => return Err(Error::argument("there is no such call")),
            })
        })
    }

    /// Sets the steps of the plan.
    #[wasm_bindgen(js_name = setPlan)]
    pub fn set_plan(&self, steps: Vec<String>, source: Option<String>) -> Js<()> {
        self.call(|core| core.set_plan(&steps, source.as_deref()))
    }

    /// Declares a rule.
    pub fn declare(&self, text: &str, given: Option<String>) -> Js<String> {
        self.json(|core| {
            let given: DeclareOptions = options("options", given.as_deref(), Code::InvalidArgument, &[])?;
            core.declare(text, &given)
        })
    }

    /// Observes one message.
    pub fn observe(&self, message: &str, given: Option<String>) -> Js<String> {
        self.json(|core| {
            let message = convert::message(message)?;
            let given: ObserveOptions = options("options", given.as_deref(), Code::InvalidArgument, &[])?;
            core.observe(&message, &given)
        })
    }

    /// Takes the host's whole list, of which the first `unchanged` messages are known.
    pub fn sync(&self, unchanged: u32, messages: &str, given: Option<String>) -> Js<String> {
        self.json(|core| {
            let messages: Vec<Value> = convert::messages(messages)?;
            let given: ObserveOptions = options("options", given.as_deref(), Code::InvalidArgument, &[])?;
            core.sync(unchanged, &messages, &given)
        })
    }

    /// Reports the provider's usage.
    pub fn usage(&self, tokens: u32) -> Js<()> {
        self.call(|core| core.usage(tokens))
    }

    /// Reports what the request carries beside the messages; gives the tokens it comes to.
    pub fn overhead(&self, system: Option<String>, tools: Option<String>) -> Js<u32> {
        self.call(|core| {
            let system = system.as_deref().map(convert::message).transpose()?;
            let tools = tools.as_deref().map(convert::message).transpose()?;
            core.overhead(system.as_ref(), tools.as_ref())
        })
    }

    /// Plans a compaction. The plan is kept until the next one or its commit. In the place of a request's text stands where it
    /// begins in the prompt.
    pub fn plan(&self, asked: Option<String>) -> Js<String> {
        self.call(|core| {
            let plan = core.plan(named::<Asked>("asked", asked)?)?;
            let mut shown = plan.clone();
            for request in &mut shown.requests {
                // the text is the end of the prompt, and what stands before it is ASCII: its place crosses instead
                request.text = SharedText::from((request.prompt.len() - request.text.len()).to_string());
            }
            let text = out(&shown);
            self.made.set(Some(plan));
            Ok(text)
        })
    }

    /// Commits a plan, given as its stored text or, for the one made last, as its id, with `{id: {text, finish_reason} | null}`.
    pub fn commit(&self, plan: &str, summaries: &str) -> Js<String> {
        self.call(|core| {
            let summaries: Map<String, Option<Summary>> = convert::stored("summaries", summaries)?;
            let window = self.with_plan(plan, |plan| core.commit(plan, &summaries))?;
            self.made.set(None);
            Ok(out_stored(&window, &window.receipt))
        })
    }

    /// Commits a plan, given as for `commit`, with the built-in summaries.
    #[wasm_bindgen(js_name = commitExtractive)]
    pub fn commit_extractive(&self, plan: &str) -> Js<String> {
        self.call(|core| self.with_plan(plan, |plan| core.commit_extractive(plan)).map(|window| out_stored(&window, &window.receipt)))
    }

    /// Checks an outgoing request.
    #[wasm_bindgen(js_name = assertWindow)]
    pub fn assert_window(&self, messages: &str, system: Option<String>) -> Js<String> {
        self.json(|core| {
            let messages: Vec<Value> = convert::messages(messages)?;
            let system = system.as_deref().map(convert::message).transpose()?;
            core.assert_window(&messages, system.as_ref())
        })
    }

    /// The events of a span.
    pub fn recall(&self, from: u32, to: u32) -> Js<String> {
        self.json(|core| core.recall((from, to)))
    }

    /// The events that fit a query best, of a span where one is given.
    pub fn search(&self, query: &str, from: Option<u32>, to: Option<u32>, k: u32) -> Js<String> {
        self.json(|core| core.search(query, from.zip(to), k))
    }

    /// Lets the texts before an event leave the log.
    #[wasm_bindgen(js_name = pageOut)]
    pub fn page_out(&self, before_seq: u32) -> Js<String> {
        self.json(|core| core.page_out(before_seq))
    }

    /// Takes originals back, `{seq: message}`.
    #[wasm_bindgen(js_name = pageIn)]
    pub fn page_in(&self, messages: &str) -> Js<String> {
        self.json(|core| {
            let messages = convert::messages_by_seq(messages)?;
            core.page_in(&messages)
        })
    }

    /// Purges events.
    pub fn forget(&self, seqs: Vec<u32>) -> Js<String> {
        self.json(|core| core.forget(&seqs))
    }

    /// A guard for a sub-agent.
    pub fn fork(&self, scope: Option<String>) -> Js<Guard> {
        self.call(|core| core.fork(scope.as_deref())).map(Self::of)
    }

    /// The state as text; with `detach`, its texts apart.
    pub fn snapshot(&self, key: Option<Vec<u8>>, detach: bool) -> Js<String> {
        self.call(|core| core.snapshot(key.as_deref(), detach).map(|snapshot| standfast::json::text(&snapshot)))
    }

    /// The digests of the texts that a snapshot needs from a store.
    #[wasm_bindgen(js_name = textsNeeded)]
    pub fn texts_needed(text: &str) -> Js<Vec<String>> {
        standfast::Guard::texts_needed(text).map_err(|error| thrown(&error))
    }

    /// A guard from a snapshot.
    pub fn restore(text: &str, given: Option<String>, messages: Option<String>, texts: Option<String>) -> Js<Restored> {
        let restored = || -> Result<Restored> {
            let given: RestoreOptions = options("options", given.as_deref(), Code::InvalidArgument, &["policy"])?;
            let messages: Option<Vec<Value>> = messages.as_deref().map(convert::messages).transpose()?;
            let texts: Map<String, String> = texts.as_deref().map(|texts| convert::stored("texts", texts)).transpose()?.unwrap_or_default();
            let restored = standfast::Guard::restore(text, &given, messages.as_deref(), &texts)?;
            Ok(Restored { verdict: out(&restored.verdict), guard: Some(Guard::of(restored.guard)) })
        };
        restored().map_err(|error| thrown(&error))
    }
}

/// What a restore gave: the guard, once, and how the messages fitted.
#[wasm_bindgen]
pub struct Restored {
    guard: Option<Guard>,
    verdict: String,
}

#[wasm_bindgen]
impl Restored {
    /// The verdict as JSON text.
    pub fn verdict(&self) -> String {
        self.verdict.clone()
    }

    /// Takes the guard out.
    pub fn guard(&mut self) -> Option<Guard> {
        self.guard.take()
    }
}

/// The estimator's tokens of a text.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(text: &str) -> u32 {
    standfast::count_tokens(text)
}

/// The built-in extractive summary of a text.
#[wasm_bindgen(js_name = extractText)]
pub fn extract_text(text: &str, budget_tokens: u32) -> String {
    standfast::extract_text(text, budget_tokens)
}

/// One call of the published functional core: a name and named arguments in, the stored form of the result out.
#[wasm_bindgen]
pub fn published(name: &str, given: &str) -> Js<String> {
    let result = convert::message(given).and_then(|given| standfast::published::call(name, given));
    result.map(|value| out(&value)).map_err(|error| thrown(&error))
}

/// One audit or single check: a name and named arguments in, the result out.
#[wasm_bindgen]
pub fn audited(name: &str, given: &str) -> Js<String> {
    let result = convert::message(given).and_then(|given| standfast::audit::call(name, given, true));
    result.map_err(|error| thrown(&error))
}

/// A compaction or decomposition of a knowledge base: texts to be counted out, counts in, until none is asked.
#[wasm_bindgen]
pub struct KnowledgeWork {
    work: Cell<Option<Work>>,
}

#[wasm_bindgen]
impl KnowledgeWork {
    /// Begins `compact_knowledge` or `decompose_knowledge` with named arguments.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, given: &str) -> Js<Self> {
        let begun = convert::message(given).and_then(|given| Work::begin(name, given));
        begun.map(|work| Self { work: Cell::new(Some(work)) }).map_err(|error| thrown(&error))
    }

    /// The texts that are to be counted, as JSON text.
    pub fn asks(&self) -> String {
        let work = self.work.take();
        let asks = work.as_ref().map_or_else(|| "[]".to_owned(), |work| out(work.asks()));
        self.work.set(work);
        asks
    }

    /// Takes their counts.
    pub fn answer(&self, counts: &[u32]) -> Js<()> {
        let mut work = self.work.take();
        let taken = work.as_mut().map_or(Ok(()), |work| work.answer(counts));
        self.work.set(work);
        taken.map_err(|error| thrown(&error))
    }

    /// The result, once. What is still to be counted is counted by the estimator.
    pub fn finish(&self) -> Js<String> {
        let result = self.work.take().ok_or_else(|| Error::argument("the result was taken")).and_then(|work| work.finish(true));
        result.map_err(|error| thrown(&error))
    }
}

/// Rules and knowledge that can be asked.
#[wasm_bindgen]
pub struct KnowledgeIndex {
    index: standfast::KnowledgeIndex,
}

#[wasm_bindgen]
impl KnowledgeIndex {
    /// Over a document or items.
    #[wasm_bindgen(constructor)]
    pub fn new(items: &str) -> Js<Self> {
        let index = convert::message(items).and_then(standfast::KnowledgeIndex::new);
        index.map(|index| Self { index }).map_err(|error| thrown(&error))
    }

    /// What a query finds, with named arguments.
    pub fn retrieve(&self, given: &str) -> Js<String> {
        let result = convert::message(given).and_then(|given| self.index.call(given, true));
        result.map_err(|error| thrown(&error))
    }
}

/// One call of the classifier: a name and named arguments in, the result out.
#[wasm_bindgen]
pub fn triaged(name: &str, given: &str) -> Js<String> {
    let result = convert::message(given).and_then(|given| standfast::triage::call(name, given, true));
    result.map_err(|error| thrown(&error))
}

/// The error object of a code, for faults that the package finds while it converts.
#[wasm_bindgen(js_name = fault)]
pub fn fault(code: &str, message: &str) -> JsValue {
    thrown(&Error::of(error::code(code), message))
}

/// A value given by its wire name.
fn named<T: standfast::json::FromValue>(argument: &str, name: Option<String>) -> Result<Option<T>> {
    let parse = |name| standfast::json::read(Value::String(name)).map_err(|_| Error::argument(format!("`{argument}` is not a known name")));
    name.map(parse).transpose()
}

/// What may stand behind the other texts.
fn first(given: &[String]) -> Option<&str> {
    given.first().map(String::as_str)
}
