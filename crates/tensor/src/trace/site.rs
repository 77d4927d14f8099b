//! [`Site`]: the call site of an operation, which is located when an event needs it.

use super::{CallSite, LOCATOR, scope};
use std::cell::Cell;

thread_local! {
    /// Whether this thread is inside of the locator, whose operations announce nothing.
    static IS_LOCATING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is inside of the locator.
pub(super) fn is_locating() -> bool {
    IS_LOCATING.get()
}

/// The call site of an operation in another language. To find it takes longer than a small operation, so it is located
/// only for events that are recorded.
#[derive(Clone)]
pub(super) enum Site {
    NotLocated,
    Located(Option<CallSite>),
}

impl Site {
    /// Locates the call site, unless that was done before. Not to be called while memory is claimed.
    pub(super) fn locate(&mut self) {
        if matches!(self, Site::NotLocated) {
            *self = Site::Located(locate());
        }
    }

    /// Returns the call site, if it was located and found.
    pub(super) fn call_site(&self) -> Option<CallSite> {
        match self {
            Site::NotLocated => None,
            Site::Located(call_site) => call_site.clone(),
        }
    }
}

/// Returns the line of another language that is being executed, found by the function that
/// [`locate_callers`](super::locate_callers) installed. Not to be called while memory is claimed.
///
/// ```
/// use belvedere::trace;
///
/// assert!(trace::call_site().is_none()); // no function is installed
/// ```
pub fn call_site() -> Option<CallSite> {
    locate()
}

/// Finds the call site in another language.
fn locate() -> Option<CallSite> {
    struct StopOnDrop;
    impl Drop for StopOnDrop {
        fn drop(&mut self) {
            IS_LOCATING.set(false);
        }
    }
    let locator = LOCATOR.get().filter(|_| !scope::is_isolated())?;
    IS_LOCATING.set(true);
    let _stop = StopOnDrop;
    locator()
}
