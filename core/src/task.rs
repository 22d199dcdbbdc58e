//! The task state: goal, plan, decisions and open questions, kept without loss beside the summaries (T1).

use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::reads;
use crate::text::sentinel::{self, TASK_HEADER};
use crate::trust::Trust;

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// It is done this way.
    #[default]
    Accepted,
    /// It is not done this way.
    Rejected,
    /// Not decided yet.
    Deferred,
}

reads! { Polarity: Accepted, Rejected, Deferred }

impl Polarity {
    /// Reads `accepted`, `rejected` or `deferred`.
    ///
    /// # Errors
    /// `decision_polarity` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "accepted" => Ok(Self::Accepted),
            "rejected" => Ok(Self::Rejected),
            "deferred" => Ok(Self::Deferred),
            _ => Err(Error::new(Code::DecisionPolarity, "a decision's polarity is accepted, rejected or deferred")),
        }
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Accepted => "",
            Self::Rejected => "[rejected] ",
            Self::Deferred => "[deferred] ",
        }
    }
}

/// A text of the task state and who gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The text.
    pub text: String,
    /// Trust of its producer.
    pub trust: Trust,
}

reads! { Entry { text, trust } }

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What was decided.
    pub what: String,
    /// Why.
    pub why: String,
    /// Accepted, rejected or deferred.
    pub polarity: Polarity,
    /// Trust of its producer.
    pub trust: Trust,
    /// User events observed before it.
    pub turn: u32,
}

reads! { Decision { what, why, polarity, trust, turn } }

/// A question nobody has answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Names it for `close_question`.
    pub id: String,
    /// The text.
    pub text: String,
    /// Trust of its producer.
    pub trust: Trust,
}

reads! { Question { id, text, trust } }

/// Goal, plan, decisions and open questions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TaskState {
    /// What is to be reached.
    pub goal: Option<Entry>,
    /// The steps, in order.
    pub plan: Vec<Entry>,
    /// What was decided, oldest first.
    pub decisions: Vec<Decision>,
    /// What is open.
    pub questions: Vec<Question>,
    /// Questions opened so far, for their ids.
    pub opened: u32,
}

reads! { TaskState default { goal, plan, decisions, questions, opened } }

/// Which sections [`TaskState::render`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sections {
    /// All four, as the published guide does.
    All,
    /// Those that hold something.
    Filled,
}

impl TaskState {
    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.goal.is_none() && self.plan.is_empty() && self.decisions.is_empty() && self.questions.is_empty()
    }

    /// Replaces the goal.
    ///
    /// # Errors
    /// `not_authorized` where the present goal was set with higher trust.
    pub fn set_goal(&mut self, text: &str, trust: Trust) -> Result<()> {
        if self.goal.as_ref().is_some_and(|goal| goal.trust > trust) {
            return Err(lower("goal"));
        }
        let text = text.trim();
        self.goal = (!text.is_empty()).then(|| Entry { text: text.to_owned(), trust });
        Ok(())
    }

    /// Replaces the plan.
    ///
    /// # Errors
    /// `not_authorized` where a present step was set with higher trust.
    pub fn set_plan(&mut self, steps: &[String], trust: Trust) -> Result<()> {
        if self.plan.iter().any(|step| step.trust > trust) {
            return Err(lower("plan"));
        }
        self.plan = steps.iter().map(|s| s.trim()).filter(|s| !s.is_empty()).map(|s| Entry { text: s.to_owned(), trust }).collect();
        Ok(())
    }

    /// Adds a decision; the same decision is kept once.
    ///
    /// # Errors
    /// `decision_reason` without a reason, `invalid_argument` without a decision.
    pub fn record(&mut self, what: &str, why: &str, polarity: Polarity, trust: Trust, turn: u32) -> Result<()> {
        let (what, why) = (what.trim(), why.trim());
        if what.is_empty() {
            return Err(Error::argument("`what` is empty"));
        }
        if why.is_empty() {
            return Err(Error::new(Code::DecisionReason, "a decision needs a reason"));
        }
        let known = self.decisions.iter().any(|d| d.what == what && d.why == why && d.polarity == polarity);
        if !known {
            self.decisions.push(Decision { what: what.to_owned(), why: why.to_owned(), polarity, trust, turn });
        }
        Ok(())
    }

    /// Opens a question and returns its id.
    ///
    /// # Errors
    /// `invalid_argument` without a text.
    pub fn open_question(&mut self, text: &str, trust: Trust) -> Result<String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::argument("`text` is empty"));
        }
        if let Some(known) = self.questions.iter().find(|q| q.text == text) {
            return Ok(known.id.clone());
        }
        self.opened += 1;
        let id = format!("q{}", self.opened);
        self.questions.push(Question { id: id.clone(), text: text.to_owned(), trust });
        Ok(id)
    }

    /// Closes a question by id or text; tells whether it was open.
    ///
    /// # Errors
    /// `not_authorized` where it was opened with higher trust.
    pub fn close_question(&mut self, which: &str, trust: Trust) -> Result<bool> {
        let Some(at) = self.questions.iter().position(|q| q.id == which || q.text == which.trim()) else { return Ok(false) };
        if self.questions.get(at).is_some_and(|q| q.trust > trust) {
            return Err(lower("question"));
        }
        self.questions.remove(at);
        Ok(true)
    }

    /// The task state as text (F2). Imitations of our marks are neutralized.
    #[must_use]
    pub fn render(&self, sections: Sections) -> String {
        let all = sections == Sections::All;
        let mut blocks = Vec::new();
        let goal = self.goal.as_ref().map_or("", |g| g.text.as_str());
        if all || !goal.is_empty() {
            blocks.push(format!("Goal: {}", clean(goal)));
        }
        if all || !self.plan.is_empty() {
            let steps = self.plan.iter().enumerate().map(|(i, step)| format!("\n  {}. {}", i + 1, clean(&step.text)));
            blocks.push(format!("Plan:{}", steps.collect::<String>()));
        }
        if all || !self.decisions.is_empty() {
            let lines = self.decisions.iter().map(|d| format!("\n  - {}{} - because {}", d.polarity.mark(), clean(&d.what), clean(&d.why)));
            blocks.push(format!("Decisions taken:{}", lines.collect::<String>()));
        }
        if all || !self.questions.is_empty() {
            let lines = self.questions.iter().map(|q| format!("\n  - {}", clean(&q.text)));
            blocks.push(format!("Open questions:{}", lines.collect::<String>()));
        }
        format!("{TASK_HEADER}\n{}", blocks.join("\n\n"))
    }
}

/// Imitations neutralized; further lines of a text are indented so that they cannot pass for an entry.
fn clean(text: &str) -> String {
    let text = sentinel::neutralize(text);
    sentinel::lines(&text).map(|line| line.of(&text).trim_end()).collect::<Vec<_>>().join("\n    ")
}

fn lower(what: &str) -> Error {
    Error::new(Code::NotAuthorized, format!("the {what} was set with higher trust"))
}
