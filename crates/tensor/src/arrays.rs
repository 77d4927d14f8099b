//! Arrays of a constant length, made by plain loops.

/// Returns the array of `f(0)`, `f(1)` and so on.
///
/// Does what `std::array::from_fn` does in a tenth of the code for the compiler: elements that can be copied need not be
/// dropped if `f` panics. `f` is called at least once.
#[inline(always)]
pub(crate) fn array_of<T: Copy, const N: usize>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut array = [f(0); N];
    let mut n = 1;
    while n < N {
        array[n] = f(n);
        n += 1;
    }
    array
}
