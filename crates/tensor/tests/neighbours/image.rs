//! `image`: buffers of pixels, in the shape `[height, width, channels]`.

use crate::counted;
use belvedere::prelude::*;
use image::{GrayImage, ImageBuffer, Luma, Rgb, Rgb32FImage, RgbImage, Rgba, RgbaImage};

/// Returns the value of a channel of a pixel.
fn value(x: u32, y: u32, channel: u32) -> u8 {
    (100 * y + 10 * x + channel) as u8
}

#[test]
fn images_are_taken_over_and_given_back() {
    let image = RgbImage::from_fn(4, 2, |x, y| Rgb([0, 1, 2].map(|c| value(x, y, c))));
    let address = image.as_raw().as_ptr();
    let (tensor, n_copies) = counted(|| Tensor::from(image.clone()));
    assert_eq!((tensor.shape(), tensor.dtype(), n_copies), ([2, 4, 3].into(), DType::UInt8, 0));
    for (y, x, c) in (0..2).flat_map(|y| (0..4).flat_map(move |x| (0..3).map(move |c| (y, x, c)))) {
        assert_eq!(tensor.get::<u8>(&[y, x, c]).unwrap(), value(x as u32, y as u32, c as u32));
    }
    assert_eq!(RgbImage::try_from(tensor).unwrap(), image);

    let (tensor, _) = counted(|| Tensor::from(image));
    let (back, n_copies) = counted(|| RgbImage::try_from(tensor).unwrap());
    assert_eq!((back.as_raw().as_ptr(), n_copies), (address, 0));
}

#[test]
fn views_and_channels_in_another_order_are_copied_back() {
    let image = RgbaImage::from_fn(3, 5, |x, y| Rgba([0, 1, 2, 3].map(|c| value(x, y, c))));
    let tensor = Tensor::from(image.clone());
    let planes = tensor.permute([2, 0, 1]).unwrap().copy().unwrap();
    let pixels = planes.permute([1, 2, 0]).unwrap();
    let (back, n_copies) = counted(|| RgbaImage::try_from(pixels).unwrap());
    assert_eq!((back, n_copies), (image, 1));
}

#[test]
fn every_kind_of_pixel_is_converted() {
    let gray = GrayImage::from_fn(3, 2, |x, y| Luma([value(x, y, 0)]));
    let x = Tensor::from(gray.clone());
    assert_eq!(x.shape(), [2, 3, 1]);
    let flat = x.squeeze(&[2]).unwrap();
    assert_eq!(GrayImage::try_from(flat).unwrap(), gray);
    let deep = ImageBuffer::<Luma<u16>, Vec<u16>>::from_pixel(2, 1, Luma([40_000]));
    let x = Tensor::from(deep.clone());
    assert_eq!((x.dtype(), x.get::<u16>(&[0, 1, 0]).unwrap()), (DType::UInt16, 40_000));
    assert_eq!(ImageBuffer::<Luma<u16>, Vec<u16>>::try_from(x).unwrap(), deep);
    let floats = Rgb32FImage::from_pixel(1, 2, Rgb([0.5, 0.25, 1.0]));
    let x = Tensor::from(floats.clone());
    assert_eq!((x.dtype(), x.shape()), (DType::Float32, [2, 1, 3].into()));
    assert_eq!(Rgb32FImage::try_from(x).unwrap(), floats);
    let empty = Tensor::from(RgbImage::new(0, 3));
    assert_eq!(empty.shape(), [3, 0, 3]);
    assert_eq!(RgbImage::try_from(empty).unwrap().dimensions(), (0, 3));
}

#[test]
fn borrowed_images_are_views() {
    let mut image = RgbImage::new(4, 3);
    ViewMut::from(&mut image).set(&[2, 1, 0], 9).unwrap();
    assert_eq!(image[(1, 2)], Rgb([9, 0, 0]));
    let view = View::from(&image);
    assert_eq!((view.shape(), view.get(&[2, 1, 0]).unwrap()), ([3, 4, 3].into(), 9));
    // A buffer may be longer than the image.
    let long = ImageBuffer::<Luma<u8>, Vec<u8>>::from_raw(2, 2, vec![1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(View::from(&long).to_vec().unwrap(), [1, 2, 3, 4]);
    assert_eq!(Tensor::from(long), tensor![[[1u8], [2]], [[3], [4]]]);
}

#[test]
fn other_shapes_and_dtypes_are_refused() {
    let refused = |x: Tensor| RgbImage::try_from(x).unwrap_err().to_string();
    let zeros = |shape: &[usize], dtype| Tensor::zeros(shape, dtype).unwrap();
    let text = refused(zeros(&[3, 4, 5], DType::UInt8));
    assert_eq!(text, "ImageBuffer::try_from needs shape [3, 4, 3], got [3, 4, 5]");
    let text = refused(zeros(&[3, 4], DType::UInt8));
    assert_eq!(
        text,
        "ImageBuffer::try_from needs the axes height, width and channels, got shape [3, 4]"
    );
    assert_eq!(refused(zeros(&[3, 4, 3], DType::Int8)), "expected a tensor of uint8, got int8");
    let wide = zeros(&[1, 1, 3], DType::UInt8).expand([1usize, 1 << 32, 3]).unwrap();
    assert!(refused(wide).contains("at most 4294967295, got 4294967296"));
}
