//! Index expressions with positions, slices, integer tensors and masks, and integers of any size: they are refused, or
//! read and write exactly the elements whose positions they select.
//!
//! The positions are found by indexing the tensor of all positions. That this tensor is right, is what the tests check; here
//! no element outside may be reached, and reading, assigning and the dtypes of indices must agree.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere::{DType, Layout, Tensor, TensorIndex};
use belvedere_fuzz::{any, wild};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let layout = any::layout(u)?;
    let n_memory = layout.span().end;
    let memory: Vec<i32> = (0..n_memory as i32).map(|i| i * 3 + 1).collect();
    let base = Tensor::from_vec(memory.clone(), [n_memory]).expect("as many as the shape has");
    let x = Tensor::from_storage(base.storage().clone(), layout.clone(), DType::Int32)
        .expect("the layout fits");
    let shape = layout.shape();
    let all: Vec<i64> = (0..layout.len() as i64).collect();
    let all = Tensor::from_vec(all, &shape).expect("as many as the shape has");

    let index = index(u, &shape)?;
    let (found, positions) = (x.index(&index), all.index(&index));
    assert_eq!(found.is_ok(), positions.is_ok(), "{found:?} and {positions:?}");
    let (Ok(found), Ok(positions)) = (found, positions) else {
        let assigned = x.index_assign(&index, 7);
        assert!(assigned.is_err(), "an index that cannot be read cannot be written");
        assert_eq!(base.to_vec::<i32>().expect("no guard is held"), memory);
        return Ok(());
    };
    assert_eq!(found.shape(), positions.shape());
    let positions = positions.to_vec::<i64>().expect("no guard is held");
    let offsets: Vec<usize> = layout.offsets().collect();
    let expected: Vec<i32> = positions.iter().map(|&at| memory[offsets[at as usize]]).collect();
    assert_eq!(found.to_vec::<i32>().expect("no guard is held"), expected);
    check_assignment(&x, &base, &index, &layout, &positions);
    Ok(())
}

/// Checks that a number is assigned to exactly these positions.
fn check_assignment(
    x: &Tensor,
    base: &Tensor,
    index: &[TensorIndex<'_>],
    layout: &Layout,
    positions: &[i64],
) {
    let mut expected = base.to_vec::<i32>().expect("no guard is held");
    if x.index_assign(index, -1).is_ok() {
        let offsets: Vec<usize> = layout.offsets().collect();
        positions.iter().for_each(|&at| expected[offsets[at as usize]] = -1);
    } else {
        let is_injective = layout.injective() == belvedere_layout::Answer::Yes;
        assert!(!is_injective, "{layout:?}");
    }
    assert_eq!(base.to_vec::<i32>().expect("no guard is held"), expected, "{layout:?}");
}

/// Draws an index of up to six entries.
fn index(u: &mut Unstructured, shape: &[usize]) -> Result<Vec<TensorIndex<'static>>> {
    let basic = any::index(u, shape.len())?;
    let mut index: Vec<TensorIndex<'static>> = Vec::new();
    for (k, entry) in basic.into_iter().enumerate() {
        let len = shape.get(k).copied().unwrap_or(1);
        index.push(match u.int_in_range(0..=3u8)? {
            0 => integers(u, len)?.into(),
            1 => mask(u, &shape[k.min(shape.len())..])?.into(),
            _ => entry.into(),
        });
    }
    Ok(index)
}

/// Draws a tensor of positions along an axis, of a dtype that holds them; in 1 of 32 cases they are any integers.
fn integers(u: &mut Unstructured, len: usize) -> Result<Tensor> {
    let shape = wild::list(u, 2, |u| u.int_in_range(0..=3usize))?;
    let is_wild = u.ratio(1, 32)?;
    let bound = len.max(1) as i64;
    let mut values = Vec::new();
    for _ in 0..shape.iter().product() {
        values.push(if is_wild {
            wild::int(u)? as i64
        } else {
            u.int_in_range(-bound..=bound - 1)?
        });
    }
    let x = Tensor::from_vec(values, &shape).expect("as many as the shape has");
    let dtype = *u.choose(&[DType::Int64, DType::Int8, DType::Int32, DType::UInt64])?;
    // A negative position is no unsigned one: a huge position is refused as well.
    Ok(if is_wild { x } else { x.astype(dtype).expect("a cast") })
}

/// Draws a mask of some of these axes, rarely of another length. A byte other than 0 is true.
fn mask(u: &mut Unstructured, shape: &[usize]) -> Result<Tensor> {
    let rank = u.int_in_range(0..=shape.len())?;
    let mut shape = shape[..rank].to_vec();
    if let Some(last) = shape.last_mut()
        && u.ratio(1, 16)?
    {
        *last += 1;
    }
    let n: usize = shape.iter().product();
    let bytes: Vec<u8> =
        (0..n).map(|_| u.arbitrary::<u8>().map(|it| it % 3)).collect::<Result<_>>()?;
    let mask = Tensor::from_vec(bytes, &shape).expect("as many as the shape has");
    Ok(mask.bitcast(DType::Bool).expect("a byte"))
}
