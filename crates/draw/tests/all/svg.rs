//! Pictures as SVG: the position and colour of every cell.

use belvedere_draw::{Picture, View, colour_of};
use belvedere_layout::{Chain, Layout, Reshape, s};
use std::collections::BTreeMap;

/// A rectangle of a picture.
#[derive(Debug, PartialEq)]
struct Rect {
    class: String,
    x: f64,
    y: f64,
    fill: Option<String>,
    title: String,
}

fn rects(svg: &str) -> Vec<Rect> {
    let parse = |tag: &str| {
        let value = |name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split_once('"').map(|(value, _)| value.to_string())
        };
        let title = tag.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        Some(Rect {
            class: value("class")?,
            x: value("x")?.parse().ok()?,
            y: value("y")?.parse().ok()?,
            fill: value("fill"),
            title: title?.0.to_string(),
        })
    };
    svg.split("<rect").filter_map(parse).collect()
}

fn row_major(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

#[test]
fn every_cell_is_drawn_at_its_coordinates() {
    let x = row_major(&[4, 6]);
    let views = [
        x.clone(),
        x.t().unwrap(),
        x.slice(&s![1..;2, ..;-2]).unwrap(),
        x.slice(&s![2, ..]).unwrap(),
        x.view([2, 2, 3, 2]).unwrap().permute(&[2, 0, 3, 1]).unwrap(),
    ];
    for view in views {
        let chain = Chain::new(view);
        let svg = Picture::new(24).view(chain.clone()).to_svg();
        let drawn: BTreeMap<String, Rect> = rects(&svg)
            .into_iter()
            .filter(|it| it.class == "cell")
            .map(|it| (it.title.split(':').next().unwrap().to_string(), it))
            .collect();
        assert_eq!(drawn.len(), chain.len());
        for position in 0..chain.len() {
            let index = belvedere_layout::unravel_index(chain.shape(), position).unwrap();
            let offset = chain.index(&index).unwrap().unwrap();
            let rect = &drawn[&format!("{index:?}")];
            assert_eq!(rect.fill, Some(colour_of(offset, 24).to_hex()), "{index:?}");
            assert!(rect.title.ends_with(&format!(" = {offset}")), "{}", rect.title);
            assert_neighbours(&drawn, chain.shape(), &index);
        }
    }
}

/// Checks that the last axis goes right, and the one before it down.
fn assert_neighbours(drawn: &BTreeMap<String, Rect>, shape: &[usize], index: &[usize]) {
    let here = &drawn[&format!("{index:?}")];
    for k in 0..shape.len() {
        let mut next = index.to_vec();
        next[k] += 1;
        let Some(there) = drawn.get(&format!("{next:?}")) else { continue };
        if (shape.len() - k) % 2 == 1 {
            assert!(there.x > here.x && there.y == here.y, "{index:?} to {next:?}");
        } else {
            assert!(there.y > here.y && there.x == here.x, "{index:?} to {next:?}");
        }
    }
}

#[test]
fn memory_is_one_row_in_order_of_offsets() {
    let svg = Picture::new(12).view(row_major(&[3, 4]).t().unwrap()).to_svg();
    let places: Vec<Rect> = rects(&svg).into_iter().filter(|it| it.class == "place").collect();
    assert_eq!(places.len(), 12);
    assert!(places.is_sorted_by(|a, b| a.x < b.x && a.y == b.y));
    for (at, place) in places.iter().enumerate() {
        assert_eq!(place.fill, Some(colour_of(at, 12).to_hex()));
    }
}

#[test]
fn each_cell_style_has_its_own_class() {
    let x = row_major(&[4]);
    let count = |picture: Picture, class: &str| {
        rects(&picture.to_svg()).iter().filter(|it| it.class == class).count()
    };
    let broadcast = Picture::new(4).view(x.broadcast_to([3, 4]).unwrap());
    assert_eq!(count(broadcast, "repeated"), 8);
    let windows = Picture::new(4).view(x.windows(0, 2, 1).unwrap());
    assert_eq!(count(windows, "window"), 2);
    let padded = Picture::new(4).view(Chain::new(x.clone()).pad(&[(1, 2)]).unwrap());
    assert_eq!(count(padded, "padding"), 3);
    let part = Picture::new(4).view(x.slice(&s![1..3]).unwrap());
    assert_eq!(count(part, "unused"), 2);
}

#[test]
fn a_refused_view_has_a_zigzag_at_each_seam() {
    let columns = row_major(&[3, 4]).t().unwrap();
    let Reshape::Copy { why } = columns.reshape([6, 2]).unwrap() else { panic!("it has a seam") };
    let svg = Picture::new(12).view(View::new(columns).seam(why)).to_svg();
    assert_eq!(svg.matches("class=\"seam\"").count(), 3);
    assert!(svg.contains("between 8 and 1: stride 1, needed 12"));
}

#[test]
fn titles_are_escaped() {
    let view = View::new(row_major(&[1])).title("<script>\"&\u{0}").note("a < b");
    let picture = Picture::new(1).name("<b>").view(view);
    let album = Picture::album([picture.clone()]);
    for drawn in [picture.to_svg(), picture.to_html(), album.to_page("</title><script>")] {
        assert!(!drawn.contains("<script") && !drawn.contains("<b>"), "{drawn}");
        assert!(drawn.contains("&lt;script&gt;&quot;&amp; "), "{drawn}");
    }
}

#[test]
fn pictures_reference_no_external_resources() {
    let page = Picture::album([Picture::new(3).view(row_major(&[3]))]).to_page("x");
    let addresses: Vec<&str> = page.match_indices("http").map(|(i, _)| &page[i..i + 26]).collect();
    assert_eq!(addresses, ["http://www.w3.org/2000/svg"]);
}

#[test]
fn every_class_has_a_style() {
    let row = Layout::row_major(&[3]).unwrap();
    let views = [
        Chain::new(Layout::row_major(&[3, 4]).unwrap().t().unwrap()),
        Chain::new(row.broadcast_to([2, 3]).unwrap()),
        Chain::new(row.clone()).pad(&[(1, 1)]).unwrap(),
        Chain::new(row.windows(0, 2, 1).unwrap()),
    ];
    for view in views {
        let svg = Picture::new(12).view(View::new(view).title("x").note("a note")).to_svg();
        let (style, body) = svg.split_once("</style>").unwrap();
        let is_styled = |class: &str| {
            [",", "{", " "].iter().any(|end| style.contains(&format!(".{class}{end}")))
        };
        // Cells have the colour of their offset, and these kinds no style besides.
        let is_plain = |class: &str| ["", "cell", "place", "plain", "window"].contains(&class);
        for class in body.split("class=\"").skip(1).filter_map(|it| it.split('"').next()) {
            for class in class.split(' ') {
                assert!(is_plain(class) || is_styled(class), "`{class}` has no style");
            }
        }
    }
}
