//! The examples that the project began with: anatomy, shared memory, movement, flattening, refused views.

use crate::{elements, fails, last, told, works};
use belvedere_explain::Kind;

fn all(source: &str) -> Vec<String> {
    works(source).steps.iter().map(told).collect()
}

#[test]
fn an_element_lies_at_offset_plus_index_times_stride() {
    assert_eq!(elements(&last("z = arange(12).reshape(3, 4); z[1, 3]")), ["7"]);
    assert_eq!(told(&last("zeros((2, 1, 3), dtype=float32).stride()")), "= (3, 3, 1)");
    // A unit axis in between may have any stride.
    assert_eq!(told(&last("tensor((2, 1, 3), strides=(3, 99, 1)).is_contiguous()")), "= True");
    // Memory order alone is not enough: there are gaps.
    assert_eq!(told(&last("arange(12)[::2].is_contiguous()")), "= False");
}

#[test]
fn a_view_may_begin_in_the_middle_of_its_memory() {
    let step = last("storage = arange(10); storage[5:8]");
    assert_eq!(told(&step), "view [3] [1] 5");
    assert_eq!(elements(&step), ["5", "6", "7"]);
}

#[test]
fn flattening_a_batch_and_back_copies_nothing() {
    let steps = all(
        "batch = zeros((32, 784), dtype=float32); flat = batch.reshape(32 * 784); flat.reshape(32, 784)",
    );
    assert_eq!(
        steps,
        [
            "new [32, 784] [784, 1] 0 float32",
            "view [25088] [1] 0 float32",
            "view [32, 784] [784, 1] 0 float32"
        ]
    );
}

#[test]
fn a_transpose_swaps_strides_and_moves_nothing() {
    let step = last("src = arange(12).reshape(3, 4); src.transpose(0, 1)");
    assert_eq!(told(&step), "view [4, 3] [1, 4] 0");
    assert_eq!(elements(&step), ["0", "4", "8", "1", "5", "9", "2", "6", "10", "3", "7", "11"]);
    // Swapping with an axis of length 1 keeps it contiguous for neighbours only.
    assert_eq!(told(&last("zeros((3, 1, 4)).transpose(0, 1).is_contiguous()")), "= True");
    assert_eq!(told(&last("zeros((1, 3, 4)).transpose(0, 2).is_contiguous()")), "= False");
}

#[test]
fn gradients_of_a_product_take_transposed_views() {
    let product =
        "a = array([[1, 2], [3, 4]]); b = array([[5, 6], [7, 8]]); g = ones((2, 2), dtype=int64); ";
    assert_eq!(elements(&last(&format!("{product} g @ b.T"))), ["11", "15", "11", "15"]);
    assert_eq!(elements(&last(&format!("{product} a.T @ g"))), ["4", "4", "6", "6"]);
}

