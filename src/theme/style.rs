//! Colours and styles as data.
//!
//! Promises: plain values; [`Style::patch`] lays one style over another, so that syntax colours show under
//! diff colours.
//! Leaves to others: what a terminal can show (`depth`), escape sequences (`sgr`), the drawing library's types.

/// A colour as a terminal takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The terminal's own foreground or background.
    Default,
    /// One of the sixteen named colours, 0 to 15, whose look the user's terminal decides.
    Ansi(u8),
    /// A colour of the fixed palette of 256.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How a piece of text looks. What is `None` or `false` leaves what lies under it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// Colour of the text.
    pub fg: Option<Colour>,
    /// Colour behind it.
    pub bg: Option<Colour>,
    /// Bold.
    pub bold: bool,
    /// Fainter.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
    /// Struck through.
    pub strike: bool,
}

impl Style {
    /// Nothing set.
    pub const PLAIN: Style = Style {
        fg: None,
        bg: None,
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        reverse: false,
        strike: false,
    };

    /// `over` laid over this style: colours that `over` sets win, attributes add up.
    #[must_use]
    pub fn patch(self, over: Style) -> Style {
        Style {
            fg: over.fg.or(self.fg),
            bg: over.bg.or(self.bg),
            bold: self.bold | over.bold,
            dim: self.dim | over.dim,
            italic: self.italic | over.italic,
            underline: self.underline | over.underline,
            reverse: self.reverse | over.reverse,
            strike: self.strike | over.strike,
        }
    }

    /// Without colours; attributes stay.
    #[must_use]
    pub fn without_colours(self) -> Style {
        Style { fg: None, bg: None, ..self }
    }

    /// Only the background.
    #[must_use]
    pub fn background(self) -> Style {
        Style { bg: self.bg, ..Style::PLAIN }
    }
}
