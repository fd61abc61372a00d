//! A theme made ready for drawing: ratatui styles by role, and the glyphs.
//!
//! Promises: the only place that turns colours of `theme` into those of the terminal library.

use crate::syntax::highlight::SyntaxRole;
use crate::theme::{Colour, Role, Style as ThemeStyle, Theme};
use ratatui::style::{Color, Modifier, Style};

/// Symbols beside text; the plain set needs ASCII only.
#[derive(Debug, Clone, Copy)]
pub struct Glyphs {
    /// Marks the line of the cursor.
    pub cursor: &'static str,
    /// Before folded lines.
    pub fold: &'static str,
    /// Fills the side that has no line.
    pub empty: &'static str,
    /// Vertical rule.
    pub bar: &'static str,
    /// Horizontal rule.
    pub rule: &'static str,
    /// Before a remark about a line's end.
    pub ending: &'static str,
    /// At the edge, where a line goes on.
    pub more: &'static str,
    /// An open group.
    pub open: &'static str,
    /// A collapsed group.
    pub closed: &'static str,
    /// Between the parts of the path in the header.
    pub crumb: &'static str,
    /// A remark on a task.
    pub mark: &'static str,
    /// Between hints.
    pub dot: &'static str,
    /// Minus sign in counts.
    pub minus: &'static str,
    /// The part of a bar that is done.
    pub full: &'static str,
    /// The part of it that is not.
    pub rest: &'static str,
    /// A value on a scale.
    pub point: &'static str,
    /// The value of another kind.
    pub hollow: &'static str,
    /// What a line from point to point is made of.
    pub trace: &'static str,
    /// The two ends of an interval.
    pub whiskers: [&'static str; 2],
    /// Horizontal and vertical side of a box, and its four corners.
    pub frame: [&'static str; 3],
}

/// Glyphs for terminals that show Unicode.
pub const UNICODE: Glyphs = Glyphs {
    cursor: "▌",
    fold: "⋯",
    empty: " ",
    bar: "│",
    rule: "─",
    ending: "⏎",
    more: "›",
    open: "▾",
    closed: "▸",
    crumb: "▸",
    mark: "▲",
    dot: "·",
    minus: "−",
    full: "▇",
    rest: "▁",
    point: "●",
    hollow: "○",
    trace: "·",
    whiskers: ["├", "┤"],
    frame: ["─", "│", "╭╮╰╯"],
};

/// Glyphs for terminals that do not.
pub const ASCII: Glyphs = Glyphs {
    cursor: ">",
    fold: "...",
    empty: " ",
    bar: "|",
    rule: "-",
    ending: "$",
    more: ">",
    open: "v",
    closed: ">",
    crumb: ">",
    mark: "!",
    dot: "-",
    minus: "-",
    full: "#",
    rest: "_",
    point: "o",
    hollow: "x",
    trace: ".",
    whiskers: ["[", "]"],
    frame: ["-", "|", "++++"],
};

/// Styles by role.
#[derive(Debug, Clone)]
pub struct Skin {
    styles: Vec<Style>,
    syntax: Vec<Style>,
    /// Symbols.
    pub glyphs: Glyphs,
}

impl Skin {
    /// The skin of a theme.
    pub fn new(theme: &Theme, unicode: bool) -> Skin {
        Skin {
            styles: Role::ALL.iter().map(|role| style(theme.style(*role))).collect(),
            syntax: SyntaxRole::ALL
                .iter()
                .map(|role| style(theme.style(Role::parse(role.as_str()).unwrap_or(Role::Syntax))))
                .collect(),
            glyphs: if unicode { UNICODE } else { ASCII },
        }
    }

    /// A skin without any style, for when no theme can be had.
    pub fn plain(unicode: bool) -> Skin {
        Skin { styles: Vec::new(), syntax: Vec::new(), glyphs: if unicode { UNICODE } else { ASCII } }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// `over` laid on `under`: what `over` leaves open shows `under`. On a reversed row text keeps the row's
    /// colours: its own would become patches of background.
    pub fn over(&self, under: Role, over: Role) -> Style {
        let under = self.style(under);
        let style = under.patch(self.style(over));
        if under.add_modifier.contains(Modifier::REVERSED) {
            return Style { fg: under.fg, bg: under.bg, ..style };
        }
        style
    }

    /// Text of `over` on the background of `under`: for roles whose own background belongs to whole lines.
    pub fn ink(&self, under: Role, over: Role) -> Style {
        let style = self.over(under, over);
        Style { bg: self.style(under).bg, ..style }
    }

    /// The style of a piece of code.
    pub fn syntax(&self, role: SyntaxRole) -> Style {
        self.syntax.get(role as usize).copied().unwrap_or_default()
    }
}

fn style(theme: ThemeStyle) -> Style {
    let mut style = Style { fg: theme.fg.map(colour), bg: theme.bg.map(colour), ..Style::default() };
    for (wanted, modifier) in [
        (theme.bold, Modifier::BOLD),
        (theme.dim, Modifier::DIM),
        (theme.italic, Modifier::ITALIC),
        (theme.underline, Modifier::UNDERLINED),
        (theme.reverse, Modifier::REVERSED),
        (theme.strike, Modifier::CROSSED_OUT),
    ] {
        if wanted {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Ansi(number) => Color::Indexed(number),
        Colour::Indexed(number) => Color::Indexed(number),
        Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
