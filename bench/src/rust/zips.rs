//! Closures over two to four operands that are contiguous, transposed or stepped.

use belvedere::prelude::*;
use ndarray::Zip;

use super::inputs::{Inputs, Order};
use super::rows::Rows;

/// Closures whose results are written to an output, and folds.
pub fn add<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    for order in Order::ALL {
        add_map_of_two(rows, inputs, order);
        add_map_of_three(rows, inputs, order);
        add_map_of_four(rows, inputs, order);
        add_folds(rows, inputs, order);
    }
}

fn add_map_of_two<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs, order: Order) {
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    let ([x, y, ..], [a, b, ..]) = (inputs.ordered_tensors(order), inputs.ordered_arrays(order));
    rows.add(
        (format!("zip of 2, map_into, {order}"), inputs.side),
        move || {
            zip((x, y)).map_into(out, |x: f32, y: f32| x * y + x)?;
            Ok(out)
        },
        move || {
            let mut out = out_array.borrow_mut();
            Zip::from(&mut *out).and(a).and(b).for_each(|out, x, y| *out = x * y + x);
            out_array
        },
    );
}

fn add_map_of_three<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs, order: Order) {
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    let ([x, y, z, _], [a, b, c, _]) =
        (inputs.ordered_tensors(order), inputs.ordered_arrays(order));
    rows.add(
        (format!("zip of 3, map_into, {order}"), inputs.side),
        move || {
            zip((x, y, z)).map_into(out, |x: f32, y: f32, z: f32| x * y + z)?;
            Ok(out)
        },
        move || {
            let mut out = out_array.borrow_mut();
            let zip = Zip::from(&mut *out).and(a).and(b).and(c);
            zip.for_each(|out, x, y, z| *out = x * y + z);
            out_array
        },
    );
}

fn add_map_of_four<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs, order: Order) {
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    let ([x, y, z, w], [a, b, c, d]) =
        (inputs.ordered_tensors(order), inputs.ordered_arrays(order));
    rows.add(
        (format!("zip of 4, map_into, {order}"), inputs.side),
        move || {
            let f = |x: f32, y: f32, z: f32, w: f32| x * y + z * w;
            zip((x, y, z, w)).map_into(out, f)?;
            Ok(out)
        },
        move || {
            let mut out = out_array.borrow_mut();
            let zip = Zip::from(&mut *out).and(a).and(b).and(c).and(d);
            zip.for_each(|out, x, y, z, w| *out = x * y + z * w);
            out_array
        },
    );
}

fn add_folds<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs, order: Order) {
    let ([x, y, z, _], [a, b, c, _]) =
        (inputs.ordered_tensors(order), inputs.ordered_arrays(order));
    rows.add(
        (format!("zip of 2, fold, {order}"), inputs.side),
        move || zip((x, y)).fold(0.0, |dot, x: f32, y: f32| dot + x * y),
        move || Zip::from(a).and(b).fold(0.0, |dot, x, y| dot + x * y),
    );
    rows.add(
        (format!("zip of 3, fold, {order}"), inputs.side),
        move || zip((x, y, z)).fold(0, |n, x: f32, y: f32, z: f32| n + usize::from(x * y > z)),
        move || Zip::from(a).and(b).and(c).fold(0, |n, x, y, &z| n + usize::from(x * y > z)),
    );
}
