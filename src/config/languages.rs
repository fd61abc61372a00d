//! Languages as data: endings, build, test command, parser, limits, analysers.
//!
//! Promises: what comes with mendbench is `languages.toml` beside this file; the user's file is laid over it key by
//! key; a mistake names file, line, key and what would be right. Leaves to others: running anything, and which
//! of the programs are installed (`harness`).

use super::{ConfigError, reader};
use crate::report::Parser;
use crate::report::diagnostics::Form;
use crate::task::{Command, Limits};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What comes with mendbench.
const BUILT_IN: &str = include_str!("languages.toml");

/// Most languages, and most entries of one list.
const MOST: usize = 200;

/// How one language is built, tested and analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    /// Its name, as tasks write it.
    pub name: String,
    /// Endings of its files, without dot, lower case.
    pub endings: Vec<String>,
    /// Endings of the files that commands are given.
    pub sources: Vec<String>,
    /// Builds a tree whose task names no build.
    pub build: Option<Command>,
    /// Tests a tree whose task names no command.
    pub test: Option<Command>,
    /// Reads what the test command prints.
    pub parser: Parser,
    /// What a run may use.
    pub limits: Limits,
    /// Compilers and analysers that look at the code.
    pub analysers: Vec<Analyser>,
    /// Patterns of paths that no answer may change or add, whatever a task says: files that would decide about the
    /// tests from outside them.
    pub protected: Vec<String>,
    /// Tells where the tools lie on this machine: run on the host, prints lines `version TEXT`, `search FOLDER` (for
    /// `PATH`) and `read FOLDER`.
    pub toolchain: Option<Command>,
    /// The image that Docker uses; `None`: the setting `image`.
    pub image: Option<String>,
}

/// A program that looks at code without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analyser {
    /// The command, with `{sources}` or `{source}`.
    pub command: Command,
    /// How its output reads.
    pub form: Form,
}

impl Analyser {
    /// The program that must be installed.
    pub fn program(&self) -> &str {
        match &self.command {
            Command::Arguments(arguments) => arguments.first().map_or("", String::as_str),
            Command::Shell(_) => "sh",
        }
    }
}

/// All languages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Languages {
    all: Vec<Language>,
}

impl Languages {
    /// Those that come with mendbench.
    pub fn built_in() -> Languages {
        Languages::default().with_overrides("languages.toml", BUILT_IN).unwrap_or_default()
    }

    /// These with a file laid over them; `file` is its name in messages.
    pub fn with_overrides(mut self, file: &str, text: &str) -> Result<Languages, ConfigError> {
        let reader = Reader { file, text };
        let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            line: reader.line(error.span().unwrap_or(0..0)),
            why: error.message().replace('\n', ", "),
        })?;
        for (name, value) in table.get_ref() {
            let (at, name) = (name.span(), name.get_ref().as_ref());
            if self.all.len() >= MOST {
                return Err(reader.wrong(at, name, format!("is one language too many: at most {MOST}")));
            }
            let DeValue::Table(keys) = value.get_ref() else {
                let problem = format!("must be a table: write `[{name}]` and its keys below");
                return Err(reader.wrong(at, name, problem));
            };
            if name.is_empty()
                || name.chars().any(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
            {
                let problem = "is no name of a language: lower-case letters, digits and `-`".to_owned();
                return Err(reader.wrong(at, name, problem));
            }
            let known = self.all.iter().position(|language| language.name == name);
            let mut language =
                known.and_then(|place| self.all.get(place).cloned()).unwrap_or_else(|| new(name));
            for (key, value) in keys {
                reader.key(&mut language, key, value)?;
            }
            if language.endings.is_empty() {
                return Err(reader.wrong(at, name, "needs `endings = [\"…\"]`".to_owned()));
            }
            if language.sources.is_empty() {
                language.sources.clone_from(&language.endings);
            }
            let taken = self.all.iter().filter(|other| other.name != name).find_map(|other| {
                let ending = language.endings.iter().find(|ending| other.endings.contains(ending))?;
                Some(format!("claims the ending `{ending}`, which belongs to `{}`", other.name))
            });
            if let Some(problem) = taken {
                return Err(reader.wrong(at, name, problem));
            }
            match known.and_then(|place| self.all.get_mut(place)) {
                Some(place) => *place = language,
                None => self.all.push(language),
            }
        }
        Ok(self)
    }

    /// The language with a name.
    pub fn get(&self, name: &str) -> Option<&Language> {
        self.all.iter().find(|language| language.name == name)
    }

    /// The language of a file, by its ending.
    pub fn of_path(&self, path: &str) -> Option<&Language> {
        let ending = ending(path)?;
        self.all.iter().find(|language| language.endings.contains(&ending))
    }

    /// All of them, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Language> {
        self.all.iter()
    }
}

