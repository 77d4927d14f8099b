//! View operations never copy: each result shares its storage, is allowed where copies are forbidden, and is
//! written through in both directions. Nothing outside of a view changes.

use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::*;

type Viewed = Result<Tensor, Error>;

/// Returns the last part.
fn last(parts: Result<impl Iterator<Item = Tensor>, Error>) -> Viewed {
    Ok(parts?.last().expect("there are some parts"))
}

type View = fn(&Tensor) -> Viewed;

/// Every view operation with some arguments, for tensors of rank 2 or more.
fn views() -> Vec<(&'static str, View)> {
    vec![
        ("clone", |x| Ok(x.clone())),
        ("permute_dims", |x| {
            let mut order: Vec<isize> = (0..x.rank() as isize).collect();
            order.rotate_left(1);
            x.permute_dims(&order)
        }),
        ("transpose", |x| x.transpose(0, -1)),
        ("swap_axes", |x| x.swap_axes(0, 1)),
        ("t", |x| x.t()),
        ("mt", |x| x.mt()),
        ("reverse_dims", |x| Ok(x.reverse_dims())),
        ("move_axis", |x| x.move_axis(0, -1)),
        ("slice", |x| x.slice(s![1.., ..;-2])),
        ("slice with an axis", |x| x.slice(s![Index::Ellipsis, Index::NewAxis, 0])),
        ("select", |x| x.select(-1, -1)),
        ("narrow", |x| x.narrow(0, 1, 1)),
        ("step", |x| x.step(1, -2)),
        ("flip", |x| x.flip(&[0, -1])),
        ("rot90", |x| x.rot90(1, 0, 1)),
        ("squeeze", |x| x.unsqueeze(1)?.squeeze(&[1])),
        ("squeeze_all", |x| Ok(x.squeeze_all())),
        ("unsqueeze", |x| x.unsqueeze(0)),
        ("expand_dims", |x| x.expand_dims(-1)),
        ("broadcast_to", |x| x.broadcast_to([&[3][..], &x.shape()].concat())),
        ("unflatten", |x| x.unflatten(0, [1, -1])),
        ("split_axis", |x| x.split_axis(1, 1)),
        ("windows", |x| x.windows(0, 2, 1)),
        ("sliding_window_view", |x| x.sliding_window_view([2, 1], [0, 1])),
        ("diagonal", |x| x.diagonal(0, 0, 1)),
        ("as_strided", |x| x.as_strided(&[2, 2], &[1, 2], x.offset())),
        ("view", |x| x.view([&[1][..], &x.shape()].concat())),
        ("reshape", |x| x.reshape([&x.shape(), &[1][..]].concat())),
        ("flatten", |x| x.flatten(1, 1)),
        ("merge", |x| x.merge(0, 0)),
        ("rearrange", |x| x.t()?.rearrange("a b -> b a", &[])),
        ("split_at, left", |x| Ok(x.split_at(0, 1)?.0)),
        ("split_at, right", |x| Ok(x.split_at(0, 1)?.1)),
        ("split", |x| last(x.split(1, 2))),
        ("chunk", |x| last(x.chunk(1, 2))),
        ("rows", |x| last(x.rows())),
        ("contiguous", |x| if x.is_contiguous() { x.contiguous() } else { Ok(x.clone()) }),
        ("astype", |x| x.astype(x.dtype())),
        ("real", |x| x.real()),
    ]
}

#[test]
fn view_operations_never_copy_and_share_the_storage() {
    let mut n_made = 0;
    for layout in zoo::layouts().iter().filter(|layout| layout.rank() >= 2 && !layout.is_empty()) {
        for (name, view) in views() {
            let x = GuardedTensor::<f32>::new(layout, 1);
            let (made, log) = copies::record(|| copies::forbid(|| view(&x.tensor)));
            assert!(log.is_empty(), "{name} {layout:?}");
            let made = match made {
                Ok(made) => made,
                Err(error) => {
                    assert!(!matches!(error, Error::CopyForbidden { .. }), "{name}: {error}");
                    continue;
                }
            };
            n_made += 1;
            assert!(made.storage().is_same(x.tensor.storage()), "{name} {layout:?}");
            assert_eq!(made.storage().address(), x.tensor.storage().address());
            check_written_through(name, &x, &made);
        }
    }
    assert!(n_made > 900, "{n_made}");
}

