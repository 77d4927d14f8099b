//! The two most common indices, which need no list of offsets: one integer tensor for a tensor of rank 1, and one mask of the
//! shape of the tensor.

use super::resolve::{count_true, has_memory};
use super::tensor_index::TensorIndex;
use super::{WriteMode, check_values};
use crate::kernel::mask::CountedMask;
use crate::kernel::take::AxisIndex;
use crate::op::execute::{
    InputIsOutput, compute_data_dependent, compute_into, compute_without_values, read_operands,
};
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, Touched};
use crate::view::{AnyView, AnyViewMut, Source};
use crate::{Error, Layout, Shape, Tensor};

/// Returns the tensor of an index that is one integer tensor, if `x` has one axis and both have memory.
pub(super) fn only_index<'i>(x: &Tensor, index: &'i [TensorIndex<'_>]) -> Option<&'i Tensor> {
    let [entry] = index else { return None };
    let indices = entry.0.tensor()?;
    let is_direct = x.rank() == 1 && indices.dtype().is_integer() && has_memory([x, indices]);
    is_direct.then_some(indices)
}

/// Returns whether an index may share memory with the tensor that is written. Then the list of its offsets is made first.
pub(super) fn may_share(x: &Tensor, index: &Tensor) -> bool {
    Target::from(x).may_share(&index.into())
}

/// Gathers the elements of `x`, of rank 1, at integer indices.
pub(super) fn gather(call: Call<'_>, x: &Tensor, indices: &Tensor) -> Result<Tensor, Error> {
    compute_data_dependent(call, &[x.into(), indices.into()], |[x, indices], room| {
        let out = room.allocate(Layout::row_major(&indices.layout().shape())?, x.dtype())?;
        AxisIndex::new(&indices)?.gather(out, &x)
    })
}

/// Assigns or adds `values` to the elements of `x`, of rank 1, at integer indices. Returns which elements were touched.
pub(super) fn scatter(
    call: Call<'_>,
    x: &Tensor,
    indices: &Tensor,
    values: Operand<'_>,
    mode: WriteMode,
) -> Result<Touched, Error> {
    let shape = indices.shape();
    read_operands(call.part(), &[indices.into()], |[view]| AxisIndex::new(&view)?.check(x.len()))??;
    check_values(x, &shape, &values)?;
    let adds = mode == WriteMode::Add;
    write(call, x, values, &shape, indices, |out, values, index| {
        AxisIndex::new(&index).expect("the indices were checked").scatter(out, &values, adds);
    })?;
    Ok(Touched::Scattered { n: indices.len(), reads: mode.reads() })
}

/// Returns the elements of `x` at which a mask of the same shape is true.
pub(super) fn compress(call: Call<'_>, x: &Tensor, mask: &Tensor) -> Result<Tensor, Error> {
    if x.storage().is_meta() {
        let layout = Layout::row_major(&[count_true(call, mask)?])?;
        return compute_without_values(call, layout, x.dtype(), &[x.into(), mask.into()]);
    }
    compute_data_dependent(call, &[x.into(), mask.into()], |[x, mask], room| {
        let trues = CountedMask::count(&mask);
        let out = room.allocate(Layout::row_major(&[trues.len()])?, x.dtype())?;
        Ok(trues.compress(out, &x))
    })
}

/// Assigns `values` to the elements of `x` at which a mask of the same shape is true. Returns which elements were touched.
pub(super) fn expand(
    call: Call<'_>,
    x: &Tensor,
    mask: &Tensor,
    values: Operand<'_>,
) -> Result<Touched, Error> {
    let n = count_true(call, mask)?;
    let shape = Shape::from([n]);
    check_values(x, &shape, &values)?;
    write(call, x, values, &shape, mask, |out, values, mask| {
        CountedMask::count(&mask).expand(out, &values);
    })?;
    Ok(Touched::Scattered { n, reads: false })
}

/// Calls a kernel with `x` as the output, the values, cast and broadcast to a shape, and an index, which shares no memory
/// with `x`.
fn write(
    call: Call<'_>,
    x: &Tensor,
    values: Operand<'_>,
    shape: &Shape,
    index: &Tensor,
    kernel: impl FnOnce(AnyViewMut<'_>, AnyView<'_>, AnyView<'_>),
) -> Result<(), Error> {
    let values = values.into_dtype(x.dtype(), call)?;
    let n = shape.iter().product();
    let call = call.touching(Touched::Scattered { n, reads: false });
    compute_into(call, x.into(), &[values, index.into()], InputIsOutput::Copy, |out, sources| {
        let [Source::View(values), Source::View(index)] = sources else {
            unreachable!("inputs that are the output are copied")
        };
        let values = values.broadcast_to(shape).expect("the shapes were compared");
        kernel(out, values, index);
    })
}
