//! Semantic colour roles and the theme files that fill them.
//!
//! Promises: no colour is named anywhere else; every role has a style in every theme; themes inherit, and
//! their errors say file, line and the nearest known name; what is shown survives 256, 16 and no colours;
//! text of the built-in themes has a contrast of 4.5 on every background it can stand on.
//! Leaves to others: user theme files (`config`), asking the terminal (`tui::terminal`), drawing.

mod choose;
mod colour_space;
mod contrast;
mod depth;
mod error;
mod file;
mod load;
mod role;
mod sgr;
mod style;

#[cfg(test)]
mod tests;

pub use choose::{Choice, ColourFlag, Surroundings, choose};
pub use contrast::{LowContrast, READABLE};
pub use depth::ColourDepth;
pub use error::{Problem, ThemeError};
pub use load::Source;
pub use role::Role;
pub use sgr::Painter;
pub use style::{Colour, Style};

/// The themes that come with mendbench, in the order in which they are offered.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("colourblind-dark", include_str!("../../themes/colourblind-dark.toml")),
    ("colourblind-light", include_str!("../../themes/colourblind-light.toml")),
    ("ansi16", include_str!("../../themes/ansi16.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
];

/// The kind of terminal a theme is made for, or a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Appearance {
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
    /// Either.
    Any,
}

impl Appearance {
    /// The name used in theme files.
    pub fn as_str(self) -> &'static str {
        match self {
            Appearance::Dark => "dark",
            Appearance::Light => "light",
            Appearance::Any => "any",
        }
    }

    /// The appearance with this name.
    pub fn parse(name: &str) -> Option<Appearance> {
        [Appearance::Dark, Appearance::Light, Appearance::Any]
            .into_iter()
            .find(|known| known.as_str() == name)
    }
}

/// A style for every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// The name it is chosen by.
    pub name: String,
    /// The name it gives itself, for lists.
    pub title: String,
    /// The kind of terminal it is made for.
    pub appearance: Appearance,
    /// The terminal background it counts on; it never paints it.
    pub background: Option<(u8, u8, u8)>,
    styles: [Style; Role::COUNT],
}

impl Theme {
    /// How `role` looks.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// How `over` looks on top of `under`.
    pub fn layered(&self, under: Role, over: Role) -> Style {
        self.style(under).patch(self.style(over))
    }
}
