//! Element loops: iterators, and indices in loops.

use belvedere::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::inputs::Inputs;
use super::rows::Rows;

/// Loops that read.
pub fn add<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    let (y, b) = (&inputs.tensors[1], &inputs.arrays[1]);
    rows.add(
        ("iter().fold", side),
        move || Ok(x.read::<f32>()?.iter().fold(0.0, |total, it| total + it)),
        move || a.iter().fold(0.0, |total, it| total + it),
    );
    rows.add(
        ("iter().filter().count()", side),
        move || Ok(x.read::<f32>()?.iter().filter(|&it| it > 0.25).count()),
        move || a.iter().filter(|&&it| it > 0.25).count(),
    );
    rows.add(
        ("iter().filter().count(), transposed", side),
        move || Ok(x.t()?.read::<f32>()?.iter().filter(|&it| it > 0.25).count()),
        move || a.t().iter().filter(|&&it| it > 0.25).count(),
    );
    rows.add(
        ("iter().zip(iter())", side),
        move || Ok(x.read::<f32>()?.iter().zip(&*y.read::<f32>()?).filter(|(p, q)| p > q).count()),
        move || a.iter().zip(b).filter(|(p, q)| p > q).count(),
    );
    rows.add(
        ("for over iter()", side),
        move || {
            let mut n_positive = 0;
            for it in &*x.read::<f32>()? {
                n_positive += usize::from(it > 0.0);
            }
            Ok(n_positive)
        },
        move || {
            let mut n_positive = 0;
            for &it in a {
                n_positive += usize::from(it > 0.0);
            }
            n_positive
        },
    );
    rows.add(("index loop, sum", side), move || view_sum(x), move || array_sum(a.view()));
    rows.add(
        ("index loop, sum, FixedView", side),
        move || fixed_sum(x),
        move || array_sum(a.view()),
    );
    rows.add(
        ("indexed_iter, FixedView", side),
        move || {
            let guard = x.read::<f32>()?;
            let elements = guard.fixed::<2>()?.indexed_iter();
            Ok(elements.fold(0.0, |total, ([i, j], it)| total + it * (i ^ j) as f32))
        },
        move || a.indexed_iter().fold(0.0, |total, ((i, j), it)| total + it * (i ^ j) as f32),
    );
    let any_rank = a.view().into_dyn();
    rows.add(
        ("indexed_iter, any rank", side),
        move || {
            let guard = x.read::<f32>()?;
            let elements = guard.indexed_iter();
            Ok(elements.fold(0.0, |total, (i, it)| total + it * (i[0] ^ i[1]) as f32))
        },
        move || {
            let elements = any_rank.indexed_iter();
            elements.fold(0.0, |total, (i, it)| total + it * (i[0] ^ i[1]) as f32)
        },
    );
}

/// Loops that write.
pub fn add_in_place<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    rows.add(
        ("iter_mut().for_each", side),
        move || {
            out.write::<f32>()?.iter_mut().for_each(|it| *it = 0.5 * *it + 1.0);
            Ok(out)
        },
        move || {
            out_array.borrow_mut().iter_mut().for_each(|it| *it = 0.5 * *it + 1.0);
            out_array
        },
    );
    rows.add(
        ("for over iter_mut()", side),
        move || {
            for it in &mut *out.write::<f32>()? {
                *it = 0.5 * *it + 1.0;
            }
            Ok(out)
        },
        move || {
            for it in &mut *out_array.borrow_mut() {
                *it = 0.5 * *it + 1.0;
            }
            out_array
        },
    );
    let array_stencil =
        |a: &Array2<f32>| stencil_of_array(a.view(), out_array.borrow_mut().view_mut());
    rows.add(
        ("index loop, stencil", side),
        move || stencil_of_view(x, out).map(|()| out),
        move || {
            array_stencil(a);
            out_array
        },
    );
    rows.add(
        ("index loop, stencil, FixedView", side),
        move || stencil_of_fixed_view(x, out).map(|()| out),
        move || {
            array_stencil(a);
            out_array
        },
    );
}

fn view_sum(x: &Tensor) -> Result<f32, Error> {
    let x = x.read::<f32>()?;
    let mut total = 0.0;
    for i in 0..x.shape()[0] {
        for j in 0..x.shape()[1] {
            total += x[[i, j]];
        }
    }
    Ok(total)
}

fn fixed_sum(x: &Tensor) -> Result<f32, Error> {
    let x = x.read::<f32>()?;
    let x = x.fixed::<2>()?;
    let [height, width] = x.dims();
    let mut total = 0.0;
    for i in 0..height {
        for j in 0..width {
            total += x[[i, j]];
        }
    }
    Ok(total)
}

fn array_sum(a: ArrayView2<f32>) -> f32 {
    let (height, width) = a.dim();
    let mut total = 0.0;
    for i in 0..height {
        for j in 0..width {
            total += a[[i, j]];
        }
    }
    total
}

fn stencil_of_view(x: &Tensor, out: &Tensor) -> Result<(), Error> {
    let [height, width] = x.dims()?;
    let (x, mut out) = (x.read::<f32>()?, out.write::<f32>()?);
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            out[[i, j]] = x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]];
        }
    }
    Ok(())
}

fn stencil_of_fixed_view(x: &Tensor, out: &Tensor) -> Result<(), Error> {
    let (x, mut out) = (x.read::<f32>()?, out.write::<f32>()?);
    let (x, mut out) = (x.fixed::<2>()?, out.fixed_mut::<2>()?);
    let [height, width] = x.dims();
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            out[[i, j]] = x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]];
        }
    }
    Ok(())
}

fn stencil_of_array(a: ArrayView2<f32>, mut out: ArrayViewMut2<f32>) {
    let (height, width) = a.dim();
    for i in 1..height - 1 {
        for j in 1..width - 1 {
            out[[i, j]] = a[[i - 1, j]] + a[[i + 1, j]] + a[[i, j - 1]] + a[[i, j + 1]];
        }
    }
}
