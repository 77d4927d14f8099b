//! Requests beyond available memory or time fail, or return immediately.

use belvedere::fft::{self, Norm};
use belvedere::nn::{self, Pool};
use belvedere::random::Generator;
use belvedere::{DType, ErrorKind, Tensor, linalg, tensor};

/// Returns a broadcast tensor with more elements than memory has bytes.
fn endless() -> Tensor {
    tensor![1f32].broadcast_to([1usize << 45]).unwrap()
}

#[test]
fn empty_tensors_of_huge_length_cost_nothing() {
    let nothing = Tensor::zeros([0, 1usize << 40], DType::Float32).unwrap();
    assert_eq!(nn::layer_norm(&nothing, -1, None, None, 1e-5).unwrap().shape(), [0, 1 << 40]);
    let matrices = Tensor::zeros([1usize << 50, 0, 0], DType::Float64).unwrap();
    assert_eq!(linalg::inv(&matrices).unwrap().shape(), [1 << 50, 0, 0]);
    assert_eq!(linalg::svdvals(&matrices).unwrap().shape(), [1 << 50, 0]);
    let repeated = tensor![1].broadcast_to([1usize << 60]).unwrap().repeat(&tensor![0i64], 0);
    assert_eq!(repeated.unwrap().shape(), [0]);
}

#[test]
fn short_fft_of_huge_broadcast_axis_reads_only_its_start() {
    let found = fft::fft_with(&endless(), 4, 0, Norm::Backward).unwrap();
    assert_eq!(found.real().unwrap().to_vec::<f32>().unwrap(), [4.0, 0.0, 0.0, 0.0]);
    let back = fft::irfft_with(&endless(), 4, 0, Norm::Backward).unwrap();
    assert_eq!(back.to_vec::<f32>().unwrap(), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn allocations_beyond_memory_return_errors() {
    let line = endless().unsqueeze(0).unwrap();
    let pools = [Pool { stride: [1 << 44], ..Pool::new([1]) }, Pool::new([1 << 45])];
    for pool in pools {
        let error = nn::max_pool1d(&line, pool).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    }
    let error = endless().unstack(0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    let counts = tensor![0i64].broadcast_to([1usize << 45]).unwrap();
    assert!(tensor![1, 2].repeat(&counts, 0).is_err());
    let wide = tensor![1].broadcast_to([1usize << 45]).unwrap();
    assert_eq!(wide.repeat(&counts, 0).unwrap_err().kind(), ErrorKind::Memory);
}

#[test]
fn choice_from_huge_range_does_not_wrap_around() {
    let mut generator = Generator::new(7);
    let first = generator.choice(1usize << 60, [3], false, None).unwrap();
    let second = generator.choice(1usize << 60, [3], false, None).unwrap();
    assert_ne!(first.to_vec::<i64>().unwrap(), second.to_vec::<i64>().unwrap());
    assert!(generator.choice(usize::MAX, [3], false, None).is_err());
}

#[test]
fn singular_matrices_have_determinants() {
    for matrix in [tensor![[0.0, 0.0], [0.0, 0.0]], tensor![[0.0, 1.0], [0.0, 1.0]]] {
        assert_eq!(linalg::det(&matrix).unwrap().item::<f64>().unwrap(), 0.0);
        let both = linalg::slogdet(&matrix).unwrap();
        assert_eq!(both.sign.item::<f64>().unwrap(), 0.0);
        assert_eq!(both.logabsdet.item::<f64>().unwrap(), f64::NEG_INFINITY);
    }
    for number in [49.0, 1e-310, -1e300, -3.0] {
        let both = linalg::slogdet(&tensor![[number]]).unwrap();
        assert_eq!(both.sign.item::<f64>().unwrap(), f64::signum(number));
    }
    let nan = tensor![[f64::NAN, 0.0], [0.0, 0.0]];
    assert!(linalg::det(&nan).unwrap().item::<f64>().unwrap().is_nan());
}
