//! Answers to agreement.
//!
//! Promises: what was computed of a round is kept as long as nothing new was written to it; a file is never
//! overwritten, and no half of one is left behind. Leaves to others: what may be seen (`study`).

use super::Bench;
use crate::label::overview::Overview;
use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::study::{Heads, StudyError, TableForm};
use crate::tui::msg::study::agreement::{Ask, Told};
use std::collections::HashMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// Rounds that are made ready before they are asked for, the newest ones.
const MOST_PREPARED: usize = 6;

/// What is kept of a round.
struct Computed {
    /// How far its streams were.
    heads: Vec<(String, u64)>,
    round: Round,
    overview: Option<Arc<Overview>>,
}

/// What is kept between two questions.
#[derive(Default)]
pub struct Clerk {
    kept: HashMap<Uuid, Computed>,
}

impl Clerk {
    /// Does what is asked.
    ///
    /// # Errors
    ///
    /// What the study refuses, or what the workspace could not do.
    pub fn answer(&mut self, bench: &Bench, ask: Ask) -> Result<Told, StudyError> {
        match ask {
            Ask::Open { round, live } => self.open(bench, round, live),
            Ask::Beside(ids) => {
                let heads = bench.heads()?;
                self.refresh(bench, &heads)?;
                let all = ids.into_iter().filter(|id| self.kept.contains_key(id)).collect::<Vec<_>>();
                let told = all.into_iter().map(|id| self.overview(bench, id, false));
                Ok(Told::Beside(told.collect::<Result<_, _>>()?))
            }
            Ask::Prepare => {
                let heads = bench.heads()?;
                self.refresh(bench, &heads)?;
                let mut ids: Vec<Uuid> = self.kept.keys().copied().collect();
                ids.sort_unstable();
                for id in ids.into_iter().rev().take(MOST_PREPARED) {
                    self.overview(bench, id, false)?;
                }
                Ok(Told::Prepared)
            }
            Ask::Export { round, form, all_rounds, question, path } => {
                export(bench, round, form, all_rounds, &question, path)
            }
        }
    }

    /// Reads again what has changed.
    fn refresh(&mut self, bench: &Bench, heads: &Heads) -> Result<(), StudyError> {
        self.kept.retain(|id, _| heads.contains_key(id));
        for (id, heads) in heads {
            if self.kept.get(id).is_some_and(|kept| kept.heads == *heads) {
                continue;
            }
            match bench.round(Some(*id)) {
                Ok(round) => {
                    self.kept.insert(*id, Computed { heads: heads.clone(), round, overview: None });
                }
                Err(StudyError::BadRound { .. } | StudyError::Withdrawn { .. }) => drop(self.kept.remove(id)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn overview(&mut self, bench: &Bench, id: Uuid, live: bool) -> Result<Arc<Overview>, StudyError> {
        let kept = self.kept.get_mut(&id).ok_or(StudyError::NoRounds)?;
        if let Some(known) = kept.overview.as_ref().filter(|_| !live) {
            return Ok(known.clone());
        }
        let mut desk = bench.desk(Some(id))?;
        let overview = Arc::new(desk.overview(live)?);
        // What was seen at a price is not seen again for nothing.
        kept.overview = (!live).then(|| overview.clone());
        Ok(overview)
    }

    fn open(&mut self, bench: &Bench, wanted: Option<Uuid>, live: bool) -> Result<Told, StudyError> {
        let heads = bench.heads()?;
        self.refresh(bench, &heads)?;
        let mut ids: Vec<Uuid> = self.kept.keys().copied().collect();
        // UUIDv7 begin with the time.
        ids.sort_unstable();
        let open = |id: &&Uuid| self.kept.get(id).is_some_and(|kept| kept.round.phase != Phase::Closed);
        let meant = || ids.iter().rev().find(open).or(ids.last()).copied();
        let id = wanted.filter(|id| self.kept.contains_key(id)).or_else(meant).ok_or(StudyError::NoRounds)?;
        let overview = self.overview(bench, id, live)?;
        let same = |id: &Uuid| self.kept.get(id).is_some_and(|kept| kept.round.study == overview.study);
        ids.retain(same);
        Ok(Told::Opened(overview, ids))
    }
}

fn export(
    bench: &Bench,
    round: Uuid,
    form: TableForm,
    all_rounds: bool,
    question: &str,
    path: PathBuf,
) -> Result<Told, StudyError> {
    let mut desk = bench.desk(Some(round))?;
    let (text, labels) = desk.table_text(form, all_rounds, question, false)?;
    write_new(&path, text.as_bytes()).map_err(|why| StudyError::NotWritten { why })?;
    Ok(Told::Exported { path, labels })
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let shown = crate::text::sanitise(&path.display().to_string()).into_owned();
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{shown} exists already and is left as it is; name another file"),
        _ => format!("{shown} cannot be made: {error}; name a file in a folder that exists"),
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        let _ = std::fs::remove_file(path);
        format!("{shown} cannot be written: {error}")
    })
}