impl Language {
    /// The files among `paths` that commands are given.
    pub fn sources_of<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        paths.filter(|path| ending(path).is_some_and(|ending| self.sources.contains(&ending))).collect()
    }
}

fn new(name: &str) -> Language {
    Language {
        name: name.to_owned(),
        endings: Vec::new(),
        sources: Vec::new(),
        build: None,
        test: None,
        parser: Parser::ExitCode,
        limits: Limits::default(),
        analysers: Vec::new(),
        protected: Vec::new(),
        toolchain: None,
        image: None,
    }
}

fn ending(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_ascii_lowercase())
}

/// The commands to run for these source files: one, or with `{source}` one for each. None, when a command asks
/// for sources and there are none.
pub fn fill(command: &Command, sources: &[&str]) -> Vec<Command> {
    let has = |word: &str| match command {
        Command::Arguments(arguments) => arguments.iter().any(|argument| argument == word),
        Command::Shell(line) => line.contains(word),
    };
    // A file called `-x` must not become an option.
    let safe: Vec<String> = sources
        .iter()
        .map(|path| if path.starts_with('-') { format!("./{path}") } else { (*path).to_owned() })
        .collect();
    if has("{source}") {
        return safe.iter().map(|path| filled(command, "{source}", std::slice::from_ref(path))).collect();
    }
    if !has("{sources}") {
        return vec![command.clone()];
    }
    if safe.is_empty() { Vec::new() } else { vec![filled(command, "{sources}", &safe)] }
}

fn filled(command: &Command, word: &str, paths: &[String]) -> Command {
    match command {
        Command::Arguments(arguments) => Command::Arguments(
            arguments
                .iter()
                .flat_map(|argument| if argument == word { paths.to_vec() } else { vec![argument.clone()] })
                .collect(),
        ),
        Command::Shell(line) => {
            // Names with a NUL cannot be quoted, and no file has one.
            let quoted: Vec<String> = paths
                .iter()
                .filter_map(|path| shlex::try_quote(path).ok().map(|path| path.into_owned()))
                .collect();
            Command::Shell(line.replace(word, &quoted.join(" ")))
        }
    }
}

/// Reads values and says what is wrong with them.
struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

type Value<'a> = Spanned<DeValue<'a>>;

const KEYS: [&str; 10] = [
    "endings",
    "sources",
    "build",
    "test",
    "parser",
    "limits",
    "analysers",
    "protected",
    "toolchain",
    "image",
];
const LIMITS: [&str; 5] = ["timeout_s", "memory_mb", "processes", "disk_mb", "output_kb"];

