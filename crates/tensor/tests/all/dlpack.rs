//! DLPack: tensors are exported and imported without copies, and released exactly once.

use crate::zoo;
use belvedere::io::DlpackError;
use belvedere::io::dlpack::{
    self, DlpackDevice, FLAG_READ_ONLY, LegacyManagedTensor, ManagedTensor, RawTensor, RawType,
    VERSION, Version,
};
use belvedere::{DType, Error, ErrorKind, Layout, Storage, Tensor, s};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A tensor of another library, on the heap until it is deleted.
#[repr(C)]
struct Stranger {
    managed: ManagedTensor,
    data: Vec<f32>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    deletions: &'static AtomicUsize,
}

/// Counts the tensors of a test that were released.
fn counter() -> &'static AtomicUsize {
    // Kept reachable, so that LeakSanitizer does not report them.
    static COUNTERS: Mutex<Vec<&'static AtomicUsize>> = Mutex::new(Vec::new());
    let counter: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    COUNTERS.lock().unwrap().push(counter);
    counter
}

impl Stranger {
    /// A view of the numbers 0, 1, 2, …, starting at `first`.
    fn new(len: usize, first: usize, shape: &[i64], strides: &[i64]) -> Box<Stranger> {
        let mut data: Vec<f32> = (0..len).map(|it| it as f32).collect();
        let (mut shape, mut strides) = (shape.to_vec(), strides.to_vec());
        let tensor = RawTensor {
            data: data.as_mut_ptr().cast(),
            device: DlpackDevice::CPU,
            rank: shape.len() as i32,
            dtype: RawType { code: 2, bits: 32, lanes: 1 },
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 4 * first as u64,
        };
        let (version, context) = (VERSION, null_mut());
        let managed =
            ManagedTensor { version, context, deleter: Some(delete_stranger), flags: 0, tensor };
        Box::new(Stranger { managed, data, shape, strides, deletions: counter() })
    }

    fn send(self: Box<Self>) -> NonNull<ManagedTensor> {
        NonNull::from(Box::leak(self)).cast()
    }

    /// What importing it is refused with; it still belongs to us then.
    fn refusal(self: Box<Self>) -> Error {
        let deletions = self.deletions;
        let parcel = self.send();
        // SAFETY: it was just made.
        let error = unsafe { dlpack::import(parcel) }.unwrap_err();
        assert_eq!(deletions.load(SeqCst), 0, "a refused tensor still belongs to its owner");
        // SAFETY: as above.
        unsafe { delete_stranger(parcel.as_ptr()) };
        error
    }
}

unsafe extern "C" fn delete_stranger(managed: *mut ManagedTensor) {
    // SAFETY: `send` leaked it.
    let stranger = unsafe { Box::from_raw(managed.cast::<Stranger>()) };
    stranger.deletions.fetch_add(1, SeqCst);
}

#[test]
fn every_layout_and_dtype_round_trips() {
    for layout in zoo::layouts() {
        for dtype in DType::ALL {
            let storage = Storage::zeroed(4096 * dtype.size()).unwrap();
            let Ok(x) = Tensor::from_storage(storage, layout.clone(), dtype) else { continue };
            let shares = x.storage().n_shares();
            let parcel = dlpack::export(&x).unwrap();
            // SAFETY: it was just made, and is read before it is imported.
            let raw = unsafe { &parcel.as_ref().tensor };
            assert_eq!(raw.dtype.dtype(), Some(dtype));
            assert_eq!(raw.data.addr(), x.storage().address() + x.offset() * dtype.size());
            assert_eq!(x.storage().n_shares(), shares + 1, "the parcel keeps the storage alive");
            // SAFETY: as above.
            let y = unsafe { dlpack::import(parcel) }.unwrap();
            assert!(y.storage().is_same(x.storage()), "what is ours stays ours");
            assert_eq!((y.layout(), y.dtype()), (x.layout(), x.dtype()));
            drop(y);
            assert_eq!(x.storage().n_shares(), shares, "and is released");
        }
    }
}

