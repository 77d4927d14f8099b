//! Elements decoded from bytes of any endianness and alignment match the standard library.

use belvedere::prelude::*;
use belvedere::{Complex, ErrorKind, copies};

/// Returns the bytes of four numbers after `gap` other bytes, in either endianness.
fn bytes_of(numbers: [u32; 4], gap: usize, is_big: bool) -> Vec<u8> {
    let order = |it: u32| if is_big { it.to_be_bytes() } else { it.to_le_bytes() };
    let mut bytes = vec![7; gap];
    bytes.extend(numbers.into_iter().flat_map(order));
    bytes
}

#[test]
fn bytes_of_either_endianness_and_any_alignment_are_decoded() -> Result<(), belvedere::Error> {
    let numbers = [0x0102_0304, 1, u32::MAX - 1, 0x8000_0000];
    for gap in 0..5 {
        for is_big in [false, true] {
            let memory = Tensor::from_vec(bytes_of(numbers, gap, is_big), [gap + 16])?;
            let bytes = memory.narrow(0, gap, 16)?.view([2, 2, 4])?;
            let is_swapped = is_big == cfg!(target_endian = "little");
            let found = bytes.assemble(DType::UInt32, is_swapped)?;
            assert_eq!(found.to_vec::<u32>()?, numbers);
            assert_eq!(found.shape(), [2, 2]);
            let backwards = bytes.flip([0, 1])?.assemble(DType::UInt32, is_swapped)?;
            assert_eq!(
                backwards.to_vec::<u32>()?,
                [numbers[3], numbers[2], numbers[1], numbers[0]]
            );
        }
    }
    Ok(())
}

#[test]
fn complex_parts_are_byte_swapped_separately() -> Result<(), belvedere::Error> {
    let mut bytes = 1.5f32.to_ne_bytes();
    bytes.reverse();
    let mut memory = bytes.to_vec();
    let mut bytes = (-2.0f32).to_ne_bytes();
    bytes.reverse();
    memory.extend(bytes);
    let found = Tensor::from_vec(memory, [8])?.assemble(DType::Complex64, true)?;
    assert_eq!(found.item::<Complex<f32>>()?, Complex::new(1.5, -2.0));
    Ok(())
}

#[test]
fn zero_elements_need_zero_bytes() -> Result<(), belvedere::Error> {
    let none = Tensor::zeros([3, 0, 8], DType::UInt8)?;
    assert_eq!(none.assemble(DType::Float64, true)?.shape(), [3, 0]);
    let error = Tensor::zeros([8], DType::UInt8)?.assemble(DType::Int32, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    let error = Tensor::zeros([0; 0], DType::UInt8)?.assemble(DType::Int8, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    let error = Tensor::zeros([4], DType::Int8)?.assemble(DType::Int32, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DType);
    Ok(())
}

#[test]
fn copy_is_an_event_and_can_be_forbidden() -> Result<(), belvedere::Error> {
    let bytes = Tensor::zeros([2, 8], DType::UInt8)?;
    let (result, log) = copies::record(|| bytes.assemble(DType::Int64, false));
    result?;
    assert_eq!((log.len(), log[0].op, log[0].bytes), (1, "assemble", 16));
    assert_eq!(log[0].reason, copies::CopyReason::Unaligned);
    let error = copies::forbid(|| bytes.assemble(DType::Int64, false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Copy);
    Ok(())
}
