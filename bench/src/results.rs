//! Where results are written.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Writes a result below `target/`, and to the folder given with `--record`.
pub fn write(name: &str, text: &str, record: Option<&Path>) -> Result<(), Failure> {
    let products = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    for folder in [Some(products.as_path()), record].into_iter().flatten() {
        let path = folder.join(name);
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        written.map_err(|error| Failure::Write(path, error))?;
    }
    Ok(())
}