#[test]
fn exported_struct_describes_the_elements() {
    let x = Tensor::arange(0..24).unwrap().reshape([2, 3, 4]).unwrap();
    let views = [
        x.clone(),
        x.permute_dims([2, 0, 1]).unwrap(),
        x.flip([0, 2]).unwrap(),
        x.slice(s![1, ..;2, 1..]).unwrap(),
        x.broadcast_to([5, 2, 3, 4]).unwrap(),
    ];
    for view in views {
        let parcel = dlpack::export(&view).unwrap();
        // SAFETY: it was just exported, and nothing writes to the tensor meanwhile.
        unsafe {
            let raw = &parcel.as_ref().tensor;
            let n = raw.rank as usize;
            let (shape, strides) = (
                std::slice::from_raw_parts(raw.shape, n),
                std::slice::from_raw_parts(raw.strides, n),
            );
            let len: i64 = shape.iter().product();
            let seen: Vec<i32> = (0..len)
                .map(|flat| {
                    let (mut rest, mut at) = (flat, 0);
                    for k in (0..n).rev() {
                        at += rest % shape[k] * strides[k];
                        rest /= shape[k];
                    }
                    raw.data.cast::<i32>().offset(at as isize).read()
                })
                .collect();
            assert_eq!(seen, view.to_vec::<i32>().unwrap());
            (parcel.as_ref().deleter.unwrap())(parcel.as_ptr());
        }
    }
}

#[test]
fn imported_tensor_is_read_written_and_released_once() {
    let stranger = Stranger::new(12, 11, &[3, 4], &[-4, -1]);
    let (deletions, data) = (stranger.deletions, stranger.data.as_ptr());
    // SAFETY: it was just made.
    let x = unsafe { dlpack::import(stranger.send()) }.unwrap();
    assert_eq!(x.storage().address(), data.addr());
    let backwards: Vec<f32> = (0..12).rev().map(|it| it as f32).collect();
    assert_eq!(x.to_vec::<f32>().unwrap(), backwards);
    x.select(0, 0).unwrap().fill(7).unwrap();
    // SAFETY: the data lives until the last tensor is dropped, and nothing writes to it.
    assert_eq!(unsafe { data.add(11).read() }, 7.0, "the owner sees what was written");
    let view = x.flip([1]).unwrap();
    drop(x);
    assert_eq!(deletions.load(SeqCst), 0, "a view keeps it alive");
    assert_eq!(view.get::<f32>(&[2, 0]).unwrap(), 0.0);
    drop(view);
    assert_eq!(deletions.load(SeqCst), 1);
}

#[test]
fn missing_strides_empty_and_scalar_tensors_are_imported() {
    let mut stranger = Stranger::new(6, 0, &[2, 3], &[9, 9]);
    stranger.managed.tensor.strides = null_mut();
    // SAFETY: each of these was just made.
    unsafe {
        let x = dlpack::import(stranger.send()).unwrap();
        assert_eq!(x.strides(), [3, 1]);
        assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);

        let mut nothing = Stranger::new(1, 0, &[0, 5], &[i64::MAX, i64::MIN]);
        nothing.managed.tensor.data = null_mut();
        let deletions = nothing.deletions;
        let x = dlpack::import(nothing.send()).unwrap();
        assert_eq!(x.shape(), [0, 5]);
        assert!(x.to_vec::<f32>().unwrap().is_empty());
        drop(x);
        assert_eq!(deletions.load(SeqCst), 1);

        let mut number = Stranger::new(3, 2, &[], &[]);
        (number.managed.tensor.shape, number.managed.tensor.strides) = (null_mut(), null_mut());
        assert_eq!(dlpack::import(number.send()).unwrap().item::<f32>().unwrap(), 2.0);

        // The stride of an axis of length 1 is not used.
        let lone = Stranger::new(3, 1, &[1, 2], &[i64::MIN, 1]);
        assert_eq!(dlpack::import(lone.send()).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
}

#[test]
fn read_only_flag_round_trips() {
    let mut stranger = Stranger::new(4, 0, &[4], &[1]);
    stranger.managed.flags = FLAG_READ_ONLY;
    // SAFETY: it was just made.
    let x = unsafe { dlpack::import(stranger.send()) }.unwrap();
    assert!(matches!(x.fill(1.0), Err(Error::ReadOnly)));
    assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0]);

    let repeated = Tensor::arange(0..3).unwrap().broadcast_to([2, 3]).unwrap();
    for (x, flags) in [(&x, 1), (&repeated, 1), (&Tensor::arange(0..3).unwrap(), 0)] {
        let parcel = dlpack::export(x).unwrap();
        // SAFETY: it was just made.
        unsafe {
            assert_eq!(parcel.as_ref().flags & FLAG_READ_ONLY, flags);
            assert_eq!(parcel.as_ref().version, VERSION);
            dlpack::import(parcel).unwrap();
        }
        match (dlpack::export_legacy(x), flags) {
            (Err(Error::Dlpack(DlpackError::ReadOnly)), 1) => {}
            (Ok(parcel), 0) => {
                // SAFETY: as above.
                let y = unsafe { dlpack::import_legacy(parcel) }.unwrap();
                assert!(y.storage().is_same(x.storage()));
            }
            (other, flags) => panic!("{other:?} for flags {flags}"),
        }
    }
}

