//! Runs the vector files for guards; see `tests/vectors/README.md`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reads files and panics to fail"
)]

#[path = "vectors/mod.rs"]
mod harness;

use std::collections::BTreeMap;

use harness::{Call, run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use standfast::{DeclareOptions, Error, Guard, ObserveOptions, Policy, RestoreOptions, Result, Slot, Summaries, Summary, Window};

#[test]
fn guards_do_what_the_vectors_say() {
    run("guard", || {
        let mut case = Guards::default();
        move |call| case.call(call)
    });
}

/// A guard and the host's messages by seq.
type Held = (Guard, BTreeMap<u32, Value>);

/// The guards of one case.
#[derive(Default)]
struct Guards {
    saved: BTreeMap<String, Held>,
    last: String,
}

impl Guards {
    fn call(&mut self, call: Call<'_>) -> Result<Value> {
        let Call { name, args, on, save } = call;
        let on = on.unwrap_or(&self.last).to_owned();
        let args = Args(args);
        let made = match name {
            "guard" => (Some((Guard::new(args.need("policy")?, args.get("shape")?)?, BTreeMap::new())), Value::Null),
            "fork" => {
                let (guard, _) = self.saved.get(&on).unwrap_or_else(|| panic!("no guard `{on}`"));
                (Some((guard.fork(args.text("scope")?.as_deref())?, BTreeMap::new())), Value::Null)
            }
            "restore" => restore(&args).map(|(held, verdict)| (Some(held), verdict))?,
            _ => (None, self.saved.get_mut(&on).map_or_else(|| panic!("no guard `{on}`"), |held| method(name, &args, held))?),
        };
        if let (Some(held), value) = made {
            self.last = save.unwrap_or("guard").to_owned();
            self.saved.insert(self.last.clone(), held);
            return Ok(value);
        }
        Ok(made.1)
    }
}

fn restore(args: &Args) -> Result<(Held, Value)> {
    let mut options = args.0.clone();
    let text: String = args.need("text")?;
    let messages: Option<Vec<Value>> = args.get("messages")?;
    options.retain(|name, _| name != "text" && name != "messages");
    let options: RestoreOptions = read(options.into())?;
    let restored = Guard::restore(&text, &options, messages.as_deref(), &Default::default())?;
    let host = restored.verdict.seqs.iter().copied().zip(messages.unwrap_or_default()).collect();
    let verdict = out(&restored.verdict)?;
    Ok(((restored.guard, host), verdict))
}

fn method(name: &str, args: &Args, (guard, host): &mut Held) -> Result<Value> {
    let source = || args.text("source");
    let declarer = || args.text("source").map(|source| source.unwrap_or_else(|| "policy_loader".to_owned()));
    match name {
        "declare" => {
            let options = DeclareOptions { source: declarer()?, scope: args.text("scope")?, principal: args.text("principal")? };
            out(&guard.declare(&args.need::<String>("text")?, &options)?)
        }
        "set_rules" => out(&guard.set_rules(&args.need::<String>("source")?, &args.need::<Vec<String>>("rules")?)?),
        "supersede" => {
            out(&guard.supersede(&args.need::<String>("fp")?, &args.need::<String>("text")?, &args.need::<String>("by")?, &declarer()?)?)
        }
        "revoke" => out(&guard.revoke(&args.need::<String>("fp")?, &args.need::<String>("by")?, &declarer()?)?),
        "approve" => out(&guard.approve(&args.need::<String>("fp")?, &args.need::<String>("by")?, &declarer()?)?),
        "reject" => out(&guard.reject(&args.need::<String>("fp")?, &args.need::<String>("by")?, &declarer()?)?),
        "rules" => out(&guard.rules()),
        "all_rules" => out(&guard.all_rules()),
        "held" => out(&guard.held()),
        "review_queue" => out(&guard.review_queue()),
        "changes" => out(&guard.changes()),
        "observe" => {
            let message: Value = args.need("message")?;
            let observed = guard.observe(&message, &args.observe_options()?)?;
            host.insert(observed.seq, message);
            out(&observed)
        }
        "observe_all" => {
            let mut all = Vec::new();
            for message in args.need::<Vec<Value>>("messages")? {
                let observed = guard.observe(&message, &args.observe_options()?)?;
                host.insert(observed.seq, message);
                all.push(observed);
            }
            out(&all)
        }
        "sync" => {
            let messages: Vec<Value> = args.need("messages")?;
            let synced = guard.sync(0, &messages, &args.observe_options()?)?;
            host.extend(synced.seqs.iter().copied().zip(messages));
            // what the bindings show; the rest depends on how much their mirror left out
            Ok(json!({
                "appended": synced.appended, "edited": synced.edited, "removed": synced.removed, "first_divergence": synced.first_divergence
            }))
        }
        "record_decision" => {
            let polarity = args.text("polarity")?.unwrap_or_else(|| "accepted".to_owned());
            let (what, why): (String, String) = (args.need("what")?, args.need("why")?);
            guard.record_decision(&what, &why, &polarity, source()?.as_deref()).map(|()| Value::Null)
        }
        "set_goal" => guard.set_goal(&args.need::<String>("text")?, source()?.as_deref()).map(|()| Value::Null),
        "set_plan" => guard.set_plan(&args.need::<Vec<String>>("steps")?, source()?.as_deref()).map(|()| Value::Null),
        "open_question" => out(&guard.open_question(&args.need::<String>("text")?, source()?.as_deref())?),
        "close_question" => out(&guard.close_question(&args.need::<String>("which")?, source()?.as_deref())?),
        "task" => out(guard.task()),
        "boundary" => guard.boundary(&args.need::<String>("name")?).map(|()| Value::Null),
        "usage" => guard.usage(args.need("tokens")?).map(|()| Value::Null),
        "overhead" => out(&guard.overhead(args.0.get("system"), args.0.get("tools"))?),
        "should_compact" => out(&guard.should_compact()?),
        "window" => window(guard.window()?, host),
        "plan" => out(&guard.plan(args.get("asked")?)?),
        "commit" => {
            let summaries = args.summaries()?;
            window(guard.commit(&args.need("plan")?, &summaries)?, host)
        }
        "compact" => {
            let plan = guard.plan(args.get("asked")?)?;
            let made = match args.0.get("summary").filter(|given| !given.is_null()) {
                None => guard.commit_extractive(&plan)?,
                Some(given) => {
                    let answers = plan.requests.iter().map(|request| Ok((request.id.clone(), summary(given)?)));
                    guard.commit(&plan, &answers.collect::<Result<Summaries>>()?)?
                }
            };
            window(made, host)
        }
        "assert_window" => out(&guard.assert_window(&args.need::<Vec<Value>>("messages")?, args.0.get("system"))?),
        "receipt" => out(guard.receipt()),
        "segments" => out(&guard.segments()),
        "degraded" => out(&guard.degraded()),
        "recall" => match args.text("query")? {
            Some(query) => out(&guard.search(&query, args.get("span")?, args.get("k")?.unwrap_or(10))?),
            None => out(&guard.recall(args.need("span")?)?),
        },
        "page_out" => out(&guard.page_out(args.need("before_seq")?)?),
        "page_in" => out(&guard.page_in(&args.need::<Vec<(u32, Value)>>("messages")?.into_iter().collect())?),
        "forget" => out(&guard.forget(&args.need::<Vec<u32>>("seqs")?)?),
        "close" => {
            guard.close();
            Ok(Value::Null)
        }
        "snapshot" => Ok(guard.snapshot(args.text("key")?.as_deref().map(str::as_bytes), false)?.text.into()),
        _ => panic!("the runner does not know `{name}`"),
    }
}

/// A window with the host's own messages in their places.
fn window(window: Window, host: &BTreeMap<u32, Value>) -> Result<Value> {
    let messages: Vec<Value> = window
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Host(seq) => host.get(seq).cloned().unwrap_or_else(|| panic!("the host gave no message {seq}")),
            Slot::Own(message) => message.clone(),
        })
        .collect();
    Ok(json!({"messages": messages, "system": window.system, "pinned": window.pinned, "receipt": out(&window.receipt)?}))
}

