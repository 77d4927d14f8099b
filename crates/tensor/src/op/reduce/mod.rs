//! Sums and their kin: many elements made one.
//!
//! A reduction is an entry in the file of its family: its name, its fold, and what it says about
//! itself. `reduction!` makes the method and the function that writes to an output of it.

mod extreme;
mod lens;
mod nan;
mod norm;
mod spread;
mod sum;
mod truth;

pub use extreme::*;
pub use nan::*;
pub use norm::*;
pub use spread::*;
pub use sum::*;
pub use truth::*;

use super::axes::Axes;
use super::number::common_type;
use super::operand::{Operand, Target};
use crate::kernel::fold::Setting;
use crate::kernel::line::fold;
use crate::kernel::reducer::Reducer;
use crate::kernel::{reduce::reduce, reduce_lens::reduce_lens};
use crate::view::{
    Along, AnyLens, AnyView, AnyViewMut, Call, Lines, Same, Source, Written, fresh, into,
};
use crate::{DType, Error, Layout, Shape, Tensor, assign_into, astype_into};
use std::panic::Location;

/// A reduction, whatever it calculates.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    /// The name, for messages.
    name: &'static str,
    /// How elements of a type are folded, if it exists for them.
    reducer: fn(DType) -> Option<Reducer>,
    /// What the fold is told, if it is told anything.
    setting: Option<Setting>,
    /// Whether it has no value for no elements.
    needs_elements: bool,
    /// Whether it asks for the positions of elements.
    asks_positions: bool,
}

/// What a reduction has found out about its operand.
struct Prepared {
    reducer: Reducer,
    /// The shape of the result with the folded axes in it.
    kept: Shape,
    /// The shape of the result.
    shape: Shape,
    positions: Layout,
    /// Whether each axis is folded.
    is_folded: Vec<bool>,
}

impl Prepared {
    /// Folds what is read of an operand into an output with the folded axes in it.
    fn fold<'x>(&self, x: &Operand<'_>, out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
        match x.lens() {
            None => reduce(&self.reducer, out, view, &self.positions),
            Some(lens) => {
                // Those that are folded come last.
                let mut order: Vec<isize> = (0..self.is_folded.len() as isize).collect();
                order.sort_by_key(|&k| self.is_folded[k as usize]);
                let lens = AnyLens::new(view, lens).permute(&order);
                reduce_lens(&self.reducer, out, lens.expect("each axis is kept or folded"))
            }
        }
    }
}

impl Reduction {
    const fn new(name: &'static str, reducer: fn(DType) -> Option<Reducer>) -> Reduction {
        Reduction { name, reducer, setting: None, needs_elements: false, asks_positions: false }
    }

    /// The same, with a fold that is told a number, and one of two results chosen.
    const fn with_setting(self, number: f64, choice: bool) -> Reduction {
        Reduction { setting: Some(Setting { number, choice }), ..self }
    }

    /// The same with another number.
    const fn with_number(self, number: f64) -> Reduction {
        let choice = match self.setting {
            Some(setting) => setting.choice,
            None => false,
        };
        self.with_setting(number, choice)
    }

    const fn of_something(self) -> Reduction {
        Reduction { needs_elements: true, ..self }
    }

    const fn with_positions(self) -> Reduction {
        Reduction { asks_positions: true, ..self }
    }

    /// Makes a tensor of the results.
    pub(super) fn of(&self, x: Operand<'_>, axes: Axes) -> Result<Tensor, Error> {
        self.of_type(x, axes, None)
    }

    /// Makes a tensor of the results, which are of a type that elements are converted to first.
    fn of_as(&self, x: Operand<'_>, axes: Axes, dtype: DType) -> Result<Tensor, Error> {
        let result = self.of_type(x, axes, Some(dtype))?;
        if result.dtype() == dtype {
            return Ok(result);
        }
        // Results are few: they are made apart and then converted.
        let converted = Tensor::zeros(result.shape(), dtype)?;
        astype_into(&result, &converted)?;
        Ok(converted)
    }

    fn of_type(&self, x: Operand<'_>, axes: Axes, dtype: Option<DType>) -> Result<Tensor, Error> {
        if let Some(tensor) = x.tensor()
            && dtype.is_none()
            && axes.is_all()
            && !axes.keeps()
            && let Some(total) = self.of_block(tensor)?
        {
            return Ok(total);
        }
        let prepared = self.prepare(&x, &axes, dtype)?;
        let cell = x.cell(prepared.reducer.input())?;
        let (layout, dtype) = (Layout::row_major(&prepared.kept)?, prepared.reducer.output());
        let result = fresh(layout, dtype, [x.input_or_lens(&cell)], |out, [view]| {
            prepared.fold(&x, out, &view)
        })?;
        result.view(&*prepared.shape)
    }

