//! The guides for NumPy and PyTorch users.
//!
//! A row is the same expression in NumPy, PyTorch and Belvedere. The test evaluates NumPy's and ours, compares the values,
//! and records whether ours is a view. The tables in `docs/` are generated from these rows: a stale page fails the test,
//! and `BELVEDERE_WRITE=1` rewrites it. The PyTorch column is evaluated only with `BELVEDERE_TORCH=1`, because PyTorch
//! takes gigabytes to install.

mod rows;

use crate::numpy::close::Tolerance;
use crate::numpy::session::Session;
use crate::page::Page;
use belvedere::{Tensor, copies};
use rows::Given;

#[test]
fn guides_match_numpy() {
    let Some(mut session) = Session::new("guide") else { return };
    let rows = "tests/all/numpy/guide";
    let mut pages =
        [Page::new("numpy.md", "NumPy", rows), Page::new("pytorch.md", "PyTorch", rows)];
    let asks_torch = std::env::var_os("BELVEDERE_TORCH").is_some();
    for chapter in rows::CHAPTERS {
        for page in &mut pages {
            page.chapter(chapter.title);
        }
        for row in chapter.rows {
            let given = Given::new().expect("small tensors");
            let (result, n_copies) = copies::record(|| (row.run)(&given));
            let memory = match &result {
                _ if row.changes => "in place",
                Ok(result) => memory(result, &given, n_copies.len()),
                Err(error) => panic!("{}: {error}", row.ours),
            };
            pages[0].row(row.numpy, row.ours, memory);
            pages[1].row(row.torch, row.ours, memory);
            let python = match row.changes {
                true => format!("after({:?}, globals(), locals())", row.numpy),
                false => row.numpy.to_string(),
            };
            let fresh = Given::new().expect("small tensors");
            let ours = result.as_ref().expect("checked above").clone();
            session.ask(chapter.title, &fresh.list(), python, Tolerance::Scaled(64.0), || result);
            if asks_torch && !row.torch.is_empty() {
                let changes = if row.changes { "True" } else { "False" };
                let python = format!("in_torch({:?}, {changes}, locals())", row.torch);
                session.ask("PyTorch", &fresh.list(), python, Tolerance::Scaled(64.0), || Ok(ours));
            }
        }
    }
    session.finish();
    pages.into_iter().for_each(Page::check);
}

/// Returns whether a result is a view or new.
fn memory(result: &Tensor, given: &Given, n_copies: usize) -> &'static str {
    let is_view = given.list().iter().any(|it| it.storage().is_same(result.storage()));
    match (is_view, n_copies) {
        (true, 0) => "view",
        _ => "new",
    }
}
