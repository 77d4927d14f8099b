//! Lenses: tensors viewed through chains of layouts, against a model that stores every element.

#[path = "../../../layout/tests/zoo/mod.rs"]
mod zoo;

use belvedere::copies::{self, CopyReason};
use belvedere::prelude::*;
use belvedere::{
    Index, Operand, Slice, abs_into, add_into, assign_into, keep, sub_into, where_, where_into,
};
use zoo::model::{Model, Movement};
use zoo::moves::{Taste, movement};
use zoo::{Dice, full};

type Tested = Result<(), Error>;

/// Dtypes of every size and alignment.
const TYPES: [DType; 8] = [
    DType::Bool,
    DType::UInt8,
    DType::Int16,
    DType::Float32,
    DType::Int64,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

/// Returns a tensor with a layout over memory that counts from 0.
fn counting(layout: &Layout, dtype: DType) -> Result<Tensor, Error> {
    let memory = Tensor::arange(0..layout.span().end as i32)?.astype(dtype)?;
    Tensor::from_storage(memory.storage().clone(), layout.clone(), dtype)
}

/// Returns the bytes of the elements in row-major order.
fn bits(tensor: &Tensor) -> Result<Vec<u8>, Error> {
    let flat = tensor.copy()?.reshape([tensor.len()])?;
    flat.bitcast(DType::UInt8)?.to_vec()
}

/// Returns the bytes that a lens should show.
fn expected(model: &Model, tensor: &Tensor, padding: &Tensor) -> Result<Vec<u8>, Error> {
    let size = tensor.dtype().size();
    let memory = tensor.as_strided(&[tensor.storage().len() / size], &[1], 0)?;
    let (memory, padding) = (bits(&memory)?, bits(padding)?);
    let element = |offset: &Option<usize>| match offset {
        Some(offset) => memory[offset * size..][..size].to_vec(),
        None => padding.clone(),
    };
    Ok(model.offsets.iter().flat_map(element).collect())
}

/// Applies a movement to a lens, without a copy; padding has the value 3.
fn moved(lens: &Lens, movement: &Movement) -> Result<Lens, Error> {
    copies::forbid(|| match movement {
        Movement::Reshape(shape) => lens.reshape(shape),
        Movement::Permute(order) => lens.permute_dims(order),
        Movement::Flip(axes) => lens.flip(axes),
        Movement::Shrink(ranges) => lens.shrink(ranges),
        Movement::Step(axis, step) => {
            let mut index = vec![Index::Slice(Slice::ALL); *axis];
            index.push(Index::Slice(Slice::ALL.by(*step)));
            lens.slice(index)
        }
        Movement::Expand(shape) => lens.broadcast_to(shape),
        Movement::Pad(padding) => lens.pad_with(padding, three(lens.dtype())),
        Movement::Repeat(axis, n) => lens.repeat(*axis as isize, *n),
        Movement::Tile(times) => lens.tile(times),
    })
}

/// Returns a value that every dtype can hold: 3, or true.
fn three(dtype: DType) -> Operand<'static> {
    if dtype.is_bool() { true.into() } else { 3.into() }
}

/// Returns a lens of random movements over a random layout, with the model of its elements.
fn some_lens(dice: &mut Dice, dtype: DType, most: usize) -> Result<(Lens, Model), Error> {
    let layouts: Vec<Layout> = zoo::layouts().into_iter().filter(|it| !it.is_empty()).collect();
    let layout = dice.pick(&layouts);
    let (mut lens, mut model) = (counting(layout, dtype)?.lens(), Model::new(layout));
    for _ in 0..1 + dice.below(6) {
        let step = movement(dice, &model.shape, Taste { pads: true, repeats: true, most });
        lens = moved(&lens, &step)?;
        model = model.apply(&step);
    }
    Ok((lens, model))
}

