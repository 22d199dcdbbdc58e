//! Maps and sets in the order of their keys.
//!
//! They do what those of `std` do, in a fraction of the code for each pair of types: every pair is compiled anew, and the
//! wasm file has a budget. Entries stand in short sorted chunks, so that an insertion moves few of them.

mod same;
mod set;

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use same::{firsts, number};
pub use set::{Members, Set};

/// A chunk of this size is split.
const CHUNK: usize = 64;

/// A map in the order of its keys. An object on the wire.
#[derive(Debug, Clone)]
pub struct Map<K, V> {
    /// None of them is empty.
    chunks: Vec<Vec<(K, V)>>,
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

/// The entries of a map in order.
#[derive(Debug)]
pub struct Iter<'a, K, V> {
    now: &'a [(K, V)],
    rest: &'a [Vec<(K, V)>],
    last: &'a [(K, V)],
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        while self.now.is_empty() {
            let Some((now, rest)) = self.rest.split_first() else {
                (self.now, self.last) = (self.last, &[]);
                break;
            };
            (self.now, self.rest) = (now, rest);
        }
        let ((key, value), now) = self.now.split_first()?;
        self.now = now;
        Some((key, value))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        while self.last.is_empty() {
            let Some((last, rest)) = self.rest.split_last() else {
                (self.last, self.now) = (self.now, &[]);
                break;
            };
            (self.last, self.rest) = (last, rest);
        }
        let ((key, value), last) = self.last.split_last()?;
        self.last = last;
        Some((key, value))
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The entries in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { now: &[], rest: &self.chunks, last: &[] }
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The entries in order, values to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.chunks.iter_mut().flatten().map(|(key, value)| (&*key, value))
    }

    /// The values in order, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The values in order, by value.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.chunks.clear();
    }

    /// Keeps the entries that `keep` says.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| keep(key, value));
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
    }

    /// Takes the first entry out.
    pub fn pop_first(&mut self) {
        if let Some(entries) = self.chunks.first_mut().filter(|entries| !entries.is_empty()) {
            entries.remove(0);
            if entries.is_empty() {
                self.chunks.remove(0);
            }
        }
    }
}

impl<K: Ord, V> Map<K, V> {
    /// The chunk of a key, and where it stands there or would stand.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> (usize, Result<usize, usize>)
    where
        K: Borrow<Q>,
    {
        let after = self.chunks.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| first.borrow() <= key));
        let at = after.saturating_sub(1);
        (at, self.chunks.get(at).map_or(Err(0), |chunk| chunk.binary_search_by(|(known, _)| known.borrow().cmp(key))))
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (chunk, Ok(at)) = self.place(key) else { return None };
        self.chunks.get(chunk)?.get(at).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (chunk, Ok(at)) = self.place(key) else { return None };
        self.chunks.get_mut(chunk)?.get_mut(at).map(|(_, value)| value)
    }

    /// Whether a key has a value.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).1.is_ok()
    }

    /// Gives a key a value; returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (chunk, at) = self.place(&key);
        let Some(entries) = self.chunks.get_mut(chunk) else {
            self.chunks.push(vec![(key, value)]);
            return None;
        };
        match at {
            Ok(at) => entries.get_mut(at).map(|entry| std::mem::replace(&mut entry.1, value)),
            Err(at) => {
                entries.insert(at, (key, value));
                if entries.len() >= CHUNK {
                    // a map that is filled in order has full chunks
                    let kept = if at + 1 == entries.len() { entries.len() - 1 } else { CHUNK / 2 };
                    let rest = entries.split_off(kept);
                    self.chunks.insert(chunk + 1, rest);
                }
                None
            }
        }
    }

    /// Changes the value of a key; where it has none, it gets `first` before that.
    pub fn change(&mut self, key: K, first: V, change: impl FnOnce(&mut V)) {
        let (chunk, at) = self.place(&key);
        match at.ok().and_then(|at| self.chunks.get_mut(chunk)?.get_mut(at)) {
            Some((_, value)) => change(value),
            None => {
                let mut value = first;
                change(&mut value);
                self.insert(key, value);
            }
        }
    }

    /// Takes a key out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (chunk, Ok(at)) = self.place(key) else { return None };
        let entries = self.chunks.get_mut(chunk).filter(|entries| at < entries.len())?;
        let (_, value) = entries.remove(at);
        if entries.is_empty() {
            self.chunks.remove(chunk);
        }
        Some(value)
    }

    /// The entries in order, from a key on.
    #[must_use]
    pub fn from_key(&self, key: &K) -> Iter<'_, K, V> {
        let (chunk, Ok(at) | Err(at)) = self.place(key);
        let now = self.chunks.get(chunk).and_then(|entries| entries.get(at..)).unwrap_or_default();
        Iter { now, rest: self.chunks.get(chunk + 1..).unwrap_or_default(), last: &[] }
    }

    /// Takes out everything from a key on.
    pub fn cut(&mut self, key: &K) {
        let (chunk, Ok(at) | Err(at)) = self.place(key);
        self.chunks.truncate(chunk + 1);
        if let Some(last) = self.chunks.get_mut(chunk) {
            last.truncate(at);
            if last.is_empty() {
                self.chunks.truncate(chunk);
            }
        }
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<K, V>(PhantomData<(K, V)>);
        impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
            type Value = Map<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<Self::Value, A::Error> {
                let mut map = Map::new();
                while let Some((key, value)) = given.next_entry()? {
                    map.insert(key, value);
                }
                Ok(map)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(feature = "schema")]
impl<K: schemars::JsonSchema, V: schemars::JsonSchema> schemars::JsonSchema for Map<K, V> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::collections::BTreeMap::<K, V>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<K, V>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_does_what_the_map_of_std_does(
            steps in prop::collection::vec((0_u16..400, 0_u8..5), 0..1_500),
            in_order in 0_u16..300,
            cut in 0_u16..400,
        ) {
            let mut map: Map<u16, usize> = (0..in_order).map(|key| (key, 0)).collect();
            let mut known: BTreeMap<u16, usize> = (0..in_order).map(|key| (key, 0)).collect();
            for (i, (key, what)) in steps.into_iter().enumerate() {
                match what {
                    0 => prop_assert_eq!(map.remove(&key), known.remove(&key)),
                    1 => {
                        map.change(key, 0, |n| *n += 1);
                        *known.entry(key).or_default() += 1;
                    }
                    _ => prop_assert_eq!(map.insert(key, i), known.insert(key, i)),
                }
                prop_assert_eq!(map.get(&key), known.get(&key));
            }
            prop_assert_eq!(map.len(), known.len());
            prop_assert_eq!(map.is_empty(), known.is_empty());
            prop_assert!(map.iter().eq(known.iter()));
            prop_assert!(map.iter().rev().eq(known.iter().rev()));
            prop_assert!(map.from_key(&cut).eq(known.range(cut..)));
            map.retain(|key, _| key % 3 == 0);
            known.retain(|key, _| key % 3 == 0);
            map.pop_first();
            known.pop_first();
            map.cut(&cut);
            known.split_off(&cut);
            prop_assert_eq!(map.is_empty(), known.is_empty());
            prop_assert_eq!(serde_json::to_string(&map).unwrap(), serde_json::to_string(&known).unwrap());
            prop_assert_eq!(&serde_json::from_str::<Map<u16, usize>>(&serde_json::to_string(&map).unwrap()).unwrap(), &map);
            prop_assert!(map.into_iter().eq(known));
        }
    }
}
