//! Plans: the loops visit exactly the offsets of the layouts, together, each index once; known cases
//! have known loops; tiled copies cover every element once; results have the axis order of their operands.

use crate::zoo::{self, Freedom, TestRng};
use belvedere::plan::{
    Access, BLOCK_ELEMENTS, ESTIMATE_MIN_ELEMENTS, Estimate, Loop, Plan, TiledCopy, Width,
    output_layout,
};
use belvedere::*;

/// Returns the tuples of offsets of the same index, sorted.
fn tuples<const N: usize>(layouts: [&Layout; N]) -> Vec<[usize; N]> {
    let mut tuples = vec![[0; N]; layouts[0].len()];
    for (n, layout) in layouts.iter().enumerate() {
        layout.offsets().zip(&mut tuples).for_each(|(offset, tuple)| tuple[n] = offset);
    }
    tuples
}

fn check_walks<const N: usize>(layouts: [&Layout; N], sizes: [usize; N]) {
    let in_order = tuples(layouts);
    let mut sorted = in_order.clone();
    sorted.sort_unstable();
    let plan = Plan::elementwise(layouts, sizes).unwrap();
    let mut found: Vec<[usize; N]> = plan.offsets().collect();
    assert_eq!((plan.len(), plan.is_empty()), (found.len(), found.is_empty()), "{layouts:?}");
    found.sort_unstable();
    assert_eq!(found, sorted, "{layouts:?}: {plan}");
    let tile = plan.tile();
    assert!(tile.rows * tile.cols <= BLOCK_ELEMENTS && tile.rows > 0 && tile.cols > 0, "{plan:?}");
    if let Some(last) = plan.loops().last().filter(|it| it.len > 0) {
        assert!(tile.cols <= last.len, "{plan:?}");
    }
    assert!(plan.loops().iter().all(|it| it.len != 1), "{plan}");
    for it in plan.loops().iter().filter(|_| !plan.is_empty()) {
        let leading = it.steps.iter().find(|&&step| step != 0);
        assert!(leading.is_none_or(|&step| step > 0), "the output walks forwards: {plan}");
    }

    let plan = Plan::in_order(layouts).unwrap();
    assert!(plan.offsets().eq(in_order), "{layouts:?}: {plan}");
}

#[test]
fn plans_of_all_layouts_visit_their_offsets() {
    let mut rng = TestRng::new(1);
    for layout in zoo::layouts() {
        check_walks([&layout], [4]);
        for _ in 0..zoo::rounds(40) {
            let mut other = || rng.random_layout(&layout.shape(), Freedom::Any);
            let (one, two, three) = (other(), other(), other());
            check_walks([&layout, &one], [4, 4]);
            check_walks([&one, &layout, &two], [1, 8, 4]);
            check_walks([&one, &two, &three, &layout], [16, 1, 2, 16]);
        }
    }
}

#[test]
fn plans_of_random_layouts_visit_their_offsets() {
    let mut rng = TestRng::new(2);
    for _ in 0..zoo::rounds(2000) {
        let shape = rng.shape(8, 300);
        let layouts = [0; 3].map(|_| rng.random_layout(&shape, Freedom::Any));
        check_walks(layouts.each_ref(), [4, 2, 8]);
    }
}

#[test]
fn plans_by_address_are_in_the_order_of_addresses() {
    let mut rng = TestRng::new(3);
    for _ in 0..zoo::rounds(2000) {
        let shape = rng.shape(6, 300);
        let (out, other) = (
            rng.random_layout(&shape, Freedom::Injective),
            rng.random_layout(&shape, Freedom::Any),
        );
        let mut expected = tuples([&out, &other]);
        expected.sort_unstable();
        let plan = Plan::by_address([&out, &other], false).unwrap();
        assert!(plan.offsets().eq(expected.iter().copied()), "{out:?} {other:?}: {plan}");
        let plan = Plan::by_address([&out, &other], true).unwrap();
        assert!(plan.offsets().eq(expected.into_iter().rev()), "{out:?} {other:?}: {plan}");
    }
}