    /// Folds all elements, if they are few and lie one behind the other: that is one run.
    fn of_block(&self, x: &Tensor) -> Result<Option<Tensor>, Error> {
        let reducer = self.reducer_for(x.dtype(), None)?;
        if reducer.input() != x.dtype() || !x.is_contiguous() {
            return Ok(None);
        }
        let Some(lines) = Lines::of(&[Along::Tensor(x)]) else { return Ok(None) };
        let stride = isize::from(self.asks_positions);
        let total =
            lines.make_one(reducer.output(), |out, [line]| fold(&reducer, out, line, stride));
        total.map(Some)
    }

    /// Writes the results to something that exists.
    fn write(
        &self,
        x: Operand<'_>,
        axes: Axes,
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        let prepared = self.prepare(&x, &axes, None)?;
        out.check_shape(self.name, &prepared.shape)?;
        if out.dtype() != prepared.reducer.output() {
            // Results are few: they are made apart and then converted.
            return assign_into(&self.of(x, axes)?, out);
        }
        let out = out.output();
        let cell = x.cell(prepared.reducer.input())?;
        let call = Call { op: self.name, caller };
        into(call, out, [x.input_or_lens(&cell)], Same::Buffer, |out, [source]| {
            let Source::View(view) = source else { unreachable!("the input was buffered") };
            prepared.fold(&x, out.with_axes_of(&prepared.kept), &view);
        })
    }

    fn prepare(
        &self,
        x: &Operand<'_>,
        axes: &Axes,
        dtype: Option<DType>,
    ) -> Result<Prepared, Error> {
        let reducer = self.reducer_for(common_type(&[x]), dtype)?;
        let shape = x.shape();
        let whole = Layout::row_major(&shape)?;
        let is_folded = axes.resolve(&whole)?;
        let kept: Shape =
            (0..shape.len()).map(|k| if is_folded[k] { 1 } else { shape[k] }).collect();
        let left: Shape = (0..shape.len()).filter(|&k| !is_folded[k]).map(|k| shape[k]).collect();
        if self.needs_elements && whole.is_empty() && !kept.contains(&0) {
            return Err(Error::Empty { op: self.name, shape: shape.into() });
        }
        let positions = match self.asks_positions {
            true => positions(&shape, &is_folded)?,
            false => Layout::scalar(0)?.broadcast_to(&*shape)?,
        };
        let shape = if axes.keeps() { kept.clone() } else { left };
        Ok(Prepared { reducer, kept, shape, positions, is_folded })
    }

    /// The fold of elements of a type, perhaps as elements of another.
    fn reducer_for(&self, from: DType, to: Option<DType>) -> Result<Reducer, Error> {
        let dtype = to.unwrap_or(from);
        if from.is_complex() && !dtype.is_complex() {
            return Err(Error::Cast { from, to: dtype });
        }
        match (self.reducer)(dtype) {
            Some(reducer) if to != Some(DType::Bool) => {
                Ok(self.setting.map_or(reducer, |setting| reducer.with(setting)))
            }
            _ => Err(Error::Unsupported { op: self.name, dtype }),
        }
    }
}

/// The positions of elements among those that are folded with them, in logical order.
fn positions(shape: &[usize], is_folded: &[bool]) -> Result<Layout, Error> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1isize;
    for k in (0..shape.len()).rev().filter(|&k| is_folded[k]) {
        strides[k] = stride;
        stride *= shape[k].max(1) as isize;
    }
    Ok(Layout::from_strides(0, shape, &strides)?)
}

/// A reduction: its entry, the method, and the function that writes to an output. One that is told a
/// number has its name in brackets.
macro_rules! reduction {
    (
        $(#[$doc:meta])*
        $entry:ident = $reduction:expr, $method:ident $(($number:ident))?, $into:ident
    ) => {
        pub(in crate::op) const $entry: Reduction = $reduction;

        impl Tensor {
            $(#[$doc])*
            pub fn $method(
                &self,
                axes: impl Into<Axes>,
                $($number: f64,)?
            ) -> Result<Tensor, Error> {
                $entry$(.with_number($number))?.of(self.into(), axes.into())
            }
        }

        #[doc = concat!("Writes [`Tensor::", stringify!($method), "`] of `x` to `out`.")]
        ///
        /// # Errors
        /// As for the method; and if `out` has another shape, cannot hold the type, or cannot be
        /// written to.
        ///
        /// # Memory
        /// Copies `x` first if the two share elements.
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<Operand<'a>>,
            axes: impl Into<Axes>,
            $($number: f64,)?
            out: impl Into<Target<'a>>,
        ) -> Result<(), Error> {
            let entry = $entry$(.with_number($number))?;
            entry.write(x.into(), axes.into(), out.into(), Location::caller())
        }
    };
}

use reduction;

/// The least of some integers, if there are any and they are integers.
pub(super) fn least_integer(operand: &Operand<'_>) -> Result<Option<i64>, Error> {
    if operand.shape().contains(&0) {
        return Ok(None);
    }
    let least = MIN.of(operand.clone(), ().into())?;
    match least.dtype() {
        dtype if dtype.is_integer() && !dtype.is_unsigned() => {
            least.astype(DType::Int64)?.item().map(Some)
        }
        _ => Ok(None),
    }
}
