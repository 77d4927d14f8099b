//! Stubs for the random back-end when its feature is off. Operations call `Feature::require` first, so none is called.

use super::{Distribution, Family, RandomStream, RowFamily};
use crate::Error;
use crate::view::{AnyView, AnyViewMut, Written};

impl RandomStream {
    /// Returns a key that differs for each part. No numbers are drawn from it: they need the back-end.
    pub(crate) fn child_key(&self) -> [u8; 32] {
        let mut key = self.key;
        for (byte, part) in key[8..].iter_mut().zip(self.number.to_le_bytes()) {
            *byte ^= part;
        }
        for (byte, part) in key[16..].iter_mut().zip(self.part.wrapping_add(1).to_le_bytes()) {
            *byte ^= part;
        }
        key[31] ^= 1;
        key
    }
}

pub(crate) fn draw(_: AnyViewMut<'_>, _: RandomStream, _: Distribution) -> Written<'_> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn order(_: RandomStream, _: usize) -> Result<Vec<i64>, Error> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn choose(_: RandomStream, _: usize, _: usize) -> Result<Vec<i64>, Error> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn choose_weighted(_: RandomStream, _: &[f64], _: usize) -> Result<Vec<i64>, Error> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn draw_weighted<'x>(_: AnyViewMut<'x>, _: RandomStream, _: &[f64]) -> Written<'x> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn permute<'x>(_: AnyViewMut<'x>, _: &AnyView<'_>, _: usize, _: &[i64]) -> Written<'x> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn shuffle(_: AnyViewMut<'_>, _: usize, _: &[i64]) {
    unreachable!("the feature `random` is off")
}

pub(crate) fn draw_each<'x, const N: usize>(
    _: AnyViewMut<'x>,
    _: RandomStream,
    _: Family,
    _: [AnyView<'_>; N],
) -> Written<'x> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn draw_rows<'x, const N: usize>(
    _: AnyViewMut<'x>,
    _: RandomStream,
    _: RowFamily<'_>,
    _: usize,
    _: [AnyView<'_>; N],
) -> Written<'x> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn find_violation<const N: usize>(
    _: Family,
    _: [AnyView<'_>; N],
) -> Option<(&'static str, f64)> {
    unreachable!("the feature `random` is off")
}

pub(crate) fn stream_len_of_rows(_: usize, _: usize) -> usize {
    unreachable!("the feature `random` is off")
}
