//! Elementwise operations: dtype promotion, broadcasting, and the call of the kernel.

use super::execute::{
    InputIsOutput, ResultOrder, SmallOperands, compute_element, compute_into, compute_new,
    compute_small_into,
};
use super::number::{Typed, promoted_type};
use super::operand::{Operand, Target, one_type};
use super::reuse::CopiedFirst;
use crate::kernel::body::Body;
use crate::kernel::map::map;
use crate::kernel::map_lens;
use crate::kernel::small::map_small;
use crate::plan::{BLOCK_ELEMENTS, output_layout};
use crate::storage::creates_meta;
use crate::trace::Call;
use crate::view::{AnyViewMut, Source, Written};
use crate::{DType, Error, Layout, Shape, Tensor, result_type};
use belvedere_layout::broadcast_shapes;

/// An operation on `M` operands; `N` is `M + 1`.
pub(super) struct Elementwise<const M: usize, const N: usize> {
    /// The name, for errors and copy events.
    pub name: &'static str,
    /// The dtype it computes in, given the common dtype of its operands.
    pub compute_dtype: fn(DType) -> DType,
    /// The loop over contiguous elements of that dtype, if the operation exists for it.
    pub body: fn(DType) -> Option<Body<'static, N>>,
    /// For a comparison: the loop over integers of two dtypes without a common integer dtype.
    pub mixed_integers: Option<MixedIntegerBody<M, N>>,
    /// The first operand that takes part in dtype promotion: 1 if operand 0 is a condition.
    pub typed_from: usize,
}

/// Returns the body for integer operands of these dtypes if they have no common integer dtype, as a signed
/// dtype and `uint64`.
type MixedIntegerBody<const M: usize, const N: usize> = fn(&[DType; M]) -> Option<Body<'static, N>>;

pub(super) type UnaryOp = Elementwise<1, 2>;
pub(super) type BinaryOp = Elementwise<2, 3>;
pub(super) type TernaryOp = Elementwise<3, 4>;
pub(super) type QuaternaryOp = Elementwise<4, 5>;

impl<const M: usize, const N: usize> Elementwise<M, N> {
    /// Creates an operation that computes in the common dtype of all operands.
    pub(super) const fn new(
        name: &'static str,
        body: fn(DType) -> Option<Body<'static, N>>,
    ) -> Elementwise<M, N> {
        Elementwise {
            name,
            compute_dtype: |dtype| dtype,
            body,
            mixed_integers: None,
            typed_from: 0,
        }
    }

    /// Returns the same operation, with integers cast to `float64`.
    pub(super) const fn in_floats(self) -> Elementwise<M, N> {
        Elementwise { compute_dtype: floating, ..self }
    }

    /// Returns the same operation as a comparison, with bodies for integers without a common integer dtype.
    pub(super) const fn with_mixed_integers(
        self,
        mixed_integers: MixedIntegerBody<M, N>,
    ) -> Elementwise<M, N> {
        Elementwise { mixed_integers: Some(mixed_integers), ..self }
    }

