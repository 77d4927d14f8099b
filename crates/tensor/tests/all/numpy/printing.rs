//! The text form of tensors.

use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;

#[test]
fn printing_matches_numpy() {
    let Some(mut session) = Session::new("printing") else { return };
    let mut random = Random::new(5);
    let of = [
        Values::Any,
        Values::Whole(-9, 9),
        Values::Whole(-100_000, 100_000),
        Values::Within(-1.0, 1.0),
        Values::Within(-1000.0, 1000.0),
        Values::Within(-2e-5, 2e-5),
        Values::Within(0.0, 3e8),
    ];
    for dtype in types() {
        for values in of {
            for _ in 0..session.times(25) {
                let shape = random.shape();
                let x = Operand::new(&mut random, &shape, dtype, values);
                let topic = dtype.name();
                session.ask_text(topic, &[&x.base], x.named("a"), || x.view.to_string());
            }
        }
    }
    session.finish();
}
