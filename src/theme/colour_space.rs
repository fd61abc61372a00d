//! Arithmetic of colours: luminance and contrast as the Web's accessibility guidelines define them, distance
//! in a space made for human eyes (OKLab), and the fixed palette of 256.
//!
//! Promises: pure functions of numbers.
//! Leaves to others: what the numbers are used for (`contrast`, `depth`).

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

/// Lightness and the two opponent axes of OKLab.
fn oklab((red, green, blue): Rgb) -> [f32; 3] {
    let (red, green, blue) = (linear(red), linear(green), linear(blue));
    let long = (0.412_221_46 * red + 0.536_332_55 * green + 0.051_445_995 * blue).cbrt();
    let medium = (0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue).cbrt();
    let short = (0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue).cbrt();
    [
        0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
        1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
        0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
    ]
}

/// How far two colours are apart for the eye.
pub(super) fn distance(one: Rgb, other: Rgb) -> f32 {
    let (one, other) = (oklab(one), oklab(other));
    one.iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum()
}

/// How colourful a colour is; greys have 0.
pub(super) fn chroma(colour: Rgb) -> f32 {
    let [_, a, b] = oklab(colour);
    a.hypot(b)
}

/// Angle of the hue, in radians.
pub(super) fn hue(colour: Rgb) -> f32 {
    let [_, a, b] = oklab(colour);
    b.atan2(a)
}

/// Lightness, 0 to 1, even to the eye.
pub(super) fn lightness(colour: Rgb) -> f32 {
    oklab(colour)[0]
}

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
