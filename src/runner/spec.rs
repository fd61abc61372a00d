//! What a run is: its rules, and one head for each trajectory.
//!
//! Promises: holds no key, no address and no path of the host; fields of a newer version stay.

use crate::config::Money;
use crate::repair::cell::{Cell, CellId};
use crate::repair::event::Unknown;
use crate::repair::machine::{Rules, StopRule};
use crate::task::{Revision, TaskName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use uuid::Uuid;

/// What a run goes by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The cells; each task is run in each of them.
    pub cells: Vec<Cell>,
    /// Trajectories for each task and cell, from 1.
    pub samples: u32,
    /// What else a trajectory stops on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stop_on: BTreeSet<StopRule>,
    /// Failures of the infrastructure in a row before a trajectory is given up.
    pub tries: u32,
    /// The most that may be spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Money>,
    /// The program's version.
    pub software: String,
    /// Fields of a newer version.
    #[serde(flatten)]
    pub other: Unknown,
}

impl RunSpec {
    /// One cell, one sample, no budget, no further stop rules.
    pub fn new(cell: Cell) -> RunSpec {
        let rules = Rules::default();
        RunSpec {
            cells: vec![cell.settled()],
            samples: 1,
            stop_on: rules.stop_on,
            tries: rules.tries,
            budget: None,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            other: Unknown::new(),
        }
    }

    /// The machine's rules.
    pub fn rules(&self) -> Rules {
        Rules { stop_on: self.stop_on.clone(), tries: self.tries }
    }

    /// The cell with an id.
    pub fn cell(&self, id: &CellId) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.id() == *id)
    }
}

/// One trajectory of a run: which task, which cell, which sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrajectoryHead {
    /// Its id.
    pub id: Uuid,
    /// The task.
    pub task: TaskName,
    /// The task's revision; the canonical task is a blob of this hash.
    pub revision: Revision,
    /// The group of the task.
    pub group: String,
    /// The cell.
    pub cell: CellId,
    /// The sample, from 1.
    pub sample: u32,
}