#[test]
fn axes_fuse_as_far_as_they_can() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let block = row(&[2, 3, 4]);
    let n_loops = |layouts: [&Layout; 2]| {
        let plan = Plan::elementwise(layouts, [4, 4]).unwrap();
        plan.loops().len()
    };
    let turned = |layout: &Layout| layout.permute(&[2, 0, 1]).unwrap();
    assert_eq!(n_loops([&block, &block]), 1);
    assert_eq!(n_loops([&turned(&block), &turned(&block)]), 1, "turned together");
    assert_eq!(n_loops([&block, &block.flip(&[0, 1, 2]).unwrap()]), 1, "flipped along all axes");
    let flipped = block.flip(&[1]).unwrap();
    assert_eq!(n_loops([&flipped, &flipped]), 1, "flipped together");
    assert_eq!(n_loops([&block, &flipped]), 3);
    assert_eq!(n_loops([&block, &row(&[4]).broadcast_to([2, 3, 4]).unwrap()]), 2);
    assert_eq!(n_loops([&block, &row(&[2, 1, 1]).broadcast_to([2, 3, 4]).unwrap()]), 2);
    assert_eq!(n_loops([&block, &Layout::scalar(0).unwrap().broadcast_to([2, 3, 4]).unwrap()]), 1);
    assert_eq!(n_loops([&row(&[1, 1]), &row(&[1, 1])]), 0);
    let column = row(&[6, 8]).slice(&s![.., 0..4]).unwrap();
    assert_eq!(n_loops([&row(&[6, 4]), &column]), 2, "gaps between rows");
    assert_eq!(n_loops([&row(&[2; 8]), &row(&[2; 8])]), 1);
    assert_eq!(n_loops([&row(&[2; 8]), &row(&[2; 8]).reverse()]), 8);
}

#[test]
fn the_innermost_loop_is_the_one_that_touches_least_memory() {
    let wide = Layout::row_major(&[100, 200]).unwrap().t().unwrap();
    let plan = Plan::elementwise([&wide, &wide], [4, 4]).unwrap();
    assert_eq!(plan.loops(), [Loop { len: 20_000, steps: [1, 1] }]);
    // Two operands against one: the majority wins.
    let tall = Layout::row_major(&[200, 100]).unwrap();
    let plan = Plan::elementwise([&tall, &wide, &tall], [4, 4, 4]).unwrap();
    assert_eq!(plan.loops().last(), Some(&Loop { len: 100, steps: [1, 200, 1] }));
    // The output counts twice.
    let plan = Plan::elementwise([&wide, &tall], [4, 4]).unwrap();
    assert_eq!(plan.loops().last(), Some(&Loop { len: 200, steps: [1, 100] }));
    assert!(plan.tile().rows > 1, "crossed operands are walked in tiles");
}

#[test]
fn plans_are_printed_and_compared() {
    let row = Layout::row_major(&[2, 3]).unwrap();
    let part = row.flip(&[0]).unwrap();
    let plan = |layouts: [&Layout; 2]| Plan::elementwise(layouts, [4, 4]).unwrap();
    assert_eq!(plan([&row, &part]).to_string(), "2 × (3, -3), 3 × (1, 1) from (0, 3)");
    assert_eq!(plan([&part, &row]).to_string(), "2 × (3, -3), 3 × (1, 1) from (0, 3)");
    let number = Layout::scalar(5).unwrap();
    assert_eq!(plan([&number, &number]).to_string(), "once from (5, 5)");
    let nothing = Layout::row_major(&[2, 0]).unwrap();
    assert!(plan([&nothing, &nothing]).is_empty());
    assert_eq!(plan([&row, &part]), plan([&row, &part]));
    assert_ne!(plan([&row, &part]), plan([&row, &row]));
    assert_eq!(plan([&row, &part]).starts(), [0, 3]);
}

/// Returns the tiled copy to a row-major output.
fn tiled_copy(source: &Layout, size: usize) -> Option<TiledCopy> {
    let out = Layout::row_major(&source.shape()).unwrap();
    Plan::elementwise([&out, source], [size, size]).unwrap().tiled_copy(size)
}

#[test]
fn tiled_copies_are_printed_and_compared() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let printed = |source: &Layout, size: usize| tiled_copy(source, size).unwrap().to_string();
    let transposed = row(&[4096, 4096]).t().unwrap();
    assert_eq!(
        printed(&transposed, 4),
        "64 of 4096 × (1, 4096), 64 of 4096 × (4096, 1) from (0, 0), 4096 tiles of 64 × 64"
    );
    // Single bytes: tiles with as many bytes per row as for larger elements, and two cache lines across the rows.
    assert_eq!(
        printed(&transposed, 1),
        "256 of 4096 × (1, 4096), 128 of 4096 × (4096, 1) from (0, 0), 512 tiles of 128 × 256"
    );
    assert_eq!(tiled_copy(&transposed, 4), tiled_copy(&transposed, 4));
    assert_ne!(tiled_copy(&transposed, 4), tiled_copy(&transposed, 8));
    let apart = row(&[8, 8]).slice(&s![..;2, ..;2]).unwrap();
    let plan = Plan::elementwise([&apart, &apart], [4, 4]).unwrap();
    assert_eq!(plan.tiled_copy(4), None, "the output is contiguous along no loop");
}

