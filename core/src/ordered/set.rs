//! The set.

use std::borrow::Borrow;

use super::{Iter, Map};

/// A set in the order of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set<K> {
    members: Map<K, ()>,
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self { members: Map::new() }
    }
}

/// The members of a set in order.
#[derive(Debug)]
pub struct Members<'a, K>(Iter<'a, K, ()>);

impl<'a, K> Iterator for Members<'a, K> {
    type Item = &'a K;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(member, ())| member)
    }
}

impl<K> Set<K> {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Map::new() }
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in order.
    #[must_use]
    pub fn iter(&self) -> Members<'_, K> {
        Members(self.members.iter())
    }
}

impl<K: Ord> Set<K> {
    /// Puts a member in; whether it was none before.
    pub fn insert(&mut self, member: K) -> bool {
        self.members.insert(member, ()).is_none()
    }

    /// Takes a member out; whether it was one.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.members.remove(member).is_some()
    }

    /// Whether this is a member.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.members.contains_key(member)
    }

    /// Keeps the members that `keep` says.
    pub fn retain(&mut self, mut keep: impl FnMut(&K) -> bool) {
        self.members.retain(|member, ()| keep(member));
    }

    /// The members in order, from one on.
    #[must_use]
    pub fn from_key(&self, member: &K) -> Members<'_, K> {
        Members(self.members.from_key(member))
    }

    /// Takes out every member from one on.
    pub fn cut(&mut self, member: &K) {
        self.members.cut(member);
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = Members<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::iter::Map<<Map<K, ()> as IntoIterator>::IntoIter, fn((K, ())) -> K>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter().map(|(member, ())| member)
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, members: I) {
        for member in members {
            self.insert(member);
        }
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(members: I) -> Self {
        let mut set = Self::new();
        set.extend(members);
        set
    }
}
