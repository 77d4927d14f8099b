//! Reductions: `sum`, `mean`, `min`, `any`, `var`, `norm` and others over any set of axes.
//!
//! Each reduction is a [`Reduction`] constant in the file of its family: its name, the kernel that
//! reduces elements of a dtype, and its documentation. The macro `reduction!` generates from it the
//! methods of [`Tensor`] and [`Lens`](crate::Lens), and the function that writes to an existing output.

mod any_all;
mod min_max;
mod nan;
mod norm;
mod sum;
mod variance;

pub use any_all::*;
pub use min_max::*;
pub use nan::*;
pub use norm::*;
pub use sum::*;
pub use variance::*;

use super::axes::Axes;
use super::number::common_type;
use super::operand::{Operand, Target};
use crate::kernel::reduce::{is_one_run, reduce};
use crate::kernel::reduce_lens::reduce_lens;
use crate::kernel::reducer::Reducer;
use crate::kernel::reduction::Setting;
use crate::kernel::small::reduce_small;
use crate::op::execute::{
    InputIsOutput, ResultOrder, SmallOperands, SmallShape, compute_into, compute_new, is_small,
};
use crate::plan::output_layout;
use crate::trace::{Announcement, Call, Param, composite, composite_into, is_listening};
use crate::view::{AnyLens, AnyView, AnyViewMut, Source, Written};
use crate::{DType, Error, Layout, Shape, Strides, Tensor, assign_into, astype_into};

/// The description of a reduction: its name, its kernels and its requirements.
#[derive(Clone, Copy)]
pub(super) struct Reduction {
    /// The name of the operation in error messages.
    name: &'static str,
    /// Returns the reducer for elements of a dtype, or `None` if the dtype is not supported.
    reducer: fn(DType) -> Option<Reducer>,
    /// The parameters of the reducer, such as the correction of a variance.
    setting: Option<Setting>,
    /// The name and the value of the numeric parameter, for events.
    parameter: Option<(&'static str, f64)>,
    /// Whether reducing zero elements is an error, as for `min`.
    needs_elements: bool,
    /// Whether the reducer uses the positions of elements, as `argmin` does.
    needs_positions: bool,
}

/// A reduction of one operand, with shapes and axes resolved and checked.
struct PreparedReduction {
    reducer: Reducer,
    /// The shape of the result with the reduced axes kept, of length 1.
    kept: Shape,
    /// The shape of the result.
    shape: Shape,
    /// Maps the index of an element to its position among the elements reduced together.
    positions: Layout,
    /// Whether each axis of the operand is reduced.
    is_reduced: Vec<bool>,
}

impl PreparedReduction {
    /// Returns the layout of a new result: the kept axes have the memory order that they have in `x`.
    fn output_layout(&self, x: &Operand<'_>) -> Result<Layout, Error> {
        let Some(x) = x.tensor().filter(|x| self.shape.len() > 1 && !x.is_contiguous()) else {
            return Ok(Layout::row_major(&self.shape)?);
        };
        let keepdims = self.shape.len() == self.is_reduced.len();
        let axes = x.layout().axes().iter().zip(&self.is_reduced);
        let strides: Strides = axes
            .filter(|&(_, &is_reduced)| keepdims || !is_reduced)
            .map(|(axis, &is_reduced)| if is_reduced { 0 } else { axis.stride.abs() })
            .collect();
        output_layout(&self.shape, &[&Layout::from_strides(0, &self.shape, &strides)?])
    }

    /// Reduces `view`, the elements read from `x`, into `out`, which has the shape `kept`.
    fn run<'x>(&self, x: &Operand<'_>, out: AnyViewMut<'x>, view: &AnyView<'_>) -> Written<'x> {
        match x.lens() {
            None => reduce(&self.reducer, out, view, &self.positions),
            Some(lens) => {
                // The kernel for lenses reduces the trailing axes.
                let mut order: Vec<isize> = (0..self.is_reduced.len() as isize).collect();
                order.sort_by_key(|&k| self.is_reduced[k as usize]);
                let lens = AnyLens::new(view, lens).permute(&order);
                reduce_lens(&self.reducer, out, lens.expect("a permutation of the axes"))
            }
        }
    }
}

