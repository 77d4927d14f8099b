//! How an elementwise operation is carried out, whatever it calculates.

use super::number::{Typed, meeting_type};
use super::operand::{Operand, Target, one_type};
use super::reuse::CopiedFirst;
use crate::kernel::body::Body;
use crate::kernel::line::line;
use crate::kernel::map::map;
use crate::kernel::stream;
use crate::plan::output_layout;
use crate::view::{
    Along, AnyViewMut, Call, Cell, Input, Lines, Rows, Same, Source, Written, fresh, into,
    into_line, may_share,
};
use crate::{DType, Error, Layout, Shape, Tensor, result_type};
use belvedere_layout::broadcast_shapes;
use std::panic::Location;

/// An operation on `M` operands; `N` is `M + 1`.
pub(super) struct Elementwise<const M: usize, const N: usize> {
    /// The name, for messages.
    pub name: &'static str,
    /// The type it calculates in, given the type in which its operands meet.
    pub inside: fn(DType) -> DType,
    /// What it does with a block of elements of that type, if it exists for it.
    pub body: fn(DType) -> Option<Body<'static, N>>,
    /// For a comparison: what it does with integers of two types that meet in no type which has the
    /// values of both.
    pub apart: Option<Apart<M, N>>,
    /// The first operand that has a say in the type: not 0 for a condition.
    pub typed_from: usize,
}

/// A body for operands of these types, if they have to be told apart.
type Apart<const M: usize, const N: usize> = fn(&[DType; M]) -> Option<Body<'static, N>>;

pub(super) type Unary = Elementwise<1, 2>;
pub(super) type Binary = Elementwise<2, 3>;
pub(super) type Ternary = Elementwise<3, 4>;
pub(super) type Quaternary = Elementwise<4, 5>;

/// What is to be done with operands, and the shape they meet in.
pub(super) struct Prepared<'f, const N: usize> {
    pub body: Body<'f, N>,
    pub shape: Shape,
}

impl<const M: usize, const N: usize> Elementwise<M, N> {
    /// An operation whose operands all have a say in the type, in which it calculates.
    pub(super) const fn new(
        name: &'static str,
        body: fn(DType) -> Option<Body<'static, N>>,
    ) -> Elementwise<M, N> {
        Elementwise { name, inside: |dtype| dtype, body, apart: None, typed_from: 0 }
    }

    /// The same, with integers taken as `float64`.
    pub(super) const fn in_floats(self) -> Elementwise<M, N> {
        Elementwise { inside: floating, ..self }
    }

    /// The same as a comparison, with bodies for integers that meet in no type which has the values
    /// of both.
    pub(super) const fn or_apart(self, apart: Apart<M, N>) -> Elementwise<M, N> {
        Elementwise { apart: Some(apart), ..self }
    }

