//! [`Grads`]: the gradients of watched tensors.

use crate::accumulate::GradientStore;
use crate::components::component_layout;
use crate::error::{GradientError, Line};
use crate::overlap::Membership;
use belvedere::{DType, Error, Layout, StorageId, Tensor};
use std::collections::HashMap;
use std::fmt;

/// The gradients that [`Tape::backward`](crate::Tape::backward) computed.
#[derive(Default)]
pub struct Grads {
    /// The watched elements of each storage, the latest first.
    watched: HashMap<StorageId, Vec<WatchedGradient>>,
}

/// The gradient of elements that were watched.
struct WatchedGradient {
    /// The components of the elements.
    components: Membership,
    /// Their dtype.
    dtype: DType,
    /// `None` if nothing depends on the storage.
    store: Option<GradientStore>,
}

impl Grads {
    pub(crate) fn insert(
        &mut self,
        storage: StorageId,
        (layout, dtype): (&Layout, DType),
        store: Option<GradientStore>,
    ) -> Result<(), Error> {
        let components = Membership::new(component_layout(layout, dtype)?);
        let watched = WatchedGradient { components, dtype: dtype.real(), store };
        self.watched.entry(storage).or_default().push(watched);
        Ok(())
    }

    /// Returns the gradient of a watched tensor, or of any view of it: a view with the same layout over the gradient's own
    /// memory. It is zero where nothing flows. The gradient of a complex tensor is `∂L/∂(real part) + i ∂L/∂(imaginary part)`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// let tape = Tape::new();
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.square()?.sum(()))?;
    /// let grads = tape.backward(&y)?;
    /// let (rows, columns) = (grads.wrt(&x)?, grads.wrt(&x.t()?)?);
    /// assert!(rows.shares_memory(&columns).unwrap());
    /// assert_eq!(columns.to_vec::<f64>()?, [2.0, 6.0, 4.0, 8.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If some of its elements were not watched, or its dtype is another one.
    #[track_caller]
    pub fn wrt(&self, x: &Tensor) -> Result<Tensor, Error> {
        let all = self.watched.get(&x.storage().id()).map_or(&[][..], |it| it);
        let (own, dtype) = (component_layout(x.layout(), x.dtype())?, x.dtype().real());
        let is_watched =
            |it: &&WatchedGradient| it.dtype == dtype && it.components.contains_all(&own);
        let Some(found) = all.iter().find(is_watched) else {
            let (shape, dtype, line) = (x.shape(), x.dtype(), Line::here().to_string());
            return Err(GradientError::NotWatched { shape, dtype, line }.into());
        };
        match &found.store {
            Some(store) => store.view(x.layout(), x.dtype()),
            None => Tensor::zeros(x.shape(), x.dtype()),
        }
    }
}

impl fmt::Debug for Grads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grads").field("storages", &self.watched.len()).finish()
    }
}
