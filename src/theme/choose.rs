//! Which theme, and how many colours: decided from facts that the caller gathered.
//!
//! Promises: pure; a person's explicit wish wins over the surroundings; the reason can be shown.
//! Leaves to others: reading the environment, asking the terminal whether it is dark (`tui::terminal`).

use super::Appearance;
use super::depth::ColourDepth;

/// The flag `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ColourFlag {
    /// Colours where the output is a terminal that has them.
    #[default]
    Auto,
    /// Colours in any case.
    Always,
    /// No colours.
    Never,
}

/// What the choice depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings<'a> {
    /// The setting `theme`: a name, or `auto` or `colourblind`, which stand for a dark and a light theme.
    pub configured: &'a str,
    /// The flag `--color`.
    pub flag: ColourFlag,
    /// Whether NO_COLOR is set and not empty.
    pub no_color: bool,
    /// Whether the terminal can place text (TERM is set and not `dumb`).
    pub dumb: bool,
    /// Colours of the terminal.
    pub depth: ColourDepth,
    /// Whether it is dark or light; `None` where it did not tell.
    pub appearance: Option<Appearance>,
}

/// A theme and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Name of the theme.
    pub theme: String,
    /// Colours it is to be shown with.
    pub depth: ColourDepth,
    /// For people: what decided.
    pub why: &'static str,
    /// Whether it would be another one on a dark or a light terminal: only then is the terminal asked.
    pub appearance_matters: bool,
}

/// Names that stand for a dark and a light theme.
const FAMILIES: [(&str, &str, &str); 2] =
    [("auto", "dark", "light"), ("colourblind", "colourblind-dark", "colourblind-light")];

/// The theme for these surroundings.
pub fn choose(surroundings: &Surroundings<'_>) -> Choice {
    let mono =
        |why| Choice { theme: "mono".to_owned(), depth: ColourDepth::None, why, appearance_matters: false };
    let forced = surroundings.flag == ColourFlag::Always;
    match surroundings.flag {
        ColourFlag::Never => return mono("--color=never"),
        ColourFlag::Auto if surroundings.no_color => return mono("NO_COLOR is set"),
        ColourFlag::Auto if surroundings.dumb => return mono("TERM is dumb or not set"),
        ColourFlag::Auto if surroundings.depth == ColourDepth::None => {
            return mono("the terminal has no colours");
        }
        _ => {}
    }
    let depth = match surroundings.depth {
        ColourDepth::None if forced => ColourDepth::Ansi16,
        depth => depth,
    };
    let configured = surroundings.configured.trim();
    let family = FAMILIES
        .iter()
        .find(|(name, _, _)| *name == configured || (configured.is_empty() && *name == "auto"));
    let Some((name, dark, light)) = family else {
        return Choice { theme: configured.to_owned(), depth, why: "configured", appearance_matters: false };
    };
    if *name == "auto" && depth == ColourDepth::Ansi16 {
        return Choice {
            theme: "ansi16".to_owned(),
            depth,
            why: "the terminal has 16 colours",
            appearance_matters: false,
        };
    }
    let (theme, why) = match surroundings.appearance {
        Some(Appearance::Light) => (light, "the terminal is light"),
        Some(Appearance::Dark) => (dark, "the terminal is dark"),
        _ => (dark, "the terminal did not tell whether it is light"),
    };
    Choice { theme: (*theme).to_owned(), depth, why, appearance_matters: true }
}

/// Terminals that show 16 million colours and say so only by their name.
const TRUECOLOUR_TERMINALS: [&str; 9] =
    ["alacritty", "contour", "foot", "ghostty", "kitty", "rio", "st-direct", "truecolor", "wezterm"];

/// Programs around a shell that do, by TERM_PROGRAM.
const TRUECOLOUR_PROGRAMS: [&str; 7] =
    ["Hyper", "WarpTerminal", "WezTerm", "ghostty", "iTerm.app", "rio", "vscode"];

impl ColourDepth {
    /// The colours of the terminal that these environment variables describe.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> ColourDepth {
        let term = variable("TERM").unwrap_or_default();
        if term.is_empty() || term == "dumb" || is_monochrome(&term) {
            return ColourDepth::None;
        }
        let colorterm = variable("COLORTERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let truecolour = matches!(colorterm.as_str(), "truecolor" | "24bit")
            || term.ends_with("-direct")
            || TRUECOLOUR_TERMINALS.iter().any(|name| term.contains(name))
            || TRUECOLOUR_PROGRAMS.contains(&program.as_str())
            || variable("WT_SESSION").is_some();
        if truecolour {
            ColourDepth::Truecolour
        } else if term.contains("256") || program == "Apple_Terminal" {
            ColourDepth::Ansi256
        } else {
            ColourDepth::Ansi16
        }
    }
}

/// The video terminals of DEC before colour, as `vt100` or `vt220-w`.
fn is_monochrome(term: &str) -> bool {
    term.strip_prefix("vt").is_some_and(|number| number.starts_with(['1', '2', '3', '4']))
        || term.ends_with("-m")
}

impl Appearance {
    /// What COLORFGBG (`15;0`: the numbers of foreground and background) says, as some terminals set it.
    pub fn from_colorfgbg(value: &str) -> Option<Appearance> {
        let background: u8 = value.rsplit(';').next()?.trim().parse().ok()?;
        match background {
            0..=6 | 8 => Some(Appearance::Dark),
            7 | 9..=15 => Some(Appearance::Light),
            _ => None,
        }
    }
}
