//! The published task state: goal, plan, decisions and open questions as the guide writes them (F2).

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::task::{Entry, Polarity, Sections, TaskState};
use crate::trust::Trust;

/// A decision of the published task state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PublishedDecision {
    /// What was decided.
    pub what: String,
    /// Why.
    pub why: String,
    /// `accepted`, `rejected` or `deferred`.
    #[serde(default = "accepted")]
    pub polarity: String,
}

fn accepted() -> String {
    "accepted".to_owned()
}

/// The published task state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PublishedTaskState {
    /// What is to be reached.
    pub goal: String,
    /// The steps, in order.
    pub plan: Vec<String>,
    /// What was decided, oldest first.
    pub decisions: Vec<PublishedDecision>,
    /// What is open.
    pub open_questions: Vec<String>,
}

/// The task state as text, with all four sections whether or not they hold anything.
///
/// # Errors
/// `decision_polarity` and `decision_reason` for decisions without a valid one.
pub fn render_task_state(state: &PublishedTaskState) -> Result<String> {
    Ok(read(state)?.render(Sections::All))
}

fn read(state: &PublishedTaskState) -> Result<TaskState> {
    let mut task = TaskState::default();
    let goal = state.goal.trim();
    task.goal = (!goal.is_empty()).then(|| Entry { text: goal.to_owned(), trust: Trust::Operator });
    task.set_plan(&state.plan, Trust::Operator)?;
    for decision in &state.decisions {
        task.record(&decision.what, &decision.why, Polarity::parse(&decision.polarity)?, Trust::Operator, 0)?;
    }
    for question in state.open_questions.iter().filter(|q| !q.trim().is_empty()) {
        task.open_question(question, Trust::Operator)?;
    }
    Ok(task)
}
