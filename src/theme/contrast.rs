//! Can it be read? Text roles checked against every background they can stand on.
//!
//! Promises: [`Theme::low_contrast`] knows which role is drawn on which; the bound is the 4.5 of the Web's
//! accessibility guidelines.
//! Leaves to others: terminals with a background of another kind than the theme declares.

use super::colour_space::{contrast, indexed};
use super::style::{Colour, Style};
use super::{Role, Theme};

/// The least contrast of text.
pub const READABLE: f32 = 4.5;

/// A piece of text that is hard to read.
#[derive(Debug, Clone, PartialEq)]
pub struct LowContrast {
    /// Role of the text.
    pub text: Role,
    /// Roles laid under it, lowest first; empty for the theme's own background.
    pub on: Vec<Role>,
    /// Ratio of luminances; below [`READABLE`].
    pub ratio: f32,
}

/// Roles that are lines, fills and tracks, not text.
const SHAPES: [Role; 8] = [
    Role::Border,
    Role::BorderFocus,
    Role::OverlayBorder,
    Role::Scrollbar,
    Role::ScrollbarThumb,
    Role::DiffEmpty,
    Role::Whitespace,
    Role::Diff,
];

/// Rows of lists: everything that stands in lists is drawn on them.
const ROWS: [&[Role]; 4] =
    [&[Role::Selection], &[Role::SelectionInactive], &[Role::Cursor], &[Role::Overlay]];

/// Changed code: syntax colours are drawn on them.
const CHANGES: [&[Role]; 12] = [
    &[Role::DiffAdded],
    &[Role::DiffRemoved],
    &[Role::DiffChanged],
    &[Role::DiffAdded, Role::DiffAddedWord],
    &[Role::DiffRemoved, Role::DiffRemovedWord],
    &[Role::DiffChanged, Role::DiffChangedWord],
    &[Role::Cursor],
    &[Role::Cursor, Role::DiffAdded],
    &[Role::Cursor, Role::DiffRemoved],
    &[Role::Cursor, Role::DiffAdded, Role::DiffAddedWord],
    &[Role::Cursor, Role::DiffRemoved, Role::DiffRemovedWord],
    &[Role::Overlay],
];

impl Theme {
    /// Every text that is hard to read. Where a colour or a background is the terminal's own, nothing can
    /// be said and nothing is.
    pub fn low_contrast(&self) -> Vec<LowContrast> {
        let mut found = Vec::new();
        for role in Role::ALL.iter().copied().filter(|role| !SHAPES.contains(role)) {
            self.check(role, &[], false, &mut found);
            let is_code =
                role.name().starts_with("syntax") || role == Role::Placeholder || role == Role::Text;
            if is_code {
                CHANGES.iter().for_each(|on| self.check(role, on, true, &mut found));
            }
            let is_in_gutter = role.name().starts_with("line_number") || role.name().ends_with(".gutter");
            if is_in_gutter {
                self.check(role, &[Role::Cursor], false, &mut found);
            } else if !is_code && !role.name().starts_with("diff") || role == Role::Text {
                ROWS.iter().for_each(|on| self.check(role, on, false, &mut found));
            }
        }
        found
    }

    /// `code`: diff colours lie over the text's role, as over syntax colours; otherwise the role lies on top.
    fn check(&self, text: Role, on: &[Role], code: bool, found: &mut Vec<LowContrast>) {
        let ground = on.iter().fold(Style::PLAIN, |below, role| below.patch(self.style(*role)));
        let style = if code {
            on.iter().fold(self.style(text), |below, role| below.patch(self.style(*role)))
        } else {
            ground.patch(self.style(text))
        };
        let background = style.bg.map_or(self.background, rgb);
        let foreground = style.fg.or(self.style(Role::Text).fg).and_then(rgb);
        let (Some(background), Some(foreground)) = (background, foreground) else { return };
        let ratio = contrast(foreground, background);
        if ratio < READABLE {
            found.push(LowContrast { text, on: on.to_vec(), ratio });
        }
    }
}

fn rgb(colour: Colour) -> Option<(u8, u8, u8)> {
    match colour {
        Colour::Rgb(red, green, blue) => Some((red, green, blue)),
        Colour::Indexed(index @ 16..) => Some(indexed(index)),
        _ => None,
    }
}