#[test]
fn tiles_of_a_copy_cover_every_element_once() {
    let mut rng = TestRng::new(7);
    for _ in 0..zoo::rounds(300) {
        let shape = rng.shape(5, 5000);
        let source = rng.random_layout(&shape, Freedom::Injective);
        let out = rng.random_layout(&shape, Freedom::Injective);
        for size in [1, 4, 16] {
            let plan = Plan::elementwise([&out, &source], [size, size]).unwrap();
            let Some(copy) = plan.tiled_copy(size).filter(|_| !plan.is_empty()) else { continue };
            let mut found = Vec::new();
            for tile in (0..copy.n_tiles()).map(|i| copy.tile(i)) {
                let mut offsets = vec![tile.starts];
                for it in tile.rows.into_iter().chain(tile.cols) {
                    offsets = offsets
                        .iter()
                        .flat_map(|at| {
                            (0..it.len as isize).map(move |i| {
                                [0, 1].map(|n| at[n].wrapping_add_signed(i * it.steps[n]))
                            })
                        })
                        .collect();
                }
                // A row is contiguous in the output.
                for row in offsets.chunks(tile.row_len()) {
                    assert!(row.windows(2).all(|it| it[1][0] == it[0][0] + 1), "{copy}");
                }
                found.extend(offsets);
            }
            let mut wanted: Vec<_> = plan.offsets().collect();
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{copy}");
            assert_eq!(copy.n_elements(), wanted.len());
        }
    }
}

#[test]
fn layouts_of_different_shapes_have_no_plan() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let error = Plan::elementwise([&row(&[2, 3]), &row(&[3, 2])], [4, 4]).unwrap_err();
    assert_eq!(error.to_string(), "plan needs shape [2, 3], got [3, 2]");
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert!(Plan::in_order([&row(&[2]), &row(&[2, 1])]).is_err());
    assert!(Plan::by_address([&row(&[2]), &row(&[1])], true).is_err());
}

#[test]
fn plans_of_huge_shapes_do_not_overflow() {
    let side = 1usize << 31;
    let one = Layout::scalar(0).unwrap().broadcast_to([side, side]).unwrap();
    let plan = Plan::elementwise([&one, &one], [usize::MAX, usize::MAX]).unwrap();
    assert_eq!(plan.len(), side * side);
    let far = Layout::from_strides(0, &[2, 2], &[isize::MAX / 2, 1]).unwrap();
    let plan = Plan::elementwise([&far, &far.t().unwrap()], [16, 16]).unwrap();
    assert_eq!(plan.offsets().count(), 4);
}

#[test]
fn a_result_has_the_axis_order_of_its_operands() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let reversed = |shape: &[usize]| row(shape).reverse();
    let strides = |shape: &[usize], operands: &[&Layout]| {
        let layout = output_layout(shape, operands).unwrap();
        assert!(layout.is_dense() && layout.start() == 0 && *layout.shape() == *shape);
        layout.axes().iter().map(|axis| axis.stride).collect::<Vec<_>>()
    };
    let turned = reversed(&[4, 3]);
    assert_eq!(strides(&[3, 4], &[&turned]), [1, 3]);
    assert_eq!(strides(&[3, 4], &[&turned, &row(&[3, 4])]), [4, 1], "they disagree");
    assert_eq!(strides(&[3, 4], &[]), [4, 1]);
    // Operands of lower rank do not count.
    assert_eq!(strides(&[2, 3, 4], &[&turned, &row(&[2, 3, 4])]), [12, 4, 1]);
    let gaps = row(&[2, 3, 8]).step(2, 2).unwrap();
    assert_eq!(strides(&[2, 3, 4], &[&reversed(&[4, 3]), &gaps]), [12, 4, 1]);
    // Axes of length 1, and broadcast ones, do not count.
    assert_eq!(strides(&[3, 1, 4], &[&reversed(&[4, 1, 3])]), [1, 0, 3]);
    let still = turned.unsqueeze(1).unwrap().broadcast_to([3, 5, 4]).unwrap();
    assert_eq!(strides(&[3, 5, 4], &[&still]), [5, 1, 15]);
    // The result has positive strides and no gaps.
    assert_eq!(strides(&[3, 4], &[&turned.flip(&[0, 1]).unwrap()]), [1, 3]);
    let columns = reversed(&[8, 3]).slice(&s![.., ..;2]).unwrap();
    assert_eq!(strides(&[3, 4], &[&columns]), [1, 3]);
    assert_eq!(strides(&[2, 3, 4], &[&row(&[3, 2, 4]).permute(&[1, 0, 2]).unwrap()]), [4, 8, 1]);
}

