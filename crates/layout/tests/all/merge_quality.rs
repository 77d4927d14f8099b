//! How many of the chains that are equivalent to a single stage are merged: printed, and bounded from below.

use crate::zoo::model::Model;
use crate::zoo::moves::{Taste, movement, some_shape};
use crate::zoo::{Dice, full};
use belvedere_layout::{Chain, Layout};

#[derive(Default)]
struct Tally {
    chains: usize,
    mergeable: usize,
    merged: usize,
}

impl Tally {
    fn percent(&self) -> f64 {
        100.0 * self.merged as f64 / self.mergeable as f64
    }

    fn print(&self, what: &str) {
        let Tally { chains, mergeable, merged } = self;
        let percent = self.percent();
        println!(
            "merge quality, {what}: {merged} of {mergeable} mergeable = {percent:.2} % ({chains} chains)"
        );
    }
}

/// Random chains of two to five movements over fresh memory of `sizes` elements.
fn tally(seed: u64, chains: usize, sizes: std::ops::Range<usize>, taste: Taste) -> Tally {
    let mut dice = Dice::new(seed);
    let mut tally = Tally::default();
    while tally.chains < chains {
        let n = sizes.start + dice.below(sizes.len());
        // Large numbers of many divisors: others would hardly be reshaped at all.
        let n = if n > 1000 { n / 240 * 240 } else { n };
        let layout = Layout::row_major(&some_shape(&mut dice, n)).unwrap();
        let (mut chain, mut model) = (Chain::new(layout.clone()), Model::new(&layout));
        let mut is_padded = false;
        for _ in 0..2 + dice.below(4) {
            let step = movement(&mut dice, &model.shape, taste);
            chain = step.of_chain(&chain);
            model = model.apply(&step);
            is_padded |= model.offsets.contains(&None);
        }
        if is_padded != taste.pads {
            continue;
        }
        tally.chains += 1;
        let mergeable = model.is_one_stage();
        tally.mergeable += usize::from(mergeable);
        tally.merged += usize::from(chain.depth() == 1);
        assert!(mergeable || chain.depth() > 1, "{chain:?} is no single stage");
    }
    tally
}

#[test]
fn unpadded_chains_merge_if_possible() {
    let n = if full() { 200_000 } else { 20_000 };
    let tally = tally(21, n, 4..120, Taste { pads: false, repeats: true, most: 240 });
    tally.print("unpadded");
    assert_eq!(tally.merged, tally.mergeable);
    assert!(tally.mergeable > n / 4);
}

#[test]
fn padded_chains_nearly_always_merge_if_possible() {
    let n = if full() { 200_000 } else { 20_000 };
    let tally = tally(22, n, 4..120, Taste { pads: true, repeats: true, most: 400 });
    tally.print("padded");
    assert!(tally.percent() >= 99.5);
    assert!(tally.mergeable > n / 4);
}

/// These chains are too large to enumerate: only the affine rule applies.
#[test]
fn chains_too_large_to_enumerate_merge_by_the_affine_rule() {
    let n = if full() { 20_000 } else { 1_000 };
    // Shrinking and stepping leave more than the 4096 elements that would be listed nearly always.
    let sizes = 20_000..30_000;
    let plain = tally(23, n, sizes.clone(), Taste { pads: false, repeats: true, most: 90_000 });
    plain.print("unpadded, too large to list");
    let padded = tally(24, n, sizes, Taste { pads: true, repeats: true, most: 90_000 });
    padded.print("padded, too large to list");
    assert!(plain.percent() >= 99.5 && padded.percent() >= 99.5);
}
