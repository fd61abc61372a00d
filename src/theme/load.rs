//! A theme file and those it inherits from, joined and resolved.
//!
//! Promises: a theme that inherits may change single fields of single roles, or only the palette; a
//! circle of themes is an error that shows the circle.
//! Leaves to others: where user themes lie (`config`); reading one file (`file`).

use super::error::{Problem, ThemeError, nearest};
use super::file::{RoleEntry, ThemeFile, Written, read};
use super::style::{Colour, Style};
use super::{Appearance, BUILT_IN, Role, Theme};

/// A theme file: its name in errors, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file, as it should be named in errors.
    pub file: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// The built-in theme with this name.
    pub fn built_in(name: &str) -> Option<Source> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Source { file: format!("built-in theme {name}"), text: (*text).to_owned() })
    }
}

/// Names of the sixteen colours.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

impl Theme {
    /// Reads the theme `name` from `source`. `others` finds the user's other themes by name, for `inherits`;
    /// the built-in ones are found without it, and a user's theme may inherit from the built-in theme
    /// whose name it took.
    pub fn parse(
        name: &str,
        source: &Source,
        others: &dyn Fn(&str) -> Option<Source>,
    ) -> Result<Theme, ThemeError> {
        let mut chain = vec![source.file.clone()];
        let mut file = read(&source.file, &source.text)?;
        let (mut child, mut parent) = (name.to_owned(), file.inherits.take());
        while let Some(wanted) = parent {
            let own = if wanted.text == child { None } else { others(&wanted.text) };
            let source = own.or_else(|| Source::built_in(&wanted.text)).ok_or_else(|| {
                let nearest = nearest(&wanted.text, BUILT_IN.iter().map(|(name, _)| *name));
                wanted.error(Problem::UnknownParent { parent: wanted.text.clone(), nearest })
            })?;
            let seen = chain.contains(&source.file);
            chain.push(source.file.clone());
            if seen {
                return Err(wanted.error(Problem::Cycle(chain)));
            }
            let mut older = read(&source.file, &source.text)?;
            parent = older.inherits.take();
            child = wanted.text;
            file = joined(older, file);
        }
        resolve(name, &file)
    }

    /// The built-in theme with this name.
    pub fn built_in(name: &str) -> Option<Theme> {
        let source = Source::built_in(name)?;
        // A test reads every built-in theme, so that an error here cannot reach a person.
        Theme::parse(name, &source, &|_| None).ok()
    }
}

/// `over` laid over `under`, field by field.
fn joined(mut under: ThemeFile, over: ThemeFile) -> ThemeFile {
    under.name = over.name.or(under.name);
    under.appearance = over.appearance.or(under.appearance);
    under.background = over.background.or(under.background);
    under.palette.extend(over.palette);
    for (role, entry) in over.roles {
        let below = under.roles.entry(role).or_default();
        below.fg = entry.fg.or(below.fg.take());
        below.bg = entry.bg.or(below.bg.take());
        for (below, above) in below.attributes.iter_mut().zip(entry.attributes) {
            *below = above.or(*below);
        }
    }
    under
}

fn resolve(name: &str, file: &ThemeFile) -> Result<Theme, ThemeError> {
    // A palette entry that no role uses must be a colour all the same.
    for written in file.palette.values() {
        literal(written)?;
    }
    let background = match file.background.as_ref().map(|written| (written, colour(file, written))) {
        None => None,
        Some((_, Ok(Some(Colour::Rgb(red, green, blue))))) => Some((red, green, blue)),
        Some((_, Err(error))) => return Err(error),
        Some((written, Ok(_))) => {
            let expected = "#rrggbb: the background that this theme is made for";
            return Err(written.error(Problem::Expected { expected, found: format!("`{}`", written.text) }));
        }
    };
    let mut styles = [Style::PLAIN; Role::COUNT];
    // A fallback stands before the roles that fall back on it, in this list as in the alphabet of a tree.
    for role in Role::ALL.iter().copied() {
        styles[role as usize] = match (file.roles.get(&role), role.fallback()) {
            (Some(entry), _) => style(file, entry)?,
            (None, Some(fallback)) => styles[fallback as usize],
            (None, None) => Style::PLAIN,
        };
    }
    Ok(Theme {
        name: name.to_owned(),
        title: file.name.clone().unwrap_or_else(|| name.to_owned()),
        appearance: file.appearance.unwrap_or(Appearance::Any),
        background,
        styles,
    })
}

fn style(file: &ThemeFile, entry: &RoleEntry) -> Result<Style, ThemeError> {
    let resolve = |written: &Option<Written>| match written {
        Some(written) => colour(file, written),
        None => Ok(None),
    };
    let [bold, dim, italic, underline, reverse, strike] = entry.attributes.map(|on| on.unwrap_or(false));
    Ok(Style {
        fg: resolve(&entry.fg)?,
        bg: resolve(&entry.bg)?,
        bold,
        dim,
        italic,
        underline,
        reverse,
        strike,
    })
}

/// The colour meant by what was written: a palette name, or a colour itself.
fn colour(file: &ThemeFile, written: &Written) -> Result<Option<Colour>, ThemeError> {
    match file.palette.get(&written.text) {
        Some(entry) => literal(entry),
        None => literal(written).map_err(|error| {
            let names = file.palette.keys().map(String::as_str).chain(NAMES).chain(["default", "none"]);
            let nearest = nearest(&written.text, names);
            ThemeError { problem: Problem::NotAColour { value: written.text.clone(), nearest }, ..error }
        }),
    }
}

fn literal(written: &Written) -> Result<Option<Colour>, ThemeError> {
    let text = written.text.as_str();
    let not_a_colour = || written.error(Problem::NotAColour { value: text.to_owned(), nearest: None });
    if let Some(hex) = text.strip_prefix('#') {
        return hexadecimal(hex).map(Some).ok_or_else(not_a_colour);
    }
    if let Some(index) = NAMES.iter().position(|name| *name == text) {
        return Ok(Some(Colour::Ansi(index as u8)));
    }
    match text {
        "none" => Ok(None),
        "default" => Ok(Some(Colour::Default)),
        _ => match text.parse::<u8>() {
            Ok(index @ 0..=15) => Ok(Some(Colour::Ansi(index))),
            Ok(index) => Ok(Some(Colour::Indexed(index))),
            Err(_) => Err(not_a_colour()),
        },
    }
}

/// `rrggbb` or `rgb`.
fn hexadecimal(hex: &str) -> Option<Colour> {
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(hex, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    match hex.len() {
        6 => Some(Colour::Rgb(red, green, blue)),
        3 => {
            let [red, green, blue] = [value >> 8, value >> 4 & 15, value & 15].map(|digit| digit as u8 * 17);
            Some(Colour::Rgb(red, green, blue))
        }
        _ => None,
    }
}