impl Reduction {
    const fn new(name: &'static str, reducer: fn(DType) -> Option<Reducer>) -> Reduction {
        Reduction {
            name,
            reducer,
            setting: None,
            parameter: None,
            needs_elements: false,
            needs_positions: false,
        }
    }

    /// Sets both parameters of the reducer: a number, and which of its two results is returned.
    const fn with_setting(self, number: f64, choice: bool) -> Reduction {
        Reduction { setting: Some(Setting { number, choice }), ..self }
    }

    /// Sets the numeric parameter of the reducer, and its name in events.
    const fn with_number(self, name: &'static str, number: f64) -> Reduction {
        let choice = match self.setting {
            Some(setting) => setting.choice,
            None => false,
        };
        self.with_setting(number, choice).with_parameter(name, number)
    }

    /// Sets the numeric parameter in events only, for a reducer that is chosen by it.
    const fn with_parameter(self, name: &'static str, value: f64) -> Reduction {
        Reduction { parameter: Some((name, value)), ..self }
    }

    /// Makes reducing zero elements an error.
    const fn requires_elements(self) -> Reduction {
        Reduction { needs_elements: true, ..self }
    }

    /// Passes the positions of elements to the reducer.
    const fn with_positions(self) -> Reduction {
        Reduction { needs_positions: true, ..self }
    }

