//! One theme file read, not yet joined with the theme it inherits from.
//!
//! Promises: knows every key of the format and the line it stands in; colours stay as written, because a
//! theme that inherits may give another meaning to a palette name.
//! Leaves to others: inheritance and what colours resolve to (`load`).
//!
//! Under `[roles]` three ways of writing mean the same: `"diff.added" = { bg = "moss" }`,
//! `diff.added.bg = "moss"` and a table `[roles.diff.added]`. A string alone is the foreground.

use super::error::{Problem, ThemeError, nearest};
use super::{Appearance, Role};
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// A colour as written, and where.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub text: String,
    pub key: String,
    pub file: String,
    pub line: usize,
}

impl Written {
    pub fn error(&self, problem: Problem) -> ThemeError {
        ThemeError { file: self.file.clone(), line: self.line, key: self.key.clone(), problem }
    }
}

/// What a file says about one role.
#[derive(Debug, Clone, Default)]
pub(super) struct RoleEntry {
    pub fg: Option<Written>,
    pub bg: Option<Written>,
    /// Bold, dim, italic, underline, reverse, strike.
    pub attributes: [Option<bool>; 6],
}

/// Names of [`RoleEntry::attributes`].
const ATTRIBUTES: [&str; 6] = ["bold", "dim", "italic", "underline", "reverse", "strike"];

/// What a file says.
#[derive(Debug, Clone, Default)]
pub(super) struct ThemeFile {
    pub name: Option<String>,
    pub appearance: Option<Appearance>,
    pub background: Option<Written>,
    pub inherits: Option<Written>,
    pub palette: BTreeMap<String, Written>,
    pub roles: BTreeMap<Role, RoleEntry>,
}

/// Reads `text`; `file` is its name in errors.
pub(super) fn read(file: &str, text: &str) -> Result<ThemeFile, ThemeError> {
    let reader = Reader { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        reader.error(offset, "", Problem::Syntax(error.message().replace('\n', ", ")))
    })?;
    let mut theme = ThemeFile::default();
    for (key, value) in table.get_ref() {
        let (name, at) = (key.get_ref().as_ref(), key.span().start);
        let value = value.get_ref();
        match name {
            "name" => theme.name = Some(reader.string(at, name, value)?.to_owned()),
            "appearance" => {
                let word = reader.string(at, name, value)?;
                theme.appearance = Some(Appearance::parse(word).ok_or_else(|| {
                    let expected = "`dark`, `light` or `any`";
                    reader.error(at, name, Problem::Expected { expected, found: format!("`{word}`") })
                })?);
            }
            "background" => theme.background = Some(reader.colour(at, name, value)?),
            "inherits" => {
                let text = reader.string(at, name, value)?;
                theme.inherits = Some(reader.written(at, name, text));
            }
            "palette" => {
                for (key, value) in reader.table(at, name, value)? {
                    let (entry, at) = (key.get_ref().as_ref(), key.span().start);
                    let colour = reader.colour(at, &format!("palette.{entry}"), value.get_ref())?;
                    theme.palette.insert(entry.to_owned(), colour);
                }
            }
            "roles" => {
                for (key, value) in reader.table(at, name, value)? {
                    reader.role(&mut theme.roles, key.span().start, key.get_ref(), value.get_ref())?;
                }
            }
            _ => {
                let known = ["name", "appearance", "background", "inherits", "palette", "roles"];
                let nearest = nearest(name, known);
                return Err(reader.error(at, name, Problem::UnknownKey { nearest }));
            }
        }
    }
    Ok(theme)
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn error(&self, offset: usize, key: &str, problem: Problem) -> ThemeError {
        ThemeError { file: self.file.to_owned(), line: self.line(offset), key: key.to_owned(), problem }
    }

    fn written(&self, offset: usize, key: &str, text: &str) -> Written {
        Written {
            text: text.to_owned(),
            key: key.to_owned(),
            file: self.file.to_owned(),
            line: self.line(offset),
        }
    }

    fn expected(&self, offset: usize, key: &str, expected: &'static str, value: &DeValue<'_>) -> ThemeError {
        let found = format!("a value of type {}", value.type_str());
        self.error(offset, key, Problem::Expected { expected, found })
    }

    fn string<'v>(&self, offset: usize, key: &str, value: &'v DeValue<'_>) -> Result<&'v str, ThemeError> {
        value.as_str().ok_or_else(|| self.expected(offset, key, "a string", value))
    }

    fn table<'v, 'i>(
        &self,
        offset: usize,
        key: &str,
        value: &'v DeValue<'i>,
    ) -> Result<&'v DeTable<'i>, ThemeError> {
        value.as_table().ok_or_else(|| self.expected(offset, key, "a table", value))
    }

    fn colour(&self, offset: usize, key: &str, value: &DeValue<'_>) -> Result<Written, ThemeError> {
        match value {
            DeValue::String(text) => Ok(self.written(offset, key, text)),
            DeValue::Integer(number) => Ok(self.written(offset, key, &number.to_string())),
            other => Err(self.expected(offset, key, "a colour", other)),
        }
    }

    /// Reads what stands under `path`: a colour, or a table of a style, of roles further down, or of both.
    fn role(
        &self,
        roles: &mut BTreeMap<Role, RoleEntry>,
        offset: usize,
        path: &str,
        value: &DeValue<'_>,
    ) -> Result<(), ThemeError> {
        let Some(table) = value.as_table() else {
            let entry = roles.entry(self.known_role(offset, path)?).or_default();
            entry.fg = Some(self.colour(offset, path, value)?);
            return Ok(());
        };
        for (key, value) in table {
            let (name, at, value) = (key.get_ref().as_ref(), key.span().start, value.get_ref());
            let full = format!("{path}.{name}");
            let attribute = ATTRIBUTES.iter().position(|attribute| *attribute == name);
            if attribute.is_none() && name != "fg" && name != "bg" {
                // `diff.added.bgg` is a slip in a style, `diff.aded.bg` one in a role.
                if Role::parse(path).is_some() && Role::parse(&full).is_none() && value.as_table().is_none() {
                    let children =
                        Role::ALL.iter().filter_map(|role| role.name().strip_prefix(path)?.strip_prefix('.'));
                    let known = ["fg", "bg"].into_iter().chain(ATTRIBUTES).chain(children);
                    return Err(self.error(at, &full, Problem::UnknownKey { nearest: nearest(name, known) }));
                }
                self.role(roles, at, &full, value)?;
                continue;
            }
            let entry = roles.entry(self.known_role(at, path)?).or_default();
            match attribute {
                Some(index) => {
                    let on =
                        value.as_bool().ok_or_else(|| self.expected(at, &full, "true or false", value))?;
                    entry.attributes[index] = Some(on);
                }
                None if name == "fg" => entry.fg = Some(self.colour(at, &full, value)?),
                None => entry.bg = Some(self.colour(at, &full, value)?),
            }
        }
        Ok(())
    }

    fn known_role(&self, offset: usize, path: &str) -> Result<Role, ThemeError> {
        Role::parse(path).ok_or_else(|| {
            let nearest = nearest(path, Role::ALL.iter().map(|role| role.name()));
            self.error(offset, path, Problem::UnknownRole { nearest })
        })
    }
}
