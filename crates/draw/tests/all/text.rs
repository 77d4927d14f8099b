//! Pictures as text, compared character by character.

use belvedere_draw::{Limits, Picture, TextOptions, View};
use belvedere_layout::{Chain, Layout, Reshape, s};

fn drawn(memory_len: usize, view: impl Into<View>) -> String {
    Picture::new(memory_len).view(view).to_text(TextOptions::plain())
}

fn row_major(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

#[test]
fn elements_outside_a_slice_are_unmarked() {
    let view = row_major(&[3, 4]).slice(&s![1.., ..;-2]).unwrap();
    assert_eq!(
        drawn(12, View::new(view).title("x[1:, ::-2]").note("strides [4, -2]")),
        "\
memory   0   1   2   3   4   5   6   7   8   9  10  11
                             ▔       ▔       ▔       ▔

x[1:, ::-2]
strides [4, -2]
  7   5
 11   9
"
    );
}

#[test]
fn broadcast_windows_and_padding_have_marks() {
    let row = row_major(&[3]);
    assert_eq!(
        drawn(3, row.broadcast_to([2, 3]).unwrap()),
        "\
memory   0   1   2
        ×2  ×2  ×2

  0   1   2
  0\"  1\"  2\"

 \" repeated element
"
    );
    assert_eq!(
        drawn(4, row_major(&[4]).windows(0, 2, 1).unwrap()),
        "\
memory   0   1   2   3
         ▔  ×2  ×2   ▔

  0   1
  1~  2
  2~  3

 ~ also in another window
"
    );
    let padded = Chain::new(row).pad(&[(1, 2)]).unwrap();
    assert_eq!(drawn(3, padded), "memory  0  1  2\n\n ·  0  1  2  ·  ·\n\n · padding\n");
}

#[test]
fn higher_ranks_are_tables_of_tables() {
    assert_eq!(
        drawn(8, row_major(&[2, 2, 2])),
        "\
memory  0  1  2  3  4  5  6  7

 [0]      [1]
 0  1     4  5
 2  3     6  7
"
    );
}

#[test]
fn scalars_and_views_without_elements_have_a_picture() {
    assert_eq!(drawn(1, row_major(&[])), "memory  0\n\n 0\n");
    assert_eq!(drawn(0, row_major(&[0, 3])), "memory is empty\n\n no elements\n");
}

#[test]
fn large_views_show_their_first_and_last_cells() {
    let picture = Picture::new(10_000).view(row_major(&[100, 100]));
    let few = Limits { cells: 36, columns: 12, rows: 8 };
    assert_eq!(
        picture.limits(few).to_text(TextOptions::plain()),
        "\
memory     0     1  …    98    99   100   101  …   198   199  …  9900  9901  …  9998  9999

    0     1  …    98    99
  100   101  …   198   199
    ⋮     ⋮        ⋮     ⋮
 9900  9901  …  9998  9999
"
    );
}

#[test]
fn a_seam_is_drawn_between_the_cells_where_the_run_ends() {
    let columns = row_major(&[2, 3]).t().unwrap();
    let Reshape::Copy { why } = columns.reshape([2, 3]).unwrap() else { panic!("it has a seam") };
    let wanted = Chain::new(columns).reshape([2, 3]).unwrap();
    assert_eq!(
        drawn(6, View::new(wanted).seam(why)),
        "\
memory  0  1  2  3  4  5

 0   3 ╱ 1
 4 ╱ 2   5
 ╱╲ between 3 and 1: stride 1, needed 6
"
    );
}

#[test]
fn colours_are_escape_codes_around_the_same_text() {
    let view = Chain::new(row_major(&[2, 3])).pad(&[(1, 0), (0, 1)]).unwrap();
    let picture = Picture::new(6).view(View::new(view).title("x"));
    let coloured = picture.to_text(TextOptions::coloured());
    assert!(coloured.contains("\u{1b}[48;5;"), "{coloured:?}");
    let letters: Vec<String> = strip(&coloured).lines().map(|it| it.trim_end().into()).collect();
    assert_eq!(letters, picture.to_text(TextOptions::plain()).lines().collect::<Vec<_>>());
}

/// Removes escape codes.
fn strip(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn a_copy_is_marked_new_and_line_breaks_in_titles_are_removed() {
    let copied = Picture::new(2).copied().view(View::new(row_major(&[2])).title("a\nb\u{1b}[31m"));
    assert_eq!(copied.to_text(TextOptions::plain()), "memory (new)  0  1\n\na b [31m\n 0  1\n");
}

#[test]
fn long_memories_wrap() {
    let text = Picture::new(40)
        .view(row_major(&[40]))
        .to_text(TextOptions { width: 50, ..TextOptions::plain() });
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(
        text.starts_with("memory   0   1   2   3   4   5   6   7   8   9\n        10"),
        "{text}"
    );
}