#[test]
fn sums_of_transposed_tensors_are_transposed() {
    let x = Tensor::arange(0..24).unwrap().reshape([4, 1, 6]).unwrap().reverse_dims();
    let sum = x.add(&x).unwrap();
    assert_eq!(sum.strides(), x.strides());
    assert_eq!(sum.add(&Tensor::ones([4], DType::Int32).unwrap()).unwrap().shape(), [6, 1, 4]);
    let made = [x.negative(), x.add(1), x.equal(3), where_(&x, &x, 0), x.astype(DType::Int8)];
    for made in made {
        assert_eq!(made.unwrap().strides(), x.strides());
    }
    assert!(x.copy().unwrap().is_contiguous(), "a copy is in row-major order");
}

/// Returns the estimate for the second operand of a sum; the first one has the layout of the result.
fn estimated(shape: &[usize], operand: &Layout, width: Width) -> Estimate {
    let out = Layout::row_major(shape).unwrap();
    let spread = operand.broadcast_to(shape).unwrap();
    let of = Width::of(width.converted.unwrap_or(width.memory));
    Plan::estimates([&out, &out, &spread], [of, of, width]).unwrap()[2]
}

#[test]
fn an_operand_is_copied_if_it_would_be_packed_repeatedly() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let across = |n: usize| row(&[n, n]).t().unwrap();
    let every = |step: usize, n: usize| row(&[step * n]).slice(&s![..;step as isize]).unwrap();
    let (plain, halves) = (Width::of(4), Width::converted(2, 4));
    use Access::*;
    /// The shape, the operand that is broadcast to it, its width, its access, its elements, and whether it is copied.
    type Case = (&'static [usize], Layout, Width, Access, usize, bool);
    let cases: [Case; 14] = [
        (&[256, 64, 64], across(64), plain, Packed, 4096, true),
        (&[256, 64, 64], across(64), Width::of(8), Packed, 4096, true),
        (&[16, 512, 512], across(512), plain, Packed, 1 << 18, true),
        (&[1024, 512], every(7, 512), plain, Packed, 512, true),
        (&[1024, 512], row(&[512]), halves, Packed, 512, true),
        (&[1024, 512], row(&[1024, 1]), halves, Packed, 1024, true),
        (&[1024, 512], Layout::scalar(3).unwrap(), halves, Packed, 1, true),
        (&[2048, 2048], row(&[2048, 2048]).flip(&[1]).unwrap(), plain, Packed, 1 << 22, false),
        (&[4096, 4096], across(4096), plain, Packed, 1 << 24, false),
        (&[4096, 4096], row(&[4096, 4096]), halves, Packed, 1 << 24, false),
        (&[1024, 512], row(&[512]), plain, Contiguous, 512, false),
        (&[1024, 512], row(&[1024, 1]), plain, Broadcast, 1024, false),
        (&[200_000, 3], row(&[3]), plain, Packed, 3, false),
        (&[8, 8, 8], across(8), plain, Packed, 64, false),
    ];
    for (shape, operand, width, access, distinct, copied) in cases {
        let it = estimated(shape, &operand, width);
        let visited = shape.iter().product::<usize>();
        assert_eq!((it.access, it.visited, it.distinct), (access, visited, distinct), "{shape:?}");
        assert_eq!(it.is_converted, width.converted.is_some(), "{shape:?}");
        assert_eq!(it.should_copy(), copied, "{shape:?} {operand:?}: {it:?}");
    }
}

#[test]
fn estimates_are_about_what_plans_visit() {
    let mut rng = TestRng::new(5);
    for _ in 0..zoo::rounds(2000) {
        let shape = rng.shape(5, 20_000);
        let layouts = [0; 3].map(|_| rng.random_layout(&shape, Freedom::Any));
        let widths = [Width::of(4), Width::converted(2, 4), Width::of(8)];
        let estimates = Plan::estimates(layouts.each_ref(), widths).unwrap();
        for (n, it) in estimates.iter().enumerate() {
            let case = (&layouts, n, it);
            assert_eq!(it.visited, layouts[n].len(), "{case:?}");
            assert!(it.distinct <= it.visited && it.as_is_ns.is_finite(), "{case:?}");
            assert!(it.as_is_ns >= 0.0 && it.copied_ns.is_none_or(|it| it > 0.0), "{case:?}");
            let once = layouts[n].axes().iter().all(|it| it.stride != 0 || it.len == 1);
            assert!(!(once && it.copied_ns.is_some()), "nothing is done twice: {case:?}");
            assert!(!it.should_copy() || it.visited >= ESTIMATE_MIN_ELEMENTS, "{case:?}");
            assert!(n > 0 || it.copied_ns.is_none(), "the output is never copied");
        }
    }
}

#[test]
fn estimates_of_different_shapes_are_errors() {
    let (row, other) = (Layout::row_major(&[3, 4]).unwrap(), Layout::row_major(&[4]).unwrap());
    assert!(Plan::estimates([&row, &other], [Width::of(4); 2]).is_err());
}