fn summary(given: &Value) -> Result<Option<Summary>> {
    match given {
        Value::String(text) => Ok(Some(Summary { text: text.clone(), finish_reason: None })),
        other => read(other.clone()).map_err(|_| Error::of(standfast::Code::SummaryNotText, "a summary is no text")),
    }
}

/// The arguments of a step.
struct Args(Map<String, Value>);

impl Args {
    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        self.0.get(name).filter(|value| !value.is_null()).map(|value| read(value.clone())).transpose()
    }

    fn need<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        if name == "policy" {
            let policy: Result<Policy> = read(self.0.get(name).cloned().unwrap_or_default());
            policy.map_err(|_| Error::of(standfast::Code::InvalidPolicy, "the policy cannot be read"))?;
        }
        self.get(name)?.ok_or_else(|| Error::argument(format!("`{name}` is missing")))
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        self.get(name)
    }

    fn observe_options(&self) -> Result<ObserveOptions> {
        Ok(ObserveOptions {
            source: self.get("source")?,
            trust: self.get("trust")?,
            principal: self.get("principal")?,
            replaced_surrogates: false,
        })
    }

    /// Pairs of request ids and answers.
    fn summaries(&self) -> Result<Summaries> {
        let pairs: Vec<(String, Value)> = self.need("summaries")?;
        pairs.into_iter().map(|(id, answer)| Ok((id, if answer.is_null() { None } else { summary(&answer)? }))).collect()
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Error::argument(format!("an argument cannot be read: {error}")))
}

fn out<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    Ok(serde_json::to_value(value).unwrap())
}
