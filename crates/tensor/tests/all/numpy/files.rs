//! `.npy` files: ours equal NumPy's byte by byte, and NumPy's are read in every byte and axis order.

use crate::numpy::close::Tolerance::Exact;
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;
use belvedere::Tensor;
use belvedere::io::npy;

#[test]
fn npy_files_match_numpy() {
    let Some(mut session) = Session::new("files") else { return };
    let mut random = Random::new(10);
    for dtype in types() {
        for _ in 0..session.times(40) {
            let shape = random.shape();
            let x = Operand::new(&mut random, &shape, dtype, Values::Any);
            let (inputs, python) = ([&x.base], x.named("a"));
            session.ask("written", &inputs, format!("saved({python})"), Exact, || {
                let mut bytes = Vec::new();
                npy::write_to(&mut bytes, &x.view)?;
                let len = bytes.len();
                Tensor::from_vec(bytes, [len])
            });
            // The result itself is returned in such a file.
            let swapped = format!("swapped({python})");
            session.ask("other byte order", &inputs, swapped, Exact, || Ok(x.view.clone()));
            let python = format!("np.asfortranarray({python})");
            session.ask("column-major", &inputs, python, Exact, || match x.view.rank() {
                // NumPy turns a 0-d array into a 1-d array.
                0 => x.view.view([1]),
                _ => Ok(x.view.clone()),
            });
        }
    }
    session.finish();
}