    /// Returns the parameters for events, and their number.
    fn params<'a>(&self, axes: &'a Axes) -> ([(&'static str, Param<'a>); 3], usize) {
        let (name, number) = self.parameter.unwrap_or_default();
        let params =
            [("axis", axes.into()), ("keepdims", axes.keeps().into()), (name, number.into())];
        (params, if self.parameter.is_some() { 3 } else { 2 })
    }

    /// Reduces `x` over `axes` into a new tensor.
    #[track_caller]
    pub(super) fn reduce(&self, x: Operand<'_>, axes: Axes) -> Result<Tensor, Error> {
        let (params, n_params) = self.params(&axes);
        self.reduce_in(Call::new(self.name).with(&params[..n_params]), x, &axes, None)
    }

    /// Reduces `x` over `axes` with elements cast to `dtype` first; the result has this dtype.
    #[track_caller]
    fn reduce_as(&self, x: Operand<'_>, axes: Axes, dtype: DType) -> Result<Tensor, Error> {
        let params = [
            ("axis", Param::from(&axes)),
            ("keepdims", axes.keeps().into()),
            ("dtype", dtype.into()),
        ];
        let call = Call::new(self.name).with(&params);
        if self.reducer_for(common_type(&[&x]), Some(dtype))?.output() == dtype {
            return self.reduce_in(call, x, &axes, Some(dtype));
        }
        // The reduction has another output dtype (`int64` for `int8`, for example): cast its result.
        composite(call, std::slice::from_ref(&x), || {
            let result = self.reduce_in(call.part(), x.clone(), &axes, Some(dtype))?;
            let converted = Tensor::zeros(result.shape(), dtype)?;
            astype_into(&result, &converted)?;
            Ok(converted)
        })
    }

    /// Reduces `x` over `axes` into a new tensor, with elements read as `dtype` if it is given.
    fn reduce_in(
        &self,
        call: Call<'_>,
        mut x: Operand<'_>,
        axes: &Axes,
        dtype: Option<DType>,
    ) -> Result<Tensor, Error> {
        let event = call.announce();
        if let Some(tensor) = x.tensor()
            && dtype.is_none()
            && let Some(results) = self.reduce_contiguous(&event, tensor, axes)?
        {
            return Ok(results);
        }
        let call = event.continued(call);
        let prepared = self.prepare(&x, axes, dtype)?;
        x.set_scalar_dtype(prepared.reducer.input())?;
        let (layout, dtype) = (prepared.output_layout(&x)?, prepared.reducer.output());
        compute_new(call, layout, dtype, std::array::from_ref(&x), |out, [view]| {
            prepared.run(&x, out.with_axes_of(&prepared.kept), &view)
        })
    }

    /// Reduces all elements of a small contiguous tensor, or those of each row of such a matrix or of its transpose, without a
    /// plan. Returns `None` if the tensor is neither or has to be cast, or other axes are reduced.
    fn reduce_contiguous(
        &self,
        event: &Announcement<'_>,
        x: &Tensor,
        axes: &Axes,
    ) -> Result<Option<Tensor>, Error> {
        let layout = x.layout();
        let transposed = match *layout.axes() {
            // The runs of a transpose are contiguous.
            [col, row] if col.stride == 1 && !layout.is_contiguous() => Some([row, col]),
            _ => None,
        };
        if transposed.is_some_and(|[row, col]| row.stride != col.len as isize) {
            return Ok(None);
        }
        let is_over = |mask| axes.resolve(layout).is_ok_and(|it| it[..] == mask);
        let lens = |rows: usize, is_last: bool| match (axes.keeps(), is_last) {
            (true, true) => SmallShape::Rows { lens: [rows, 1], rank: 2 },
            (true, false) => SmallShape::Rows { lens: [1, rows], rank: 2 },
            (false, _) => SmallShape::Rows { lens: [1, rows], rank: 1 },
        };
        let shape = match (layout.axes(), transposed) {
            // Positions are those of rows.
            (_, Some(_)) if axes.is_all() && self.needs_positions => return Ok(None),
            _ if axes.is_all() && !axes.keeps() => SmallShape::Rows { lens: [1, 1], rank: 0 },
            (_, Some([rows, run])) if is_one_run(run.len) && is_over([true, false]) => {
                lens(rows.len, false)
            }
            (&[rows, run], None) if is_one_run(run.len) && is_over([false, true]) => {
                lens(rows.len, true)
            }
            _ => return Ok(None),
        };
        let reducer = self.reducer_for(x.dtype(), None)?;
        if reducer.input() != x.dtype() || transposed.is_none() && !layout.is_contiguous() {
            return Ok(None);
        }
        let operands = [x.into()];
        let small = match transposed {
            Some(_) if !is_small(x.len()) => None,
            Some(matrix) => SmallOperands::borrow_matrices(&operands, [matrix]),
            None => SmallOperands::borrow(&operands, ResultOrder::RowMajor),
        };
        let Some(small) = small else { return Ok(None) };
        let stride = isize::from(self.needs_positions);
        let results = small.compute(event, shape, reducer.output(), |out, [elements]| {
            reduce_small(&reducer, out, elements, stride)
        });
        results.map(Some)
    }

    /// Reduces `x` over `axes` and writes the result to `out`.
    #[track_caller]
    fn reduce_into(&self, mut x: Operand<'_>, axes: Axes, out: Target<'_>) -> Result<(), Error> {
        let (params, n_params) = self.params(&axes);
        let call = Call::new(self.name).with(&params[..n_params]);
        let prepared = self.prepare(&x, &axes, None)?;
        out.check_shape(self.name, &prepared.shape)?;
        if out.dtype() != prepared.reducer.output() {
            // The result is small compared to `x`: reduce into a temporary and cast that.
            return composite_into(call, &[x.clone()], out, |out| {
                assign_into(&self.reduce_in(call, x, &axes, None)?, out)
            });
        }
        x.set_scalar_dtype(prepared.reducer.input())?;
        compute_into(call, out, std::array::from_ref(&x), InputIsOutput::Copy, |out, [source]| {
            let Source::View(view) = source else { unreachable!("the input was buffered") };
            prepared.run(&x, out.with_axes_of(&prepared.kept), &view);
        })
    }

    /// Checks the arguments and resolves dtype, axes and shapes.
    fn prepare(
        &self,
        x: &Operand<'_>,
        axes: &Axes,
        dtype: Option<DType>,
    ) -> Result<PreparedReduction, Error> {
        let reducer = self.reducer_for(common_type(&[x]), dtype)?;
        let shape = x.shape();
        let whole = Layout::row_major(&shape)?;
        let is_reduced = axes.resolve(&whole)?;
        let kept: Shape =
            (0..shape.len()).map(|k| if is_reduced[k] { 1 } else { shape[k] }).collect();
        let left: Shape = (0..shape.len()).filter(|&k| !is_reduced[k]).map(|k| shape[k]).collect();
        if self.needs_elements && whole.is_empty() && !kept.contains(&0) {
            return Err(Error::Empty { op: self.name, shape: shape.into() });
        }
        let positions = match self.needs_positions {
            true => positions(&shape, &is_reduced)?,
            false => Layout::scalar(0)?.broadcast_to(&*shape)?,
        };
        let shape = if axes.keeps() { kept.clone() } else { left };
        Ok(PreparedReduction { reducer, kept, shape, positions, is_reduced })
    }

    /// Returns the reducer for elements of dtype `from`, cast to `to` first if it is given.
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