#[test]
fn strides_of_axes_of_length_1_are_exported_as_contiguous() {
    let x = Tensor::arange(0..6).unwrap().reshape([2, 1, 3]).unwrap();
    let parcel = dlpack::export(&x).unwrap();
    // SAFETY: it was just made.
    unsafe {
        let strides = std::slice::from_raw_parts(parcel.as_ref().tensor.strides, 3);
        assert_eq!(strides, [3, 3, 1]);
        dlpack::import(parcel).unwrap();
    }
}

#[test]
fn invalid_tensors_are_refused_with_their_values() {
    let changed = |change: fn(&mut ManagedTensor)| {
        let mut stranger = Stranger::new(4, 0, &[2, 2], &[2, 1]);
        change(&mut stranger.managed);
        stranger.refusal()
    };
    let refusals = [
        (
            changed(|it| it.version = Version { major: 2, minor: 3 }),
            "version 2.3 of DLPack is not supported, expected 1.x",
        ),
        (
            changed(|it| it.tensor.device = DlpackDevice { kind: 2, id: 1 }),
            "the memory is on device 1 of kind 2, expected the CPU (kind 1)",
        ),
        (
            changed(|it| it.tensor.dtype = RawType { code: 2, bits: 8, lanes: 1 }),
            "the dtype of code 2, 8 bits and 1 lanes is not supported",
        ),
        (
            changed(|it| it.tensor.dtype.lanes = 4),
            "the dtype of code 2, 32 bits and 4 lanes is not supported",
        ),
        (
            changed(|it| it.tensor.rank = -1),
            "the number of axes or a length is negative or too large: -1",
        ),
        (
            // The lists have two items: they must not be read.
            changed(|it| it.tensor.rank = 1_000_000),
            "the number of axes or a length is negative or too large: 1000000",
        ),
        (
            changed(|it| it.tensor.shape = null_mut()),
            "the number of axes or a length is negative or too large: 2",
        ),
        (
            Stranger::new(4, 0, &[2, -2], &[2, 1]).refusal(),
            "the number of axes or a length is negative or too large: -2",
        ),
        (
            Stranger::new(4, 0, &[2, 3], &[i64::MAX, 1]).refusal(),
            "shape [2, 3] with strides [9223372036854775807, 1] exceeds the address space",
        ),
        (
            changed(|it| it.tensor.data = null_mut()),
            "the data pointer of a tensor of 4 elements is null",
        ),
    ];
    for (error, message) in refusals {
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), ErrorKind::Io);
    }
    let error = changed(|it| it.tensor.byte_offset = 2);
    assert!(matches!(error, Error::Unaligned { dtype: DType::Float32, .. }), "{error}");
    let message = "a read-only tensor cannot be exported as an unversioned DLPack struct, \
                   which has no read-only flag; copy it first";
    assert_eq!(Error::from(DlpackError::ReadOnly).to_string(), message);
}

