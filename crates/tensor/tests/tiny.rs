//! A tour of the public interface: each part once in use and once with an error.

use belvedere::prelude::*;
use belvedere::*;

type Tested = Result<(), Error>;

#[test]
fn constructors() -> Tested {
    assert_eq!(Tensor::zeros([2, 3], DType::Float32)?.to_vec::<f32>()?, [0.0; 6]);
    assert_eq!(Tensor::ones([2], DType::Bool)?.to_vec::<bool>()?, [true; 2]);
    assert_eq!(Tensor::full([2], 7u8)?.dtype(), DType::UInt8);
    assert_eq!(Tensor::arange(0..3)?.to_vec::<i32>()?, [0, 1, 2]);
    assert_eq!(Tensor::linspace(0.0, 1.0, 3, DType::Float64)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    assert_eq!(Tensor::eye(2, DType::Int8)?.to_vec::<i8>()?, [1, 0, 0, 1]);
    assert_eq!(Tensor::from_vec(vec![1, 2, 3, 4], [2, -1])?.shape(), [2, 2]);
    assert_eq!(Tensor::from_fn([2, 2], |i| i[0] as i64 - i[1] as i64)?.to_vec::<i64>()?[1], -1);
    assert_eq!(tensor![[1.5, 2.5]].shape(), [1, 2]);

    assert!(Tensor::zeros([1usize << 60], DType::Float64).is_err());
    assert!(Tensor::from_vec(vec![1, 2, 3], [2, 2]).is_err());
    assert!(Tensor::arange(0.0..f64::NAN).is_err());
    Ok(())
}

#[test]
fn tensor_properties() -> Tested {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    assert_eq!((x.rank(), x.len(), x.n_bytes(), x.offset()), (2, 12, 48, 0));
    assert_eq!((x.shape(), x.strides()), ([3, 4].into(), [4, 1].into()));
    assert!(x.is_contiguous() && !x.is_empty() && !x.t()?.is_contiguous());
    assert_eq!(x.get::<i32>(&[1, 2])?, 6);
    assert_eq!(x.slice(s![2, 3])?.item::<i32>()?, 11);
    assert_eq!(tensor![[1, 2], [3, 4]].to_string(), "[[1 2]\n [3 4]]");
    assert!(x.explain().starts_with("int32, shape [3, 4], strides [4, 1], offset 0"));
    assert!(format!("{x:?}").contains("Tensor(int32, shape [3, 4]"));

    assert!(x.get::<i32>(&[3, 0]).is_err() && x.item::<i32>().is_err());
    assert!(x.to_vec::<f32>().is_err());
    Ok(())
}

#[test]
fn views_share_memory() -> Tested {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    let views = copies::forbid(|| -> Result<Vec<Tensor>, Error> {
        Ok(vec![
            x.t()?,
            x.slice(s![.., ..;-1])?,
            x.flip(&[0])?,
            x.select(0, 1)?,
            x.narrow(1, 1, 2)?,
            x.view([2, 6])?,
            x.flatten(0, -1)?,
            x.unsqueeze(0)?,
            x.windows(1, 2, 1)?,
            x.diagonal(0, 0, 1)?,
            x.rearrange("(a b) c -> a b c", &[("a", 3)])?,
            x.bitcast(DType::UInt8)?,
        ])
    })?;
    for view in &views {
        assert!(view.storage().is_same(x.storage()), "{view:?}");
        assert_eq!(view.shares_memory(&x), Some(true));
    }
    x.t()?.set(&[3, 2], 100)?;
    assert_eq!(x.get::<i32>(&[2, 3])?, 100);

    assert!(x.t()?.view([12]).is_err() && x.select(2, 0).is_err());
    Ok(())
}

#[test]
fn operations_broadcast_promote_and_write_in_place() -> Tested {
    let (x, y) = (tensor![[1, 2], [3, 4]], tensor![10.5, 20.5]);
    assert_eq!(x.add(&y)?.to_vec::<f64>()?, [11.5, 22.5, 13.5, 24.5]);
    assert_eq!((&x * 2 - &x).to_vec::<i32>()?, [1, 2, 3, 4]);
    x.slice(s![1])?.add_assign(&x.slice(s![0])?)?;
    assert_eq!(x.to_vec::<i32>()?, [1, 2, 4, 6]);
    assert_eq!(x.greater(2)?.to_vec::<bool>()?, [false, false, true, true]);
    assert_eq!(where_(&x.less(3)?, 0, &x)?.to_vec::<i32>()?, [0, 0, 4, 6]);
    let out = Tensor::zeros([2, 2], DType::Float32)?;
    sqrt_into(&x, &out)?;
    assert_eq!(out.get::<f32>(&[1, 0])?, 2.0);
    assert_eq!(tensor![-1.0, 1.0].relu()?.to_vec::<f64>()?, [0.0, 1.0]);

    assert!(x.add(&tensor![1, 2, 3]).is_err() && x.div_assign(2).is_err());
    assert!(x.add_assign(1i64 << 40).is_err());
    Ok(())
}

#[test]
fn borrows_are_guards_and_typed_views() -> Tested {
    let x = Tensor::zeros([2, 3], DType::Float32)?;
    let mut guard = x.write::<f32>()?;
    let (mut left, mut right) = guard.view_mut().split_at(1, 1)?;
    left.fill(1.0);
    right.map(|it| it - 1.0);
    assert_eq!(x.add(1).unwrap_err().kind(), ErrorKind::Borrow);
    drop(guard);
    assert_eq!(x.read::<f32>()?.view().iter().sum::<f32>(), -2.0);
    let data = [1, 2, 3, 4];
    let view = View::new(&data, Layout::row_major(&[2, 2])?)?.t()?;
    assert_eq!(view.iter().collect::<Vec<_>>(), [1, 3, 2, 4]);

    assert!(x.read::<f64>().is_err());
    assert!(x.broadcast_to([2, 2, 3])?.write::<f32>().is_err());
    Ok(())
}

#[test]
fn copies_are_counted_and_can_be_forbidden() -> Tested {
    let x = Tensor::arange(0..6)?.reshape([2, 3])?;
    let (_, log) = copies::record(|| x.t().and_then(|it| it.reshape([6])));
    assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "reshape", 24));
    assert!(copies::forbid(|| x.t()?.contiguous()).is_err());
    assert!(copies::forbid(|| copies::allow(|| x.t()?.contiguous())).is_ok());
    Ok(())
}

#[test]
fn dtypes_have_names_sizes_and_promotion() {
    for dtype in DType::ALL {
        assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        assert!(dtype.size() >= dtype.align() && can_cast(dtype, dtype));
        assert_eq!(result_type(dtype, dtype), dtype);
        assert_eq!(result_type(dtype, DType::Bool), dtype);
    }
    assert_eq!(result_type(DType::Int8, DType::UInt8), DType::Int16);
    assert!(!can_cast(DType::Float16, DType::Int64));
}

#[test]
fn threads_memory_and_plans_can_be_queried() -> Tested {
    assert!(num_threads() >= 1);
    assert_eq!(with_num_threads(1, num_threads), 1);
    assert!(memory::stats().in_use < usize::MAX / 2);
    let layout = Layout::row_major(&[2, 3])?;
    let plan = plan::Plan::elementwise([&layout, &layout], [4, 4])?;
    assert_eq!(plan.to_string(), "6 × (1, 1) from (0, 0)");
    Ok(())
}
