//! Distinct elements, by sorting their keys.
//!
//! A NaN does not equal itself, so each is an element of its own.

use super::body::Body;
use super::map::map;
use super::radix;
use crate::dtype::{Entry, Key, Keyed, KeyedTask};
use crate::tensor::reserve;
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Bool, Error, Tensor};

/// Everything about the distinct elements of a view.
pub(crate) struct Uniques {
    /// The elements, in order.
    pub values: Tensor,
    /// Where each is for the first time, in logical order.
    pub indices: Tensor,
    /// For each element of the view, which of the values it is.
    pub inverse: Tensor,
    /// How often each is there.
    pub counts: Tensor,
}

/// A set made of the elements of two views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combination {
    Union,
    Intersection,
    Difference,
    /// What is in one of them only.
    Either,
}

/// The distinct elements, in order.
pub(crate) fn values(view: &AnyView<'_>) -> Result<Tensor, Error> {
    struct Values<'a>(&'a AnyView<'a>);

    impl KeyedTask for Values<'_> {
        type Output = Result<Tensor, Error>;

        fn run<T: Keyed>(self) -> Result<Tensor, Error> {
            elements::<T>(&distinct::<T>(self.0)?)
        }
    }

    view.dtype().with_keyed(Values(view))
}

/// The distinct elements, in order, and how often each is there.
pub(crate) fn counts(view: &AnyView<'_>) -> Result<[Tensor; 2], Error> {
    struct Counts<'a>(&'a AnyView<'a>);

    impl KeyedTask for Counts<'_> {
        type Output = Result<[Tensor; 2], Error>;

        fn run<T: Keyed>(self) -> Self::Output {
            let sorted = sorted_keys::<T>(self.0)?;
            let (mut keys, mut counts) = (Vec::new(), Vec::new());
            for group in sorted.chunk_by(|a, b| is_same::<T>(*a, *b)) {
                keys.push(group[0]);
                counts.push(group.len() as i64);
            }
            Ok([elements::<T>(&keys)?, counts.try_into()?])
        }
    }

    view.dtype().with_keyed(Counts(view))
}

/// Everything about the distinct elements of a view with no more of them than entries have room for.
pub(crate) fn uniques(view: &AnyView<'_>) -> Result<Uniques, Error> {
    struct All<'a>(&'a AnyView<'a>);

    impl KeyedTask for All<'_> {
        type Output = Result<Uniques, Error>;

        fn run<T: Keyed>(self) -> Result<Uniques, Error> {
            let keys = keys::<T>(self.0)?;
            assert!(keys.len() as u64 <= <T::Key as Key>::Entry::MOST, "entries have room");
            let (mut entries, mut room) = (reserve(keys.len())?, reserve(keys.len())?);
            let pairs = keys.iter().enumerate();
            entries.extend(pairs.map(|(at, &key)| <T::Key as Key>::Entry::new(key, at)));
            radix::sort(&mut entries, &mut room);
            let mut inverse = reserve(keys.len())?;
            inverse.resize(keys.len(), 0);
            let (mut keys, mut indices, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for group in entries.chunk_by(|a, b| is_same::<T>(a.key(), b.key())) {
                for entry in group {
                    inverse[entry.at()] = keys.len() as i64;
                }
                keys.push(group[0].key());
                indices.push(group[0].at() as i64);
                counts.push(group.len() as i64);
            }
            Ok(Uniques {
                values: elements::<T>(&keys)?,
                indices: indices.try_into()?,
                inverse: inverse.try_into()?,
                counts: counts.try_into()?,
            })
        }
    }

    view.dtype().with_keyed(All(view))
}

/// The elements of a set made of those of two views of one type, in order.
pub(crate) fn combine(a: &AnyView<'_>, b: &AnyView<'_>, how: Combination) -> Result<Tensor, Error> {
    struct Combine<'a>(&'a AnyView<'a>, &'a AnyView<'a>, Combination);

    impl KeyedTask for Combine<'_> {
        type Output = Result<Tensor, Error>;

        fn run<T: Keyed>(self) -> Result<Tensor, Error> {
            let Combine(a, b, how) = self;
            let (mut a, mut b) = (distinct::<T>(a)?, distinct::<T>(b)?);
            let is_in = |key: &T::Key, keys: &[T::Key]| {
                keys.binary_search(key).is_ok() && !T::is_nan_key(*key)
            };
            match how {
                Combination::Union => b.retain(|key| !is_in(key, &a)),
                Combination::Intersection => a.retain(|key| is_in(key, &b)),
                Combination::Difference => a.retain(|key| !is_in(key, &b)),
                Combination::Either => {
                    let others = a.clone();
                    a.retain(|key| !is_in(key, &b));
                    b.retain(|key| !is_in(key, &others));
                }
            }
            if matches!(how, Combination::Union | Combination::Either) {
                a.append(&mut b);
                radix::sort(&mut a, &mut b);
            }
            elements::<T>(&a)
        }
    }

    a.dtype().with_keyed(Combine(a, b, how))
}

