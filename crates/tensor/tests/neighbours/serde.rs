//! `serde`: what is written is read again, and bad input is refused before memory is allocated for it.

use crate::zoo::{self, GuardedTensor, TestElement, same_values};
use belvedere::prelude::*;
use belvedere::{Bool, Device, copies, with_device};

/// Writes and reads a tensor as JSON and in a binary format.
fn round_trip<T: TestElement>(layout: &Layout) {
    let x = GuardedTensor::<T>::new(layout, 9);
    let text = serde_json::to_string(&x.tensor).unwrap();
    let bytes = postcard::to_stdvec(&x.tensor).unwrap();
    let from_text: Tensor = serde_json::from_str(&text).unwrap();
    let from_bytes: Tensor = postcard::from_bytes(&bytes).unwrap();
    for back in [from_text, from_bytes] {
        assert_eq!((back.dtype(), back.shape()), (x.tensor.dtype(), layout.shape()));
        assert!(back.is_contiguous());
        assert!(same_values(&back.to_vec::<T>().unwrap(), &x.values()), "{layout:?} {text}");
    }
    // The name, the shape, and as many bytes as the elements have.
    let header = 2 + x.tensor.dtype().name().len() + 2 * layout.rank() + 4;
    assert!(bytes.len() <= header + layout.len() * size_of::<T>(), "{layout:?}");
}

#[test]
fn tensors_of_every_layout_and_dtype_are_written_and_read() {
    for layout in zoo::layouts() {
        round_trip::<f32>(&layout);
        round_trip::<i64>(&layout);
    }
    for layout in zoo::layouts().iter().step_by(7) {
        round_trip::<Bool>(layout);
        round_trip::<i8>(layout);
        round_trip::<i16>(layout);
        round_trip::<i32>(layout);
        round_trip::<u8>(layout);
        round_trip::<u16>(layout);
        round_trip::<u32>(layout);
        round_trip::<u64>(layout);
        round_trip::<f16>(layout);
        round_trip::<bf16>(layout);
        round_trip::<f64>(layout);
        round_trip::<Complex<f32>>(layout);
        round_trip::<Complex<f64>>(layout);
    }
}

