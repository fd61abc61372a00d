//! Keys that people configured, laid over the table.
//!
//! Promises: `[keys.CONTEXT] action = ["key", …]` replaces the keys of that action in that context, an empty
//! list takes them away; either all of a file holds or none of it.
//! Leaves to others: finding and reading the file (`config`); all its tables but `keys`.

use super::error::{KeymapError, Origin, Problem};
use super::{Action, Context, Entry, Key, Keymap, Sequence};
use toml::de::{DeTable, DeValue};

impl Keymap {
    /// This keymap with the `[keys.…]` tables of `text` laid over it; `file` is its name in errors.
    pub fn with_overrides(&self, file: &str, text: &str) -> Result<Keymap, KeymapError> {
        let reader = Reader { file, text };
        let table = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            reader.error(offset, Problem::Syntax(error.message().replace('\n', ", ")))
        })?;
        let mut keymap = self.clone();
        let Some((at, keys)) = table.get_ref().iter().find(|(key, _)| key.get_ref() == "keys") else {
            return Ok(keymap);
        };
        let Some(contexts) = keys.get_ref().as_table() else {
            let name = "keys".to_owned();
            return Err(reader.error(at.span().start, Problem::UnknownContext { name, nearest: None }));
        };
        for (key, value) in contexts {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            let unknown = || {
                let nearest = nearest(name, Context::ALL.iter().map(|context| context.name()));
                reader.error(at, Problem::UnknownContext { name: name.to_owned(), nearest })
            };
            let context = Context::parse(name).ok_or_else(unknown)?;
            for (key, value) in value.get_ref().as_table().ok_or_else(unknown)? {
                keymap.replace(&reader, context, key.span().start, key.get_ref(), value.get_ref())?;
            }
        }
        keymap.check()?;
        Ok(keymap)
    }

    fn replace(
        &mut self,
        reader: &Reader<'_>,
        context: Context,
        at: usize,
        name: &str,
        value: &DeValue<'_>,
    ) -> Result<(), KeymapError> {
        let action = Action::parse(name).ok_or_else(|| {
            let nearest = nearest(name, Action::ALL.iter().map(|action| action.name()));
            reader.error(at, Problem::UnknownAction { context, name: name.to_owned(), nearest })
        })?;
        let keys = reader.keys(context, action, at, value)?;
        let origin = Origin::File { file: reader.file.to_owned(), line: reader.line(at) };
        // Several rows of the table may give keys to one action in one context; the file replaces them all.
        let mut places =
            self.entries.iter_mut().filter(|entry| (entry.context, entry.action) == (context, action));
        if let Some(entry) = places.next() {
            (entry.keys, entry.origin) = (keys, origin);
            places.for_each(|entry| entry.keys.clear());
            return Ok(());
        }
        let places: Vec<Context> =
            self.entries.iter().filter(|entry| entry.action == action).map(|entry| entry.context).collect();
        if !places.contains(&Context::Global) {
            return Err(reader.error(at, Problem::OutOfPlace { context, action, places }));
        }
        self.entries.push(Entry { context, action, keys, origin });
        Ok(())
    }

    /// The first pair of keys in one context of which one is the other or its start.
    pub(super) fn check(&self) -> Result<(), KeymapError> {
        for (number, entry) in self.entries.iter().enumerate() {
            let others = self.entries[..number].iter().filter(|other| other.context == entry.context);
            for other in others.filter(|other| other.action != entry.action) {
                if let Some((key, other_key)) = pairs(&entry.keys, &other.keys).next() {
                    return Err(clash((entry, key), (other, other_key)));
                }
            }
        }
        Ok(())
    }
}

/// The error for two entries with keys that cannot hold side by side.
fn clash(one: (&Entry, &Sequence), two: (&Entry, &Sequence)) -> KeymapError {
    // The one that a file bound is to blame, and the later line of two.
    let blame_two = match (&one.0.origin, &two.0.origin) {
        (Origin::Default, Origin::File { .. }) => true,
        (Origin::File { line, .. }, Origin::File { line: other, .. }) => other > line,
        _ => false,
    };
    let ((entry, key), (other, other_key)) = if blame_two { (two, one) } else { (one, two) };
    let (file, line) = match &entry.origin {
        Origin::File { file, line } => (file.clone(), *line),
        Origin::Default => ("the default table".to_owned(), 0),
    };
    let problem = Problem::Clash {
        context: entry.context,
        key: key.to_string(),
        action: entry.action,
        other_key: other_key.to_string(),
        other: other.action,
        origin: other.origin.clone(),
    };
    KeymapError { file, line, problem }
}

/// Pairs that cannot hold side by side.
fn pairs<'a>(
    ours: &'a [Sequence],
    theirs: &'a [Sequence],
) -> impl Iterator<Item = (&'a Sequence, &'a Sequence)> {
    ours.iter().flat_map(|ours| theirs.iter().map(move |theirs| (ours, theirs))).filter(|(ours, theirs)| {
        ours.keys().starts_with(theirs.keys()) || theirs.keys().starts_with(ours.keys())
    })
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

    fn error(&self, offset: usize, problem: Problem) -> KeymapError {
        KeymapError { file: self.file.to_owned(), line: self.line(offset), problem }
    }

    fn keys(
        &self,
        context: Context,
        action: Action,
        at: usize,
        value: &DeValue<'_>,
    ) -> Result<Vec<Sequence>, KeymapError> {
        let not_keys = |value: &DeValue<'_>| {
            let found = value.type_str().to_owned();
            self.error(at, Problem::NotKeys { context, action, found })
        };
        let written: Vec<(usize, &str)> = match value {
            DeValue::String(key) => vec![(at, key.as_ref())],
            DeValue::Array(keys) => keys
                .iter()
                .map(|key| match key.get_ref() {
                    DeValue::String(text) => Ok((key.span().start, text.as_ref())),
                    other => Err(not_keys(other)),
                })
                .collect::<Result<_, _>>()?,
            other => return Err(not_keys(other)),
        };
        let mut keys: Vec<Sequence> = Vec::new();
        for (at, written) in written {
            let sequence: Sequence =
                written.parse().map_err(|error| self.error(at, Problem::Key { context, action, error }))?;
            if context.is_typing() && sequence.keys().first().copied().and_then(Key::typed).is_some() {
                let key = sequence.to_string();
                return Err(self.error(at, Problem::Typed { context, action, key }));
            }
            if let Some(other) = keys
                .iter()
                .find(|other| pairs(&[(*other).clone()], std::slice::from_ref(&sequence)).next().is_some())
            {
                if *other == sequence {
                    continue;
                }
                let problem = Problem::Clash {
                    context,
                    key: sequence.to_string(),
                    action,
                    other_key: other.to_string(),
                    other: action,
                    origin: Origin::File { file: self.file.to_owned(), line: self.line(at) },
                };
                return Err(self.error(at, problem));
            }
            keys.push(sequence);
        }
        Ok(keys)
    }
}

/// The candidate most similar to `word`, if any is similar enough to be meant.
fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate.to_owned())
}