/// Returns an output with permuted axes, gaps and negative strides.
fn odd_output(dice: &mut Dice, shape: &[usize], dtype: DType) -> Result<Tensor, Error> {
    let mut lengths: Vec<usize> = shape.iter().map(|len| len * 2 + 1).collect();
    lengths.reverse();
    let steps = [2, -2, 1, -1];
    let whole = Tensor::zeros(&lengths, dtype)?.reverse_dims();
    let part = shape.iter().map(|&len| match *dice.pick(&steps) {
        step @ 1.. => Index::Slice(Slice::ALL.by(step)),
        step => Index::Slice(Slice { start: Some(len as isize * 2 - 1), ..Slice::ALL.by(step) }),
    });
    let part = whole.slice(part.collect::<Vec<_>>())?;
    let ranges = shape.iter().map(|&len| Index::from(..len as isize));
    part.slice(ranges.collect::<Vec<_>>())
}

/// K39: a lens has the elements of the materialized operations, for elements of every size.
#[test]
fn random_movements_match_the_materialized_model() -> Tested {
    let mut dice = Dice::new(39);
    let (mut n_views, mut n_copies) = (0, 0);
    for round in 0..if full() { 20_000 } else { 2_000 } {
        let dtype = TYPES[round % TYPES.len()];
        let (lens, model) = some_lens(&mut dice, dtype, 300)?;
        let wanted =
            expected(&model, lens.tensor(), &Tensor::zeros([1], dtype)?.full_like(three(dtype))?)?;
        assert_eq!((&*lens.shape(), lens.len()), (&model.shape[..], model.offsets.len()));
        assert_eq!(lens.rank(), model.shape.len());
        assert_eq!(bits(&lens.copy()?)?, wanted, "{lens:?}");
        let (tensor, log) = copies::record(|| lens.to_tensor());
        let tensor = tensor?;
        assert_eq!(bits(&tensor)?, wanted, "{lens:?}");
        match lens.chain().as_layout() {
            Some(layout) => {
                n_views += 1;
                assert!(log.is_empty() && tensor.layout() == &layout);
                assert_eq!(tensor.storage().address(), lens.tensor().storage().address());
            }
            None => {
                n_copies += 1;
                assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "to_tensor", wanted.len()));
                assert_eq!(log[0].reason, CopyReason::NoView);
                assert!(copies::forbid(|| lens.to_tensor()).is_err());
            }
        }
    }
    println!("{n_views} lenses were views, {n_copies} were copied");
    assert!(n_views > 100 && n_copies > 100);
    Ok(())
}

#[test]
fn single_elements_are_read() -> Tested {
    let mut dice = Dice::new(7);
    for _ in 0..300 {
        let (lens, model) = some_lens(&mut dice, DType::Int64, 200)?;
        for (flat, offset) in model.offsets.iter().enumerate() {
            let index = belvedere_layout::unravel_index(&lens.shape(), flat)?;
            assert_eq!(lens.get::<i64>(&index)?, offset.map_or(3, |it| it as i64), "{lens:?}");
        }
        let tensor = lens.copy()?;
        assert_eq!(lens.to_string(), tensor.to_string());
    }
    Ok(())
}