/// Writes whether each element of a view, taken as the type of another, is among the elements of that;
/// or whether it is not.
pub(crate) fn is_in<'x>(
    out: AnyViewMut<'x>,
    input: AnyView<'_>,
    among: &AnyView<'_>,
    invert: bool,
) -> Written<'x> {
    struct IsIn<'x, 'a>(AnyViewMut<'x>, AnyView<'a>, &'a AnyView<'a>, bool);

    impl<'x> KeyedTask for IsIn<'x, '_> {
        type Output = Written<'x>;

        fn run<T: Keyed>(self) -> Written<'x> {
            let IsIn(out, input, among, invert) = self;
            let mut keys = distinct::<T>(among).expect("the operation found that there is room");
            keys.retain(|&key| !T::is_nan_key(key));
            match Marks::new(&keys) {
                Some(marks) => {
                    let is_in = |x: T| Bool::from(marks.has(x.key()) != invert);
                    map(&Body::unary_with(&is_in), out, &[Source::View(input)])
                }
                None => {
                    let is_in = |x: T| Bool::from(keys.binary_search(&x.key()).is_ok() != invert);
                    map(&Body::unary_with(&is_in), out, &[Source::View(input)])
                }
            }
        }
    }

    among.dtype().with_keyed(IsIn(out, input, among, invert))
}

/// Which keys from one to another are in a list: a bit for each.
struct Marks<K> {
    first: K,
    bits: Vec<u64>,
}

impl<K: Key> Marks<K> {
    /// The marks of a sorted list, if they take no more memory than a few times the list does.
    fn new(keys: &[K]) -> Option<Marks<K>> {
        let (&first, &last) = (keys.first()?, keys.last()?);
        let most = keys.len().saturating_mul(256).max(1 << 16);
        let n = last.steps_from(first).filter(|&steps| steps < most)? + 1;
        let mut bits = vec![0; n.div_ceil(64)];
        for at in keys.iter().filter_map(|key| key.steps_from(first)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        Some(Marks { first, bits })
    }

    #[inline(always)]
    fn has(&self, key: K) -> bool {
        let at = key.steps_from(self.first);
        at.is_some_and(|at| self.bits.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1))
    }
}

/// Whether two keys are of equal elements.
fn is_same<T: Keyed>(a: T::Key, b: T::Key) -> bool {
    a == b && !T::is_nan_key(a)
}

/// The keys of all elements, in logical order.
fn keys<T: Keyed>(view: &AnyView<'_>) -> Result<Vec<T::Key>, Error> {
    let view = view.typed::<T>()?;
    let mut keys = reserve(view.len())?;
    match view.as_slice() {
        Some(slice) => keys.extend(slice.iter().map(|x| x.key())),
        None => view.runs().for_each(|run| keys.extend(run.map(T::key))),
    }
    Ok(keys)
}

fn sorted_keys<T: Keyed>(view: &AnyView<'_>) -> Result<Vec<T::Key>, Error> {
    let mut keys = keys::<T>(view)?;
    let mut room = reserve(keys.len())?;
    radix::sort(&mut keys, &mut room);
    Ok(keys)
}

/// The keys of the distinct elements, in order.
fn distinct<T: Keyed>(view: &AnyView<'_>) -> Result<Vec<T::Key>, Error> {
    let mut keys = sorted_keys::<T>(view)?;
    keys.dedup_by(|a, b| is_same::<T>(*a, *b));
    Ok(keys)
}

/// Elements with these keys.
fn elements<T: Keyed>(keys: &[T::Key]) -> Result<Tensor, Error> {
    let mut values: Vec<T> = reserve(keys.len())?;
    values.extend(keys.iter().map(|&key| T::of_key(key)));
    values.try_into()
}
