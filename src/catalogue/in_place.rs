//! A dataset file or a folder of tasks, read where it is.
//!
//! Promises: the source is read once, front to back, and never written; tasks are kept in memory
//! compressed, so that a later change of the file changes nothing on the screen.

use super::opened::Remembered;
use super::{Catalogue, CatalogueError, Origin, Progress, Skips};
use crate::dataset::{Bounds, Flow, Location, ReadReport, Request, Sink, Skipped, read_into};
use crate::diff::summary;
use crate::task::full_text::{Needle, in_parts};
use crate::task::table::{Summary, TaskTable};
use crate::task::{Granularity, Task};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first part of the list is handed over when it has this many tasks; later ones when it has doubled.
const FIRST_PART: usize = 200;

/// Tasks that one thread searches at a time.
const SEARCH_PART: u64 = 64;

/// Compression level: tasks are packed while the user waits.
const LEVEL: i32 = 1;

/// Tasks of a path, or those inside the binary.
pub struct InPlace {
    origin: Origin,
    source: SourceKind,
    kept: Mutex<ReadTasks>,
    remembered: Option<Remembered>,
}

/// Packed tasks of the newest reading.
#[derive(Default)]
struct ReadTasks {
    /// Number of the reading; part of every key, so that a key of an older one finds nothing else.
    reading: u64,
    tasks: Vec<Arc<[u8]>>,
    /// How far the fix of each reaches.
    granularities: Vec<Option<Granularity>>,
}

/// Bits of a key that count tasks; those above count readings.
const TASK_BITS: u32 = 40;

enum SourceKind {
    Path { path: PathBuf, format: Option<String>, dataset: Option<String> },
    Read(fn() -> ReadReport),
}

impl InPlace {
    /// A path, with the format and the dataset name that the user asked for.
    pub fn path(
        origin: Origin,
        path: PathBuf,
        format: Option<String>,
        dataset: Option<String>,
        remembered: Option<Remembered>,
    ) -> InPlace {
        InPlace {
            origin,
            source: SourceKind::Path { path, format, dataset },
            kept: Mutex::default(),
            remembered,
        }
    }

    /// The sample tasks.
    pub fn samples() -> InPlace {
        let source = SourceKind::Read(crate::dataset::sample_tasks);
        InPlace { origin: Origin::samples(), source, kept: Mutex::default(), remembered: None }
    }

    fn kept(&self) -> MutexGuard<'_, ReadTasks> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills the table and hands it over in parts.
struct Filler<'a> {
    catalogue: &'a InPlace,
    table: TaskTable,
    skips: Skips,
    next_part: usize,
    progress: &'a mut dyn FnMut(Progress) -> bool,
}

impl Filler<'_> {
    fn part(&mut self, complete: bool, notice: Option<String>) -> Flow {
        let progress = Progress {
            table: Arc::new(if complete { std::mem::take(&mut self.table) } else { self.table.clone() }),
            complete,
            expected: None,
            skips: self.skips.clone(),
            missing: 0,
            notice,
        };
        if (self.progress)(progress) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Sink for Filler<'_> {
    fn task(&mut self, task: Task, _at: Location) -> Flow {
        let size = summary(&task);
        let lines = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let key = {
            let mut kept = self.catalogue.kept();
            let text = serde_json::to_vec(&task).unwrap_or_default();
            kept.tasks.push(zstd::bulk::compress(&text, LEVEL).unwrap_or_default().into());
            kept.granularities.push(size.granularity);
            (kept.reading << TASK_BITS) | (kept.tasks.len() as u64 - 1)
        };
        self.table.push(&Summary::of(&task, size.granularity, lines(size.added), lines(size.removed), key));
        if self.table.len() >= self.next_part {
            self.next_part *= 2;
            return self.part(false, None);
        }
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Flow {
        self.skips.add(skipped);
        ControlFlow::Continue(())
    }
}

impl Catalogue for InPlace {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn list(&self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), CatalogueError> {
        {
            let mut kept = self.kept();
            kept.reading += 1;
            kept.tasks.clear();
            kept.granularities.clear();
        }
        let mut filler = Filler {
            catalogue: self,
            table: TaskTable::new(),
            skips: Skips::default(),
            next_part: FIRST_PART,
            progress,
        };
        let mut notice = None;
        match &self.source {
            SourceKind::Read(read) => {
                let report = read();
                for task in report.tasks {
                    let _ = filler.task(task, Location::file(""));
                }
                report.skipped.into_iter().for_each(|row| filler.skips.add(row));
            }
            SourceKind::Path { path, format, dataset } => {
                let request = Request {
                    path,
                    format: format.as_deref(),
                    dataset: dataset.as_deref(),
                    bounds: Bounds::default(),
                };
                let read = read_into(&request, &mut filler)?;
                if read.stopped {
                    return Err(CatalogueError::Interrupted);
                }
                if let (Some(remembered), Some(file)) = (&self.remembered, &read.file) {
                    notice = remembered.check_and_remember(path, &file.sha256, &read);
                }
            }
        }
        let _ = filler.part(true, notice);
        Ok(())
    }

    fn task(&self, key: u64) -> Result<Task, CatalogueError> {
        let kept = self.kept();
        let index = usize::try_from(key & ((1 << TASK_BITS) - 1)).ok();
        let packed = index
            .filter(|_| key >> TASK_BITS == kept.reading)
            .and_then(|index| kept.tasks.get(index))
            .ok_or(CatalogueError::Gone)?;
        unpack(packed)
    }

    fn granularity(&self, key: u64) -> Option<Option<Granularity>> {
        let kept = self.kept();
        let index = usize::try_from(key & ((1 << TASK_BITS) - 1)).ok()?;
        kept.granularities.get(index).copied().filter(|_| key >> TASK_BITS == kept.reading)
    }

    fn search(
        &self,
        text: &str,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<HashSet<u64>, CatalogueError> {
        let needle = Needle::new(text);
        let (reading, count) = {
            let kept = self.kept();
            (kept.reading, kept.tasks.len() as u64)
        };
        let found = in_parts(0..count, SEARCH_PART, cancelled, &|next| {
            let mut found = Vec::new();
            while let Some(part) = next() {
                // Copied, so that nobody who wants to read a task waits for the search.
                let packed: Vec<(u64, Arc<[u8]>)> = {
                    let kept = self.kept();
                    let task = |index: u64| {
                        let packed = kept.tasks.get(usize::try_from(index).ok()?)?;
                        Some(((reading << TASK_BITS) | index, packed.clone()))
                    };
                    part.filter(|_| kept.reading == reading).filter_map(task).collect()
                };
                for (key, packed) in packed {
                    let json = unpack_text(&packed)?;
                    let may = std::str::from_utf8(&json).is_ok_and(|json| needle.may_be_in(json));
                    if may && needle.is_in(&unpack_task(&json)?) {
                        found.push(key);
                    }
                }
            }
            Ok::<_, CatalogueError>(found)
        })?;
        Ok(found.into_iter().collect())
    }
}

fn unpack(packed: &[u8]) -> Result<Task, CatalogueError> {
    unpack_task(&unpack_text(packed)?)
}

fn unpack_text(packed: &[u8]) -> Result<Vec<u8>, CatalogueError> {
    zstd::stream::decode_all(packed).map_err(|error| CatalogueError::Damaged(error.to_string()))
}

fn unpack_task(json: &[u8]) -> Result<Task, CatalogueError> {
    serde_json::from_slice(json).map_err(|error| CatalogueError::Damaged(error.to_string()))
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod search_tests;