/// Writes through the view and checks the base, and the reverse.
fn check_written_through(name: &str, base: &GuardedTensor<f32>, view: &Tensor) {
    let reached: Vec<usize> = view.layout().offsets().collect();
    let all = Layout::row_major(&[base.memory.len()]).unwrap();
    let all = Tensor::from_storage(view.storage().clone(), all, DType::Float32).unwrap();
    if let Some(&at) = reached.last() {
        all.set(&[at], 77.0f32).unwrap();
        assert_eq!(view.to_vec::<f32>().unwrap().last(), Some(&77.0), "{name}");
    }
    let before = all.to_vec::<f32>().unwrap();
    if zoo::is_injective(view.layout()) {
        view.fill(99).unwrap();
    } else {
        assert!(matches!(view.fill(99), Err(Error::Overlapping { .. })), "{name}");
    }
    let after = all.to_vec::<f32>().unwrap();
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        let is_written = reached.contains(&at) && zoo::is_injective(view.layout());
        let expected = if is_written { 99.0 } else { *before };
        assert!(expected.same_bits(*after), "{name}: {at} of {:?}", view.layout());
    }
}

#[test]
fn real_imag_and_reinterpreted_dtypes_are_views() {
    let x = Tensor::from_vec(vec![Complex::new(1.0f32, 2.0); 6], [2, 3]).unwrap();
    copies::forbid(|| {
        for part in [x.real().unwrap(), x.t().unwrap().imag().unwrap()] {
            assert!(part.storage().is_same(x.storage()));
            assert_eq!(part.dtype(), DType::Float32);
        }
        x.imag().unwrap().slice(s![0]).unwrap().fill(5).unwrap();
        assert_eq!(x.get::<Complex<f32>>(&[0, 2]).unwrap(), Complex::new(1.0, 5.0));
        assert_eq!(x.get::<Complex<f32>>(&[1, 2]).unwrap(), Complex::new(1.0, 2.0));
        let words = x.bitcast(DType::UInt32).unwrap();
        assert_eq!((words.shape(), words.storage().is_same(x.storage())), ([2, 6].into(), true));
        words.fill(0).unwrap();
        assert_eq!(x.get::<Complex<f32>>(&[1, 1]).unwrap(), Complex::new(0.0, 0.0));
        assert_eq!(words.bitcast(DType::Complex64).unwrap().shape(), [2, 3]);
    });
}

#[test]
fn contiguous_bytes_are_reinterpreted_between_all_dtypes() {
    for from in DType::ALL {
        for to in DType::ALL {
            let x = Tensor::zeros([3, 16], from).unwrap();
            let y = x.bitcast(to).unwrap();
            assert_eq!((y.dtype(), y.n_bytes()), (to, x.n_bytes()));
            assert_eq!(x.shares_memory(&y), Some(true));
            // The last axis has gaps: only dtypes of the same size are possible.
            let gaps = x.step(1, 2).unwrap();
            assert_eq!(gaps.bitcast(to).is_ok(), from.size() == to.size(), "{from} {to}");
        }
    }
}

