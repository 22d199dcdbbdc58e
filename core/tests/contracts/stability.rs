//! What must stay byte for byte between commits (contract 3).

use serde_json::Value;
use standfast::{Slot, Window};

/// The beginning of the last window, and what may have changed since.
#[derive(Debug, Clone, Default)]
pub struct Frozen {
    last: Option<Prefix>,
    block: bool,
    notices: bool,
    all: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Prefix {
    head: Vec<u32>,
    block: String,
    memory: Option<Value>,
}

impl Frozen {
    /// Everything may change, because of `why`.
    pub fn let_go(&mut self, why: &str) {
        self.all = Some(why.to_owned());
    }

    /// The host changed its rules: the block may change, nothing else.
    pub fn block_may_change(&mut self) {
        self.block = true;
    }

    /// Originals came back, or it was found that they are not there: the notices may change, nothing else.
    pub fn notices_may_change(&mut self) {
        self.notices = true;
    }

    /// Compares with the last window.
    pub fn check(&mut self, window: &Window) {
        let own = window.slots.iter().rposition(|slot| matches!(slot, Slot::Own(_)));
        let head = window.slots.iter().take(own.unwrap_or(0)).filter_map(|slot| match slot {
            Slot::Host(seq) => Some(*seq),
            Slot::Own(_) => None,
        });
        let memory = window.slots.iter().find_map(|slot| match slot {
            Slot::Own(message) if message["role"] == "user" => Some(message.clone()),
            _ => None,
        });
        let now = Prefix { head: head.collect(), block: window.pinned.clone(), memory };
        if let (Some(last), None) = (&self.last, &self.all) {
            let shown = |memory: &Option<Value>| memory.as_ref().map(|memory| if self.notices { unnoticed(memory) } else { texts(memory) });
            assert_eq!(shown(&last.memory), shown(&now.memory), "the memory message is frozen between commits");
            if !self.block {
                assert_eq!(last.block, now.block, "the block is frozen between commits");
                assert!(now.head.starts_with(&last.head) || own.is_none(), "the head is the host's");
            }
        }
        *self = Self { last: Some(now), block: false, notices: false, all: None };
    }
}

/// The pieces of a memory message.
fn texts(memory: &Value) -> Vec<String> {
    match &memory["content"] {
        Value::Array(blocks) => blocks.iter().map(Value::to_string).collect(),
        text => text.as_str().unwrap_or_default().split("\n\n").map(str::to_owned).collect(),
    }
}

/// Its pieces but the notices.
fn unnoticed(memory: &Value) -> Vec<String> {
    texts(memory).into_iter().filter(|piece| !piece.contains("[memory notice]")).collect()
}
