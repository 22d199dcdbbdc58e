//! Taking one message in: shape, trust, log, triage, task state, boundaries.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Guard;
use crate::cut::CallFlag;
use crate::digest::{self, Digest};
use crate::error::{Error, Result};
use crate::event::{Message, Part, Presence, Role};
use crate::json;
use crate::log::{self, Arrival};
use crate::reads;
use crate::shape::{self, Shape};
use crate::task::Polarity;
use crate::text::sentinel::{MEMORY_OPEN, PINNED_FOOTER, PINNED_HEADER};
use crate::tokens;
use crate::trigger::Boundary;
use crate::trust::Trust;

/// Price of a message beside its parts.
const MESSAGE_TOKENS: u32 = 4;

/// What the host knows about a message beyond the message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ObserveOptions {
    /// Name of the producer. Known names carry their trust, others are external.
    pub source: Option<String>,
    /// Another trust than role and source give; upwards only for sources the policy lists.
    pub trust: Option<Trust>,
    /// The user on whose behalf this is said.
    pub principal: Option<String>,
    /// The binding replaced lone surrogates by U+FFFD.
    pub replaced_surrogates: bool,
}

reads! { ObserveOptions default { source, trust, principal, replaced_surrogates } }

/// What came of an observed message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Observed {
    /// Its place in the log.
    pub seq: u32,
    /// What was noticed, by stable names.
    pub flags: Vec<String>,
    /// Names of the rules it put in force.
    pub promoted: Vec<String>,
    /// Rule-shaped external texts in it.
    pub held: u32,
    /// Its estimated price.
    pub tokens: u32,
}

impl Guard {
    /// Takes a message in.
    ///
    /// # Errors
    /// `unknown_shape`, `unknown_role`, `invalid_message`, `too_large`, `too_deep`; then nothing was changed.
    pub fn observe(&mut self, message: &Value, options: &ObserveOptions) -> Result<Observed> {
        self.attached()?;
        shape::shallow(std::slice::from_ref(message))?;
        let (shape, arrival, mut flags) = self.read(message, digest::of_message(message), options)?;
        self.state.shape = self.state.shape.or(shape);
        let observed = self.take(arrival, &mut flags);
        Ok(observed)
    }

    /// Reads a host message of a known digest, which is not nested too deep, without changing anything.
    pub(super) fn read(&self, message: &Value, digest: Digest, options: &ObserveOptions) -> Result<(Option<Shape>, Arrival, Vec<String>)> {
        let (shape, sure) = match self.state.shape {
            Some(shape) => (shape, true),
            None => shape::detect_one(message)?,
        };
        let read = shape::read(shape, message, self.state.policy.image_tokens)?;
        let in_head = self.state.log.in_head(&read);
        let mut flags = Vec::new();
        let (trust, source) = self.origin(&read, in_head, options, &mut flags);
        if options.replaced_surrogates {
            flags.push("replaced_surrogates".to_owned());
        }
        let tokens = price(&read);
        let named = options.source.is_some();
        let arrival =
            Arrival { digest, message: read, trust, source, principal: options.principal.clone(), tokens, named, forgotten: false };
        Ok((sure.then_some(shape), arrival, flags))
    }

    /// A message that may have been observed before keeps the trust it had then, where that was below its role's.
    pub(super) fn recollect(&self, arrival: &mut Arrival) {
        if let Some((trust, source)) = self.state.named.get(&arrival.digest)
            && *trust < arrival.trust
        {
            (arrival.trust, arrival.source, arrival.named) = (*trust, source.clone(), true);
        }
    }

    fn origin(&self, message: &Message, in_head: bool, options: &ObserveOptions, flags: &mut Vec<String>) -> (Trust, String) {
        let (mut trust, mut source) = log::origin(message, in_head);
        if message.has_summary() {
            flags.push("foreign_summary".to_owned());
        }
        if message.foreign_summary {
            return (trust, source);
        }
        if let Some(named) = &options.source {
            trust = self.state.policy.trust_of(named);
            source.clone_from(named);
        }
        if let Some(wanted) = options.trust {
            if wanted <= trust || self.state.policy.trusted_sources.contains_key(&source) {
                trust = wanted;
            } else {
                flags.push("trust_not_raised".to_owned());
            }
        }
        (trust, source)
    }

    /// Names the tool a result comes from. Only now: the call may stand in the same list as the result.
    pub(super) fn name_tool(&self, arrival: &mut Arrival) {
        let result = matches!(arrival.message.role, Role::Tool | Role::User) && arrival.trust == Trust::External;
        if let Some(name) = self.tool_name(&arrival.message).filter(|_| result && !arrival.named) {
            arrival.source = format!("tool:{name}");
        }
    }

    /// Whether a message only answers calls that were purged.
    fn answers_forgotten(&self, message: &Message) -> bool {
        let forgotten = |id: &str| {
            let caller = self.state.log.caller(id).and_then(|seq| self.state.log.event(seq));
            caller.is_some_and(|event| event.presence == Presence::Forgotten)
        };
        !message.parts.is_empty()
            && !message.is_user_turn()
            && message.results().count() == message.parts.len()
            && message.results().all(forgotten)
    }

