//! The colour scale for offsets in memory.
//!
//! It goes from dark blue over green to yellow with monotonically increasing lightness, so that the order
//! is visible without colour vision. Colours are interpolated in OKLCH, which is perceptually uniform.

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Rgb {
    /// Formats the colour as in SVG and CSS.
    ///
    /// ```
    /// # use belvedere_draw::Rgb;
    /// assert_eq!(Rgb { r: 255, g: 0, b: 10 }.to_hex(), "#ff000a");
    /// ```
    pub fn to_hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }

    /// Returns whether white text has more contrast on it than black text.
    ///
    /// ```
    /// # use belvedere_draw::Rgb;
    /// assert!(Rgb { r: 0, g: 0, b: 128 }.is_dark());
    /// assert!(!Rgb { r: 255, g: 255, b: 0 }.is_dark());
    /// ```
    pub fn is_dark(self) -> bool {
        // White and black text have the same contrast at this luminance.
        self.luminance() < 0.179
    }

    /// Returns the relative luminance of WCAG, from 0 to 1.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.r) + 0.7152 * linear(self.g) + 0.0722 * linear(self.b)
    }

    /// Returns the number of the nearest colour of the 6×6×6 cube of 256-colour terminals.
    pub(crate) fn to_ansi(self) -> u8 {
        const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let nearest = |channel: u8| {
            (0..6u8).min_by_key(|&i| LEVELS[usize::from(i)].abs_diff(channel)).unwrap_or(0)
        };
        16 + 36 * nearest(self.r) + 6 * nearest(self.g) + nearest(self.b)
    }
}

/// Returns the colour of offset `at` in a memory of `len` elements.
///
/// ```
/// use belvedere_draw::colour_of;
///
/// assert!(colour_of(0, 12).is_dark());
/// assert!(!colour_of(11, 12).is_dark());
/// ```
pub fn colour_of(at: usize, len: usize) -> Rgb {
    let last = len.saturating_sub(1).max(1);
    let t = (at as f64 / last as f64).clamp(0.0, 1.0);
    // Must agree with `colour` in `crates/cli/web/picture.js`.
    let lightness = 0.34 + 0.56 * t;
    let chroma = 0.095 + 0.065 * t;
    let hue = 275.0 - 170.0 * t;
    from_oklch(lightness, chroma, hue)
}

/// Converts lightness, chroma and hue in degrees (Ottosson's OKLCH) to sRGB, clipped to its gamut.
fn from_oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let cube = |x: f64| x * x * x;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    Rgb {
        r: to_byte(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        g: to_byte(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        b: to_byte(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    }
}

/// Encodes a linear channel value with the sRGB transfer function.
fn to_byte(linear: f64) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_positions_are_brighter() {
        for at in 1..64 {
            assert!(colour_of(at, 64).luminance() > colour_of(at - 1, 64).luminance(), "{at}");
        }
    }

    #[test]
    fn text_can_be_read_on_every_colour() {
        for at in 0..256 {
            let colour = colour_of(at, 256);
            let y = colour.luminance();
            let contrast = if colour.is_dark() { 1.05 / (y + 0.05) } else { (y + 0.05) / 0.05 };
            assert!(contrast >= 4.5, "{at}: {contrast}");
        }
    }

    #[test]
    fn adjacent_offsets_have_different_colours() {
        // Clipped channels would make them equal.
        for at in 1..32 {
            assert_ne!(colour_of(at, 32), colour_of(at - 1, 32));
        }
    }

    #[test]
    fn positions_beyond_the_memory_and_memories_of_one_element_have_a_colour() {
        assert_eq!(colour_of(5, 0), colour_of(7, 1));
        assert_eq!(colour_of(usize::MAX, 3), colour_of(2, 3));
    }
}
