//! Large views: the size of a picture and the time to draw it are bounded.

use belvedere_draw::{Limits, Picture, Sketch, TextOptions, View};
use belvedere_layout::{Chain, Layout};

fn views() -> Vec<(usize, Chain)> {
    let large = Layout::row_major(&[1 << 20, 1 << 20]).unwrap();
    let one = Layout::row_major(&[1]).unwrap();
    let deep = Layout::row_major(&[2; 60]).unwrap();
    let turned = Chain::new(large.t().unwrap());
    let padded = Chain::new(one.clone()).pad(&[(1 << 40, 1 << 40)]).unwrap();
    vec![
        (1 << 40, Chain::new(large.clone())),
        (1 << 40, turned.reshape([1 << 10, 1 << 30]).unwrap()),
        (1, Chain::new(one.broadcast_to([isize::MAX as usize]).unwrap())),
        (1 << 60, Chain::new(deep)),
        (1, padded),
        (isize::MAX as usize, Chain::new(one.clone())),
    ]
}

#[test]
fn a_picture_is_bounded() {
    for (memory_len, chain) in views() {
        let sketch = Sketch::new(&chain, Limits::default());
        assert!(sketch.cells.len() <= 240, "{:?}", chain.shape());
        assert!(!sketch.cells.is_empty(), "{:?}", chain.shape());
        let picture = Picture::new(memory_len).view(chain);
        assert!(picture.to_svg().len() < 300_000);
        assert!(picture.to_text(TextOptions::coloured()).len() < 100_000);
    }
}

#[test]
fn the_corners_are_shown() {
    for (_, chain) in views() {
        let sketch = Sketch::new(&chain, Limits { cells: 1 << 12, columns: 1 << 7, rows: 1 << 7 });
        let first = vec![0; chain.rank()];
        assert!(sketch.cells.iter().any(|it| it.index == first));
        if chain.rank() <= 2 {
            let last: Vec<usize> = chain.shape().iter().map(|len| len - 1).collect();
            assert!(sketch.cells.iter().any(|it| it.index == last), "{:?}", chain.shape());
        }
    }
}

#[test]
fn the_cells_shown_have_the_offsets_of_the_view() {
    for (_, chain) in views() {
        for cell in Sketch::new(&chain, Limits::default()).cells {
            assert_eq!(chain.index(&cell.index).unwrap(), cell.offset);
        }
    }
}

#[test]
fn an_axis_of_length_0_does_not_lengthen_the_others() {
    let empty = Chain::new(Layout::row_major(&[0, 0, usize::MAX >> 4]).unwrap());
    let sketch = Sketch::new(&empty, Limits::default());
    assert!(sketch.cells.is_empty());
    assert!(sketch.shown.iter().all(|it| it.len() <= Limits::default().columns));
    let picture = Picture::new(0).view(View::new(empty).title("empty"));
    assert!(picture.to_text(TextOptions::plain()).len() < 10_000);
    assert!(picture.to_svg().len() < 100_000);
}
