//! The trained weights: a generated table, read once.
//!
//! `weights.bin` is written by `bench/triage/train.py`: the scores every text begins with and the thresholds, each as two
//! bytes, the low one first; then for each feature its distance to the last number, seven bits a byte; then their weights, type
//! by type. What a feature adds comes to zero, so the weights of the last type are not there.

use std::sync::OnceLock;

/// Feature numbers are kept to this many bits.
const KEY: u32 = (1 << 18) - 1;

/// A weight for each type.
pub(super) type Weights = [i8; 5];

pub(super) struct Table {
    pub(super) prior: [i32; 5],
    /// From what likelihood per mille a text is a constraint: strict, balanced, lean; and suspected to be one.
    pub(super) thresholds: [u32; 4],
    slots: Vec<(u32, Weights)>,
    /// Falling powers of e, a 16th each.
    powers: Vec<u64>,
}

/// The tables, read at the first use.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let bytes = include_bytes!("weights.bin");
        let mut given = bytes.iter().copied();
        let mut next = || given.next().unwrap_or_default();
        let mut two = || i32::from(i16::from_le_bytes([next(), next()]));
        let mut made = Table { prior: [0; 5], thresholds: [0; 4], slots: Vec::new(), powers: Vec::new() };
        made.prior.iter_mut().for_each(|slot| *slot = two());
        made.thresholds.iter_mut().for_each(|slot| *slot = two().unsigned_abs());
        let count = two().unsigned_abs() as usize;
        made.slots = vec![(0, [0; 5]); (count.max(1) * 2).next_power_of_two()];
        let columns = bytes.len().saturating_sub(4 * count);
        let mut key = 0_u32;
        for feature in columns..columns + count {
            let mut shift = 0;
            loop {
                let byte = next();
                key = key.wrapping_add(u32::from(byte & 127) << shift);
                shift += 7;
                if byte < 128 || shift > 28 {
                    break;
                }
            }
            let mut weights = [0; 5];
            let mut rest = 0_i8;
            for (at, weight) in weights.iter_mut().enumerate().take(4) {
                *weight = bytes.get(feature + at * count).copied().unwrap_or_default() as i8;
                rest = rest.wrapping_sub(*weight);
            }
            weights[4] = rest;
            made.put(key, weights);
        }
        let mut power = 1_u64 << 32;
        while power > 1 << 12 {
            made.powers.push(power);
            power = (power * 4_034_748_382) >> 32; // e to the -1/16th
        }
        made
    })
}

impl Table {
    fn put(&mut self, key: u32, weights: Weights) {
        let mut at = key as usize & (self.slots.len() - 1);
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == 0 {
                *slot = (key, weights);
                return;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Where the weights of a feature stand, and what they are.
    #[cfg_attr(standfast_hot, optimize(speed))]
    pub(super) fn find(&self, id: u32) -> Option<(usize, Weights)> {
        let key = id & KEY;
        let mut at = key as usize & (self.slots.len() - 1);
        loop {
            let (held, weights) = *self.slots.get(at)?;
            if held == key {
                return Some((at, weights));
            }
            if held == 0 {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// How likely each type is by its score, per mille. The score of a constraint is half of what it is worth against the
    /// other types by their scores, and half of what it is worth against all of them at once.
    pub(super) fn likely(&self, mut scores: [i32; 5]) -> [u32; 5] {
        let [constraint, rest @ ..] = &mut scores;
        *constraint += self.together(rest) / 2;
        let best = scores.iter().copied().max().unwrap_or_default();
        let parts = scores.map(|score| self.powers.get(score.abs_diff(best) as usize).copied().unwrap_or_default());
        let sum: u64 = parts.iter().sum();
        parts.map(|part| ((part * 1_000 + sum / 2) / sum.max(1)) as u32)
    }

    /// What scores are worth together: the logarithm of the sum of their powers.
    fn together(&self, scores: &[i32]) -> i32 {
        let best = scores.iter().copied().max().unwrap_or_default();
        let mut sum = 0;
        for score in scores {
            sum += self.powers.get(score.abs_diff(best) as usize).copied().unwrap_or_default();
        }
        let more = self.powers.iter().take_while(|power| (sum >> 4) * **power > 1 << 60).count();
        best.saturating_add(more as i32)
    }
}
