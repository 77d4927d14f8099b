//! DLPack structs with arbitrary fields: they are refused, or describe the tensor that the fields say; and the deleter
//! is called exactly once.
//!
//! A struct that reaches beyond its memory breaks the contract of `import`. It is imported all the same, because what is
//! refused must not depend on reading the elements, but its elements are not read.

#![no_main]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use arbitrary::{Result, Unstructured};
use belvedere::Tensor;
use belvedere::io::dlpack::{
    self, DlpackDevice, FLAG_READ_ONLY, ManagedTensor, RawTensor, RawType, VERSION, Version,
};
use belvedere_fuzz::{any, wild};
use libfuzzer_sys::fuzz_target;

/// The bytes of the memory that a struct points into.
const MEMORY_BYTES: usize = 256;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

unsafe extern "C" fn delete(managed: *mut ManagedTensor) {
    // SAFETY: `check` made the struct, with this context, and both outlive the tensor.
    unsafe {
        let deletions = &*(*managed).context.cast::<Cell<usize>>();
        deletions.set(deletions.get() + 1);
    }
}

fn check(u: &mut Unstructured) -> Result<()> {
    let mut memory: Vec<u64> = (0..MEMORY_BYTES as u64 / 8).map(|i| i * 0x0123_4567_89ab).collect();
    let rank = u.int_in_range(0..=4usize)?;
    let (mut shape, mut strides) = (Vec::new(), Vec::new());
    for _ in 0..rank {
        shape.push(if u.ratio(1, 8)? { wild::int(u)? as i64 } else { u.int_in_range(0..=4)? });
        strides.push(if u.ratio(1, 8)? { wild::int(u)? as i64 } else { u.int_in_range(-9..=9)? });
    }
    let codes =
        [(0, 8), (0, 32), (1, 64), (2, 16), (2, 32), (2, 64), (4, 16), (5, 64), (5, 128), (6, 8)];
    let (code, bits) = if u.ratio(1, 16)? { u.arbitrary()? } else { *u.choose(&codes)? };
    let has_strides: bool = u.ratio(3, 4)?;
    let given_rank = if u.ratio(1, 16)? { wild::int(u)? as i32 } else { rank as i32 };
    // A larger rank than the lists have items would be read beyond them, unless it is above the limit.
    let given_rank = if (0..=64).contains(&given_rank) { rank as i32 } else { given_rank };
    let raw = RawTensor {
        data: if u.ratio(1, 32)? { null_mut() } else { memory.as_mut_ptr().cast() },
        device: DlpackDevice { kind: if u.ratio(1, 32)? { u.arbitrary()? } else { 1 }, id: 0 },
        rank: given_rank,
        dtype: RawType { code, bits, lanes: if u.ratio(1, 32)? { u.arbitrary()? } else { 1 } },
        shape: if u.ratio(1, 32)? { null_mut() } else { shape.as_mut_ptr() },
        strides: if has_strides { strides.as_mut_ptr() } else { null_mut() },
        byte_offset: if u.ratio(1, 16)? { u.arbitrary()? } else { u.int_in_range(0..=128)? },
    };
    let expected = expected_bytes(&raw, &shape, has_strides.then_some(&strides[..]), &memory);
    let is_null = raw.data.is_null();
    let deletions = Cell::new(0);
    let version = if u.ratio(1, 32)? { u.arbitrary::<u32>()? } else { VERSION.major };
    let mut managed = ManagedTensor {
        version: Version { major: version, minor: u.arbitrary()? },
        context: (&raw const deletions).cast_mut().cast::<c_void>(),
        deleter: u.ratio(7, 8)?.then_some(delete),
        flags: u.arbitrary()?,
        tensor: raw,
    };
    let (has_deleter, flags) = (managed.deleter.is_some(), managed.flags);
    // SAFETY: the struct is as the protocol describes it, or is refused; elements outside of the memory are not read.
    match unsafe { dlpack::import(NonNull::from(&mut managed)) } {
        Ok(x) => {
            assert!(version == VERSION.major && (!is_null || x.is_empty()));
            check_tensor(u, &x, expected.as_deref(), flags)?;
            drop(x);
            assert_eq!(deletions.get(), usize::from(has_deleter), "deleted once");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(deletions.get(), 0, "a refused struct belongs to its owner");
        }
    }
    Ok(())
}

/// Checks an imported tensor, whose elements have these bytes if they are all inside of the memory.
fn check_tensor(u: &mut Unstructured, x: &Tensor, bytes: Option<&[u8]>, flags: u64) -> Result<()> {
    let Some(bytes) = bytes else { return Ok(()) };
    let copy = x.copy().expect("a few elements");
    let found = copy.view([-1]).and_then(|it| it.bitcast(belvedere::DType::UInt8));
    let found = found.and_then(|it| it.to_vec::<u8>()).expect("a copy is contiguous");
    assert_eq!(found, bytes, "{:?}", x.layout());
    let order = any::permutation(u, x.rank())?;
    let order: Vec<isize> = order.iter().map(|&k| k as isize).collect();
    let viewed = x.permute_dims(&order).expect("a permutation");
    if flags & FLAG_READ_ONLY != 0 {
        assert!(viewed.fill(1).is_err(), "it is marked as read-only");
    }
    Ok(())
}

/// Returns the bytes of all elements, in order; `None` if one of them is outside of the memory.
fn expected_bytes(
    raw: &RawTensor,
    shape: &[i64],
    strides: Option<&[i64]>,
    memory: &[u64],
) -> Option<Vec<u8>> {
    let size = usize::from(raw.dtype.bits / 8);
    let n = shape.iter().try_fold(1i64, |n, &len| n.checked_mul(len).filter(|n| *n <= 512))?;
    let bytes: Vec<u8> = memory.iter().flat_map(|it| it.to_ne_bytes()).collect();
    let mut elements = Vec::new();
    for flat in 0..n {
        let (mut rest, mut at, mut dense) = (flat, raw.byte_offset as i128, 1i128);
        for k in (0..shape.len()).rev() {
            let stride = strides.map_or(dense, |it| i128::from(it[k]));
            at += i128::from(rest % shape[k]) * stride * size as i128;
            rest /= shape[k];
            dense *= i128::from(shape[k]);
        }
        let in_bounds = |at: &usize| at.checked_add(size).is_some_and(|end| end <= bytes.len());
        let at = usize::try_from(at).ok().filter(in_bounds)?;
        elements.extend_from_slice(&bytes[at..at + size]);
    }
    Some(elements)
}
