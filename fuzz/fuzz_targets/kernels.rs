//! Kernels over random layouts of shared memory, compared with loops over lists of offsets.
//!
//! All operands are views of one memory, so that outputs overlap inputs in every way there is: the
//! result must be as if the inputs had been copied first, and no other element may change.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere::{DType, Layout, Tensor, add_into, assign_into, sum_into, where_into};
use libfuzzer_sys::fuzz_target;

/// The number of elements of the memory; layouts are drawn to fit in it.
const MEMORY_ELEMENTS: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let memory: Vec<i32> =
        (0..MEMORY_ELEMENTS as i32).map(|i| i.wrapping_mul(2654435) >> 7).collect();
    let shape = shape(u)?;
    let mut layouts = Vec::new();
    for _ in 0..4 {
        match layout(u, &shape)? {
            Some(layout) => layouts.push(layout),
            None => return Ok(()),
        }
    }
    let base = Tensor::from_vec(memory.clone(), [MEMORY_ELEMENTS])
        .expect("as many values as the shape has");
    let view = |layout: &Layout| {
        Tensor::from_storage(base.storage().clone(), layout.clone(), DType::Int32).expect("it fits")
    };
    let [out, a, b, c] = [0, 1, 2, 3].map(|n| view(&layouts[n]));
    let values = |n: usize| layouts[n].offsets().map(|at| memory[at]).collect::<Vec<i32>>();
    let (x, y, z) = (values(1), values(2), values(3));
    let results: Vec<i32>;
    let outcome = match u.int_in_range(0..=3)? {
        0 => {
            results = x.clone();
            assign_into(&a, &out)
        }
        1 => {
            results = x.iter().zip(&y).map(|(x, y)| x.wrapping_add(*y)).collect();
            add_into(&a, &b, &out)
        }
        2 => {
            let chosen = |((x, y), z): ((&i32, &i32), &i32)| if *x != 0 { *y } else { *z };
            results = x.iter().zip(&y).zip(&z).map(chosen).collect();
            where_into(&a, &b, &c, &out)
        }
        _ => return check_sum(u, &a, &x, &shape),
    };
    let mut expected = memory;
    if outcome.is_ok() {
        for (at, result) in layouts[0].offsets().zip(results) {
            expected[at] = result;
        }
    } else {
        let is_injective = layouts[0].injective() == belvedere_layout::Answer::Yes;
        assert!(!is_injective, "{outcome:?} for {layouts:?}");
    }
    assert!(base.to_vec::<i32>().expect("no guard is held") == expected, "{layouts:?}");
    Ok(())
}

fn check_sum(u: &mut Unstructured, a: &Tensor, x: &[i32], shape: &[usize]) -> Result<()> {
    let is_reduced: Vec<bool> = shape.iter().map(|_| u.arbitrary()).collect::<Result<_>>()?;
    let axes: Vec<isize> =
        (0..shape.len()).filter(|&k| is_reduced[k]).map(|k| k as isize).collect();
    let kept: Vec<usize> = (0..shape.len()).filter(|&k| !is_reduced[k]).collect();
    let lengths: Vec<usize> = kept.iter().map(|&k| shape[k]).collect();
    let mut expected = vec![0i64; lengths.iter().product()];
    for (flat, &value) in x.iter().enumerate() {
        let index = belvedere_layout::unravel_index(shape, flat).expect("inside of the shape");
        expected[kept.iter().fold(0, |at, &k| at * shape[k] + index[k])] += value as i64;
    }
    let out = Tensor::zeros(&lengths, DType::Int64).expect("a few elements");
    sum_into(a, &axes[..], &out).expect("every input has a sum");
    assert!(out.to_vec::<i64>().expect("no guard is held") == expected, "{a:?} over {axes:?}");
    Ok(())
}

/// Draws lengths of up to five axes, mostly small, sometimes long enough for tiles and blocks.
fn shape(u: &mut Unstructured) -> Result<Vec<usize>> {
    let rank = u.int_in_range(0..=5)?;
    let mut shape = Vec::new();
    let mut room = MEMORY_ELEMENTS / 2;
    for _ in 0..rank {
        let most = if u.ratio(1, 4)? { room } else { room.min(6) };
        let len = u.int_in_range(0..=most)?;
        room = (room / len.max(1)).max(1);
        shape.push(len);
    }
    Ok(shape)
}

/// Draws a layout of a shape; `None` if its offsets do not fit in the memory.
fn layout(u: &mut Unstructured, shape: &[usize]) -> Result<Option<Layout>> {
    let mut strides = Vec::new();
    let mut dense = 1isize;
    for &len in shape.iter().rev() {
        let stride = match u.int_in_range(0..=5)? {
            0 => 0,
            1 => u.int_in_range(-9..=9)?,
            2 => -dense,
            3 => 2 * dense,
            _ => dense,
        };
        strides.insert(0, stride);
        dense = dense.saturating_mul(len.max(1) as isize);
    }
    if u.ratio(1, 3)? && shape.len() > 1 {
        // Strides in another order than that of the axes.
        let k = u.choose_index(shape.len())?;
        strides.rotate_left(k);
    }
    let reach = |sign: isize| -> isize {
        let steps = strides.iter().zip(shape).map(|(&s, &len)| s * (len.max(1) as isize - 1));
        steps.filter(|it| it.signum() == sign).sum()
    };
    let (low, high) = (-reach(-1), MEMORY_ELEMENTS as isize - 1 - reach(1));
    if low > high {
        return Ok(None);
    }
    let start = u.int_in_range(low..=high)? as usize;
    Ok(Layout::from_strides(start, shape, &strides).ok())
}
