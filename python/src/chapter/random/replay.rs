//! Draws that are repeated: a function of a checkpoint draws the same numbers when it is called again.
//!
//! During its first call, the state of each generator before its first draw is logged. During a later call, draws are
//! made from copies of these states: the generators themselves do not change, and other threads may use them meanwhile.

use belvedere::random;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// A generator that Python objects share.
pub(super) type SharedGenerator = Arc<Mutex<random::Generator>>;

/// The states of generators.
#[derive(Clone, Default)]
pub(crate) struct GeneratorStates(Vec<(SharedGenerator, random::Generator)>);

impl GeneratorStates {
    fn position(&self, generator: &SharedGenerator) -> Option<usize> {
        self.0.iter().position(|(it, _)| Arc::ptr_eq(it, generator))
    }
}

/// What happens to the draws of a thread.
enum Mode {
    /// The states before the first draws are noted here.
    Logged(GeneratorStates),
    /// The draws are made from these states.
    Replayed(GeneratorStates),
}

thread_local! {
    /// The calls that this thread is inside of, the innermost last.
    static MODES: RefCell<Vec<Mode>> = const { RefCell::new(Vec::new()) };
}

/// Ends a call when it is dropped, also by a panic.
struct OpenMode;

impl Drop for OpenMode {
    fn drop(&mut self) {
        let ended = MODES.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

/// Calls a function, and returns the states of the generators before it has drawn from them.
pub(crate) fn logged<R>(f: impl FnOnce() -> R) -> (R, GeneratorStates) {
    MODES.with_borrow_mut(|modes| modes.push(Mode::Logged(GeneratorStates::default())));
    let open = OpenMode;
    let result = f();
    let log = MODES.with_borrow_mut(|modes| match modes.last_mut() {
        Some(Mode::Logged(states)) => std::mem::take(states),
        _ => GeneratorStates::default(),
    });
    drop(open);
    (result, log)
}

/// Calls a function that draws from states.
pub(crate) fn replayed<R>(states: GeneratorStates, f: impl FnOnce() -> R) -> R {
    MODES.with_borrow_mut(|modes| modes.push(Mode::Replayed(states)));
    let _open = OpenMode;
    f()
}

/// Runs an operation of a generator, or of the state that replaces it. A panic during a draw leaves the generator valid, so
/// that poisoning is ignored.
pub(super) fn draw<T>(
    generator: &SharedGenerator,
    operation: impl FnOnce(&mut random::Generator) -> T,
) -> T {
    if MODES.with_borrow(Vec::is_empty) {
        return operation(&mut generator.lock().unwrap_or_else(PoisonError::into_inner));
    }
    let replayed = MODES.with_borrow(|modes| {
        let find = |(n, mode): (usize, &Mode)| match mode {
            Mode::Replayed(states) => {
                states.position(generator).map(|at| (n, at, states.0[at].1.clone()))
            }
            Mode::Logged(_) => None,
        };
        modes.iter().enumerate().rev().find_map(find)
    });
    match replayed {
        Some((n, at, mut state)) => {
            note_state(n + 1, generator, &state);
            let result = operation(&mut state);
            MODES.with_borrow_mut(|modes| {
                if let Some(Mode::Replayed(states)) = modes.get_mut(n) {
                    states.0[at].1 = state;
                }
            });
            result
        }
        None => {
            let mut own = generator.lock().unwrap_or_else(PoisonError::into_inner);
            note_state(0, generator, &own);
            operation(&mut own)
        }
    }
}

/// Notes the state of a generator in the logs from one on that do not know it.
fn note_state(from: usize, generator: &SharedGenerator, state: &random::Generator) {
    MODES.with_borrow_mut(|modes| {
        for mode in &mut modes[from..] {
            if let Mode::Logged(states) = mode
                && states.position(generator).is_none()
            {
                states.0.push((Arc::clone(generator), state.clone()));
            }
        }
    });
}
