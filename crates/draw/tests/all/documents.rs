//! The pictures in the documents are up to date.

use std::path::Path;

#[allow(dead_code, reason = "its `main` writes the files")]
#[path = "../../examples/pictures.rs"]
mod pictures;

#[test]
fn the_pictures_of_the_documents_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, svg) in pictures::pictures().unwrap() {
        let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == svg, "docs/{name} is old: run `cargo xtask pictures`");
    }
}