    /// The tool whose call a result answers.
    fn tool_name(&self, message: &Message) -> Option<String> {
        let id = message.results().next()?;
        let caller = self.state.log.caller(id)?;
        self.state.log.event(caller)?.message.parts.iter().find_map(|part| match part {
            Part::Call { id: called, name, .. } if called == id => Some(name.clone()),
            _ => None,
        })
    }

    /// Puts a read message into the log and works out what it means.
    pub(super) fn take(&mut self, mut arrival: Arrival, flags: &mut Vec<String>) -> Observed {
        self.name_tool(&mut arrival);
        let purged = self.answers_forgotten(&arrival.message) || arrival.forgotten;
        let in_head = self.state.log.in_head(&arrival.message);
        let replayed = self.replays(&arrival.message);
        let closes_turn = arrival.message.is_user_turn() && self.closes_turn();
        let turn = self.state.log.turns();
        if arrival.trust < log::origin(&arrival.message, in_head).0 {
            self.state.named.insert(arrival.digest, (arrival.trust, arrival.source.clone()));
        }
        let tokens = arrival.tokens;
        let (seq, call_flags) = self.state.log.append(arrival);
        flags.extend(call_flags.iter().map(|flag| call_flag(flag).to_owned()));
        let mut observed = Observed { seq, tokens, ..Observed::default() };
        if replayed {
            flags.push("replayed".to_owned());
            self.state.log.set_replayed(seq);
        } else if purged {
            flags.push("answers_forgotten".to_owned());
            self.state.log.drop_text(seq, Presence::Forgotten);
        } else {
            self.state.meter.arrived(tokens);
            self.triage(seq, turn, in_head, flags, &mut observed);
        }
        let assistant = self.state.log.event(seq).is_some_and(|event| event.message.role == Role::Assistant);
        if assistant {
            self.state.meter.clear_boundary();
        } else if closes_turn {
            self.state.meter.mark(Boundary::TurnClosed);
        }
        if call_flags.iter().any(|flag| matches!(flag, CallFlag::DuplicateResult(_))) {
            self.unfold_calls(seq);
        }
        flags.sort_unstable();
        flags.dedup();
        observed.flags = std::mem::take(flags);
        observed
    }

    /// A user message after an assistant message, with no call open.
    fn closes_turn(&self) -> bool {
        let log = &self.state.log;
        let last = log.len().checked_sub(1).and_then(|seq| log.event(seq));
        last.is_some_and(|event| event.message.role == Role::Assistant) && log.open_calls(self.state.policy.dead_call_events).is_empty()
    }

    /// Our own pinned block or memory message, handed back as if it were history.
    pub(super) fn replays(&self, message: &Message) -> bool {
        let text = message.parts.first().map_or("", Part::text).trim();
        let block = message.role.is_system() && text.starts_with(PINNED_HEADER) && text.ends_with(PINNED_FOOTER);
        block || self.is_our_memory(message)
    }

    /// The memory message as it stands in the window now. An older one, or one whose segments are void, is a summary
    /// like any other: it may be all that is left of what it stands for.
    pub(super) fn is_our_memory(&self, message: &Message) -> bool {
        let text = message.parts.first().map_or("", Part::text).trim();
        message.foreign_summary && self.state.ledger.pieces.first().is_some_and(|piece| text.starts_with(piece.trim()))
    }

    /// Text of a task-state source goes into the task state (T1).
    pub(super) fn absorb(&mut self, seq: u32, text: &str, source: &str, flags: &mut Vec<String>) {
        let turn = self.state.log.turns();
        let task = &mut self.state.task;
        let done = match source {
            "goal" => task.set_goal(text, Trust::Agent, turn).is_ok(),
            "planner" => {
                let steps: Vec<String> = text.lines().map(|line| line.trim_start_matches(['-', '*', ' ', '\t']).to_owned()).collect();
                task.set_plan(&steps, Trust::Agent, turn).is_ok()
            }
            "decision_log" => match text.split_once(" because ") {
                Some((what, why)) => {
                    let what = what.trim().trim_end_matches([' ', '-', ',', ':']);
                    task.record(what, why, Polarity::Accepted, Trust::Agent, turn).is_ok()
                }
                None => {
                    flags.push("decision_reason".to_owned());
                    false
                }
            },
            _ => return,
        };
        if done {
            self.state.absorbed.insert(seq);
        }
    }

    /// Records a decision in the task state. Without a source the agent is taken to have made it.
    ///
    /// # Errors
    /// `decision_polarity`, `decision_reason`, `invalid_argument`.
    pub fn record_decision(&mut self, what: &str, why: &str, polarity: &str, source: Option<&str>) -> Result<()> {
        self.open()?;
        let (trust, turn) = self.task_trust(source);
        self.state.task.record(what, why, Polarity::parse(polarity)?, trust, turn)?;
        self.state.generation += 1;
        Ok(())
    }

