//! Laying what was got out of an answer into the tree.
//!
//! Promises: pure and deterministic; all pieces are laid or none; no path outside the tree and no protected
//! path is changed; bytes outside an edit stay; a result with new syntax errors is given back all the same,
//! for tests decide.
//! Leaves to others: getting pieces out of answers (`repair::extract`), writing trees (`sandbox`).

mod additions;
pub(super) mod code;
mod hunks;
mod indent;
mod lines;
mod patches;
mod seek;
mod splice;

pub use seek::FUZZY_AT_LEAST;

use super::extract::{Piece, PieceKind, Rule};
use super::file::{Edit, FileText, same_but_blanks};
use super::find::{self, Found};
use super::form::{Asked, Policy};
use super::outcome::{ApplicationOutcome, Flag};
use crate::syntax::outline;
use crate::task::Content;
use crate::task::pattern::Patterns;
use hunks::Laid;
use patches::{Action, Change};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What became of the pieces of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The outcome.
    pub outcome: ApplicationOutcome,
    /// New contents by path; `None`: the file goes. Files that stay as they are do not appear.
    pub changes: BTreeMap<String, Option<Content>>,
    /// Protected paths that the answer would have changed.
    pub touched_protected: Vec<String>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    /// Why nothing was changed, where something should have been.
    pub why: Option<String>,
}

impl Application {
    /// The flags that this sets.
    pub fn flags(&self) -> BTreeSet<Flag> {
        let touched = (!self.touched_protected.is_empty()).then_some(Flag::TouchedProtected);
        touched.into_iter().collect()
    }

    /// Whether the tree is changed.
    pub fn changes_something(&self) -> bool {
        !self.changes.is_empty()
    }

    fn rejected(why: String, work: Work<'_>) -> Application {
        Application {
            outcome: ApplicationOutcome::Rejected,
            changes: BTreeMap::new(),
            touched_protected: work.touched.into_iter().collect(),
            notes: work.notes,
            why: Some(why),
        }
    }
}

/// The words of a text: runs of letters, digits and `_`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// Lays pieces into the tree that was asked about.
pub fn apply(asked: &Asked<'_>, pieces: &[Piece]) -> Application {
    let mut work = Work {
        asked,
        changed: BTreeMap::new(),
        touched: BTreeSet::new(),
        notes: Vec::new(),
        protected: asked.protected(),
    };
    if pieces.is_empty() {
        return Application::rejected("the answer has nothing that may be laid".to_owned(), work);
    }
    let blocks = pieces.iter().filter(|piece| piece.kind == PieceKind::SearchReplace).count();
    let mut block = 0;
    let mut manner = ApplicationOutcome::NoOp;
    for piece in pieces {
        let laid = match piece.kind {
            PieceKind::Code => work.code(piece),
            PieceKind::Patch => patches::unified(&piece.text).and_then(|changes| work.changes(changes)),
            PieceKind::Envelope => patches::enveloped(&piece.text).and_then(|changes| work.changes(changes)),
            PieceKind::SearchReplace => {
                block += 1;
                patches::replaced(&piece.text, block, blocks).and_then(|mut change| {
                    change.path = piece.path.clone().or(change.path);
                    work.changes(vec![change])
                })
            }
        };
        match laid {
            Ok(laid) => manner = manner.and(laid),
            Err(why) => return Application::rejected(why, work),
        }
    }
    work.finish(manner)
}

/// The tree while pieces are laid into it.
struct Work<'a> {
    asked: &'a Asked<'a>,
    changed: BTreeMap<String, Option<Content>>,
    touched: BTreeSet<String>,
    notes: Vec<String>,
    protected: Patterns,
}

