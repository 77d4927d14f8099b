//! Worked examples: strides, shared memory, view operations, flattening, refused views.

use crate::{elements, fails, last, summary, works};
use belvedere_explain::Kind;

fn all(source: &str) -> Vec<String> {
    works(source).steps.iter().map(summary).collect()
}

#[test]
fn the_offset_is_the_start_plus_index_times_stride() {
    assert_eq!(elements(&last("z = arange(12).reshape(3, 4); z[1, 3]")), ["7"]);
    assert_eq!(summary(&last("zeros((2, 1, 3), dtype=float32).stride()")), "= (3, 3, 1)");
    // An axis of length 1 may have any stride.
    assert_eq!(summary(&last("tensor((2, 1, 3), strides=(3, 99, 1)).is_contiguous()")), "= True");
    // Increasing offsets with gaps are not contiguous.
    assert_eq!(summary(&last("arange(12)[::2].is_contiguous()")), "= False");
}

#[test]
fn a_view_may_start_within_its_memory() {
    let step = last("storage = arange(10); storage[5:8]");
    assert_eq!(summary(&step), "view [3] [1] 5");
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
fn a_transpose_swaps_strides_without_a_copy() {
    let step = last("src = arange(12).reshape(3, 4); src.transpose(0, 1)");
    assert_eq!(summary(&step), "view [4, 3] [1, 4] 0");
    assert_eq!(elements(&step), ["0", "4", "8", "1", "5", "9", "2", "6", "10", "3", "7", "11"]);
    // Swapping with an axis of length 1 keeps contiguity for adjacent axes only.
    assert_eq!(summary(&last("zeros((3, 1, 4)).transpose(0, 1).is_contiguous()")), "= True");
    assert_eq!(summary(&last("zeros((1, 3, 4)).transpose(0, 2).is_contiguous()")), "= False");
}

#[test]
fn products_with_transposed_views() {
    let product =
        "a = array([[1, 2], [3, 4]]); b = array([[5, 6], [7, 8]]); g = ones((2, 2), dtype=int64); ";
    assert_eq!(elements(&last(&format!("{product} g @ b.T"))), ["11", "15", "11", "15"]);
    assert_eq!(elements(&last(&format!("{product} a.T @ g"))), ["4", "4", "6", "6"]);
}

#[test]
fn a_matrix_is_memory_and_strides() {
    let matrix = "import numpy as np\na = np.array([[1, 2, 3], [4, 5, 6]])\n";
    assert_eq!(summary(&last(&format!("{matrix}print(a.strides)"))), "= (24, 8)");
    assert_eq!(elements(&last(&format!("{matrix}a.ravel()"))), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(elements(&last(&format!("{matrix}a[1, 2]"))), ["6"]);
}

#[test]
fn a_write_is_visible_in_every_view() {
    let report = works(
        "a = arange(12); b = a.reshape(3, 4); c = a.reshape(2, 2, 3); a[0] = 999; b[0, 0]; c[0, 0]",
    );
    assert_eq!(elements(&report.steps[4]), ["999"]); // b[0, 0]
    assert_eq!(elements(&report.steps[5]), ["999", "1", "2"]); // c[0, 0]
    assert_eq!(elements(&report.steps[1])[0], "0", "a step keeps the values at its time");
    assert_eq!(report.steps[5].shares_with, [0, 1, 2, 3, 4]);
}

#[test]
fn a_later_write_does_not_change_a_copy() {
    let report = works("a = arange(4); b = a.copy(); a[1:3] = b[::-1][:2] * 10; b; a");
    assert_eq!(elements(&report.steps[report.steps.len() - 2]), ["0", "1", "2", "3"]);
    assert_eq!(elements(&report.steps[report.steps.len() - 1]), ["0", "30", "20", "3"]);
}

#[test]
fn a_matrix_and_its_transpose_share_elements() {
    let both = "a = arange(6).reshape(2, 3); b = a.T; ";
    let (one, two) = (last(&format!("{both}a[1, 2]")), last(&format!("{both}b[2, 1]")));
    assert_eq!(summary(&one), summary(&two));
    assert_eq!(summary(&one), "view [] [] 5");
}

#[test]
fn ascontiguousarray_of_a_transpose_copies() {
    let steps = works(
        "a = arange(6).reshape(2, 3); b = a.T; c = np.ascontiguousarray(b); np.shares_memory(b, c)",
    );
    assert_eq!(steps.steps[3].kind, Kind::Copy);
    assert_eq!(summary(&steps.steps[4]), "= False");
}

#[test]
fn broadcasting_does_not_copy() {
    let step = last("a = np.array([[1], [2], [3]]); np.broadcast_to(a, (3, 4))");
    assert_eq!(summary(&step), "view [3, 4] [1, 0] 0");
    assert_eq!(elements(&step)[3..5], ["1", "2"]);
    let bias = works("x = zeros((32, 128)); bias = ones((1, 128)); x + bias");
    assert_eq!(summary(&bias.steps[2]), "new [32, 128] [128, 1] 0 float64");
    assert_eq!(bias.steps[2].bytes_copied, 0);
}

#[test]
fn slices_change_the_start_and_flips_negate_the_stride() {
    assert_eq!(summary(&last("arange(10)[3:7]")), "view [4] [1] 3");
    assert_eq!(summary(&last("arange(5)[::-1]")), "view [5] [-1] 4");
}

#[test]
fn a_chain_of_view_operations_is_one_layout() {
    let steps = all("st = zeros((2, 3, 4)); st = st.reshape(6, 4); st.permute(1, 0)");
    assert_eq!(steps[2], "view [4, 6] [1, 4] 0 float64");
    // Three operations merge into one layout although no two of them do.
    let lens = "arange(12).reshape(2, 6).T.lens().reshape(3, 4).T.reshape(2, 6)";
    assert_eq!(summary(&last(lens)), "view [2, 6] [1, 2] 0");
}

#[test]
fn windows_overlap_in_memory() {
    let step = last("np.lib.stride_tricks.as_strided(arange(6), shape=(4, 3), strides=(8, 8))");
    assert_eq!(summary(&step), "view [4, 3] [1, 1] 0");
    assert_eq!(elements(&step)[..6], ["0", "1", "2", "1", "2", "3"]);
    assert_eq!(summary(&last("np.array([[1, 2], [3, 4]], order='F').stride()")), "= (1, 2)");
}

#[test]
fn flattening_adjacent_axes_is_a_view() {
    let step = last("x = arange(120).reshape(2, 3, 4, 5); x.flatten(1, 3)");
    assert_eq!(summary(&step), "view [2, 60] [60, 1] 0");
    assert_eq!(
        elements(&step)[60 + 25],
        elements(&last("arange(120).reshape(2, 3, 4, 5)[1, 1, 1, 0]"))[0]
    );
    assert_eq!(
        summary(&last("arange(48).reshape(2, 6, 4).flatten(1, 1)")),
        "view [2, 6, 4] [24, 4, 1] 0"
    );
    assert_eq!(elements(&last("arange(12).reshape(3, 4).flatten(0, 1)[5]")), ["5"]);
}

#[test]
fn a_slice_flattens_if_its_inner_axes_are_complete() {
    assert_eq!(
        summary(&last("arange(60).reshape(3, 4, 5)[0:2, 1:3].flatten(1, 2)")),
        "view [2, 10] [20, 1] 5"
    );
    let copied = last("arange(60).reshape(3, 4, 5)[0:2, 1:3, :4].flatten(1, 2)");
    assert_eq!(copied.kind, Kind::Copy);
    let why = copied.why.expect("a copy has a reason");
    assert_eq!((why.seam.axes, why.seam.stride, why.seam.needed), ((1, 2), 5, 4));
}

#[test]
fn a_view_that_crosses_a_seam_is_refused() {
    let step = fails("z = arange(12).reshape(3, 4); z.t().view(6, 2)");
    assert_eq!(
        step.error.as_ref().unwrap().message,
        "cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy"
    );
    let why = step.why.expect("a refusal has a reason");
    assert_eq!((why.seam.axes, why.seam.stride, why.seam.needed), ((0, 1), 1, 12));
    assert_eq!((why.seam.mark, why.seam.new_axis), (3, 0));
    assert_eq!((why.jump, why.expected), ((8, 1), 12));
    assert_eq!(why.nearby[0], [2, 2, 3]);
}

#[test]
fn axes_of_a_transpose_can_be_split_but_not_merged() {
    let z = "z = arange(12).reshape(3, 4); z_t = z.t(); ";
    assert_eq!(summary(&last(&format!("{z}z_t.view(2, 2, 3).stride()"))), "= (2, 1, 4)");
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
            let is_meant = ["without a copy", "copies are forbidden"];
            let is_meant = is_meant.iter().any(|it| error.message.contains(it));
            assert!(is_meant, "{source}: {}", error.message);
        }
        n += 1;
    }
    assert!(n >= 5);
}

#[test]
fn the_readme_shows_the_output_of_the_program() {
    let page = include_str!("../../../cli/README.md");
    let printed = include_str!("../../../cli/tests/golden/refused.txt");
    assert!(page.contains(printed.trim_end()));
}

#[test]
fn rearrange_equals_permute_and_reshape() {
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
        assert_eq!(summary(&one), summary(&two), "{pattern}");
        assert_eq!(elements(&one), elements(&two), "{pattern}");
    }
}
