//! The settings, one table of them: name, meaning, default, environment variable.

use super::ConfigError;
use toml::de::{DeTable, DeValue};

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Key in `config.toml`.
    pub key: &'static str,
    /// Environment variable that wins over the file.
    pub variable: &'static str,
    /// Value where nothing else is said.
    pub default: &'static str,
    /// What it may be, for error messages.
    pub expected: &'static str,
    /// What it does.
    pub meaning: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    OneOf(&'static [&'static str]),
    YesNo,
    Number { most: u64 },
}

/// All settings, in the order in which they are shown.
pub const SETTINGS: [Setting; 12] = [
    Setting {
        key: "theme",
        variable: "MENDBENCH_THEME",
        default: "auto",
        expected: "a theme's name, `auto` or `colourblind`",
        meaning: "colours; `auto` asks the terminal whether it is dark or light",
        kind: Kind::Text,
    },
    Setting {
        key: "layout",
        variable: "MENDBENCH_LAYOUT",
        default: "auto",
        expected: "`auto`, `unified` or `side-by-side`",
        meaning: "how the Diff tab places the two versions; `auto` goes by the width",
        kind: Kind::OneOf(&["auto", "unified", "side-by-side"]),
    },
    Setting {
        key: "wrap",
        variable: "MENDBENCH_WRAP",
        default: "false",
        expected: "true or false",
        meaning: "whether long lines of a difference go on in the next row",
        kind: Kind::YesNo,
    },
    Setting {
        key: "context",
        variable: "MENDBENCH_CONTEXT",
        default: "3",
        expected: "a number of lines, at most 1000",
        meaning: "equal lines kept around a change by `mendbench diff`",
        kind: Kind::Number { most: 1000 },
    },
    Setting {
        key: "preview",
        variable: "MENDBENCH_PREVIEW",
        default: "true",
        expected: "true or false",
        meaning: "whether the list of tasks shows the difference beside it",
        kind: Kind::YesNo,
    },
    Setting {
        key: "mouse",
        variable: "MENDBENCH_MOUSE",
        default: "false",
        expected: "true or false",
        meaning: "whether the mouse belongs to mendbench from the start",
        kind: Kind::YesNo,
    },
    Setting {
        key: "unicode",
        variable: "MENDBENCH_UNICODE",
        default: "auto",
        expected: "`auto`, `true` or `false`",
        meaning: "whether lines and marks are drawn with more than ASCII",
        kind: Kind::OneOf(&["auto", "true", "false"]),
    },
    Setting {
        key: "pager",
        variable: "MENDBENCH_PAGER",
        default: "",
        expected: "a command",
        meaning: "program that long output goes to on a terminal; empty: $PAGER, then less",
        kind: Kind::Text,
    },
    Setting {
        key: "sandbox",
        variable: "MENDBENCH_SANDBOX",
        default: "auto",
        expected: "`auto`, `docker`, `bubblewrap`, `namespaces` or `landlock`",
        meaning: "where tests run; `auto` takes Docker where an image is named, then the best that stands here",
        kind: Kind::OneOf(&["auto", "docker", "bubblewrap", "namespaces", "landlock"]),
    },
    Setting {
        key: "image",
        variable: "MENDBENCH_IMAGE",
        default: "",
        expected: "the name or digest of an image",
        meaning: "image for tests in Docker; empty: no Docker, unless `languages.toml` names one",
        kind: Kind::Text,
    },
    Setting {
        key: "jobs",
        variable: "MENDBENCH_JOBS",
        default: "0",
        expected: "a number, at most 512",
        meaning: "how many tasks are tested at once; 0: as many as there are processors",
        kind: Kind::Number { most: 512 },
    },
    Setting {
        key: "annotator",
        variable: "MENDBENCH_ANNOTATOR",
        default: "",
        expected: "a name",
        meaning: "who you are in labelling studies; empty: your user name",
        kind: Kind::Text,
    },
];

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// File and line.
    File(String),
    /// An environment variable.
    Environment(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File(place) => f.write_str(place),
            Source::Environment(name) | Source::Flag(name) => f.write_str(name),
        }
    }
}

