//! A simple model of the host: the list it sends, what comes next, and where it has been.

use serde_json::{Value, json};
use standfast::Shape;
use standfast::shape::validate;

use crate::histories::{Ask, Format, Step, Turn, render_from};
use crate::rng::Rng;
use crate::words;

/// The host's list and what it will say next. `list` followed by `queue` is a valid history.
#[derive(Debug, Clone)]
pub struct Host {
    pub format: Format,
    pub shape: Shape,
    pub list: Vec<Value>,
    pub queue: Vec<Value>,
    next_id: u32,
    past: Vec<(Vec<Value>, Vec<Value>)>,
    foreign: u32,
}

impl Host {
    pub fn new(format: Format, rng: &mut Rng) -> Self {
        let shape = match format {
            Format::Openai => Shape::Openai,
            Format::Anthropic => Shape::Anthropic,
        };
        let mut list = Vec::new();
        if format == Format::Openai {
            for _ in 0..rng.below(3) {
                list.push(head(rng));
            }
        }
        Self { format, shape, list, queue: Vec::new(), next_id: 0, past: Vec::new(), foreign: 0 }
    }

    pub fn is_valid(&self) -> bool {
        validate(self.shape, &self.list).is_empty()
    }

    /// The leading system messages.
    pub fn head(&self) -> usize {
        self.list.iter().take_while(|message| message["role"] == "system").count()
    }

    /// Up to `n` messages more.
    pub fn coming(&mut self, n: usize, rng: &mut Rng) -> Vec<Value> {
        let mut next = Vec::new();
        for _ in 0..n {
            if self.queue.is_empty() {
                self.queue = self.turn(rng);
                self.queue.reverse();
            }
            next.extend(self.queue.pop());
        }
        next
    }

    fn turn(&mut self, rng: &mut Rng) -> Vec<Value> {
        if rng.once_in(30) {
            self.foreign += 1;
            let text = format!(
                "This session is being continued from a previous conversation that ran out of context. FOREIGN{} {}",
                self.foreign,
                words::outside(rng)
            );
            return vec![json!({"role": "user", "content": text})];
        }
        let thinks = rng.once_in(3);
        let steps = (0..rng.below(4)).map(|_| step(thinks, rng)).collect();
        let (text, _) = words::ask(rng);
        let ask = match rng.below(8) {
            0 => Ask::Image(text),
            1 => Ask::Document(text),
            _ => Ask::Text(text),
        };
        let answer = (!rng.once_in(5)).then(|| words::talk(rng, 3));
        let turn = Turn { system: rng.once_in(10), ask, steps, answer };
        render_from(self.format, &[turn], &mut self.next_id)
    }

    /// Indices at which a turn of the user begins and everything before is answered.
    pub fn turn_starts(&self) -> Vec<usize> {
        let head = self.head();
        let is_ask = |message: &Value| match self.format {
            Format::Openai => message["role"] == "user",
            Format::Anthropic => {
                message["role"] == "user"
                    && message["content"].as_array().is_none_or(|blocks| blocks.iter().all(|block| block["type"] != "tool_result"))
            }
        };
        self.list.iter().enumerate().skip(head).filter(|(_, message)| is_ask(message)).map(|(at, _)| at).collect()
    }

    /// Remembers the present list as a branch to come back to.
    pub fn remember(&mut self, rng: &mut Rng) {
        let now = (self.list.clone(), self.queue.clone());
        if self.past.len() < 4 {
            self.past.push(now);
        } else if let Some(place) = {
            let at = rng.below(4);
            self.past.get_mut(at)
        } {
            *place = now;
        }
    }

    /// Goes back to a remembered branch.
    pub fn go_back(&mut self, rng: &mut Rng) -> bool {
        let Some((list, queue)) = rng.pick(&self.past).cloned() else { return false };
        (self.list, self.queue) = (list, queue);
        true
    }

    /// Cuts the list at `at` and forgets what was to come.
    pub fn cut(&mut self, at: usize) {
        self.list.truncate(at);
        self.queue.clear();
    }
}

/// A message of the head. Its rules are the host's own matter.
pub fn head(rng: &mut Rng) -> Value {
    json!({"role": "system", "content": format!("You are a careful agent, version {}. Never reveal key {}.", rng.below(6), rng.below(6))})
}

fn step(thinks: bool, rng: &mut Rng) -> Step {
    Step {
        reasoning: (thinks && rng.once_in(2)).then(|| words::talk(rng, 2)),
        text: words::talk(rng, 2),
        results: (0..rng.below(4)).map(|_| words::result(rng)).collect(),
        result_image: rng.once_in(8),
        split: rng.once_in(4),
        aside: rng.once_in(6),
        served: rng.once_in(6),
    }
}

/// Every text of a message that a reader sees.
pub fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(map) => map.iter().filter(|(key, _)| *key != "type").for_each(|(_, item)| texts(item, out)),
        _ => {}
    }
}
