//! The published task state: goal, plan, decisions and open questions as the guide writes them (F2).

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::json::{self, FromValue, Object};
use crate::reads;
use crate::task::{Entry, Polarity, Sections, TaskState};
use crate::trust::Trust;

/// A text, or an object that has one: the task state of a guard can be passed as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Written {
    /// The text.
    Text(String),
    /// An entry of a guard's task state.
    Entry {
        /// The text.
        text: String,
    },
}

impl FromValue for Written {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        match value {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Object(_) => {
                let mut object = Object::of(value)?;
                let text = object.need("text");
                object.partly(Self::Entry { text })
            }
            _ => Err(json::Error::of("expected a text or an entry")),
        }
    }
}

reads! { @serde Written }

impl Written {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Entry { text } => text,
        }
    }
}

/// A decision of the published task state: an object, or `[what, why]`, or `[what, why, polarity]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PublishedDecision {
    /// With names.
    Named {
        /// What was decided.
        what: String,
        /// Why.
        #[serde(default, alias = "reason", alias = "because")]
        why: String,
        /// `accepted` (also where none is given), `rejected` or `deferred`.
        #[serde(default)]
        polarity: Option<String>,
    },
    /// In order.
    Listed(Vec<String>),
}

impl FromValue for PublishedDecision {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        if value.is_array() {
            return json::read(value).map(Self::Listed);
        }
        let mut object = Object::of(value)?;
        let (what, polarity) = (object.need("what"), object.may("polarity"));
        let why: [Option<String>; 3] = [object.may("why"), object.may("reason"), object.may("because")];
        if why.iter().flatten().count() > 1 {
            return Err(json::Error::of("a decision has one reason"));
        }
        let why = why.into_iter().flatten().next().unwrap_or_default();
        object.partly(Self::Named { what, why, polarity })
    }
}

reads! { @serde PublishedDecision }

impl PublishedDecision {
    fn parts(&self) -> Result<(&str, &str, &str)> {
        match self {
            Self::Named { what, why, polarity } => Ok((what, why, polarity.as_deref().unwrap_or("accepted"))),
            Self::Listed(parts) => match parts.as_slice() {
                [what, why] => Ok((what, why, "accepted")),
                [what, why, polarity] => Ok((what, why, polarity)),
                _ => Err(Error::argument("a decision is [what, why] or [what, why, polarity]")),
            },
        }
    }
}

/// The published task state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PublishedTaskState {
    /// What is to be reached.
    pub goal: Option<Written>,
    /// The steps, in order.
    pub plan: Vec<Written>,
    /// What was decided, oldest first.
    pub decisions: Vec<PublishedDecision>,
    /// What is open.
    #[serde(alias = "questions")]
    pub open_questions: Vec<Written>,
}

impl FromValue for PublishedTaskState {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        let mut object = Object::of(value)?;
        let mut state = Self::default();
        object.set("goal", &mut state.goal);
        object.set("plan", &mut state.plan);
        object.set("decisions", &mut state.decisions);
        object.set("questions", &mut state.open_questions);
        object.set("open_questions", &mut state.open_questions);
        // other fields of a host's own state may stand beside these
        object.partly(state)
    }
}

reads! { @serde PublishedTaskState }

/// The task state as text, with all four sections whether or not they hold anything.
///
/// # Errors
/// `decision_polarity` and `decision_reason` for decisions without a valid one.
pub fn render_task_state(state: &PublishedTaskState) -> Result<String> {
    let trust = Trust::Operator;
    let mut task = TaskState::default();
    let goal = state.goal.as_ref().map(|goal| goal.text().trim()).filter(|goal| !goal.is_empty());
    task.goal = goal.map(|goal| Entry { text: goal.to_owned(), trust, turn: 0 });
    let steps: Vec<String> = state.plan.iter().map(|step| step.text().to_owned()).collect();
    task.set_plan(&steps, trust, 0)?;
    for decision in &state.decisions {
        let (what, why, polarity) = decision.parts()?;
        task.record(what, why, Polarity::parse(polarity)?, trust, 0)?;
    }
    for question in state.open_questions.iter().map(Written::text).filter(|q| !q.trim().is_empty()) {
        task.open_question(question, trust, 0)?;
    }
    Ok(task.render(Sections::All))
}