/// Values of all settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    values: Vec<(String, Source)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { values: SETTINGS.iter().map(|s| (s.default.to_owned(), Source::Default)).collect() }
    }
}

impl Settings {
    /// The value of a setting; empty for a key that is none.
    pub fn get(&self, key: &str) -> &str {
        self.with_source(key).map_or("", |(value, _)| value)
    }

    /// The value of a yes-or-no setting.
    pub fn yes(&self, key: &str) -> bool {
        self.get(key) == "true"
    }

    /// The value of a number setting.
    pub fn number(&self, key: &str) -> usize {
        self.get(key).parse().unwrap_or(0)
    }

    /// A value and where it came from.
    pub fn with_source(&self, key: &str) -> Option<(&str, &Source)> {
        let number = SETTINGS.iter().position(|setting| setting.key == key)?;
        self.values.get(number).map(|(value, source)| (value.as_str(), source))
    }

    /// Sets a value, from a flag for instance.
    pub fn set(&mut self, key: &str, value: &str, source: Source) -> Result<(), ConfigError> {
        let Some(number) = SETTINGS.iter().position(|setting| setting.key == key) else { return Ok(()) };
        let setting = &SETTINGS[number];
        if !setting.kind.allows(value) {
            return Err(ConfigError::BadValue {
                place: source.to_string(),
                key: setting.key,
                found: format!("`{value}`"),
                expected: setting.expected,
            });
        }
        self.values[number] = (value.to_owned(), source);
        Ok(())
    }

    pub(super) fn take_environment(
        &mut self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        for setting in &SETTINGS {
            if let Some(value) = variable(setting.variable).filter(|value| !value.is_empty()) {
                self.set(setting.key, &value, Source::Environment(setting.variable))?;
            }
        }
        Ok(())
    }

    pub(super) fn take_file(&mut self, file: &str, text: &str) -> Result<(), ConfigError> {
        let line = |offset: usize| {
            text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
        };
        let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            line: line(error.span().map_or(0, |span| span.start)),
            why: error.message().replace('\n', ", "),
        })?;
        for (key, value) in table.get_ref() {
            let (name, at) = (key.get_ref().as_ref(), line(key.span().start));
            if name == "keys" {
                continue;
            }
            let Some(setting) = SETTINGS.iter().find(|setting| setting.key == name) else {
                return Err(ConfigError::UnknownKey {
                    file: file.to_owned(),
                    line: at,
                    key: name.to_owned(),
                    nearest: nearest(name),
                });
            };
            let place = format!("{file}:{at}");
            let bad = |found: String| ConfigError::BadValue {
                place: place.clone(),
                key: setting.key,
                found,
                expected: setting.expected,
            };
            let value = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Boolean(yes) => yes.to_string(),
                DeValue::Integer(number) => number.to_string(),
                _ => return Err(bad("a table, list or other value".to_owned())),
            };
            if !setting.kind.allows(&value) {
                return Err(bad(format!("`{value}`")));
            }
            self.set(setting.key, &value, Source::File(place.clone()))?;
        }
        Ok(())
    }
}

impl Kind {
    fn allows(self, value: &str) -> bool {
        match self {
            Kind::Text => true,
            Kind::OneOf(allowed) => allowed.contains(&value),
            Kind::YesNo => matches!(value, "true" | "false"),
            Kind::Number { most } => value.parse::<u64>().is_ok_and(|number| number <= most),
        }
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    SETTINGS
        .iter()
        .map(|setting| (strsim::damerau_levenshtein(name, setting.key), setting.key))
        .filter(|(distance, key)| *distance <= 2 && *distance < key.len())
        .min()
        .map(|(_, key)| key)
}
