//! Optional back-ends, each compiled with a Cargo feature of the same name.
//!
//! A feature gates a back-end only: every public function, its argument checks and its output layout are
//! always compiled. An operation calls [`Feature::require`] when it needs values.

use crate::Error;
use crate::storage::creates_meta;

/// A Cargo feature, and whether this build has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    name: &'static str,
    is_enabled: bool,
}

impl Feature {
    /// LU, Cholesky, QR, SVD and eigendecompositions.
    pub(crate) const FACTORIZATIONS: Feature =
        Feature { name: "factorizations", is_enabled: cfg!(feature = "factorizations") };

    /// Fourier transforms.
    pub(crate) const FFT: Feature = Feature { name: "fft", is_enabled: cfg!(feature = "fft") };

    /// Random numbers.
    pub(crate) const RANDOM: Feature =
        Feature { name: "random", is_enabled: cfg!(feature = "random") };

    /// Memory-mapped files.
    #[cfg(not(feature = "files"))]
    pub(crate) const FILES: Feature = Feature { name: "files", is_enabled: false };

    /// Checks that this build has the feature.
    ///
    /// # Errors
    /// If it does not: the error names the feature and the operation.
    pub(crate) fn require(self, op: &'static str) -> Result<(), Error> {
        // Tensors without memory need no values.
        if self.is_enabled || creates_meta() { Ok(()) } else { Err(self.disabled(op)) }
    }

    /// The error of an operation that needs the feature.
    pub(crate) fn disabled(self, op: &'static str) -> Error {
        Error::FeatureDisabled { op, feature: self.name }
    }
}
