//! The guides for NumPy and PyTorch users.
//!
//! A row is the same expression in NumPy, PyTorch and Belvedere. The test evaluates NumPy's and ours, compares the values,
//! and records whether ours is a view. The tables in `docs/` are generated from these rows: a stale page fails the test,
//! and `BELVEDERE_WRITE=1` rewrites it. The PyTorch column is evaluated only with `BELVEDERE_TORCH=1`, because PyTorch
//! takes gigabytes to install.

mod page;
mod rows;

use crate::numpy::close::Tolerance;
use crate::numpy::session::Session;
use belvedere::{Error, Tensor, copies};
use page::Page;

/// The operands of the rows, which have the same names in Python.
pub(super) struct Given {
    /// Matrices of 3 × 4 floats.
    pub a: Tensor,
    pub b: Tensor,
    /// A stack of two matrices of 3 × 4 floats.
    pub c: Tensor,
    /// Four floats.
    pub v: Tensor,
    /// Two indices.
    pub i: Tensor,
    /// 3 × 4 bools.
    pub m: Tensor,
    /// Four complex numbers.
    pub z: Tensor,
    /// A square matrix of 3 × 3 floats, symmetric and positive definite.
    pub s: Tensor,
    /// Eight integers, some of them equal.
    pub n: Tensor,
}

/// The same expression in three libraries.
pub(super) struct Row {
    pub numpy: &'static str,
    /// Empty if PyTorch has no equivalent.
    pub torch: &'static str,
    pub ours: &'static str,
    pub run: fn(&Given) -> Result<Tensor, Error>,
    /// Whether it writes to `a` instead of returning a value.
    pub changes: bool,
}

pub(super) struct Chapter {
    pub title: &'static str,
    pub rows: &'static [Row],
}

impl Given {
    fn new() -> Result<Given, Error> {
        use belvedere::Complex;
        let a = Tensor::from_vec((0..12).map(|it| f64::from(it * 5 % 12) - 3.5).collect(), [3, 4])?;
        let b =
            Tensor::from_vec((0..12).map(|it| f64::from(it * 7 % 12) + 0.25).collect(), [3, 4])?;
        let c =
            Tensor::from_vec((0..24).map(|it| f64::from(it * 11 % 24) / 4.0).collect(), [2, 3, 4])?;
        let z =
            [(1.0, 2.0), (-0.5, 0.25), (0.0, -3.0), (4.0, 0.0)].map(|(x, y)| Complex::new(x, y));
        Ok(Given {
            m: a.greater(&b)?,
            a,
            b,
            c,
            v: Tensor::from_vec(vec![0.5, -1.0, 2.0, 0.125], [4])?,
            i: Tensor::from_vec(vec![2i64, 0], [2])?,
            z: Tensor::from_vec(z.to_vec(), [4])?,
            s: Tensor::from_vec(vec![4.0, 1.0, 0.5, 1.0, 3.0, 0.25, 0.5, 0.25, 2.0], [3, 3])?,
            n: Tensor::from_vec(vec![3i64, 1, 4, 1, 5, 2, 6, 3], [8])?,
        })
    }

    fn list(&self) -> [&Tensor; 9] {
        [&self.a, &self.b, &self.c, &self.v, &self.i, &self.m, &self.z, &self.s, &self.n]
    }
}

#[test]
fn guides_match_numpy() {
    let Some(mut session) = Session::new("guide") else { return };
    let mut pages = [Page::new("numpy.md"), Page::new("pytorch.md")];
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
