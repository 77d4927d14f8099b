//! Images of `image` as tensors of shape `[height, width, channels]`, and back.

use crate::trace::{Call, EventKind, announce_tensor};
use crate::{Error, Layout, Storage, Tensor, Value, View, ViewMut};
use image::{ImageBuffer, Pixel};
use std::ops::{Deref, DerefMut};

/// Takes over an image as a tensor of shape `[height, width, channels]`.
///
/// ```
/// use belvedere::prelude::*;
/// use image::{Rgb, RgbImage};
///
/// let x = Tensor::from(RgbImage::from_pixel(4, 2, Rgb([10, 20, 30])));
/// assert_eq!((x.shape(), x.dtype()), ([2, 4, 3].into(), DType::UInt8));
/// assert_eq!(x.get::<u8>(&[1, 3, 2])?, 30);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Memory
/// Never copies.
impl<P: Pixel<Subpixel: Value>> From<ImageBuffer<P, Vec<P::Subpixel>>> for Tensor {
    #[track_caller]
    fn from(image: ImageBuffer<P, Vec<P::Subpixel>>) -> Tensor {
        let layout = layout_of(&image);
        let storage = Storage::from_vec(image.into_raw());
        let tensor = Tensor::from_storage(storage, layout, <P::Subpixel as Value>::DTYPE);
        let tensor = tensor.expect("the pixels of an image are in its vector");
        announce_tensor(Call::new("from_image"), EventKind::Import, &tensor);
        tensor
    }
}

/// Views the pixels of an image, in the shape `[height, width, channels]`.
///
/// ```
/// use belvedere::View;
/// use image::GrayImage;
///
/// let image = GrayImage::from_fn(3, 2, |x, y| image::Luma([(10 * y + x) as u8]));
/// let view = View::from(&image);
/// assert_eq!(view.shape(), [2, 3, 1]);
/// assert_eq!(view.get(&[1, 2, 0])?, 12);
/// # Ok::<(), belvedere::Error>(())
/// ```
impl<'a, P, C> From<&'a ImageBuffer<P, C>> for View<'a, P::Subpixel>
where
    P: Pixel,
    C: Deref<Target = [P::Subpixel]>,
{
    fn from(image: &'a ImageBuffer<P, C>) -> View<'a, P::Subpixel> {
        let view = View::new(image.as_raw(), layout_of(image));
        view.expect("the pixels of an image are in its buffer")
    }
}

/// Views the pixels of an image for writing, in the shape `[height, width, channels]`.
///
/// ```
/// use belvedere::{Strided, ViewMut, s};
/// use image::{Rgb, RgbImage};
///
/// let mut image = RgbImage::new(2, 2);
/// ViewMut::from(&mut image).slice(&s![.., 1, 0])?.fill(255);
/// assert_eq!((image[(0, 0)], image[(1, 0)]), (Rgb([0, 0, 0]), Rgb([255, 0, 0])));
/// # Ok::<(), belvedere::Error>(())
/// ```
impl<'a, P, C> From<&'a mut ImageBuffer<P, C>> for ViewMut<'a, P::Subpixel>
where
    P: Pixel,
    C: DerefMut<Target = [P::Subpixel]>,
{
    fn from(image: &'a mut ImageBuffer<P, C>) -> ViewMut<'a, P::Subpixel> {
        let layout = layout_of(image);
        let view = ViewMut::new(image, layout);
        view.expect("the pixels of an image are in its buffer")
    }
}

/// Returns the layout of an image: rows of pixels, whose channels are adjacent.
fn layout_of<P: Pixel, C: Deref<Target = [P::Subpixel]>>(image: &ImageBuffer<P, C>) -> Layout {
    let shape = [image.height() as usize, image.width() as usize, P::CHANNEL_COUNT as usize];
    Layout::row_major(&shape).expect("an image in memory has a layout")
}

/// Converts a tensor of shape `[height, width, channels]` to an image; for one channel also of shape `[height, width]`.
///
/// ```
/// use belvedere::prelude::*;
/// use image::{Rgb, RgbImage};
///
/// let x = Tensor::zeros([2, 4, 3], DType::UInt8)?;
/// x.slice(s![0, 1])?.assign(s![..], &tensor![10u8, 20, 30])?;
/// let image = RgbImage::try_from(x)?;
/// assert_eq!((image.dimensions(), image[(1, 0)]), ((4, 2), Rgb([10, 20, 30])));
/// let error = RgbImage::try_from(Tensor::zeros([3, 2, 4], DType::UInt8)?).unwrap_err();
/// assert_eq!(error.to_string(), "ImageBuffer::try_from needs shape [3, 2, 3], got [3, 2, 4]");
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the number of axes or channels or the dtype differs, a length exceeds `u32::MAX`, a guard holds elements for
/// writing, or there is not enough memory.
///
/// # Memory
/// As [`Tensor::into_vec`].
impl<P: Pixel<Subpixel: Value>> TryFrom<Tensor> for ImageBuffer<P, Vec<P::Subpixel>> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<ImageBuffer<P, Vec<P::Subpixel>>, Error> {
        let call = Call::new("into_image");
        let op = "ImageBuffer::try_from";
        let n_channels = P::CHANNEL_COUNT as usize;
        let shape = tensor.shape();
        let [height, width] = match *shape {
            [height, width] if n_channels == 1 => [height, width],
            [height, width, channels] if channels == n_channels => [height, width],
            [height, width, _] => {
                let needed = [height, width, n_channels].into();
                return Err(Error::ShapeMismatch { op, needed, given: shape.into() });
            }
            _ => {
                let needs = "the axes height, width and channels";
                return Err(Error::Form { op, needs, given: shape.into() });
            }
        };
        let length = |len: usize| {
            let needs = "a height and a width of at most 4294967295";
            u32::try_from(len).map_err(|_| Error::Argument { op, needs, given: len.into() })
        };
        let (width, height) = (length(width)?, length(height)?);
        let values = tensor.into_vec_by(call)?;
        Ok(ImageBuffer::from_raw(width, height, values).expect("as many values as elements"))
    }
}
