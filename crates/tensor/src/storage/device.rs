//! [`Device`]: where the elements of a tensor are.

use std::cell::Cell;
use std::fmt;

/// Where the elements of a tensor are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// In memory.
    #[default]
    Cpu,
    /// Nowhere: the tensor has a shape, a dtype and strides, and no values. Operations on it check, promote,
    /// broadcast and lay out their results as always and touch nothing, so it shows the shapes and the memory of
    /// a program before it runs, whatever its size.
    Meta,
}

impl Device {
    /// Returns its name: `cpu` or `meta`.
    ///
    /// ```
    /// use belvedere::Device;
    ///
    /// assert_eq!(Device::Meta.name(), "meta");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Meta => "meta",
        }
    }
}

thread_local! {
    /// The device of tensors that are created from no others.
    static CREATION_DEVICE: Cell<Device> = const { Cell::new(Device::Cpu) };
}

/// Calls `f`; tensors that it creates on this thread from no other tensors are on `device`.
///
/// ```
/// use belvedere::{Device, prelude::*, with_device};
///
/// let x = with_device(Device::Meta, || Tensor::arange(0..1i64 << 40))?;
/// assert_eq!((x.len(), x.device()), (1 << 40, Device::Meta));
/// # Ok::<(), belvedere::Error>(())
/// ```
pub fn with_device<R>(device: Device, f: impl FnOnce() -> R) -> R {
    struct DeviceReset(Device);
    impl Drop for DeviceReset {
        fn drop(&mut self) {
            CREATION_DEVICE.set(self.0);
        }
    }
    let _reset = DeviceReset(CREATION_DEVICE.replace(device));
    f()
}

/// Returns whether tensors that are created from no others have no memory.
#[inline]
pub(crate) fn creates_meta() -> bool {
    CREATION_DEVICE.get() == Device::Meta
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