impl Reader<'_> {
    fn line(&self, span: Range<usize>) -> usize {
        reader::line(self.text, span)
    }

    fn wrong(&self, span: Range<usize>, key: &str, problem: String) -> ConfigError {
        ConfigError::Language {
            file: self.file.to_owned(),
            line: self.line(span),
            key: crate::text::truncate(key, 80).into_owned(),
            problem,
        }
    }

    fn unknown(&self, span: Range<usize>, key: &str, name: &str, known: &[&str]) -> ConfigError {
        let hint = reader::hint(name, known);
        self.wrong(span, key, format!("is not known here: {hint}"))
    }

    fn key(
        &self,
        language: &mut Language,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Value<'_>,
    ) -> Result<(), ConfigError> {
        let name = key.get_ref().as_ref();
        let path = format!("{}.{name}", language.name);
        match name {
            "endings" => language.endings = self.endings(&path, value)?,
            "sources" => language.sources = self.endings(&path, value)?,
            "build" => language.build = self.command(&path, value)?,
            "test" => language.test = self.command(&path, value)?,
            "parser" => {
                let names = Parser::ALL.map(Parser::name);
                language.parser = self.choice(&path, value, &names, Parser::by_name)?;
            }
            "limits" => self.limits(&path, value, &mut language.limits)?,
            "analysers" => language.analysers = self.analysers(&path, value)?,
            "protected" => language.protected = self.texts(&path, value)?,
            "toolchain" => language.toolchain = self.command(&path, value)?,
            "image" => {
                let DeValue::String(image) = value.get_ref() else {
                    return Err(self.wrong(value.span(), &path, "must be the name of an image".to_owned()));
                };
                language.image = Some(image.to_string()).filter(|image| !image.is_empty());
            }
            _ => return Err(self.unknown(key.span(), &path, name, &KEYS)),
        }
        Ok(())
    }

    fn texts(&self, key: &str, value: &Value<'_>) -> Result<Vec<String>, ConfigError> {
        let wrong = |span| self.wrong(span, key, "must be a list of texts".to_owned());
        let DeValue::Array(values) = value.get_ref() else { return Err(wrong(value.span())) };
        if values.len() > MOST {
            return Err(self.wrong(value.span(), key, format!("has more than {MOST} entries")));
        }
        values
            .iter()
            .map(|value| match value.get_ref() {
                DeValue::String(text) => Ok(text.to_string()),
                _ => Err(wrong(value.span())),
            })
            .collect()
    }

    fn endings(&self, key: &str, value: &Value<'_>) -> Result<Vec<String>, ConfigError> {
        let endings = self.texts(key, value)?;
        let bad = endings.iter().find(|ending| {
            ending.is_empty()
                || ending.chars().any(|c| c.is_uppercase() || c.is_whitespace() || "./\\".contains(c))
        });
        match bad {
            Some(ending) => {
                let ending = crate::text::truncate(ending, 40);
                let problem =
                    format!("holds `{ending}`: write endings without dot and in lower case, like `py`");
                Err(self.wrong(value.span(), key, problem))
            }
            None => Ok(endings),
        }
    }

    fn command(&self, key: &str, value: &Value<'_>) -> Result<Option<Command>, ConfigError> {
        let command = match value.get_ref() {
            DeValue::String(line) => Command::Shell(line.to_string()),
            DeValue::Array(_) => Command::Arguments(self.texts(key, value)?),
            _ => {
                let problem = "must be a list of arguments, or a text for `sh -c`".to_owned();
                return Err(self.wrong(value.span(), key, problem));
            }
        };
        Ok(Some(command).filter(|command| !command.is_empty()))
    }

    fn choice<T>(
        &self,
        key: &str,
        value: &Value<'_>,
        names: &[&str],
        by_name: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let found = match value.get_ref() {
            DeValue::String(name) => by_name(name),
            _ => None,
        };
        found.ok_or_else(|| self.wrong(value.span(), key, format!("must be one of {}", names.join(", "))))
    }

    fn limits(&self, key: &str, value: &Value<'_>, limits: &mut Limits) -> Result<(), ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span(), key, format!("must be a table of {}", LIMITS.join(", "))));
        };
        for (name, value) in table {
            let path = format!("{key}.{}", name.get_ref());
            let field = match name.get_ref().as_ref() {
                "timeout_s" => &mut limits.timeout_s,
                "memory_mb" => &mut limits.memory_mb,
                "processes" => &mut limits.processes,
                "disk_mb" => &mut limits.disk_mb,
                "output_kb" => &mut limits.output_kb,
                other => return Err(self.unknown(name.span(), &path, other, &LIMITS)),
            };
            let number = match value.get_ref() {
                DeValue::Integer(number) => number.to_string().parse::<u64>().ok(),
                _ => None,
            };
            match number {
                Some(number) if number > 0 => *field = Some(number),
                _ => {
                    return Err(self.wrong(value.span(), &path, "must be a whole number above 0".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn analysers(&self, key: &str, value: &Value<'_>) -> Result<Vec<Analyser>, ConfigError> {
        let wrong = |span| {
            let problem = "must be tables with `command` and `form`: write `[[…analysers]]`".to_owned();
            self.wrong(span, key, problem)
        };
        let DeValue::Array(values) = value.get_ref() else { return Err(wrong(value.span())) };
        if values.len() > MOST {
            return Err(self.wrong(value.span(), key, format!("has more than {MOST} entries")));
        }
        let mut analysers = Vec::new();
        for value in values {
            let DeValue::Table(table) = value.get_ref() else { return Err(wrong(value.span())) };
            let (mut command, mut form) = (None, None);
            for (name, value) in table {
                let path = format!("{key}.{}", name.get_ref());
                match name.get_ref().as_ref() {
                    "command" => command = self.command(&path, value)?,
                    "form" => {
                        form = Some(self.choice(&path, value, &Form::ALL.map(Form::name), Form::by_name)?);
                    }
                    other => return Err(self.unknown(name.span(), &path, other, &["command", "form"])),
                }
            }
            let (Some(command), Some(form)) = (command, form) else { return Err(wrong(value.span())) };
            analysers.push(Analyser { command, form });
        }
        Ok(analysers)
    }
}