#[test]
fn json_is_readable() {
    let text = |x: &Tensor| serde_json::to_string(x).unwrap();
    assert_eq!(
        text(&tensor![0.1f32, -2.5]),
        r#"{"dtype":"float32","shape":[2],"values":[0.1,-2.5]}"#
    );
    assert_eq!(
        text(&tensor![[true], [false]]),
        r#"{"dtype":"bool","shape":[2,1],"values":[true,false]}"#
    );
    let x = tensor![f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let expected = r#"{"dtype":"float64","shape":[3],"values":["NaN","Infinity","-Infinity"]}"#;
    assert_eq!(text(&x), expected);
    let x = tensor![Complex::new(1.0, f64::INFINITY)];
    assert_eq!(text(&x), r#"{"dtype":"complex128","shape":[1],"values":[[1.0,"Infinity"]]}"#);
    let limits = tensor![u64::MAX, 0];
    assert_eq!(serde_json::from_str::<Tensor>(&text(&limits)).unwrap(), limits);
}

#[test]
fn numbers_are_read_as_the_dtype_needs_them() {
    let read = |text: &str| serde_json::from_str::<Tensor>(text).unwrap();
    assert_eq!(read(r#"{"dtype":"float32","shape":[2],"values":[1,-2]}"#), tensor![1.0f32, -2.0]);
    let x = read(r#"{"shape":[],"dtype":"complex64","values":[[1,2.5]]}"#);
    assert_eq!(x.item::<Complex<f32>>().unwrap(), Complex::new(1.0, 2.5));
    assert_eq!(read(r#"["int8",[2],[1,2]]"#), tensor![1i8, 2]);
    assert_eq!(read(r#"{"dtype":"int8","shape":[0,3],"values":[]}"#).shape(), [0, 3]);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let reason = |text: &str| serde_json::from_str::<Tensor>(text).unwrap_err().to_string();
    for (text, expected) in [
        (
            r#"{"dtype":"int8","shape":[2,2],"values":[1,2,3]}"#,
            "invalid length 3, expected 4 values of int8 for shape [2, 2] (4 bytes)",
        ),
        (
            r#"{"dtype":"int8","shape":[2],"values":[1,2,3]}"#,
            "invalid length 3, expected 2 values of int8 for shape [2] (2 bytes)",
        ),
        (r#"{"dtype":"float8","shape":[],"values":[1]}"#, "expected the name of a dtype"),
        (r#"{"dtype":"int8","shape":[1],"values":[300]}"#, "300 does not fit in int8"),
        (r#"{"dtype":"uint8","shape":[1],"values":[-1]}"#, "-1 does not fit in uint8"),
        (r#"{"dtype":"int8","shape":[1],"values":[1.5]}"#, "cannot cast float64 to int8"),
        (r#"{"dtype":"int8","shape":[1],"values":[true]}"#, "expected a value of int8"),
        (r#"{"dtype":"bool","shape":[1],"values":[2]}"#, "cannot cast int64 to bool"),
        (r#"{"dtype":"float32","shape":[1],"values":["1"]}"#, "expected a value of float32"),
        (
            r#"{"dtype":"float32","shape":[1],"values":[[1,2]]}"#,
            "cannot cast complex128 to float32",
        ),
        (r#"{"dtype":"complex64","shape":[1],"values":[[1]]}"#, "expected a pair of numbers"),
        (r#"{"dtype":"complex64","shape":[1],"values":[[1,2,3]]}"#, "expected a pair of numbers"),
        (r#"{"dtype":"int8","shape":[-1],"values":[1]}"#, "invalid value: integer `-1`"),
        (r#"{"values":[1],"dtype":"int8","shape":[1]}"#, "must precede the values"),
        (r#"{"dtype":"int8","shape":[1]}"#, "missing field `values`"),
        (r#"{"dtype":"int8","dtype":"int8"}"#, "duplicate field `dtype`"),
        (r#"{"dtype":"int8","shapes":[1]}"#, "unknown field `shapes`"),
        (r#"["int8",[2]]"#, "invalid length 2, expected a tensor"),
    ] {
        let found = reason(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// The shapes ask for exabytes, and are refused at once.
#[test]
fn absurd_shapes_allocate_nothing() {
    let reason = |text: &str| serde_json::from_str::<Tensor>(text).unwrap_err().to_string();
    let text = reason(r#"{"dtype":"int8","shape":[1000000000,1000000000],"values":[1,2]}"#);
    assert!(text.contains("invalid length 2, expected 1000000000000000000 values"), "{text}");
    let text = reason(r#"{"dtype":"int8","shape":[4294967296,4294967296],"values":[]}"#);
    assert!(text.contains("[4294967296, 4294967296]"), "{text}");
    let text = reason(r#"{"dtype":"float64","shape":[4611686018427387904],"values":[]}"#);
    assert!(text.contains("cannot allocate"), "{text}");
    let rank = vec!["1"; 65].join(",");
    let text = reason(&format!(r#"{{"dtype":"int8","shape":[{rank}],"values":[1]}}"#));
    assert!(text.contains("64"), "{text}");
    let mut bytes = postcard::to_stdvec(&tensor![1.0f32, 2.0]).unwrap();
    assert!(postcard::from_bytes::<Tensor>(&bytes[..bytes.len() - 1]).is_err());
    // The shape says three elements, the bytes are two.
    let at = bytes.iter().position(|&it| it == 2).unwrap();
    bytes[at] = 3;
    assert!(postcard::from_bytes::<Tensor>(&bytes).is_err());
}

#[test]
fn tensors_without_readable_values_are_not_written() {
    let x = tensor![1, 2];
    let guard = x.write::<i32>().unwrap();
    assert!(serde_json::to_string(&x).unwrap_err().to_string().contains("a guard writes to all"));
    assert!(postcard::to_stdvec(&x).is_err());
    drop(guard);
    let meta = with_device(Device::Meta, || Tensor::zeros([2], DType::Int32)).unwrap();
    assert!(serde_json::to_string(&meta).is_err());
    assert!(postcard::to_stdvec(&meta).is_err());
}

#[test]
fn only_strided_elements_are_copied_for_binary_formats() {
    let x = tensor![[1, 2], [3, 4]];
    let count = |x: &Tensor| copies::record(|| postcard::to_stdvec(x).unwrap()).1.len();
    assert_eq!((count(&x), count(&x.t().unwrap())), (0, 1));
    let strided = x.t().unwrap();
    let (_, copies) = copies::record(|| serde_json::to_string(&strided).unwrap());
    assert_eq!(copies.len(), 0);
}

#[test]
fn dtypes_and_layouts_are_written_and_read() {
    for dtype in DType::ALL {
        let text = serde_json::to_string(&dtype).unwrap();
        assert_eq!(text, format!("{:?}", dtype.name()));
        assert_eq!(serde_json::from_str::<DType>(&text).unwrap(), dtype);
    }
    for layout in zoo::layouts() {
        let text = serde_json::to_string(&layout).unwrap();
        assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout);
        let bytes = postcard::to_stdvec(&layout).unwrap();
        assert_eq!(postcard::from_bytes::<Layout>(&bytes).unwrap(), layout);
    }
    let reason = |text: &str| serde_json::from_str::<Layout>(text).unwrap_err().to_string();
    assert!(reason(r#"{"start":0,"shape":[2],"strides":[-1]}"#).contains("reaches offset -1"));
    assert!(reason(r#"{"start":0,"shape":[2],"strides":[]}"#).contains("1"));
    assert!(reason(r#"{"start":0,"shape":[2]}"#).contains("missing field `strides`"));
    assert!(reason(r#"{"start":0,"start":0}"#).contains("duplicate field `start`"));
    assert!(reason(r#"{"begin":0}"#).contains("unknown field `begin`"));
    assert!(reason("[0,[2]]").contains("expected a layout"));
}