#[test]
fn sharing_memory_is_decided_exactly() {
    let x = Tensor::zeros([6, 8], DType::Int16).unwrap();
    let at = |index: &[Index]| x.slice(index).unwrap();
    let cases = [
        (x.clone(), x.t().unwrap(), true),
        (at(&s![.., ..;2]), at(&s![.., 1..;2]), false),
        (at(&s![..3]), at(&s![3..]), false),
        (at(&s![..4]), at(&s![3..]), true),
        (at(&s![..;2, ..;3]), at(&s![1..;2]), false),
        (x.copy().unwrap(), x.clone(), false),
        (at(&s![0..0]), x.clone(), false),
        (x.bitcast(DType::UInt8).unwrap().step(1, 2).unwrap(), at(&s![0, 0..1]), true),
    ];
    for (one, two, expected) in cases {
        assert_eq!(one.shares_memory(&two), Some(expected), "{one:?} {two:?}");
        assert_eq!(two.shares_memory(&one), Some(expected), "{one:?} {two:?}");
    }
}

#[test]
fn nothing_outside_of_a_view_changes() {
    struct Writes;

    impl DTypeVisitor for Writes {
        fn visit<T: TestElement>(&mut self) {
            let mut rng = TestRng::new(5);
            for layout in zoo::layouts() {
                let source = GuardedTensor::<T>::small_integers(
                    &rng.random_layout(&layout.shape(), Freedom::Any),
                    4,
                );
                let values = source.values();
                let same = |value: T| vec![value; layout.len()];
                check::<T>(&layout, same(true_of()), |x| x.fill(true));
                check::<T>(&layout, same(T::default()), |x| x.clear());
                check::<T>(&layout, values.clone(), |x| x.copy_from(&source.tensor));
                check::<T>(&layout, values.clone(), |x| assign_into(&source.tensor, x));
                check::<T>(&layout, values.clone(), |x| {
                    let all = [Index::Ellipsis];
                    x.assign(all, &source.tensor)
                });
                check::<T>(&layout, same(true_of()), full_by_sets);
            }
        }
    }

    /// One, or true.
    fn true_of<T: TestElement>() -> T {
        T::from_numeric(zoo::values::NumericValue::Int(1))
    }

    /// Sets every element separately.
    fn full_by_sets(x: &Tensor) -> Result<(), Error> {
        if !zoo::is_injective(x.layout()) {
            return x.fill(true);
        }
        x.rows_of_elements(&mut Vec::new())
    }

    trait Elements {
        fn rows_of_elements(&self, index: &mut Vec<usize>) -> Result<(), Error>;
    }

    impl Elements for Tensor {
        fn rows_of_elements(&self, index: &mut Vec<usize>) -> Result<(), Error> {
            if index.len() == self.rank() {
                let index: Vec<Index> = index.iter().map(|&i| Index::from(i)).collect();
                return self.assign(index, true);
            }
            for i in 0..self.shape()[index.len()] {
                index.push(i);
                self.rows_of_elements(index)?;
                index.pop();
            }
            Ok(())
        }
    }

    /// Writes to a tensor with a layout and checks the whole memory.
    fn check<T: TestElement>(
        layout: &Layout,
        expected: Vec<T>,
        write: impl Fn(&Tensor) -> Result<(), Error>,
    ) {
        let x = GuardedTensor::<T>::new(layout, 2);
        match write(&x.tensor) {
            Ok(()) => x.assert_elements(&expected, (T::DTYPE, layout)),
            Err(error) => {
                assert!(matches!(error, Error::Overlapping { .. }), "{error}");
                assert!(!zoo::is_injective(layout), "{layout:?}");
                x.assert_unchanged(layout);
            }
        }
    }

    for_each_dtype(&mut Writes);
}

#[test]
fn scaling_changes_the_view_only() {
    for layout in zoo::layouts().iter().filter(|layout| zoo::is_injective(layout)) {
        let x = GuardedTensor::<i16>::new(layout, 3);
        x.tensor.scale(3).unwrap();
        let expected: Vec<i16> = x.values().iter().map(|it| it.wrapping_mul(3)).collect();
        x.assert_elements(&expected, layout);
        let x = GuardedTensor::<f64>::new(layout, 3);
        x.tensor.scale(-0.5).unwrap();
        let expected: Vec<f64> = x.values().iter().map(|it| it * -0.5).collect();
        x.assert_elements(&expected, layout);
    }
}