    /// Sets the goal; an empty text removes it.
    ///
    /// # Errors
    /// `not_authorized` where the present goal was set with higher trust.
    pub fn set_goal(&mut self, text: &str, source: Option<&str>) -> Result<()> {
        self.open()?;
        let (trust, turn) = self.task_trust(source);
        self.state.task.set_goal(text, trust, turn)?;
        self.state.generation += 1;
        Ok(())
    }

    /// Sets the plan's steps.
    ///
    /// # Errors
    /// `not_authorized` where a present step was set with higher trust.
    pub fn set_plan(&mut self, steps: &[String], source: Option<&str>) -> Result<()> {
        self.open()?;
        let (trust, turn) = self.task_trust(source);
        self.state.task.set_plan(steps, trust, turn)?;
        self.state.generation += 1;
        Ok(())
    }

    /// Opens a question and returns its id.
    ///
    /// # Errors
    /// `invalid_argument` without a text.
    pub fn open_question(&mut self, text: &str, source: Option<&str>) -> Result<String> {
        self.open()?;
        let (trust, turn) = self.task_trust(source);
        let id = self.state.task.open_question(text, trust, turn)?;
        self.state.generation += 1;
        Ok(id)
    }

    /// Closes a question by id or text; tells whether it was open.
    ///
    /// # Errors
    /// `not_authorized` where it was opened with higher trust.
    pub fn close_question(&mut self, which: &str, source: Option<&str>) -> Result<bool> {
        self.open()?;
        let (trust, _) = self.task_trust(source);
        let was_open = self.state.task.close_question(which, trust)?;
        self.state.generation += 1;
        Ok(was_open)
    }

    /// The trust of an entry's producer, and the turn.
    fn task_trust(&self, source: Option<&str>) -> (Trust, u32) {
        (source.map_or(Trust::Agent, |source| self.state.policy.trust_of(source)), self.state.log.turns())
    }

    /// Marks a semantic seam: `task_completed`, `tool_phase_change`, `subgoal_closed`, `plan_revised` or `cache_cold`.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name.
    pub fn boundary(&mut self, name: &str) -> Result<()> {
        self.open()?;
        let boundary = Boundary::parse(name)?;
        self.state.meter.mark(boundary);
        Ok(())
    }

    /// Takes the size of the last request as the provider reported it, in tokens. A report that no request could have had is
    /// not used; the next verdict's receipt says `usage_implausible`.
    ///
    /// # Errors
    /// `guard_closed`.
    pub fn usage(&mut self, tokens: u32) -> Result<()> {
        self.open()?;
        self.state.meter.report(tokens, self.state.limits.window);
        Ok(())
    }

    /// Tells what the host sends beside the messages: its system slot (a text or a list of text blocks, which then stands
    /// at the head of `Window::system`) and its tool schemas. Rules that the slot declares in a `constraints` fence or in
    /// its front matter are declared. Returns their estimated price in tokens.
    ///
    /// # Errors
    /// `invalid_argument` for a system slot of another form, `guard_closed`, `too_deep`.
    pub fn overhead(&mut self, system: Option<&Value>, tools: Option<&Value>) -> Result<u32> {
        self.open()?;
        let given = system.filter(|system| !system.is_null());
        if given.is_some_and(|system| !shape::is_slot(system)) {
            return Err(Error::argument("`system` is a text or a list of text blocks"));
        }
        let texts = shape::system_texts(Shape::Anthropic, &[], given);
        let system = texts.iter().map(|text| tokens::estimate(text)).fold(0, u32::saturating_add);
        self.state.system = given.cloned();
        self.state.system_told |= given.is_some();
        let tools = match tools {
            None | Some(Value::Null) => 0,
            Some(tools) => {
                shape::shallow(std::slice::from_ref(tools))?;
                tokens::estimate(&json::text(tools))
            }
        };
        self.state.meter.overhead = system.saturating_add(tools);
        self.declare_head(&mut Vec::new());
        Ok(self.state.meter.overhead)
    }
}

/// A memory message of ours, an older one too: what is held in it was held from its event.
pub(super) fn is_memory(message: &Message) -> bool {
    message.foreign_summary && message.parts.first().map_or("", Part::text).trim_start().starts_with(MEMORY_OPEN)
}

/// The estimated price of a message.
pub(crate) fn price(message: &Message) -> u32 {
    let parts = message.parts.iter().map(|part| match part {
        Part::Call { id, name, arguments } => {
            tokens::estimate(arguments).saturating_add(tokens::estimate(name)).saturating_add(tokens::estimate(id)).saturating_add(8)
        }
        Part::Result { id, text, media_tokens, .. } => {
            tokens::estimate(text).saturating_add(tokens::estimate(id)).saturating_add(*media_tokens).saturating_add(4)
        }
        Part::Reasoning { tokens, text } => (*tokens).max(tokens::estimate(text)),
        Part::Media { tokens, .. } => *tokens,
        other => tokens::estimate(other.text()),
    });
    parts.fold(MESSAGE_TOKENS, u32::saturating_add)
}

fn call_flag(flag: &CallFlag) -> &'static str {
    match flag {
        CallFlag::OrphanResult(_) => "orphan_result",
        CallFlag::DuplicateResult(_) => "duplicate_result",
        CallFlag::ReusedId(_) => "reused_call_id",
    }
}
