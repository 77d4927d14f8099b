//! Draws the pictures of the documentation. `cargo xtask pictures` writes them to `docs/`.

use belvedere_draw::{Picture, View};
use belvedere_layout::{Chain, Layout, LayoutError, Reshape, s};
use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "docs".to_string());
    for (name, svg) in pictures().expect("the layouts of the documents exist") {
        let path = Path::new(&folder).join(name);
        match std::fs::write(&path, svg) {
            Ok(()) => println!("{}", path.display()),
            Err(error) => {
                eprintln!("error: {}: {error}", path.display());
                std::process::exit(1);
            }
        }
    }
}

/// Returns every picture with its file name.
pub(crate) fn pictures() -> Result<Vec<(&'static str, String)>, LayoutError> {
    Ok(vec![("layout.svg", layout()?), ("refused.svg", refused()?), ("looks.svg", looks()?)])
}

/// Draws one memory and three views of it.
fn layout() -> Result<String, LayoutError> {
    let x = Layout::row_major(&[3, 4])?;
    let turned = x.t()?;
    let rows = View::new(x.clone()).title("x = arange(12).reshape(3, 4)");
    let columns = View::new(turned).title("x.T").note("strides [1, 4]: the same memory");
    let picture = Picture::new(12)
        .view(rows.note("strides [4, 1]: down 4, right 1"))
        .view(columns)
        .view(View::new(x.slice(&s![.., ..;-2])?).title("x[:, ::-2]").note("strides [4, -2]"));
    Ok(picture.to_svg())
}

/// Draws the seam that makes a reshape need a copy.
fn refused() -> Result<String, LayoutError> {
    let columns = Layout::row_major(&[3, 4])?.t()?;
    let Reshape::Copy { why } = columns.reshape([6, 2])? else { unreachable!("it has a seam") };
    let wanted = Chain::new(columns.clone()).reshape([6, 2])?;
    let picture = Picture::new(12)
        .view(View::new(columns).title("x.T").note("shape [4, 3], strides [1, 4]").seam(why))
        .view(View::new(wanted).title("x.T.view(6, 2)").note("no strides give this").seam(why));
    Ok(picture.to_svg())
}

/// Draws the styles of repeated cells, windows and padding.
fn looks() -> Result<String, LayoutError> {
    let x = Layout::row_major(&[6])?;
    let row = x.slice(&s![1..4])?;
    let picture = Picture::new(6)
        .view(View::new(row.broadcast_to([3, 3])?).title("broadcast"))
        .view(View::new(x.windows(0, 3, 1)?).title("windows"))
        .view(View::new(Chain::new(x.view([2, 3])?).pad(&[(1, 1), (1, 1)])?).title("padding"));
    Ok(picture.to_svg())
}
