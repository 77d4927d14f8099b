//! `note_export`: memory whose address another library gets.

use super::Tensor;
use crate::Error;
use crate::trace::{Call, EventKind};

impl Tensor {
    /// Announces that another library gets the address of the elements, and registers the memory as
    /// [`Storage::note_export`](crate::Storage::note_export) does.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::{Storage, trace};
    ///
    /// let x = tensor![1, 2, 3];
    /// let (_, trace) = trace::record(|| x.note_export());
    /// assert_eq!(trace.events()[0].kind, trace::EventKind::Export);
    /// assert!(Storage::exported_at(x.storage().address(), 12).is_some());
    /// ```
    ///
    /// # Errors
    /// If an observer refuses it.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn note_export(&self) -> Result<(), Error> {
        self.note_export_by(Call::new("export"))
    }

    /// The same for another call.
    pub(crate) fn note_export_by(&self, call: Call<'_>) -> Result<(), Error> {
        call.announce().deliver_access(EventKind::Export, self)?;
        match self.check_writable() {
            Ok(()) => self.storage().note_export(),
            Err(_) => self.storage().read_only().note_export(),
        }
        Ok(())
    }
}
