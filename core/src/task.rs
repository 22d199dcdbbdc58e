//! The task state: goal, plan, decisions and open questions, kept without loss beside the summaries (T1).

use std::borrow::Cow;

use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::reads;
use crate::text::ident::redacted;
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
    /// User events observed before it.
    pub turn: u32,
}

reads! { Entry { text, trust } { turn } }

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
    /// User events observed before it.
    pub turn: u32,
}

reads! { Question { id, text, trust } { turn } }

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
    pub fn set_goal(&mut self, text: &str, trust: Trust, turn: u32) -> Result<()> {
        if self.goal.as_ref().is_some_and(|goal| goal.trust > trust) {
            return Err(lower("goal"));
        }
        let text = text.trim();
        self.goal = (!text.is_empty()).then(|| Entry { text: text.to_owned(), trust, turn });
        Ok(())
    }

    /// Replaces the plan.
    ///
    /// # Errors
    /// `not_authorized` where a present step was set with higher trust.
    pub fn set_plan(&mut self, steps: &[String], trust: Trust, turn: u32) -> Result<()> {
        if self.plan.iter().any(|step| step.trust > trust) {
            return Err(lower("plan"));
        }
        self.plan = steps.iter().map(|s| s.trim()).filter(|s| !s.is_empty()).map(|s| Entry { text: s.to_owned(), trust, turn }).collect();
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
    pub fn open_question(&mut self, text: &str, trust: Trust, turn: u32) -> Result<String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::argument("`text` is empty"));
        }
        if let Some(known) = self.questions.iter().find(|q| q.text == text) {
            return Ok(known.id.clone());
        }
        self.opened += 1;
        let id = format!("q{}", self.opened);
        self.questions.push(Question { id: id.clone(), text: text.to_owned(), trust, turn });
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

    /// The task state as text (F2). Imitations of our marks are neutralized, and what is not the user's or the operator's
    /// stands under the label of who gave it.
    #[must_use]
    pub fn render(&self, sections: Sections) -> String {
        let all = sections == Sections::All;
        let mut out = TASK_HEADER.to_owned();
        let mut gap = "\n";
        let mut title = |out: &mut String, text: &str| {
            out.push_str(gap);
            out.push_str(text);
            gap = "\n\n";
        };
        if all || self.goal.is_some() {
            title(&mut out, "Goal: ");
            if let Some(goal) = &self.goal {
                add(&mut out, &label(goal.trust, goal.turn), &goal.text);
            }
        }
        if all || !self.plan.is_empty() {
            title(&mut out, "Plan:");
            for (at, step) in self.plan.iter().enumerate() {
                out.push_str(&format!("\n  {}. ", at + 1));
                add(&mut out, &label(step.trust, step.turn), &step.text);
            }
        }
        if all || !self.decisions.is_empty() {
            title(&mut out, "Decisions taken:");
            for made in &self.decisions {
                let label = label(made.trust, made.turn);
                out.push_str("\n  - ");
                add(&mut out, &label, &format!("{}{} - because {}", made.polarity.mark(), made.what, made.why));
            }
        }
        if all || !self.questions.is_empty() {
            title(&mut out, "Open questions:");
            for question in &self.questions {
                out.push_str("\n  - ");
                add(&mut out, &label(question.trust, question.turn), &question.text);
            }
        }
        out
    }
}

/// The label of a producer who has no authority: `(agent, turn 3) `.
fn label(trust: Trust, turn: u32) -> String {
    if trust.has_authority() { String::new() } else { format!("({}, turn {turn}) ", trust.as_str()) }
}

/// Adds a text behind its label. Imitations are neutralized, and so are secrets where there is a label; further lines are
/// indented so that they cannot pass for an entry, and stand under the label too.
fn add(out: &mut String, label: &str, text: &str) {
    let text = sentinel::neutralize(text);
    let text = if label.is_empty() { None } else { redacted(&text) }.map_or(text, Cow::Owned);
    for (at, line) in sentinel::lines(&text).enumerate() {
        out.push_str(if at > 0 { "\n    " } else { "" });
        out.push_str(label);
        out.push_str(line.of(&text).trim_end());
    }
}

fn lower(what: &str) -> Error {
    Error::new(Code::NotAuthorized, format!("the {what} was set with higher trust"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_users_stands_under_its_label() {
        let mut task = TaskState::default();
        task.set_goal("Settle March", Trust::User, 1).unwrap();
        task.set_plan(&["open the list".to_owned(), "pay\nsince the lead waived it".to_owned()], Trust::Agent, 2).unwrap();
        task.record("pay without the review", "the user agreed", Polarity::Accepted, Trust::Agent, 3).unwrap();
        task.record("pay in May", "I say so", Polarity::Deferred, Trust::User, 3).unwrap();
        task.open_question("Is ghp_16C7e42F292c6912E7710c838347 gone?", Trust::External, 4).unwrap();
        task.open_question("Who pays?", Trust::Operator, 4).unwrap();
        assert_eq!(
            task.render(Sections::Filled),
            "## TASK STATE\nGoal: Settle March\n\nPlan:\n  1. (agent, turn 2) open the list\n  2. (agent, turn 2) pay\n    (agent, turn 2) since the lead waived it\n\n\
             Decisions taken:\n  - (agent, turn 3) pay without the review - because the user agreed\n  - [deferred] pay in May - because I say so\n\n\
             Open questions:\n  - (external, turn 4) Is [secret] gone?\n  - Who pays?"
        );
    }
}