#[test]
fn a_matrix_is_a_list_and_strides() {
    let matrix = "import numpy as np\na = np.array([[1, 2, 3], [4, 5, 6]])\n";
    assert_eq!(told(&last(&format!("{matrix}print(a.strides)"))), "= (24, 8)");
    assert_eq!(elements(&last(&format!("{matrix}a.ravel()"))), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(elements(&last(&format!("{matrix}a[1, 2]"))), ["6"]);
}

#[test]
fn a_write_is_seen_through_every_view() {
    let report = works(
        "a = arange(12); b = a.reshape(3, 4); c = a.reshape(2, 2, 3); a[0] = 999; b[0, 0]; c[0, 0]",
    );
    assert_eq!(elements(&report.steps[4]), ["999"]); // b[0, 0]
    assert_eq!(elements(&report.steps[5]), ["999", "1", "2"]); // c[0, 0]
    assert_eq!(elements(&report.steps[1])[0], "0", "a step shows what was there when it was done");
    assert_eq!(report.steps[5].shares_with, [0, 1, 2, 3, 4]);
}

#[test]
fn a_copy_sees_no_later_write() {
    let report = works("a = arange(4); b = a.copy(); a[1:3] = b[::-1][:2] * 10; b; a");
    assert_eq!(elements(&report.steps[report.steps.len() - 2]), ["0", "1", "2", "3"]);
    assert_eq!(elements(&report.steps[report.steps.len() - 1]), ["0", "30", "20", "3"]);
}

#[test]
fn both_ways_lead_to_the_same_element() {
    let both = "a = arange(6).reshape(2, 3); b = a.T; ";
    let (one, two) = (last(&format!("{both}a[1, 2]")), last(&format!("{both}b[2, 1]")));
    assert_eq!(told(&one), told(&two));
    assert_eq!(told(&one), "view [] [] 5");
}

#[test]
fn making_it_contiguous_takes_a_copy() {
    let steps = works(
        "a = arange(6).reshape(2, 3); b = a.T; c = np.ascontiguousarray(b); np.shares_memory(b, c)",
    );
    assert_eq!(steps.steps[3].kind, Kind::Copy);
    assert_eq!(told(&steps.steps[4]), "= False");
}

#[test]
fn broadcasting_stays_where_it_is() {
    let step = last("a = np.array([[1], [2], [3]]); np.broadcast_to(a, (3, 4))");
    assert_eq!(told(&step), "view [3, 4] [1, 0] 0");
    assert_eq!(elements(&step)[3..5], ["1", "2"]);
    let bias = works("x = zeros((32, 128)); bias = ones((1, 128)); x + bias");
    assert_eq!(told(&bias.steps[2]), "new [32, 128] [128, 1] 0 float64");
    assert_eq!(bias.steps[2].bytes_copied, 0);
}

#[test]
fn slices_move_the_start_and_flips_turn_the_stride() {
    assert_eq!(told(&last("arange(10)[3:7]")), "view [4] [1] 3");
    assert_eq!(told(&last("arange(5)[::-1]")), "view [5] [-1] 4");
}

#[test]
fn a_chain_of_movements_is_one_walk() {
    let steps = all("st = zeros((2, 3, 4)); st = st.reshape(6, 4); st.permute(1, 0)");
    assert_eq!(steps[2], "view [4, 6] [1, 4] 0 float64");
    // Three movements that are one although no two of them are.
    let lens = "arange(12).reshape(2, 6).T.lens().reshape(3, 4).T.reshape(2, 6)";
    assert_eq!(told(&last(lens)), "view [2, 6] [1, 2] 0");
}

#[test]
fn windows_overlap_in_memory() {
    let step = last("np.lib.stride_tricks.as_strided(arange(6), shape=(4, 3), strides=(1, 1))");
    assert_eq!(told(&step), "view [4, 3] [1, 1] 0");
    assert_eq!(elements(&step)[..6], ["0", "1", "2", "1", "2", "3"]);
    assert_eq!(told(&last("np.array([[1, 2], [3, 4]], order='F').stride()")), "= (1, 2)");
}

#[test]
fn flattening_a_part_of_the_axes_is_a_view() {
    let step = last("x = arange(120).reshape(2, 3, 4, 5); x.flatten(1, 3)");
    assert_eq!(told(&step), "view [2, 60] [60, 1] 0");
    assert_eq!(
        elements(&step)[60 + 25],
        elements(&last("arange(120).reshape(2, 3, 4, 5)[1, 1, 1, 0]"))[0]
    );
    assert_eq!(
        told(&last("arange(48).reshape(2, 6, 4).flatten(1, 1)")),
        "view [2, 6, 4] [24, 4, 1] 0"
    );
    assert_eq!(elements(&last("arange(12).reshape(3, 4).flatten(0, 1)[5]")), ["5"]);
}

#[test]
fn a_slice_flattens_when_its_rows_are_whole() {
    assert_eq!(
        told(&last("arange(60).reshape(3, 4, 5)[0:2, 1:3].flatten(1, 2)")),
        "view [2, 10] [20, 1] 5"
    );
    let copied = last("arange(60).reshape(3, 4, 5)[0:2, 1:3, :4].flatten(1, 2)");
    assert_eq!(copied.kind, Kind::Copy);
    let why = copied.why.expect("a copy says why");
    assert_eq!((why.seam.axes, why.seam.stride, why.seam.needed), ((1, 2), 5, 4));
}

#[test]
fn a_view_is_refused_where_an_axis_would_cross_a_seam() {
    let step = fails("z = arange(12).reshape(3, 4); z.t().view(6, 2)");
    assert_eq!(
        step.error.as_ref().unwrap().message,
        "cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy"
    );
    let why = step.why.expect("a refusal says why");
    assert_eq!((why.seam.axes, why.seam.stride, why.seam.needed), ((0, 1), 1, 12));
    assert_eq!((why.seam.mark, why.seam.new_axis), (3, 0));
    assert_eq!((why.jump, why.expected), ((8, 1), 12));
    assert_eq!(why.nearby[0], [2, 2, 3]);
}

#[test]
fn a_transposed_table_can_be_split_and_not_joined() {
    let z = "z = arange(12).reshape(3, 4); z_t = z.t(); ";
    assert_eq!(told(&last(&format!("{z}z_t.view(2, 2, 3).stride()"))), "= (2, 1, 4)");
    fails(&format!("{z}z_t.view(2, 6)"));
    let values = ["0", "4", "8", "1", "5", "9", "2", "6", "10", "3", "7", "11"];
    assert_eq!(elements(&last(&format!("{z}z_t.contiguous().view(2, 6)"))), values);
    assert_eq!(elements(&last(&format!("{z}z_t.reshape(2, 6)"))), values);
    assert_eq!(elements(&last(&format!("{z}z_t.lens().reshape(2, 6)"))), values);
    // A transpose is not a reshape.
    assert_eq!(elements(&last(&format!("{z}z.view(4, 3)")))[..4], ["0", "1", "2", "3"]);
}

#[test]
fn the_examples_of_the_page_are_explained() {
    let mut n = 0;
    for source in include_str!("../../../cli/web/examples.js").split("source: `").skip(1) {
        let source = source.split('`').next().unwrap();
        let report = belvedere_explain::explain(source, None);
        if let Some(error) = report.steps.iter().find_map(|step| step.error.as_ref()) {
            assert!(error.message.contains("without a copy"), "{source}: {}", error.message);
        }
        n += 1;
    }
    assert!(n >= 5);
}

#[test]
fn the_front_page_shows_what_is_printed() {
    let page = include_str!("../../../cli/README.md");
    let printed = include_str!("../../../cli/tests/golden/refused.txt");
    assert!(page.contains(printed.trim_end()));
}

#[test]
fn a_pattern_that_copies_puts_its_elements_in_order() {
    let x = "x = arange(24).reshape(2, 3, 4); ";
    let patterns = [
        ("x.rearrange('b h w -> b (w h)')", "x.mT.reshape(2, 12)"),
        (
            "x.rearrange('b h (w v) -> (v h) (b w)', v=2)",
            "x.reshape(2, 3, 2, 2).permute(3, 1, 0, 2).reshape(6, 4)",
        ),
        ("x.rearrange('... w -> w ...')", "x.permute(2, 0, 1)"),
    ];
    for (pattern, plain) in patterns {
        let (one, two) = (last(&format!("{x}{pattern}")), last(&format!("{x}{plain}")));
        assert_eq!(told(&one), told(&two), "{pattern}");
        assert_eq!(elements(&one), elements(&two), "{pattern}");
    }
}
