//! Conversions to and from the types of other crates, each behind the feature with the name of the crate.
//!
//! The features are off by default: `belvedere = { version = "0.1", features = ["ndarray"] }`. The types are those of the
//! versions that `Cargo.toml` names.
//!
//! | feature | type | conversion | copies |
//! |---|---|---|---|
//! | `ndarray` 0.17 | `Array<T, D>` | `Tensor::from(array)` | never: strides and offset are kept |
//! | | | `Array2::<f32>::try_from(tensor)?` | unless it is the only owner of a `Vec` |
//! | | `ArrayView`, `&Array` | `View::from(&array)`, `ArrayView2::try_from(view)?` | never |
//! | | `ArrayViewMut`, `&mut Array` | `ViewMut::from(&mut array)`, `ArrayViewMut2::try_from(view)?` | never |
//! | `nalgebra` 0.35 | `DMatrix<T>`, `DVector<T>` | `Tensor::from(matrix)` | never: the strides are column-major |
//! | | | `DMatrix::<f32>::try_from(tensor)?` | unless it is column-major and the only owner of a `Vec` |
//! | | `&Matrix<..>` of any storage | `View::from(&matrix)`, `ViewMut::from(&mut matrix)` | never |
//! | | `DMatrixView<T, Dyn, Dyn>`, `DVectorView` | `DMatrixView::try_from(view)?` | never; needs positive strides |
//! | `image` 0.25 | `ImageBuffer<P, Vec<S>>` | `Tensor::from(image)`: `[height, width, channels]` | never |
//! | | | `RgbImage::try_from(tensor)?` | unless it is row-major and the only owner of a `Vec` |
//! | | `&ImageBuffer` | `View::from(&image)`, `ViewMut::from(&mut image)` | never |
//! | `serde` | any format | `Serialize`, `Deserialize` for `Tensor`, `DType`, `Layout` | |
//!
//! The elements of a tensor are viewed by a guard: `ArrayView2::try_from(x.read::<f32>()?.view())?`. The implementations
//! on [`Tensor`](crate::Tensor), [`View`](crate::View) and [`ViewMut`](crate::ViewMut) have the examples.

#[cfg(feature = "image")]
mod image;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
pub(crate) mod ndarray;
#[cfg(feature = "serde")]
mod serde;
