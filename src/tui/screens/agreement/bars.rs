//! Intervals as bars, shares as shades.
//!
//! Promises: pure drawing; what lies outside of the scale is drawn at its edge; a number is always printed beside a
//! shade. Leaves to others: the numbers.

use crate::agreement::{Interval, Value};
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// A scale from `low` to 1 over some columns.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// The value at the first column, 0 or below.
    pub low: f64,
    /// Columns.
    pub width: u16,
}

impl Scale {
    /// A scale that holds these values: from 0, or from the next tenth below the least.
    pub fn holding(values: impl Iterator<Item = f64>, width: u16) -> Scale {
        let least = values.fold(0.0, f64::min);
        Scale { low: ((least * 5.0).floor() / 5.0).max(-1.0), width }
    }

    /// Round values to print beside the scale, from the least: every fifth, every half, or its ends, so that two cells are
    /// between two of them where there is room. 0 and 1 are always among them where they lie apart.
    pub fn ticks(&self) -> Vec<f64> {
        let apart = |step: f64| step / (1.0 - self.low) * f64::from(self.width.saturating_sub(1)) >= 2.0;
        let step = [0.2, 0.5, 1.0].into_iter().find(|step| apart(*step)).unwrap_or(1.0);
        let least = (self.low / step - 1e-9).ceil() as i32;
        let most = (1.0 / step).round() as i32;
        (least..=most).map(|tick| f64::from(tick) * step).collect()
    }

    /// The column of a value.
    pub fn column(&self, value: f64) -> u16 {
        let share = ((value - self.low) / (1.0 - self.low)).clamp(0.0, 1.0);
        (share * f64::from(self.width.saturating_sub(1))).round() as u16
    }
}

/// Marks of a scale at every fifth, as a faint ground of a row of bars.
pub fn ground(canvas: &mut Canvas<'_>, skin: &Skin, x: u16, y: u16, scale: Scale) {
    let mut value = scale.low;
    while value < 1.05 {
        canvas.put(x + scale.column(value), y, skin.glyphs.dot, 1, skin.style(Role::Border));
        value += 0.2;
    }
}

/// A value with its interval.
pub fn interval(
    canvas: &mut Canvas<'_>,
    skin: &Skin,
    (x, y): (u16, u16),
    scale: Scale,
    value: f64,
    interval: Value<Interval>,
    role: Role,
) {
    let glyphs = &skin.glyphs;
    if let Value::Defined(Interval { low, high }) = interval {
        let (from, to) = (scale.column(low), scale.column(high));
        for column in from..=to {
            canvas.put(x + column, y, glyphs.rule, 1, skin.style(Role::TextDim));
        }
        if to > from {
            canvas.put(x + from, y, glyphs.whiskers[0], 1, skin.style(Role::TextDim));
            canvas.put(x + to, y, glyphs.whiskers[1], 1, skin.style(Role::TextDim));
        }
    }
    canvas.put(x + scale.column(value), y, glyphs.point, 1, skin.style(role));
}

/// The shade of a share, of what is as it should be or of what is not; none for nothing.
pub fn shade(share: f64, wanted: bool) -> Option<Role> {
    let roles = match wanted {
        true => [Role::HeatAgreeLow, Role::HeatAgreeMiddle, Role::HeatAgreeHigh],
        false => [Role::HeatDifferLow, Role::HeatDifferMiddle, Role::HeatDifferHigh],
    };
    match share {
        none if none <= 0.0 => None,
        low if low < 1.0 / 3.0 => Some(roles[0]),
        middle if middle < 2.0 / 3.0 => Some(roles[1]),
        _ => Some(roles[2]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Role, Scale, shade};

    #[test]
    fn scales_begin_at_nothing_or_below() {
        let scale = Scale::holding([0.3, 0.9].into_iter(), 11);
        assert_eq!(scale.low, 0.0);
        assert_eq!([0.0, 0.5, 1.0, 7.0, -3.0].map(|value| scale.column(value)), [0, 5, 10, 10, 0]);
        let below = Scale::holding([-0.05, 0.9].into_iter(), 13);
        assert!((below.low + 0.2).abs() < 1e-9);
        assert_eq!(below.column(0.0), 2);
        assert_eq!(Scale::holding([-7.0].into_iter(), 13).low, -1.0);
    }

    #[test]
    fn ticks_are_round_and_stand_apart() {
        let ticks = |least: f64, rows| {
            let scale = Scale::holding([least].into_iter(), rows);
            scale.ticks().iter().map(|tick| format!("{tick:.1}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ticks(0.3, 24), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(-0.13, 24), "-0.2 0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(-0.13, 9), "0.0 0.5 1.0");
        assert_eq!(ticks(-1.0, 9), "-1.0 -0.5 0.0 0.5 1.0");
        assert_eq!(ticks(0.3, 3), "0.0 1.0");
        assert_eq!(ticks(0.3, 1), "0.0 1.0");
    }

    #[test]
    fn nothing_has_no_shade() {
        assert_eq!(shade(0.0, true), None);
        assert_eq!(shade(0.01, true), Some(Role::HeatAgreeLow));
        assert_eq!(shade(0.5, false), Some(Role::HeatDifferMiddle));
        assert_eq!(shade(1.0, false), Some(Role::HeatDifferHigh));
    }
}