/// Lenses, tensors and scalars in every combination, into new and strided outputs.
#[test]
fn operations_accept_lenses_where_they_accept_tensors() -> Tested {
    let mut dice = Dice::new(17);
    for round in 0..if full() { 10_000 } else { 1_000 } {
        let types = [*dice.pick(&[DType::Float64, DType::Int16]), *dice.pick(&TYPES[1..6])];
        let (x, _) = some_lens(&mut dice, types[0], 200)?;
        // Of the same shape; or with axes of length 1, which are repeated.
        let shape: Vec<usize> =
            x.shape().iter().map(|&len| if dice.below(4) == 0 { 1 } else { len }).collect();
        let n: usize = shape.iter().product();
        let flat = counting(&Layout::row_major(&[n.div_ceil(2), 2])?, types[1])?.t()?.lens();
        let y = flat.reshape([-1])?.narrow(0, n % 2, n)?.reshape(&shape)?;
        let (xs, ys) = (x.copy()?, y.copy()?);
        let sum = xs.add(&ys)?;
        let name = format!("round {round}: {x:?} and {y:?}");
        copies::forbid(|| {
            assert_eq!(bits(&xs.add(&y)?)?, bits(&sum)?, "{name}");
            let out = odd_output(&mut dice, &x.shape(), sum.dtype())?;
            let around = out.storage().clone();
            add_into(&x, &y, &out)?;
            assert_eq!(bits(&out)?, bits(&sum)?, "{name}");
            add_into(&x, &ys, &out)?;
            assert_eq!(bits(&out)?, bits(&sum)?, "{name}");
            sub_into(1, &x, &out)?;
            assert_eq!(bits(&out)?, bits(&xs.negative()?.add(1)?.astype(out.dtype())?)?, "{name}");
            // Only the output was written.
            out.clear()?;
            let whole = Tensor::from_storage(
                around.clone(),
                Layout::row_major(&[around.len()])?,
                DType::UInt8,
            )?;
            assert!(whole.to_vec::<u8>()?.iter().all(|&it| it == 0), "{name}");
            Tested::Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn where_unary_functions_and_assignments_accept_lenses() -> Tested {
    let mut dice = Dice::new(23);
    for _ in 0..500 {
        let (x, _) = some_lens(&mut dice, DType::Int16, 200)?;
        let xs = x.copy()?;
        // The condition rolled by half of its elements, which has no strided view.
        let twice = xs.greater(5)?.reshape([-1])?.lens().tile(&[2])?;
        let mask = twice.narrow(0, x.len() / 2, x.len())?.reshape(x.shape())?;
        let chosen = where_(&mask.copy()?, &xs, 7)?;
        copies::forbid(|| {
            assert_eq!(bits(&where_(&mask, &x, 7)?)?, bits(&chosen)?);
            let out = odd_output(&mut dice, &x.shape(), DType::Int16)?;
            where_into(&mask, &x, 7, &out)?;
            assert_eq!(bits(&out)?, bits(&chosen)?);
            abs_into(&x, &out)?;
            assert_eq!(bits(&out)?, bits(&xs.abs()?)?);
            assign_into(&x, &out)?;
            assert_eq!(bits(&out)?, bits(&xs)?);
            let wide = odd_output(&mut dice, &x.shape(), DType::Float64)?;
            assign_into(&x, &wide)?;
            assert_eq!(bits(&wide)?, bits(&xs.astype(DType::Float64)?)?);
            let rows = Tensor::zeros([&[3], &*x.shape()].concat(), DType::Complex64)?;
            assign_into(&x, &rows)?;
            let last = xs.astype(DType::Complex64)?;
            assert_eq!(bits(&rows.select(0, 2)?)?, bits(&last)?);
            Tested::Ok(())
        })?;
    }
    Ok(())
}

/// Lenses that take several threads.
fn large() -> Result<Vec<Lens>, Error> {
    let x = Tensor::arange(0..300 * 500)?.astype(DType::Float32)?.reshape([300, 500])?;
    let flat = x.t()?.lens().reshape([150_000])?;
    Ok(vec![
        flat.clone(),
        flat.pad_with(&[(1_000, 77)], 0.5)?,
        flat.slice(s![7..;-1])?.repeat(0, 40_000)?,
        flat.slice(s![3..149_003])?.reshape([500, 298])?.flip(&[1])?,
        x.lens().pad(&[(10, 20), (703, 4)])?,
        x.lens().repeat(1, 3)?.reshape([-1])?,
        x.t()?.lens().tile(&[1, 2])?.slice(s![1.., 5..])?,
        x.lens().slice(s![.., ..7])?.pad_with(&[(0, 30_000), (1, 1)], 2)?.reshape([-1])?,
        x.lens().shrink(&[0..1, 0..1])?.broadcast_to([400, 300])?.pad_with(&[(1, 1), (1, 1)], 1)?,
    ])
}

#[test]
fn results_are_bitwise_equal_for_any_number_of_threads() -> Tested {
    let with =
        |n: usize, f: &mut dyn FnMut() -> Result<Vec<u8>, Error>| belvedere::with_num_threads(n, f);
    for lens in large()? {
        assert!(lens.len() >= 100_000, "{:?}", lens.shape());
        let tensor = lens.tensor().storage();
        let memory = Tensor::from_storage(
            tensor.clone(),
            Layout::row_major(&[tensor.len() / 4])?,
            DType::Float32,
        )?;
        let memory = memory.to_vec::<f32>()?;
        let padding = lens.chain().offsets().position(|it| it.is_none());
        let padding = match padding {
            Some(flat) => {
                lens.get::<f32>(&belvedere_layout::unravel_index(&lens.shape(), flat)?)?
            }
            None => f32::NAN,
        };
        let truth: Vec<f32> =
            lens.chain().offsets().map(|it| it.map_or(padding, |at| memory[at])).collect();
        assert_eq!(lens.copy()?.to_vec::<f32>()?, truth);

        let tensor = Tensor::from_vec(truth, lens.shape())?;
        let other = Tensor::full(lens.shape(), 0.25f64)?;
        let wanted = bits(&other.add(&tensor)?)?;
        for n in [1, 2, 3] {
            assert_eq!(with(n, &mut || bits(&other.add(&lens)?))?, wanted, "{n} threads");
            let found = with(n, &mut || {
                let out = Tensor::zeros_col_major(lens.shape(), DType::Float64)?;
                add_into(&lens, 0.25, &out)?;
                bits(&out)
            })?;
            assert_eq!(found, bits(&tensor.add(0.25)?.astype(DType::Float64)?)?, "{n} threads");
            assert_eq!(with(n, &mut || bits(&lens.copy()?))?, bits(&tensor)?, "{n} threads");
        }
    }
    Ok(())
}

/// A name, and the function on a tensor and on a lens.
type Reduction = (
    &'static str,
    fn(&Tensor, &[isize]) -> Result<Tensor, Error>,
    fn(&Lens, &[isize]) -> Result<Tensor, Error>,
);

const REDUCTIONS: [Reduction; 8] = [
    ("sum", |x, axes| x.sum(axes), |x, axes| x.sum(axes)),
    ("mean", |x, axes| x.mean(axes), |x, axes| x.mean(axes)),
    ("min", |x, axes| x.min(axes), |x, axes| x.min(axes)),
    ("max", |x, axes| x.max(keep(axes)), |x, axes| x.max(keep(axes))),
    ("argmin", |x, axes| x.argmin(axes), |x, axes| x.argmin(axes)),
    ("argmax", |x, axes| x.argmax(axes), |x, axes| x.argmax(axes)),
    ("any", |x, axes| x.any(axes), |x, axes| x.any(axes)),
    ("all", |x, axes| x.all(axes), |x, axes| x.all(axes)),
];

/// Integers, so that every order of summation gives the same result.
#[test]
fn reductions_of_a_lens_are_those_of_its_copy() -> Tested {
    let mut dice = Dice::new(46);
    for round in 0..if full() { 10_000 } else { 1_000 } {
        let dtype = *dice.pick(&TYPES[..6]);
        let (lens, _) = some_lens(&mut dice, dtype, 300)?;
        let axes: Vec<isize> = (0..lens.rank() as isize).filter(|_| dice.below(2) == 0).collect();
        let (tensor, (name, of_tensor, of_lens)) = (lens.copy()?, dice.pick(&REDUCTIONS));
        let what = format!("round {round}: {name} over {axes:?} of {lens:?}");
        match (of_tensor(&tensor, &axes), copies::forbid(|| of_lens(&lens, &axes))) {
            (Ok(wanted), Ok(found)) => {
                assert_eq!((wanted.shape(), wanted.dtype()), (found.shape(), found.dtype()));
                assert_eq!(bits(&found)?, bits(&wanted)?, "{what}");
            }
            (Err(wanted), Err(found)) => assert_eq!(wanted.to_string(), found.to_string()),
            (wanted, found) => panic!("{wanted:?} and {found:?}: {what}"),
        }
        if !dtype.is_bool() {
            let out = odd_output(&mut dice, &tensor.sum(&axes[..])?.shape(), DType::Float64)?;
            copies::forbid(|| belvedere::mean_into(&lens, &axes[..], &out))?;
            let wanted = tensor.mean(&axes[..])?.astype(DType::Float64)?;
            assert_eq!(bits(&out)?, bits(&wanted)?, "{what}");
        }
    }
    Ok(())
}

#[test]
fn sums_of_large_lenses_are_bitwise_equal_for_any_number_of_threads() -> Tested {
    let with =
        |n: usize, f: &mut dyn FnMut() -> Result<Tensor, Error>| belvedere::with_num_threads(n, f);
    for lens in large()? {
        // Thirds are rounded differently in every order.
        let thirds = lens.tensor().storage().clone();
        let thirds = Tensor::from_storage(
            thirds.clone(),
            Layout::row_major(&[thirds.len() / 4])?,
            DType::Float32,
        )?;
        thirds.div_assign(3)?;
        let copy = lens.copy()?;
        for axes in
            [vec![], vec![0], vec![lens.rank() as isize - 1], (0..lens.rank() as isize).collect()]
        {
            let one = with(1, &mut || lens.sum(&axes[..]))?;
            let close = one.allclose_with(&copy.sum(&axes[..])?, 1e-5, 1e-5)?;
            assert!(close.holds(), "{close}");
            for n in [2, 3] {
                assert_eq!(bits(&with(n, &mut || lens.sum(&axes[..]))?)?, bits(&one)?);
            }
            let (wanted, found) = (copy.argmax(&axes[..])?, lens.argmax(&axes[..])?);
            assert_eq!(bits(&found)?, bits(&wanted)?);
        }
        assert!(copy.allclose_with(&lens, 0.0, 0.0)?.holds());
        let off = copy.add(1)?.allclose_with(&lens, 0.0, 0.0)?;
        assert_eq!((off.n_different, off.n_elements), (lens.len(), lens.len()));
    }
    Ok(())
}

#[test]
fn writes_through_a_lens_reach_the_tensor() -> Tested {
    let mut dice = Dice::new(5);
    let (mut n_written, mut n_padding, mut n_repeated) = (0, 0, 0);
    for _ in 0..500 {
        let (lens, model) = some_lens(&mut dice, DType::Int16, 200)?;
        let mut reached: Vec<usize> = model.offsets.iter().flatten().copied().collect();
        reached.sort_unstable();
        let repeats = reached.windows(2).any(|it| it[0] == it[1]);
        if model.offsets.is_empty() {
            continue;
        }
        let flat = dice.below(model.offsets.len());
        let index = belvedere_layout::unravel_index(&lens.shape(), flat)?;
        let memory = lens.tensor().as_strided(&[lens.tensor().storage().len() / 2], &[1], 0)?;
        let mut wanted = memory.to_vec::<i16>()?;
        match (lens.set(&index, -9i16), model.offsets[flat]) {
            (Ok(()), Some(offset)) => {
                n_written += 1;
                assert!(!repeats, "{lens:?}");
                wanted[offset] = -9;
                assert_eq!(lens.get::<i16>(&index)?, -9);
            }
            (Err(Error::Padding { index: named }), None) => {
                n_padding += 1;
                assert_eq!(*named, *index);
            }
            (Err(Error::Overlapping { .. }), Some(_)) => n_repeated += usize::from(repeats),
            (answer, offset) => panic!("{answer:?} at {offset:?} of {lens:?}"),
        }
        assert_eq!(memory.to_vec::<i16>()?, wanted);
    }
    assert!(n_written > 50 && n_padding > 20 && n_repeated > 50);
    Ok(())
}

#[test]
fn lens_of_the_output_is_read_before_written() -> Tested {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    let turned = x.t()?.lens().reshape([3, 4])?;
    let wanted = turned.copy()?.add(&x)?;
    let (result, log) = copies::record(|| add_into(&x, &turned, &x));
    result?;
    assert_eq!(x.to_vec::<i32>()?, wanted.to_vec::<i32>()?);
    assert_eq!((log.len(), log[0].op, log[0].reason), (1, "add", CopyReason::Overlap));

    // Padded, over a base that begins and steps elsewhere, and shown in the shape of its base.
    let x = Tensor::arange(0..40)?;
    let base = x.slice(s![38..6;-2])?.reshape([4, 4])?;
    let lens = base.lens().reshape([16])?.pad_with(&[(1, 1)], 99)?.narrow(0, 0, 16)?;
    let lens = lens.reshape([4, 4])?;
    let wanted = lens.copy()?.to_vec::<i32>()?;
    assign_into(&lens, &base)?;
    assert_eq!(base.to_vec::<i32>()?, wanted);
    assert_eq!(wanted[..3], [99, 38, 36]);
    let error = copies::forbid(|| assign_into(&lens, &base)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Copy);

    // Elements that the lens does not contain are independent, and the output may be the other operand.
    let [left, right] = [x.slice(s![..20])?, x.slice(s![20..])?];
    let lens = left.lens().reshape([4, 5])?.transpose(0, 1)?.reshape([20])?;
    let wanted = right.add(&lens.copy()?)?.to_vec::<i32>()?;
    copies::forbid(|| right.add_assign(&lens))?;
    assert_eq!(right.to_vec::<i32>()?, wanted);
    // A shifted operand next to a lens is copied too.
    let [here, ahead] = [right.slice(s![..19])?, right.slice(s![1..])?];
    let lens = lens.slice(s![..19])?;
    let wanted = ahead.add(&lens.copy()?)?.to_vec::<i32>()?;
    let (result, log) = copies::record(|| add_into(&ahead, &lens, &here));
    result?;
    assert_eq!((here.to_vec::<i32>()?, log[0].reason), (wanted, CopyReason::Overlap));
    let part = x.lens().reshape([8, 5])?.slice(s![..4])?.transpose(0, 1)?.reshape([20])?;
    copies::forbid(|| right.add_assign(&part))
}

#[test]
fn lens_borrows_only_the_elements_it_reaches() -> Tested {
    let x = Tensor::arange(0..12)?.reshape([4, 3])?;
    let lens = x.slice(s![..2])?.lens().pad(&[(1, 1), (0, 0)])?;
    let guard = x.slice(s![2..])?.write::<i32>()?;
    assert_eq!(lens.copy()?.to_vec::<i32>()?, [0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0]);
    drop(guard);
    let guard = x.slice(s![1])?.write::<i32>()?;
    assert_eq!(lens.copy().unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(x.slice(s![3])?.add(&lens).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(lens.get::<i32>(&[2, 0]).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!((lens.get::<i32>(&[0, 0])?, lens.get::<i32>(&[1, 0])?), (0, 0));
    assert!(lens.to_string().starts_with('<'), "printing does not fail");
    // A lens of padding only borrows nothing.
    let padding = lens.shrink(&[0..1, 0..3])?;
    assert_eq!(padding.copy()?.to_vec::<i32>()?, [0, 0, 0]);
    drop(guard);
    Ok(())
}

/// K32: a flattened lens is a strided view if one exists, and a chain otherwise.
#[test]
fn flattened_lens_is_a_view_exactly_if_one_stride_suffices() -> Tested {
    let original = Tensor::arange(0..120)?.reshape([4, 5, 6])?;
    let rows = original.slice(s![0..3, 1..4, ..])?;
    let view = copies::forbid(|| rows.lens().flatten(1, 2)?.to_tensor())?;
    assert_eq!((view.shape(), view.strides()), ([3, 18].into(), [30, 1].into()));
    assert_eq!(view.shares_memory(&original), Some(true));
    let turned = Tensor::arange(0..24)?.reshape([2, 3, 4])?.permute_dims(&[2, 0, 1])?;
    let view = copies::forbid(|| turned.lens().flatten(1, 2)?.to_tensor())?;
    assert_eq!((view.shape(), view.strides()), ([4, 6].into(), [1, 4].into()));

    let parent = Tensor::arange(0..24)?.reshape([2, 3, 4])?.transpose(1, 2)?;
    let lens = copies::forbid(|| parent.lens().flatten(1, 2))?;
    assert_eq!((lens.shape(), lens.depth(), lens.chain().as_layout()), ([2, 12].into(), 2, None));
    assert_eq!(lens.get::<i32>(&[1, 7])?, parent.get::<i32>(&[1, 2, 1])?);
    let (flat, log) = copies::record(|| lens.to_tensor());
    assert_eq!(flat?.to_vec::<i32>()?, parent.to_vec::<i32>()?);
    assert_eq!((log.len(), log[0].reason), (1, CopyReason::NoView));
    Ok(())
}

/// K38: fresh strides after a permutation would read 0 1 2 3 4 5.
#[test]
fn reshape_after_permutation_reads_the_permuted_order() -> Tested {
    let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    let lens = x.lens().permute_dims(&[1, 0])?.reshape([6])?;
    let seen = (0..6).map(|i| lens.get::<i32>(&[i])).collect::<Result<Vec<_>, _>>()?;
    assert_eq!(seen, [0, 3, 1, 4, 2, 5]);
    assert_eq!(x.reshape([6])?.add(&lens)?.to_vec::<i32>()?, [0, 4, 3, 7, 6, 10]);
    let back = lens.reshape([3, 2])?.transpose(0, 1)?.to_tensor()?;
    assert_eq!((back.layout(), lens.depth()), (x.layout(), 2));
    Ok(())
}

/// K39: inverse operations restore the tensor, in its own memory.
#[test]
fn shrinking_padding_and_flipping_can_be_undone() -> Tested {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    let lens = x.lens().shrink(&[1..3, 1..3])?.flip(&[1])?.pad(&[(0, 0), (1, 0)])?;
    assert_eq!(lens.copy()?.to_vec::<i32>()?, [0, 6, 5, 0, 10, 9]);
    let there_and_back = [
        x.lens().flip(&[0, 1])?.flip(&[0, 1])?,
        x.lens().pad_with(&[(1, 2), (0, 3)], 5)?.shrink(&[1..4, 0..4])?,
        x.lens().permute_dims(&[1, 0])?.permute_dims(&[1, 0])?,
        x.lens().transpose(0, 1)?.reshape([2, 6])?.reshape([4, 3])?.transpose(0, 1)?,
        x.lens().unsqueeze(2)?.broadcast_to([3, 4, 5])?.select(2, 3)?,
        x.lens().repeat(1, 3)?.slice(s![.., ..;3])?,
        x.lens().tile(&[2, 2])?.narrow(0, 3, 3)?.narrow(1, 0, 4)?,
        x.lens().unsqueeze(0)?.squeeze(&[0])?,
    ];
    for lens in there_and_back {
        let back = copies::forbid(|| lens.to_tensor())?;
        assert_eq!((back.layout(), back.shares_memory(&x)), (x.layout(), Some(true)));
    }
    Ok(())
}

#[test]
fn empty_and_0d_lenses_work() -> Tested {
    let nothing = Tensor::zeros([0, 3], DType::Float32)?.lens();
    assert!(nothing.is_empty() && nothing.reshape([3, 0])?.copy()?.is_empty());
    let framed = nothing.pad_with(&[(1, 0), (0, 0)], 2)?;
    assert_eq!(framed.copy()?.to_vec::<f32>()?, [2.0; 3]);
    assert_eq!(tensor![1f32, 2.0, 3.0].mul(&framed)?.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    assert!(framed.narrow(0, 0, 0)?.to_tensor()?.is_empty());
    let one = Tensor::full([0usize; 0], 4i64)?.lens();
    assert_eq!((one.rank(), one.len(), one.get::<i64>(&[])?), (0, 1, 4));
    let row = one.reshape([1])?.pad(&[(1, 1)])?;
    assert_eq!(
        Tensor::zeros([2, 3], DType::Int64)?.add(&row)?.to_vec::<i64>()?,
        [0, 4, 0, 0, 4, 0]
    );
    Ok(())
}

#[test]
fn invalid_movements_return_errors() -> Tested {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let lens = x.t()?.lens().reshape([6])?;
    let says = |error: Error, kind: ErrorKind, text: &str| {
        assert_eq!((error.kind(), error.to_string()), (kind, text.to_string()));
    };
    says(
        lens.get::<f32>(&[0]).unwrap_err(),
        ErrorKind::DType,
        "expected a tensor of float32, got int32",
    );
    says(
        lens.pad(&[(1, 0)])?.get::<f32>(&[0]).unwrap_err(),
        ErrorKind::DType,
        "expected a tensor of float32, got int32",
    );
    says(
        lens.get::<i32>(&[6]).unwrap_err(),
        ErrorKind::Index,
        "index 6 is out of range for axis 0 of length 6",
    );
    assert_eq!(lens.set::<i32>(&[0, 0], 1).unwrap_err().kind(), ErrorKind::Index);
    assert_eq!(lens.reshape([5]).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(lens.transpose(0, 1).unwrap_err().kind(), ErrorKind::Axis);
    assert_eq!(lens.pad(&[]).unwrap_err().kind(), ErrorKind::Value);
    says(
        lens.pad_with(&[(1, 1)], 1i64 << 40).unwrap_err(),
        ErrorKind::Value,
        "1099511627776 does not fit in int32",
    );
    assert_eq!(lens.pad_with(&[(1, 1)], 0.5).unwrap_err().kind(), ErrorKind::DType);
    assert!(lens.pad_with(&[(1, 1)], &x).is_err());
    says(
        lens.pad_with(&[(1, 1)], 1)?.pad(&[(1, 1)]).unwrap_err(),
        ErrorKind::Value,
        "the lens of shape [8] is already padded with another value; take copy() of it and pad that",
    );
    assert!(lens.pad_with(&[(1, 1)], 1)?.pad(&[(0, 0)]).is_ok(), "no padding has no value");
    says(
        lens.repeat(0, 2)?.set(&[0], 1).unwrap_err(),
        ErrorKind::Borrow,
        "cannot write through a view of shape [6, 2] and strides [1, 0]: \
         several of its indices refer to the same element",
    );
    assert_eq!(tensor![1, 2].add(&lens).unwrap_err().kind(), ErrorKind::Shape);
    let out = Tensor::zeros([5], DType::Int32)?;
    assert_eq!(assign_into(&lens, &out).unwrap_err().kind(), ErrorKind::Shape);
    let out = Tensor::zeros([6], DType::Bool)?;
    assert_eq!(assign_into(&lens, &out).unwrap_err().kind(), ErrorKind::DType);
    Ok(())
}

#[test]
fn lenses_are_printed_like_tensors() -> Tested {
    let lens = tensor![[1.5, 2.0], [3.0, 4.0]].lens().pad(&[(1, 0), (0, 1)])?;
    assert_eq!(lens.to_string(), "[[0.  0.  0. ]\n [1.5 2.  0. ]\n [3.  4.  0. ]]");
    let text = format!("{lens:.0?}");
    let layout = "1 stage over shape [2, 2], strides [2, 1], offset 0";
    let elements = "[[0 0 0]\n [2 2 0]\n [3 4 0]]";
    assert_eq!(text, format!("Lens(float64, shape [3, 3], {layout}:\n{elements})"));
    Ok(())
}
