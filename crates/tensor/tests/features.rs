//! Builds without back-ends: `cargo test -p belvedere --no-default-features --test features`.
//!
//! A program of its own, because features are chosen for a whole build. With a feature on, its test does
//! nothing: the other tests cover the back-end.

use belvedere::fft::Norm;
use belvedere::linalg;
use belvedere::prelude::*;
use belvedere::random::Generator;
use belvedere::{Device, with_device};

/// Asserts that an operation is refused for lack of a feature, by name.
#[track_caller]
fn assert_disabled<T: std::fmt::Debug>(result: Result<T, Error>, op: &str, feature: &str) {
    let error = result.expect_err("the feature is off");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let message =
        format!("{op} needs the feature `{feature}` of belvedere, which is off in this build");
    assert_eq!(error.to_string(), message);
}

#[test]
fn factorizations_check_arguments_and_name_the_feature() {
    if cfg!(feature = "factorizations") {
        return;
    }
    let (x, b) = (tensor![[2.0, 1.0], [1.0, 3.0]], tensor![1.0, 2.0]);
    for (op, result) in [
        ("qr", linalg::qr(&x).map(|found| found.q)),
        ("svd", linalg::svd_with(&x, false).map(|found| found.u)),
        ("svd", linalg::lstsq(&x, &b).map(|found| found.x)),
        ("eigh", linalg::eigh(&x).map(|found| found.eigenvalues)),
        ("eigvals", linalg::eigvals(&x)),
        ("cholesky", linalg::cholesky(&x)),
        ("solve", linalg::solve(&x, &b)),
        ("inv", linalg::inv(&x)),
        ("det", linalg::det(&x)),
        ("slogdet", linalg::slogdet(&x).map(|found| found.sign)),
    ] {
        assert_disabled(result, op, "factorizations");
    }
    let error = linalg::inv(&tensor![[1.0, 2.0]]).expect_err("the matrix is not square");
    assert_eq!(error.kind(), ErrorKind::Shape);
}

#[test]
fn transforms_check_arguments_and_name_the_feature() {
    if cfg!(feature = "fft") {
        return;
    }
    let x = tensor![1.0, 2.0, 3.0];
    assert_disabled(fft::fft(&x), "fft", "fft");
    assert_disabled(fft::irfft(&x), "irfft", "fft");
    assert_eq!(fft::fft_with(&x, None, 1, Norm::Backward).unwrap_err().kind(), ErrorKind::Axis);
    assert_eq!(fft::fft_with(&x, 0, 0, Norm::Backward).unwrap_err().kind(), ErrorKind::Value);
    fft::forget_plans();
    assert_eq!(fft::fftshift(&x, ()).unwrap().to_vec::<f64>().unwrap(), [3.0, 1.0, 2.0]);
}

#[test]
fn random_numbers_check_arguments_and_name_the_feature() {
    if cfg!(feature = "random") {
        return;
    }
    let (mut generator, x) = (Generator::new(1), tensor![1.0, 2.0]);
    let (a, b) = (generator.split(), generator.split());
    assert!(a != b && a != generator);
    assert_disabled(generator.uniform(0.0, 1.0, [2], DType::Float64), "uniform", "random");
    assert_disabled(generator.normal_into(0.0, 1.0, &x), "normal", "random");
    assert_disabled(generator.permutation(3), "permutation", "random");
    assert_disabled(generator.shuffle(&x, 0), "shuffle", "random");
    assert_disabled(generator.choice(3, [1], false, None), "choice", "random");
    let error = generator.uniform(1.0, 0.0, [2], DType::Float64).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 2.0]);
}

#[test]
fn mapped_files_name_the_feature_and_others_are_read() {
    if cfg!(feature = "files") {
        return;
    }
    let path = std::env::temp_dir().join(format!("belvedere-features-{}.npy", std::process::id()));
    belvedere::io::npy::write(&path, &tensor![1, 2, 3]).unwrap();
    assert_eq!(belvedere::io::npy::read(&path).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3]);
    // SAFETY: the file is not changed while the tensor exists.
    let mapped = unsafe { belvedere::io::npy::map(&path) };
    std::fs::remove_file(&path).unwrap();
    assert_disabled(mapped, "map_file", "files");
}

/// Compares products with sums of products, with and without the feature `matmul`. Small integers make all
/// sums exact in any order.
#[test]
fn products_do_not_depend_on_the_back_end() {
    for (m, k, n) in [(1, 40, 70), (37, 300, 65), (64, 64, 64), (5, 1, 33)] {
        for dtype in
            [DType::Float16, DType::BFloat16, DType::Float32, DType::Float64, DType::Complex64]
        {
            let integers = |len: usize| {
                let x = Tensor::arange(0..len as i64)?.mul(7)?.remainder(3)?.sub(1)?;
                x.astype(dtype)
            };
            let product = || -> Result<[Tensor; 2], Error> {
                let (a, b) =
                    (integers(m * k)?.reshape([m, k])?, integers(n * k)?.reshape([n, k])?.t()?);
                let sums = a.unsqueeze(1)?.mul(&b.t()?.unsqueeze(0)?)?.sum(-1)?;
                Ok([a.matmul(&b)?, sums])
            };
            let [found, wanted] = product().unwrap();
            assert!(
                found.equal(&wanted).unwrap().all(()).unwrap().item::<bool>().unwrap(),
                "{m} {k} {n} {dtype}"
            );
        }
    }
}

#[test]
fn tensors_without_memory_need_no_feature() {
    let x = Tensor::empty_on([3, 3], DType::Float64, Device::Meta).unwrap();
    let found = with_device(Device::Meta, || -> Result<Vec<Tensor>, Error> {
        let mut random = Generator::new(1);
        Ok(vec![
            linalg::inv(&x)?,
            linalg::svd_with(&x, false)?.u,
            linalg::solve(&x, &x)?,
            linalg::eigh(&x)?.eigenvectors,
            fft::fft(&x)?,
            random.normal(0.0, 1.0, [3, 3], DType::Float64)?,
            random.permutation_of(&x, 0)?,
            random.choice(9, [3, 3], false, None)?,
        ])
    });
    for y in found.unwrap() {
        assert_eq!((y.shape(), y.device()), (x.shape(), Device::Meta));
    }
    Generator::new(1).shuffle(&x, 0).unwrap();
    assert_eq!(linalg::inv(&x).unwrap().shape(), x.shape());
}
