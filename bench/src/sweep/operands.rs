//! Operands with equal values in different layouts.

use std::fmt;

use belvedere::prelude::*;
use belvedere::{Complex, Error, Index};

/// How the elements of an operand lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Placement {
    /// The axes in reverse order.
    Transposed,
    /// Every second element along the last two axes of a larger tensor.
    Stepped,
    /// Every axis backwards.
    Flipped,
    /// One element along the first axis, repeated.
    Broadcast,
}

impl Placement {
    pub const ALL: [Placement; 4] =
        [Placement::Transposed, Placement::Stepped, Placement::Flipped, Placement::Broadcast];
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Placement::Transposed => "transposed",
            Placement::Stepped => "stepped",
            Placement::Flipped => "flipped",
            Placement::Broadcast => "broadcast",
        })
    }
}

/// Two operands of one layout.
pub struct Pair {
    pub x: Tensor,
    pub y: Tensor,
}

/// Contiguous operands, and operands with the same values in other layouts.
pub struct Group {
    pub contiguous: Pair,
    pub others: Vec<(Placement, Pair)>,
}

/// Makes the operands of a shape and a dtype. Those of a broadcast row have values of their own, which repeat.
pub fn groups(shape: &[usize], dtype: DType) -> Result<[Group; 2], Error> {
    let base = Pair { x: values(shape, dtype, 1)?, y: values(shape, dtype, 2)? };
    // A transposed vector is the vector.
    let placements = [Placement::Transposed, Placement::Stepped, Placement::Flipped];
    let mut others = Vec::new();
    for placement in &placements[usize::from(shape.len() < 2)..] {
        others.push((
            *placement,
            Pair { x: placed(&base.x, *placement)?, y: placed(&base.y, *placement)? },
        ));
    }
    let row = [&[1], &shape[1..]].concat();
    let repeated = Pair {
        x: values(&row, dtype, 3)?.broadcast_to(shape)?,
        y: values(&row, dtype, 4)?.broadcast_to(shape)?,
    };
    let contiguous = Pair { x: repeated.x.copy()?, y: repeated.y.copy()? };
    let repeats = Group { contiguous, others: vec![(Placement::Broadcast, repeated)] };
    Ok([Group { contiguous: base, others }, repeats])
}

/// A copy of a contiguous tensor in another layout.
fn placed(base: &Tensor, placement: Placement) -> Result<Tensor, Error> {
    let shape = base.shape();
    let view = match placement {
        Placement::Transposed => Tensor::zeros_col_major(&shape, base.dtype())?,
        Placement::Stepped => {
            let n_axes = shape.len();
            let mut larger = shape.to_vec();
            let mut index = vec![Index::from(..); n_axes];
            for axis in n_axes.saturating_sub(2)..n_axes {
                larger[axis] *= 2;
                index[axis] = s![..;2][0].clone();
            }
            Tensor::zeros(larger, base.dtype())?.slice(index)?
        }
        Placement::Flipped => Tensor::zeros(&shape, base.dtype())?.flip(())?,
        Placement::Broadcast => unreachable!("a broadcast operand is not a copy"),
    };
    view.copy_from(base)?;
    Ok(view)
}

/// Values for which every function is defined: floats between 0.05 and 0.95, integers from 1 to 49.
fn values(shape: &[usize], dtype: DType, seed: u64) -> Result<Tensor, Error> {
    let mut state = seed;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let n: usize = shape.iter().product();
    if dtype.is_complex() {
        let values = (0..n).map(|_| Complex::new(0.05 + 0.9 * random(), random())).collect();
        return Tensor::from_vec::<Complex<f64>>(values, shape)?.astype(dtype);
    }
    let value = |at: f64| match dtype {
        DType::Bool => (2.0 * at).floor(),
        it if it.is_integer() => 1.0 + (49.0 * at).floor(),
        _ => 0.05 + 0.9 * at,
    };
    let values = (0..n).map(|_| value(random())).collect();
    Tensor::from_vec::<f64>(values, shape)?.astype(dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_has_the_values_of_the_contiguous_operands() -> Result<(), Error> {
        let is_same = |a: &Tensor, b: &Tensor| a.equal(b)?.all(())?.item::<bool>();
        for shape in [&[7_usize][..], &[5, 6], &[3, 4, 5], &[2, 3, 4, 5]] {
            for dtype in [DType::Bool, DType::UInt8, DType::Float16, DType::Complex64] {
                for Group { contiguous, others } in groups(shape, dtype)? {
                    assert!(contiguous.x.is_contiguous());
                    for (placement, pair) in &others {
                        assert!(is_same(&pair.x, &contiguous.x)?, "{placement}");
                        assert!(is_same(&pair.y, &contiguous.y)?, "{placement}");
                        assert!(!pair.x.is_contiguous(), "{placement} {shape:?}");
                    }
                }
            }
        }
        Ok(())
    }
}
