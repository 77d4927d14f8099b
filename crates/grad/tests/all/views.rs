//! Views cost nothing: no entry, no copy, and the gradient of a view is a view.

use belvedere::copies;
use belvedere::prelude::*;
use belvedere_grad::Tape;

#[test]
fn a_chain_of_twenty_views_is_no_entry_and_no_copy() {
    let x = Tensor::arange(0..48).unwrap().astype(DType::Float64).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let (grads, log) = copies::record(|| {
        copies::forbid(|| {
            let y = tape.record(|| {
                let mut y = x.reshape([4, 3, 4])?;
                for _ in 0..6 {
                    y = y.permute([2, 0, 1])?.flip([0])?.unsqueeze(1)?.squeeze([1])?;
                }
                let y = y.slice(s![1.., .., ..;2])?;
                assert_eq!(tape.report().entries, 1);
                y.sum(())
            })?;
            assert_eq!(tape.report().entries, 2);
            tape.backward(&y)
        })
    });
    assert!(log.is_empty(), "{log:?}");
    let found = grads.unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found.iter().filter(|&&it| it == 1.0).count(), 18);
    assert_eq!(found.iter().filter(|&&it| it == 0.0).count(), 30);
}

#[test]
fn gradients_of_views_share_the_memory_of_one_gradient() {
    let x = Tensor::ones([6, 5], DType::Float64).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.square()?.sum(())).unwrap();
    let grads = tape.backward(&y).unwrap();
    let all = grads.wrt(&x).unwrap();
    let views = [
        x.t().unwrap(),
        x.flip([0]).unwrap(),
        x.slice(s![1..;2, ..;-1]).unwrap(),
        x.windows(0, 2, 1).unwrap(),
        x.select(0, 3).unwrap().broadcast_to([4, 5]).unwrap(),
    ];
    for view in views {
        let found = grads.wrt(&view).unwrap();
        assert_eq!((found.shape(), found.strides()), (view.shape(), view.strides()));
        assert_eq!(found.storage().id(), all.storage().id());
    }
}

#[test]
fn the_slices_of_a_loop_have_one_gradient() {
    let (n, k) = (64, 32);
    let x = Tensor::ones([n, k], DType::Float64).unwrap();
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape
        .record(|| {
            let total = Tensor::zeros([0usize; 0], DType::Float64)?;
            for i in 0..k as isize {
                total.add_assign(&x.select(1, i)?.sum(())?.mul(i as f64)?)?;
            }
            Ok::<_, Error>(total)
        })
        .unwrap();
    let (grads, trace) = belvedere::trace::record(|| tape.backward(&y));
    // No operation of backward allocates as much as the gradient of all, except the gradient itself.
    let large = trace.events().iter().filter(|it| it.bytes_allocated >= n * k * 8);
    assert_eq!(large.count(), 1);
    let found = grads.unwrap().wrt(&x).unwrap();
    assert_eq!(found.select(0, 5).unwrap().to_vec::<f64>().unwrap()[31], 31.0);
}

#[test]
fn overlapping_windows_add_up() {
    let x = tensor![1.0, 2.0, 3.0, 4.0, 5.0];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let y = tape.record(|| x.windows(0, 3, 1)?.mul(&tensor![1.0, 10.0, 100.0])?.sum(())).unwrap();
    let found = tape.backward(&y).unwrap().wrt(&x).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(found, [1.0, 11.0, 111.0, 110.0, 100.0]);
}

#[test]
fn the_result_may_be_a_view_that_was_never_computed() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let tape = Tape::new();
    tape.watch(&x).unwrap();
    let found = tape.backward(&x.select(1, 0).unwrap().select(0, 1).unwrap()).unwrap();
    assert_eq!(found.wrt(&x).unwrap().to_vec::<f64>().unwrap(), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn half_precision_and_mixed_dtypes_keep_the_dtype_of_each_tensor() {
    for dtype in [DType::Float16, DType::BFloat16, DType::Float32] {
        let x = tensor![1.0, 2.0].astype(dtype).unwrap();
        let w = tensor![3.0, 4.0];
        let tape = Tape::new();
        tape.watch(&x).unwrap();
        tape.watch(&w).unwrap();
        let y = tape.record(|| x.mul(&w)?.mul(&tensor![2, 2])?.sum(())).unwrap();
        let grads = tape.backward(&y).unwrap();
        let (to_x, to_w) = (grads.wrt(&x).unwrap(), grads.wrt(&w).unwrap());
        assert_eq!((to_x.dtype(), to_w.dtype()), (dtype, DType::Float64));
        assert_eq!(to_x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap(), [6.0, 8.0]);
        assert_eq!(to_w.to_vec::<f64>().unwrap(), [2.0, 4.0]);
    }
}
