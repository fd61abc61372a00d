//! Words for kappas: the bands of Landis and Koch 1977, which their authors call arbitrary.
//!
//! Kappa depends on prevalence, on the number of categories and on the weights, and a point estimate says nothing
//! of its error. So a band belongs beside an interval and is called a convention; [`Band::assured`] gives the
//! highest one that the data support.

use super::distribution::normal_below;

/// A band; each but the first holds its upper end: 0.20 is slight, 0.205 is fair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// Below 0.
    Poor,
    /// 0 to 0.20.
    Slight,
    /// Above 0.20, to 0.40.
    Fair,
    /// Above 0.40, to 0.60.
    Moderate,
    /// Above 0.60, to 0.80.
    Substantial,
    /// Above 0.80.
    AlmostPerfect,
}

/// The bands above poor, each with its lower end.
const LOWER_ENDS: [(Band, f64); 5] = [
    (Band::Slight, 0.0),
    (Band::Fair, 0.2),
    (Band::Moderate, 0.4),
    (Band::Substantial, 0.6),
    (Band::AlmostPerfect, 0.8),
];

impl Band {
    /// The band that a value lies in.
    pub fn of(value: f64) -> Band {
        // 0 itself is slight already.
        let above = |(band, end): &&(Band, f64)| value > *end || (*band == Band::Slight && value == 0.0);
        LOWER_ENDS.iter().rev().find(above).map_or(Band::Poor, |(band, _)| *band)
    }

    /// The highest band whose lower end the true value reaches with a probability of at least 0.95, if it is
    /// normal around `value` with this standard error. Gwet 2014, chapter 6 (benchmarking).
    pub fn assured(value: f64, standard_error: f64) -> Band {
        if standard_error <= 0.0 {
            return Band::of(value);
        }
        let reaches = |(_, end): &&(Band, f64)| normal_below((value - end) / standard_error) >= 0.95;
        LOWER_ENDS.iter().rev().find(reaches).map_or(Band::Poor, |(band, _)| *band)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Band::Poor => "poor",
            Band::Slight => "slight",
            Band::Fair => "fair",
            Band::Moderate => "moderate",
            Band::Substantial => "substantial",
            Band::AlmostPerfect => "almost perfect",
        }
    }
}