#[test]
fn unversioned_structs_are_supported() {
    unsafe extern "C" fn delete(managed: *mut LegacyManagedTensor) {
        // SAFETY: the test made it, and its context.
        unsafe {
            let managed = Box::from_raw(managed);
            (*managed.context.cast::<AtomicUsize>()).fetch_add(1, SeqCst);
        }
    }
    let deletions = counter();
    let (mut data, mut shape) = ([1i64, 2, 3], [3i64]);
    let tensor = RawTensor {
        data: data.as_mut_ptr().cast(),
        device: DlpackDevice::CPU,
        rank: 1,
        dtype: RawType::of(DType::Int64),
        shape: shape.as_mut_ptr(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let context: *mut c_void = (&raw const *deletions).cast_mut().cast();
    let managed = Box::new(LegacyManagedTensor { tensor, context, deleter: Some(delete) });
    // SAFETY: it was just made, and its memory outlives the tensor.
    let x = unsafe { dlpack::import_legacy(NonNull::from(Box::leak(managed))) }.unwrap();
    assert_eq!(x.sum(()).unwrap().item::<i64>().unwrap(), 6);
    assert_eq!(x.layout(), &Layout::row_major(&[3]).unwrap());
    drop(x);
    assert_eq!(deletions.load(SeqCst), 1);
}

/// Imports a tensor of another library over the memory of `x`, which does not mark it as read-only.
fn reimported_without_flags(x: &Tensor) -> Tensor {
    let mut shape = [x.len() as i64];
    let tensor = RawTensor {
        data: x.storage().ptr().as_ptr().cast(),
        device: DlpackDevice::CPU,
        rank: 1,
        dtype: RawType::of(x.dtype()),
        shape: shape.as_mut_ptr(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let (version, context) = (VERSION, null_mut());
    let mut managed = ManagedTensor { version, context, deleter: None, flags: 0, tensor };
    // SAFETY: it describes the memory of `x`, whose storage the result shares.
    let again = unsafe { dlpack::import(NonNull::from(&mut managed)) }.unwrap();
    assert!(again.storage().is_same(x.storage()));
    again
}

#[test]
fn storage_exported_as_read_only_is_read_only_when_reimported() {
    let x = Tensor::arange(0..6).unwrap();
    let fixed = x.storage().read_only();
    let fixed = Tensor::from_storage(fixed, x.layout().clone(), x.dtype()).unwrap();
    let export = |x: &Tensor| {
        let parcel = dlpack::export(x).unwrap();
        // SAFETY: it was just made, and is imported once.
        drop(unsafe { dlpack::import(parcel) }.unwrap());
    };
    export(&fixed);
    assert!(matches!(reimported_without_flags(&x).fill(7), Err(Error::ReadOnly)));
    export(&x.select(0, 0).unwrap().broadcast_to([4]).unwrap());
    assert!(matches!(reimported_without_flags(&x).fill(7), Err(Error::ReadOnly)));
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    // Another export allows writes: the memory does not say through which of them it comes back.
    export(&x);
    reimported_without_flags(&x).fill(7).unwrap();
    export(&fixed);
    reimported_without_flags(&x).fill(8).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [8; 6]);
}

#[test]
fn reimported_tensor_shares_its_original_storage() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let part = x.slice(s![1.., ..;2]).unwrap();
    let parcel = dlpack::export(&part).unwrap();
    // Another library exports the imported tensor again, in its own struct.
    let (mut shape, mut strides) = ([2i64, 2], [-4i64, 2]);
    let tensor = RawTensor {
        // SAFETY: the parcel was just made; the second row is one further.
        data: unsafe { parcel.as_ref().tensor.data.cast::<i32>().add(4).cast() },
        device: DlpackDevice::CPU,
        rank: 2,
        dtype: RawType::of(DType::Int32),
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let (version, context) = (VERSION, null_mut());
    let mut again = ManagedTensor { version, context, deleter: None, flags: 0, tensor };
    // SAFETY: it describes memory that the first parcel keeps alive, and is used once.
    let y = unsafe { dlpack::import(NonNull::from(&mut again)) }.unwrap();
    assert!(y.storage().is_same(x.storage()), "so that guards know of each other");
    assert_eq!(y.to_vec::<i32>().unwrap(), [8, 10, 4, 6]);
    y.fill(7).unwrap();
    again.flags = FLAG_READ_ONLY;
    // SAFETY: as above; what the first import read is still there, and nothing was deleted.
    let marked = unsafe { dlpack::import(NonNull::from(&mut again)) }.unwrap();
    assert!(marked.storage().is_same(x.storage()));
    assert!(matches!(marked.select(0, 0).unwrap().fill(1), Err(Error::ReadOnly)));
    assert_eq!(marked.to_vec::<i32>().unwrap(), [7; 4]);
    let _guard = x.write::<i32>().unwrap();
    assert!(y.read::<i32>().is_err(), "a reader conflicts with the writer");
    // SAFETY: it was made above, and is used once.
    unsafe { dlpack::import(parcel) }.unwrap();
}
