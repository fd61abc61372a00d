//! A catalogue in memory: tasks that a test made, handed over in the parts it wants.

use mendbench::catalogue::{Catalogue, CatalogueError, Origin, OriginKind, Progress, Skips};
use mendbench::dataset::{Skipped, sample_tasks};
use mendbench::diff::summary;
use mendbench::task::Task;
use mendbench::task::full_text::Needle;
use mendbench::task::table::{Summary, TaskTable};
use std::collections::HashSet;
use std::sync::Arc;

/// Tasks in memory.
pub struct Memory {
    pub origin: Origin,
    pub tasks: Vec<Task>,
    pub skipped: Vec<Skipped>,
    /// Numbers of tasks that cannot be read.
    pub unreadable: HashSet<u64>,
    /// Sizes of the list when it is handed over before it is complete.
    pub parts: Vec<usize>,
    /// Whether reading ends with an error instead of a complete list.
    pub breaks_off: bool,
}

impl Memory {
    /// These tasks, as if out of a file.
    pub fn new(tasks: Vec<Task>) -> Memory {
        let origin = Origin {
            kind: OriginKind::File,
            label: "memory.jsonl".into(),
            path: Some("memory.jsonl".into()),
            reading: Vec::new(),
        };
        Memory {
            origin,
            tasks,
            skipped: Vec::new(),
            unreadable: HashSet::new(),
            parts: Vec::new(),
            breaks_off: false,
        }
    }

    /// The sample tasks, whatever workspace the environment names.
    pub fn samples() -> Memory {
        let report = sample_tasks();
        Memory { origin: Origin::samples(), skipped: report.skipped, ..Memory::new(report.tasks) }
    }

    /// With rows that were skipped.
    pub fn with_skipped(mut self, skipped: Vec<Skipped>) -> Memory {
        self.skipped = skipped;
        self
    }

    /// From another origin.
    pub fn with_origin(mut self, origin: Origin) -> Memory {
        self.origin = origin;
        self
    }

    fn progress(&self, count: usize, complete: bool) -> Progress {
        let mut table = TaskTable::new();
        for (key, task) in self.tasks.iter().take(count).enumerate() {
            let size = summary(task);
            table.push(&Summary::of(
                task,
                size.granularity,
                size.added as u32,
                size.removed as u32,
                key as u64,
            ));
        }
        let skips: Skips = self.skipped.iter().cloned().collect();
        Progress { table: Arc::new(table), complete, expected: None, skips, missing: 0, notice: None }
    }
}

impl Catalogue for Memory {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn list(&self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), CatalogueError> {
        for part in &self.parts {
            progress(self.progress(*part, false));
        }
        if self.breaks_off {
            return Err(CatalogueError::Damaged("unexpected end of input at line 7".to_owned()));
        }
        progress(self.progress(self.tasks.len(), true));
        Ok(())
    }

    fn task(&self, key: u64) -> Result<Task, CatalogueError> {
        if self.unreadable.contains(&key) {
            return Err(CatalogueError::Damaged(format!("checksum of row {key} does not match")));
        }
        self.tasks.get(key as usize).cloned().ok_or(CatalogueError::Gone)
    }

    fn search(
        &self,
        text: &str,
        _cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<HashSet<u64>, CatalogueError> {
        let needle = Needle::new(text);
        let keys = self.tasks.iter().enumerate().filter(|(_, task)| needle.is_in(task));
        Ok(keys.map(|(key, _)| key as u64).collect())
    }
}

/// A task with one changed file.
pub fn task(id: &str, buggy: &str, reference: &str) -> Task {
    let mut task = Task::new("made", id);
    task.language = "python".to_owned();
    task.files.buggy.insert("code.py".to_owned(), buggy.into());
    task.files.reference.insert("code.py".to_owned(), reference.into());
    task
}
