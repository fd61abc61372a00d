//! Arithmetic of colours: luminance and contrast as the Web's accessibility guidelines define them, distance
//! in a space made for human eyes (OKLab), and the fixed palette of 256.
//!
//! Promises: pure functions of numbers.
//! Leaves to others: what the numbers are used for (`contrast`, `depth`).

use std::sync::LazyLock;

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

fn linear(channel: u8) -> f32 {
    let value = f32::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Relative luminance, 0 to 1.
pub(super) fn luminance((red, green, blue): Rgb) -> f32 {
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Contrast ratio of two colours, 1 to 21.
pub(super) fn contrast(one: Rgb, other: Rgb) -> f32 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// A colour as the eye sees it: a place in OKLab.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Lightness, 0 to 1, even to the eye.
    pub lightness: f32,
    a: f32,
    b: f32,
}

impl Seen {
    pub fn new((red, green, blue): Rgb) -> Seen {
        let (red, green, blue) = (linear(red), linear(green), linear(blue));
        let long = (0.412_221_46 * red + 0.536_332_55 * green + 0.051_445_995 * blue).cbrt();
        let medium = (0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue).cbrt();
        let short = (0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue).cbrt();
        Seen {
            lightness: 0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
            a: 1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
            b: 0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
        }
    }

    /// How far two colours are apart, squared.
    pub fn distance(self, other: Seen) -> f32 {
        let (lightness, a, b) = (self.lightness - other.lightness, self.a - other.a, self.b - other.b);
        lightness * lightness + a * a + b * b
    }

    /// How colourful it is; greys have 0.
    pub fn chroma(self) -> f32 {
        self.a.hypot(self.b)
    }

    /// Angle of the hue, in degrees from 0 to 360.
    pub fn hue(self) -> f32 {
        self.b.atan2(self.a).to_degrees().rem_euclid(360.0)
    }

    /// How far the hues are apart: 0 for the same, 2 for opposite ones.
    pub fn turn(self, other: Seen) -> f32 {
        let length = self.chroma() * other.chroma();
        if length == 0.0 { 0.0 } else { 1.0 - (self.a * other.a + self.b * other.b) / length }
    }
}

/// The fixed palette from 16 on, seen.
pub(super) static PALETTE: LazyLock<Vec<(u8, Seen)>> =
    LazyLock::new(|| (16..=255).map(|index| (index, Seen::new(indexed(index)))).collect());

/// The colour of a number of the fixed palette; 0 to 15 are the user's own, here as most terminals show them.
pub(super) fn indexed(index: u8) -> Rgb {
    const SIXTEEN: [Rgb; 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match index {
        0..=15 => SIXTEEN[usize::from(index)],
        16..=231 => {
            let index = usize::from(index - 16);
            (LEVELS[index / 36], LEVELS[index / 6 % 6], LEVELS[index % 6])
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}