/// Returns a layout that maps the index of an element to its row-major position among the elements that
/// are reduced together with it.
fn positions(shape: &[usize], is_reduced: &[bool]) -> Result<Layout, Error> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1isize;
    for k in (0..shape.len()).rev().filter(|&k| is_reduced[k]) {
        strides[k] = stride;
        stride *= shape[k].max(1) as isize;
    }
    Ok(Layout::from_strides(0, shape, &strides)?)
}

/// Defines a reduction: the constant that describes it, the methods of `Tensor` and `Lens`, and the
/// function that writes to an output. A numeric parameter is given in parentheses with its default, and
/// followed by the name of the methods that take it. The last line is the dtype, the element type and the values of
/// `[[0.0, 2.0], [3.0, 5.0]]` reduced over axis 1, for the generated examples.
macro_rules! reduction {
    (
        $(#[$doc:meta])*
        $entry:ident = $reduction:expr, $method:ident $(($number:ident = $value:literal) $with:ident)?, $into:ident;
        $dtype:ident: $element:ident $result:tt
    ) => {
        pub(in crate::op) const $entry: Reduction = $reduction;

        impl Tensor {
            $(#[$doc])*
            ///
            /// # Memory
            /// Copies nothing; the result is a new tensor, whose axes have the memory order that they have in
            /// `self`.
            #[track_caller]
            pub fn $method(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
                let entry = $entry$(.with_number(stringify!($number), $value))?;
                entry.reduce(self.into(), axes.into())
            }

            $(
                #[doc = concat!("Returns [`Tensor::", stringify!($method), "`] with another `", stringify!($number), "` than ", stringify!($value), ".")]
                ///
                /// ```
                /// use belvedere::prelude::*;
                ///
                /// let x = tensor![[0.0, 2.0], [3.0, 5.0]];
                #[doc = concat!("let y = x.", stringify!($with), "(1, 1.0)?;")]
                #[doc = concat!("assert!(y.sub(&x.", stringify!($method), "(1)?)?.min(())?.item::<f64>()? > 0.4);")]
                /// # Ok::<(), belvedere::Error>(())
                /// ```
                ///
                /// # Errors
                #[doc = concat!("As for [`Tensor::", stringify!($method), "`].")]
                ///
                /// # Memory
                /// Copies nothing; the result is a new tensor.
                #[track_caller]
                pub fn $with(
                    &self,
                    axes: impl Into<Axes>,
                    $number: f64,
                ) -> Result<Tensor, Error> {
                    let entry = $entry.with_number(stringify!($number), $number);
                    entry.reduce(self.into(), axes.into())
                }
            )?
        }

        impl Lens {
            #[doc = concat!("Returns [`Tensor::", stringify!($method), "`] of the elements the lens shows, padding included.")]
            ///
            /// ```
            /// use belvedere::prelude::*;
            ///
            /// let x = tensor![0.0, 2.0, 3.0, 5.0].lens().reshape([2, 2])?;
            #[doc = concat!("let y = x.", stringify!($method), "(1)?;")]
            #[doc = concat!("assert_eq!(y.to_vec::<", stringify!($element), ">()?, ", stringify!($result), ");")]
            /// # Ok::<(), belvedere::Error>(())
            /// ```
            ///
            /// # Errors
            #[doc = concat!("As for [`Tensor::", stringify!($method), "`].")]
            ///
            /// # Memory
            /// Copies nothing; the result is a new tensor.
            #[track_caller]
            pub fn $method(&self, axes: impl Into<Axes>) -> Result<Tensor, Error> {
                let entry = $entry$(.with_number(stringify!($number), $value))?;
                entry.reduce(self.into(), axes.into())
            }

            $(
                #[doc = concat!("Returns [`Lens::", stringify!($method), "`] with another `", stringify!($number), "` than ", stringify!($value), ".")]
                ///
                /// ```
                /// use belvedere::prelude::*;
                ///
                /// let x = tensor![0.0, 2.0, 3.0, 5.0].lens().reshape([2, 2])?;
                #[doc = concat!("let y = x.", stringify!($with), "(1, 1.0)?;")]
                #[doc = concat!("assert!(y.sub(&x.", stringify!($method), "(1)?)?.min(())?.item::<f64>()? > 0.4);")]
                /// # Ok::<(), belvedere::Error>(())
                /// ```
                ///
                /// # Errors
                #[doc = concat!("As for [`Tensor::", stringify!($method), "`].")]
                ///
                /// # Memory
                /// Copies nothing; the result is a new tensor.
                #[track_caller]
                pub fn $with(
                    &self,
                    axes: impl Into<Axes>,
                    $number: f64,
                ) -> Result<Tensor, Error> {
                    let entry = $entry.with_number(stringify!($number), $number);
                    entry.reduce(self.into(), axes.into())
                }
            )?
        }

        #[doc = concat!("Writes [`Tensor::", stringify!($method), "`] of `x` to `out`.")]
        ///
        /// ```
        /// use belvedere::prelude::*;
        ///
        /// let x = tensor![[0.0, 2.0], [3.0, 5.0]];
        #[doc = concat!("let out = Tensor::zeros([2], DType::", stringify!($dtype), ")?;")]
        #[doc = concat!("belvedere::", stringify!($into), "(&x, 1", $(", ", $value,)? ", &out)?;")]
        #[doc = concat!("assert_eq!(out.to_vec::<", stringify!($element), ">()?, ", stringify!($result), ");")]
        /// # Ok::<(), belvedere::Error>(())
        /// ```
        ///
        /// # Errors
        #[doc = concat!("As for [`Tensor::", stringify!($method), "`].")]
        /// Also fails if `out` has another shape than the result, its dtype cannot hold the result, or
        /// it cannot be written to.
        ///
        /// # Memory
        /// Copies `x` first if it shares elements with `out`.
        #[track_caller]
        pub fn $into<'a>(
            x: impl Into<Operand<'a>>,
            axes: impl Into<Axes>,
            $($number: f64,)?
            out: impl Into<Target<'a>>,
        ) -> Result<(), Error> {
            let entry = $entry$(.with_number(stringify!($number), $number))?;
            entry.reduce_into(x.into(), axes.into(), out.into())
        }
    };
}

use reduction;

/// Returns the minimum of `operand` if it is not empty and has a signed integer dtype.
///
/// It calls public operations, so it has to be called through [`inside`](crate::trace::inside).
pub(super) fn min_integer(operand: &Operand<'_>) -> Result<Option<i64>, Error> {
    let is_unsigned = operand.dtype().is_some_and(DType::is_unsigned);
    if operand.shape().contains(&0) || operand.is_meta() || is_unsigned {
        return Ok(None);
    }
    if let Some(least) = operand.tensor().and_then(min_small_integer) {
        return Ok(Some(least));
    }
    let least = MIN.reduce(operand.clone(), ().into())?;
    match least.dtype() {
        dtype if dtype.is_integer() && !dtype.is_unsigned() => {
            least.astype(DType::Int64)?.item().map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns the minimum of a small contiguous tensor of a signed integer dtype, without a tensor for it. `None` also if a scope
/// listens, which is told of the reduction.
fn min_small_integer(x: &Tensor) -> Option<i64> {
    let dtype = x.dtype();
    if is_listening() || !dtype.is_integer() || !x.is_contiguous() {
        return None;
    }
    let (reducer, operands) = (MIN.reducer_for(dtype, None).ok()?, [x.into()]);
    let small = SmallOperands::borrow(&operands, ResultOrder::RowMajor)?;
    let least = small.compute_element(dtype, |out, [x]| reduce_small(&reducer, out, x, 0));
    Some(match dtype.size() {
        1 => least[0] as i8 as i64,
        2 => i16::from_ne_bytes([least[0], least[1]]).into(),
        4 => i32::from_ne_bytes([least[0], least[1], least[2], least[3]]).into(),
        _ => i64::from_ne_bytes(least),
    })
}