    /// Computes a new tensor.
    #[track_caller]
    pub(super) fn compute(&self, mut operands: [Operand<'_>; M]) -> Result<Tensor, Error> {
        self.compute_from(&mut operands)
    }

    #[track_caller]
    #[inline(always)]
    fn compute_from(&self, operands: &mut [Operand<'_>; M]) -> Result<Tensor, Error> {
        let found = self.find_body(operands);
        let Some(body) = &found else { return Err(self.unsupported(operands)) };
        let call = Call::new(self.name);
        let event = call.announce();
        if !event.is_heard() {
            cast_elements(operands, body);
        }
        if takes_dtypes(operands, body, !event.is_heard()) {
            if !event.is_heard()
                && let Some(element) = compute_element(body, operands)
            {
                return Ok(element);
            }
            if let Some(small) = SmallOperands::borrow(operands, ResultOrder::Keep) {
                let (shape, dtype) = (small.shape, body.types()[0]);
                return small
                    .compute(&event, shape, dtype, |out, inputs| map_small(body, out, inputs));
            }
        }
        compute_with(body, &common_shape(operands)?, event.continued(call), operands)
    }

    /// Computes a new tensor in `dtype`, whatever the dtypes of the operands are.
    #[track_caller]
    pub(super) fn compute_in(
        &self,
        mut operands: [Operand<'_>; M],
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let call = Call::new(self.name);
        compute_with(&self.body_in(dtype)?, &common_shape(&operands)?, call, &mut operands)
    }

    /// Computes into an output that exists.
    pub(super) fn compute_into(
        &self,
        mut operands: [Operand<'_>; M],
        out: Target<'_>,
        call: Call<'_>,
    ) -> Result<(), Error> {
        self.compute_into_from(&mut operands, out, call)
    }

    #[inline(always)]
    fn compute_into_from(
        &self,
        operands: &mut [Operand<'_>; M],
        out: Target<'_>,
        call: Call<'_>,
    ) -> Result<(), Error> {
        let found = self.find_body(operands);
        let Some(body) = &found else { return Err(self.unsupported(operands)) };
        let event = call.announce();
        if let Some(tensor) = out.tensor()
            && body.types()[0] == tensor.dtype()
            && has_types_of(operands, body)
            && operands.iter().any(|it| it.has_shape_of(tensor))
            && compute_small_into(&event, tensor, operands, |out, inputs| {
                map_small(body, out, inputs)
            })?
        {
            return Ok(());
        }
        compute_into_with(body, &common_shape(operands)?, event.continued(call), operands, out)
    }

    /// Finds the body for operands: their runtime dtypes select a monomorphized loop. `None` if the operation does not exist
    /// for their dtypes.
    // Not a `Result`: a body would be moved into it, which causes store-forwarding stalls.
    #[inline(always)]
    fn find_body(&self, operands: &[Operand<'_>; M]) -> Option<Body<'static, N>> {
        // Operands of one dtype need no promotion. A comparison accepts scalars that the dtype cannot hold.
        if self.typed_from == 0
            && let Some(dtype) = one_type(operands)
            && (self.mixed_integers.is_none() || operands.iter().all(|it| it.fits(dtype)))
        {
            return (self.body)((self.compute_dtype)(dtype));
        }
        self.body_for(&operands.each_ref().map(Operand::typed)).ok()
    }

    /// The error for operands without a body.
    #[cold]
    fn unsupported(&self, operands: &[Operand<'_>; M]) -> Error {
        let body = self.body_for(&operands.each_ref().map(Operand::typed));
        body.err().expect("there is no body for these operands")
    }

    /// Finds the body for operands of these dtypes.
    ///
    /// # Errors
    /// If the operation does not exist for them.
    pub(super) fn body_for(&self, operands: &[Typed; M]) -> Result<Body<'static, N>, Error> {
        let common = promoted_type(operands[self.typed_from..].iter().copied());
        let common = common.expect("an operation has operands");
        // Integers are compared exactly, also if they have no common integer dtype.
        if let Some(mixed_integers) = self.mixed_integers
            && operands.iter().all(|it| it.dtype_or(common).is_integer())
        {
            let types = operands.map(|it| it.dtype_or(common));
            let dtype = types.into_iter().reduce(result_type).unwrap_or(common);
            return mixed_integers(&types).map_or_else(|| self.body_in(dtype), Ok);
        }
        self.body_in((self.compute_dtype)(common))
    }

    fn body_in(&self, dtype: DType) -> Result<Body<'static, N>, Error> {
        (self.body)(dtype).ok_or(Error::Unsupported { op: self.name, dtype })
    }
}

/// Returns whether operands have the dtypes that a body takes; numbers among them are given these dtypes,
/// if they fit.
#[inline(always)]
fn has_types_of<const M: usize, const N: usize>(
    operands: &mut [Operand<'_>; M],
    body: &Body<'_, N>,
) -> bool {
    let types = body.types();
    operands.iter_mut().enumerate().all(|(n, operand)| {
        operand.set_scalar_dtype(types[n + 1]).is_ok() && operand.dtype() == Some(types[n + 1])
    })
}

/// The most elements of a tensor that is cast without a plan: one block.
const MAX_CAST_ELEMENTS: usize = BLOCK_ELEMENTS;

/// Like [`has_types_of`]; if `casts`, operands of at most [`MAX_CAST_ELEMENTS`] elements may be of any dtype.
#[inline(always)]
fn takes_dtypes<const M: usize, const N: usize>(
    operands: &mut [Operand<'_>; M],
    body: &Body<'_, N>,
    casts: bool,
) -> bool {
    has_types_of(operands, body) || casts && casts_small(operands, body)
}

/// Returns whether operands that are not of the dtypes of a body have at most [`MAX_CAST_ELEMENTS`] elements; numbers among
/// them are given these dtypes.
#[inline(never)]
fn casts_small<const M: usize, const N: usize>(
    operands: &mut [Operand<'_>; M],
    body: &Body<'_, N>,
) -> bool {
    let is_small = |it: &Operand<'_>| it.layout().is_none_or(|it| it.len() <= MAX_CAST_ELEMENTS);
    set_scalar_dtypes(operands, &body.types()).is_ok() && operands.iter().all(is_small)
}

/// Casts tensors of rank 0 among operands to the dtypes that a body takes, as numbers are: the others need no cast then.
#[inline(always)]
fn cast_elements<const M: usize, const N: usize>(
    operands: &mut [Operand<'_>; M],
    body: &Body<'_, N>,
) {
    for (operand, dtype) in operands.iter_mut().zip(&body.types()[1..]) {
        // Without tensors among the operands, the device decides.
        if operand.dtype().is_some_and(|it| it != *dtype) && !creates_meta() {
            operand.cast_element(*dtype);
        }
    }
}

/// Computes a new tensor by calling a body for every element of the operands, which broadcast to `shape`.
pub(super) fn compute_with<const M: usize, const N: usize>(
    body: &Body<'_, N>,
    shape: &Shape,
    call: Call<'_>,
    operands: &mut [Operand<'_>; M],
) -> Result<Tensor, Error> {
    let types = body.types();
    set_scalar_dtypes(operands, &types)?;
    let layout = layout_of(shape, operands)?;
    let first = CopiedFirst::choose(call, (&layout, types[0]), operands, &types, |_| false);
    compute_new(call.planned(), layout, types[0], operands, |out, views| {
        calculate(body, out, views.map(Source::View), operands, &first)
    })
}

/// Computes into an output that exists by calling a body for every element of the operands, which broadcast
/// to `shape`.
pub(super) fn compute_into_with<const M: usize, const N: usize>(
    body: &Body<'_, N>,
    shape: &Shape,
    call: Call<'_>,
    operands: &mut [Operand<'_>; M],
    out: Target<'_>,
) -> Result<(), Error> {
    let types = body.types();
    out.check(call.op, shape, types[0])?;
    set_scalar_dtypes(operands, &types)?;
    let result = (out.layout(), out.dtype());
    let first = CopiedFirst::choose(call, result, operands, &types, |it| out.may_share(it));
    compute_into(call.planned(), out, operands, InputIsOutput::InPlace, |out, sources| {
        calculate(body, out, sources, operands, &first);
    })
}

/// Gives numbers among operands the dtypes that a body takes; the output's comes first.
fn set_scalar_dtypes<const M: usize, const N: usize>(
    operands: &mut [Operand<'_>; M],
    types: &[DType; N],
) -> Result<(), Error> {
    operands.iter_mut().zip(&types[1..]).try_for_each(|(it, dtype)| it.set_scalar_dtype(*dtype))
}

/// Returns the layout of the result: that of the operands, if they agree.
fn layout_of<const M: usize>(shape: &Shape, operands: &[Operand<'_>; M]) -> Result<Layout, Error> {
    let layouts = operands.each_ref().map(Operand::layout);
    let has_lens = operands.iter().any(|it| it.lens().is_some());
    match layouts.iter().flatten().next() {
        Some(first) if !has_lens => {
            // Numbers do not count, and a layout that occurs twice counts once.
            output_layout(shape, &layouts.map(|it| it.unwrap_or(first)))
        }
        // Lenses are read in logical order.
        _ => Ok(Layout::row_major(shape)?),
    }
}

/// Returns the shape that operands broadcast to.
pub(super) fn common_shape<const M: usize>(operands: &[Operand<'_>; M]) -> Result<Shape, Error> {
    let shapes = operands.each_ref().map(|operand| operand.shape());
    Ok(broadcast_shapes(&shapes.each_ref().map(|shape| &shape[..]))?)
}

// Methods that take `impl Into<Operand>` are compiled in the crates that call them. These two are not
// generic, so that they are compiled once, in this crate, together with what they inline.
impl BinaryOp {
    /// Computes a new tensor of two operands.
    #[track_caller]
    pub(super) fn compute_two(&self, mut operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
        self.compute_from(&mut operands)
    }

    /// Computes into an output that exists, from two operands.
    pub(super) fn compute_two_into(
        &self,
        mut operands: [Operand<'_>; 2],
        out: Target<'_>,
        call: Call<'_>,
    ) -> Result<(), Error> {
        self.compute_into_from(&mut operands, out, call)
    }
}

/// Calls a body for the operands, broadcast to the shape of the output. Those in `first` are copied before.
fn calculate<'x, const M: usize, const N: usize>(
    body: &Body<'_, N>,
    out: AnyViewMut<'x>,
    mut sources: [Source<'_>; M],
    operands: &[Operand<'_>; M],
    first: &CopiedFirst<M>,
) -> Written<'x> {
    let shape = &out.layout().shape();
    if operands.iter().any(|it| it.lens().is_some()) {
        let pairs = sources.into_iter().zip(operands);
        let streams = pairs.map(|(source, operand)| operand.stream(source, shape));
        return map_lens::map(body, out, &streams.collect::<Vec<_>>());
    }
    for source in &mut sources {
        if let Source::View(view) = source {
            view.broadcast(shape).expect("the shapes were broadcast");
        }
    }
    if first.is_empty() {
        return map(body, out, &sources);
    }
    let copies = first.make(&sources, &body.types());
    let mut copied = copies.iter();
    let sources = sources.map(|source| match copied.next() {
        Some(Some(copy)) => Source::View(
            copy.view().broadcast_to(shape).expect("the copy has the shape of its source"),
        ),
        _ => source,
    });
    map(body, out, &sources)
}

/// Returns the dtype that a function of real or complex numbers is computed in.
fn floating(dtype: DType) -> DType {
    if dtype.is_floating() || dtype.is_complex() { dtype } else { DType::Float64 }
}