    /// Makes a tensor of the results.
    #[track_caller]
    pub(super) fn of(&self, operands: [Operand<'_>; M]) -> Result<Tensor, Error> {
        self.of_all(&operands)
    }

    #[track_caller]
    fn of_all(&self, operands: &[Operand<'_>; M]) -> Result<Tensor, Error> {
        let mut cells = [None; M];
        if let Some(body) = self.body_of_one_type(operands) {
            let inputs = along(operands, &body, &mut cells);
            if let Some(lines) = Lines::of(&inputs) {
                return lines.make(body.types()[0], |out, lines| line(&body, out, lines));
            }
            if let Some(rows) = Rows::of(&inputs) {
                return rows.make(body.types()[0], |out, lines| line(&body, out, lines));
            }
        }
        let call = Call { op: self.name, caller: Location::caller() };
        self.prepare(operands)?.make(call, operands)
    }

    /// Makes a tensor of the results, calculated in a type, whatever the operands are of.
    #[track_caller]
    pub(super) fn of_as(&self, operands: [Operand<'_>; M], dtype: DType) -> Result<Tensor, Error> {
        let body = self.body_in(dtype)?;
        let call = Call { op: self.name, caller: Location::caller() };
        Prepared { body, shape: common_shape(&operands)? }.make(call, &operands)
    }

    /// Writes the results to something that exists.
    pub(super) fn write(
        &self,
        operands: [Operand<'_>; M],
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        self.write_all(&operands, out, caller)
    }

    fn write_all(
        &self,
        operands: &[Operand<'_>; M],
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        let mut cells = [None; M];
        if let Some(tensor) = out.tensor()
            && let Some(body) = self.body_of_one_type(operands)
            && body.types()[0] == tensor.dtype()
            && into_line(tensor, &along(operands, &body, &mut cells), |out, lines| {
                line(&body, out, lines)
            })
        {
            return Ok(());
        }
        self.prepare(operands)?.write(Call { op: self.name, caller }, operands, out)
    }

    /// The body for operands that are all of one type, which is the one it knows them as.
    #[inline(always)]
    fn body_of_one_type(&self, operands: &[Operand<'_>; M]) -> Option<Body<'static, N>> {
        let dtype = one_type(operands)?;
        let body = (self.body)((self.inside)(dtype))?;
        (1..N).all(|n| body.types()[n] == dtype).then_some(body)
    }

    /// Finds the type to calculate in and the shape of the result.
    fn prepare(&self, operands: &[Operand<'_>; M]) -> Result<Prepared<'static, N>, Error> {
        let body = self.body_for(&operands.each_ref().map(Operand::typed))?;
        Ok(Prepared { body, shape: common_shape(operands)? })
    }

    /// The body for operands of these types.
    ///
    /// # Errors
    /// If the operation does not exist for them.
    pub(super) fn body_for(&self, operands: &[Typed; M]) -> Result<Body<'static, N>, Error> {
        let common = meeting_type(operands[self.typed_from..].iter().copied());
        let common = common.expect("an operation has operands");
        // Integers are told apart even if no integer type has them all.
        if let Some(apart) = self.apart
            && operands.iter().all(|it| it.dtype_or(common).is_integer())
        {
            let types = operands.map(|it| it.dtype_or(common));
            let dtype = types.into_iter().reduce(result_type).unwrap_or(common);
            return apart(&types).map_or_else(|| self.body_in(dtype), Ok);
        }
        self.body_in((self.inside)(common))
    }

    fn body_in(&self, dtype: DType) -> Result<Body<'static, N>, Error> {
        (self.body)(dtype).ok_or(Error::Unsupported { op: self.name, dtype })
    }
}

impl<const N: usize> Prepared<'_, N> {
    /// Makes a tensor of the results.
    pub(super) fn make<const M: usize>(
        self,
        call: Call,
        operands: &[Operand<'_>; M],
    ) -> Result<Tensor, Error> {
        let Prepared { body, shape } = self;
        let types = body.types();
        let cells = cells(operands, &types)?;
        let inputs: [Input<'_>; M] = std::array::from_fn(|n| operands[n].input_or_lens(&cells[n]));
        let layout = layout_of(&shape, operands)?;
        let first = CopiedFirst::choose(call, (&layout, types[0]), &inputs, &types, |_| false);
        fresh(layout, types[0], inputs, |out, views| {
            calculate(&body, out, views.map(Source::View), operands, &first)
        })
    }

    /// Writes the results to something that exists.
    pub(super) fn write<const M: usize>(
        self,
        call: Call,
        operands: &[Operand<'_>; M],
        out: Target<'_>,
    ) -> Result<(), Error> {
        let Prepared { body, shape } = self;
        let types = body.types();
        out.check(call.op, &shape, types[0])?;
        let cells = cells(operands, &types)?;
        let inputs: [Input<'_>; M] = std::array::from_fn(|n| operands[n].input_or_lens(&cells[n]));
        let out = out.output();
        let place = (out.layout(), out.dtype());
        let first =
            CopiedFirst::choose(call, place, &inputs, &types, |input| may_share(&out, input));
        into(call, out, inputs, Same::InPlace, |out, sources| {
            calculate(&body, out, sources, operands, &first);
        })
    }
}

/// How the result lies in memory.
fn layout_of<const M: usize>(shape: &Shape, operands: &[Operand<'_>; M]) -> Result<Layout, Error> {
    let layouts = operands.each_ref().map(Operand::layout);
    let has_lens = operands.iter().any(|it| it.lens().is_some());
    match layouts.iter().flatten().next() {
        Some(first) if !has_lens => {
            // Numbers have no say, and a layout has no other one if it comes twice.
            output_layout(shape, &layouts.map(|it| it.unwrap_or(first)))
        }
        // Lenses are read in the order of the indices.
        _ => Ok(Layout::row_major(shape)?),
    }
}

/// The numbers among the operands, in memory.
fn cells<const M: usize, const N: usize>(
    operands: &[Operand<'_>; M],
    types: &[DType; N],
) -> Result<[Option<Cell>; M], Error> {
    let mut cells = [None; M];
    for n in 0..M {
        cells[n] = operands[n].cell(types[n + 1])?;
    }
    Ok(cells)
}

/// The shape that operands are broadcast to.
fn common_shape<const M: usize>(operands: &[Operand<'_>; M]) -> Result<Shape, Error> {
    let shapes = operands.each_ref().map(|operand| operand.shape());
    Ok(broadcast_shapes(&shapes.each_ref().map(|shape| &shape[..]))?)
}

// Methods that take anything which becomes an operand are compiled in the crates that call them. What
// they call is not generic, so that it is compiled once, here, together with what it calls.
impl Binary {
    /// Makes a tensor of the results for two operands.
    #[track_caller]
    pub(super) fn of_two(&self, operands: [Operand<'_>; 2]) -> Result<Tensor, Error> {
        self.of_all(&operands)
    }

    /// Writes the results for two operands to something that exists.
    pub(super) fn write_two(
        &self,
        operands: [Operand<'_>; 2],
        out: Target<'_>,
        caller: &'static Location<'static>,
    ) -> Result<(), Error> {
        self.write_all(&operands, out, caller)
    }
}

/// What is read of the operands along a line. Numbers are put into cells; one that the body's type cannot
/// hold is nowhere.
#[inline(always)]
fn along<'b, const M: usize, const N: usize>(
    operands: &'b [Operand<'_>; M],
    body: &Body<'_, N>,
    cells: &'b mut [Option<Cell>; M],
) -> [Along<'b>; M] {
    for (n, cell) in cells.iter_mut().enumerate() {
        *cell = operands[n].cell_if_fits(body.types()[n + 1]);
    }
    std::array::from_fn(|n| operands[n].along(&cells[n]))
}

/// Calls a body with what is read of the operands, broadcast to the shape of the output; of some of them
/// copies.
fn calculate<'x, const M: usize, const N: usize>(
    body: &Body<'_, N>,
    out: AnyViewMut<'x>,
    sources: [Source<'_>; M],
    operands: &[Operand<'_>; M],
    first: &CopiedFirst<M>,
) -> Written<'x> {
    let shape = &out.layout().shape();
    if operands.iter().any(|it| it.lens().is_some()) {
        let pairs = sources.into_iter().zip(operands);
        let streams = pairs.map(|(source, operand)| operand.stream(source, shape));
        return stream::map(body, out, &streams.collect::<Vec<_>>());
    }
    let sources = sources.map(|source| match source {
        Source::View(view) => {
            Source::View(view.broadcast_to(shape).expect("the shapes were broadcast"))
        }
        same_shape => same_shape,
    });
    let copies = first.make(&sources, &body.types());
    let mut copied = copies.iter();
    let sources = sources.map(|source| match copied.next() {
        Some(Some(copy)) => Source::View(
            copy.view().broadcast_to(shape).expect("it has the shape of what it is of"),
        ),
        _ => source,
    });
    map(body, out, &sources)
}

/// The type that a function of real numbers is calculated in.
fn floating(dtype: DType) -> DType {
    if dtype.is_floating() || dtype.is_complex() { dtype } else { DType::Float64 }
}