impl Work<'_> {
    fn get(&self, path: &str) -> Option<&Content> {
        match self.changed.get(path) {
            Some(changed) => changed.as_ref(),
            None => self.asked.current.get(path).copied(),
        }
    }

    /// Notes a protected path; true where it is one.
    fn is_kept_out(&mut self, path: &str) -> bool {
        let protected = self.protected.matches(path);
        if protected {
            self.touched.insert(path.to_owned());
        }
        protected
    }

    fn fuzzy(&self) -> bool {
        self.asked.policy == Policy::Lenient
    }

    /// Lays code into the file that it belongs to.
    fn code(&mut self, piece: &Piece) -> Result<ApplicationOutcome, String> {
        let asked = self.asked;
        let files = asked.files();
        let named = piece.path.as_deref().map(|path| find::file(asked, path)).transpose();
        let named = named
            .map_err(|error| format!("`{}`: {error}", clip(piece.path.as_deref().unwrap_or_default())))?;
        let path = match named {
            Some(Found::File(path) | Found::New(path)) => path,
            None => {
                self.file_of(&piece.text).ok_or("the task names no file that the code could belong to")?
            }
        };
        if self.is_kept_out(&path) {
            self.notes.push(format!("`{path}` is protected and stays as it is"));
            return Ok(ApplicationOutcome::NoOp);
        }
        let functions = files
            .iter()
            .find(|(file, _)| *file == path)
            .map(|(_, functions)| functions.clone())
            .unwrap_or_default();
        let content = self.get(&path).cloned();
        let file = match &content {
            Some(content) => FileText::read(content).ok_or_else(|| format!("`{path}` is not text"))?,
            None => FileText::new_file(),
        };
        let place = asked.place.as_ref().filter(|place| place.file == path);
        let site = code::Site {
            file: &file,
            language: asked.language_of(&path),
            functions: &functions,
            form: asked.form,
            place,
            fuzzy: self.fuzzy(),
            exists: content.is_some(),
        };
        let laid = match piece.rule {
            Rule::Supplement => additions::supplement(&site, &piece.text),
            _ => code::lay(&site, &piece.text)?,
        };
        self.put(path, &file, laid)
    }

    /// The file that code without a path belongs to: the first that has a function which the code defines.
    fn file_of(&self, text: &str) -> Option<String> {
        let asked = self.asked;
        let files = asked.files();
        let holds = |(path, functions): &&(&str, Vec<&str>)| {
            let language = asked.language_of(path);
            let Some(code) = crate::repair::extract::tidy(language, text).outline else { return false };
            if !functions.is_empty() {
                return functions.iter().any(|function| !find::functions(&code, function).is_empty());
            }
            let own = asked
                .current
                .get(path)
                .and_then(|content| content.text())
                .and_then(|text| outline(language, &text));
            own.is_some_and(|own| {
                code.definitions.iter().any(|new| !find::functions(&own, &new.span.qualified).is_empty())
            })
        };
        let found = if files.len() > 1 { files.iter().find(holds) } else { None };
        found.or(files.first()).map(|(path, _)| (*path).to_owned())
    }

    /// Keeps the new text of a file.
    fn put(&mut self, path: String, file: &FileText<'_>, laid: Laid) -> Result<ApplicationOutcome, String> {
        self.notes.extend(laid.notes);
        let new = file.edited(&laid.edits).map_err(|error| format!("`{path}`: {error}"))?;
        let content = file.content(&new).map_err(|error| format!("`{path}`: {error}"))?;
        self.changed.insert(path, Some(content));
        Ok(laid.manner)
    }

    /// Makes the changes of a patch.
    fn changes(&mut self, changes: Vec<Change>) -> Result<ApplicationOutcome, String> {
        let mut manner = ApplicationOutcome::NoOp;
        for change in changes {
            let path = self.path_of(&change)?;
            let moves_to = change.moves_to.as_deref().map(made).transpose()?;
            if self.is_kept_out(&path) || moves_to.as_deref().is_some_and(|path| self.is_kept_out(path)) {
                self.notes.push(format!("`{path}` is protected and stays as it is"));
                continue;
            }
            manner = manner.and(self.change(&path, change.action)?);
            if let Some(moves_to) = moves_to.filter(|moves_to| *moves_to != path) {
                let content = self.get(&path).cloned();
                self.changed.insert(path, None);
                self.changed.insert(moves_to, content);
                manner = manner.and(ApplicationOutcome::Exact);
            }
        }
        Ok(manner)
    }

    fn change(&mut self, path: &str, action: Action) -> Result<ApplicationOutcome, String> {
        let content = self.get(path).cloned();
        match (action, content) {
            (Action::Add(text), None) => {
                self.changed.insert(path.to_owned(), Some(Content::from(text)));
                Ok(ApplicationOutcome::Exact)
            }
            (Action::Add(text), Some(old)) => {
                let file = FileText::read(&old).ok_or_else(|| format!("`{path}` is not text"))?;
                if !file.text.trim().is_empty() && same_but_blanks(&file.text, &text) {
                    return Ok(ApplicationOutcome::NoOp);
                }
                if !file.text.trim().is_empty() {
                    return Err(format!("`{path}` is there already, and the patch adds it as a new file"));
                }
                let laid = Laid {
                    edits: vec![Edit { range: 0..file.text.len(), text }],
                    manner: ApplicationOutcome::Exact,
                    notes: Vec::new(),
                };
                self.put(path.to_owned(), &file, laid)
            }
            (Action::Delete, Some(_)) => {
                self.changed.insert(path.to_owned(), None);
                Ok(ApplicationOutcome::Exact)
            }
            (Action::Delete, None) => Err(format!("`{path}` is to be deleted and is not there")),
            (Action::Update(_), None) => Err(format!("`{path}` is to be changed and is not there")),
            (Action::Update(hunks), Some(old)) => {
                let file = FileText::read(&old).ok_or_else(|| format!("`{path}` is not text"))?;
                let within = self.lines_asked_for(path, &file);
                let laid = hunks::lay(&file, &hunks, within, self.fuzzy())
                    .map_err(|why| format!("`{path}`: {why}"))?;
                self.put(path.to_owned(), &file, laid)
            }
        }
    }

    /// The lines of the functions that were asked for in a file.
    fn lines_asked_for(&self, path: &str, file: &FileText<'_>) -> Vec<std::ops::Range<usize>> {
        let functions: Vec<&str> = self
            .asked
            .files()
            .into_iter()
            .filter(|(file, _)| *file == path)
            .flat_map(|(_, functions)| functions)
            .collect();
        if functions.is_empty() {
            return Vec::new();
        }
        let Some(outline) = outline(self.asked.language_of(path), &file.text) else { return Vec::new() };
        let found = functions.iter().flat_map(|function| find::functions(&outline, function));
        found
            .map(|definition| definition.span.lines.start as usize..definition.span.lines.end as usize)
            .collect()
    }

    /// The path of a change. Where the task is about one file and the patch names none, or none that is
    /// there, that file is meant.
    fn path_of(&mut self, change: &Change) -> Result<String, String> {
        let files = self.asked.files();
        let only = match files.as_slice() {
            [(path, _)] => Some((*path).to_owned()),
            _ => None,
        };
        let updates = matches!(change.action, Action::Update(_));
        let Some(written) = &change.path else {
            let holder = only.or_else(|| self.file_with(&files, change));
            return holder.ok_or_else(|| "the patch names no file, and the task is about several".to_owned());
        };
        if matches!(change.action, Action::Add(_)) && !self.asked.current.contains_key(written.as_str()) {
            // A block without old text may be meant for a file that is there and empty.
            return match self.resolved(written) {
                Ok(path) if self.get(&path).is_some_and(Content::is_empty) => Ok(path),
                _ => made(written),
            };
        }
        match self.resolved(written) {
            Ok(path) if self.get(&path).is_some() || !updates => Ok(path),
            Ok(path) => match only {
                Some(only) => {
                    self.notes.push(format!(
                        "`{}` is not in the tree; `{only}` was taken to be meant",
                        clip(written)
                    ));
                    Ok(only)
                }
                None => Ok(path),
            },
            Err(why) => Err(why),
        }
    }

    /// The only one of several files in which every hunk has a place.
    fn file_with(&self, files: &[(&str, Vec<&str>)], change: &Change) -> Option<String> {
        let Action::Update(hunks) = &change.action else { return None };
        let mut fitting = files.iter().filter(|(path, _)| {
            let file = self.get(path).and_then(FileText::read);
            file.is_some_and(|file| {
                hunks::lay(&file, hunks, Vec::new(), false).is_ok_and(|laid| !laid.edits.is_empty())
            })
        });
        match (fitting.next(), fitting.next()) {
            (Some((path, _)), None) => Some((*path).to_owned()),
            _ => None,
        }
    }

    fn resolved(&self, written: &str) -> Result<String, String> {
        if self.changed.contains_key(written) {
            return Ok(written.to_owned());
        }
        match find::file(self.asked, written) {
            Ok(Found::File(path) | Found::New(path)) => Ok(path),
            Err(error) => Err(format!("`{}`: {error}", clip(written))),
        }
    }

    /// What it all came to.
    fn finish(mut self, manner: ApplicationOutcome) -> Application {
        let asked = self.asked;
        self.changed.retain(|path, content| content.as_ref() != asked.current.get(path.as_str()).copied());
        let strictly = asked.policy == Policy::Strict && matches!(manner, ApplicationOutcome::Fuzzy(_));
        if strictly {
            return Application::rejected(
                format!("the place is not certain ({manner}), and the policy is strict"),
                self,
            );
        }
        if self.changed.is_empty() {
            if !self.touched.is_empty() {
                return Application::rejected("the answer changes protected files only".to_owned(), self);
            }
            return self.application(ApplicationOutcome::NoOp);
        }
        let blanks_only = self.changed.iter().all(|(path, content)| {
            let old = asked.current.get(path.as_str()).and_then(|content| content.text());
            let new = content.as_ref().and_then(|content| content.text());
            matches!((old, new), (Some(old), Some(new)) if same_but_blanks(&old, &new))
        });
        if blanks_only {
            self.notes.push("only white space differs from what was there".to_owned());
        }
        let broken = self.new_errors();
        let outcome = if broken.is_empty() { manner } else { ApplicationOutcome::SyntaxError };
        if !broken.is_empty() {
            self.notes.push(format!("laid {manner}"));
            self.notes.extend(broken);
        }
        self.application(outcome)
    }

    fn application(self, outcome: ApplicationOutcome) -> Application {
        Application {
            outcome,
            changes: self.changed,
            touched_protected: self.touched.into_iter().collect(),
            notes: self.notes,
            why: None,
        }
    }

    /// Files with more syntax errors than before, each with the line of the first one.
    fn new_errors(&self) -> Vec<String> {
        let errors = |path: &str, content: &Content| {
            let text = content.text()?;
            let found = outline(self.asked.language_of(path), &text)?.errors;
            let line = found
                .first()
                .map(|error| text.get(..error.start).unwrap_or_default().matches('\n').count() + 1);
            Some((found.len(), line))
        };
        let mut broken = Vec::new();
        for (path, content) in &self.changed {
            let Some((new, line)) = content.as_ref().and_then(|content| errors(path, content)) else {
                continue;
            };
            let old = self
                .asked
                .current
                .get(path.as_str())
                .and_then(|content| errors(path, content))
                .map_or(0, |(old, _)| old);
            if new > old {
                broken.push(format!("`{path}` does not parse any more, from line {} on", line.unwrap_or(1)));
            }
        }
        broken
    }
}

/// The path of a file that is to be made.
fn made(written: &str) -> Result<String, String> {
    find::new_file(written).map_err(|error| format!("`{}`: {error}", clip(written)))
}

/// A text from outside, cut for a message.
fn clip(text: &str) -> String {
    text.chars().take(120).collect()
}
