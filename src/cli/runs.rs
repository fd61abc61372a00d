//! `mendbench runs`: the repair runs of the workspace, newest first.
//!
//! Promises: counts with their n; a run that cannot be read hides no other. Leaves to others: playing one (`replay`).

use super::repair::{failure, words};
use super::{Arguments, DONE, Failure, Output, request};
use crate::catalogue::{recording_names, workspace_for};
use crate::repair::event::StopReason;
use crate::runner::{RunHead, Runs};
use crate::text::counted;
use crate::text::{pad, truncate, width};
use crate::theme::Role;
use serde_json::json;
use std::sync::Arc;

/// Runs the command.
pub fn run(arguments: &Arguments, limit: Option<usize>, output: &mut Output) -> Result<u8, Failure> {
    let workspace = workspace_for(&request(arguments, None))?;
    let mut heads = match workspace.open_if_exists()? {
        Some(store) => Runs::new(Arc::new(store)).list().map_err(failure)?,
        None => Vec::new(),
    };
    let all = heads.len();
    heads.truncate(limit.unwrap_or(usize::MAX));
    if output.json {
        for head in &heads {
            output.object(&object(head))?;
        }
        return Ok(DONE);
    }
    if all == 0 {
        output.note("this workspace holds no runs yet; `mendbench repair TASK --model template` makes one without a key");
        if !recording_names().is_empty() {
            let names = recording_names().join(", ");
            output.note(&format!(
                "recorded runs that come with mendbench: {names}; `mendbench replay NAME` plays one"
            ));
        }
        return Ok(DONE);
    }
    let cells = heads.iter().map(described).map(|cell| width(&cell)).max().unwrap_or(0).clamp(4, 60);
    for head in &heads {
        let ended = |reason: StopReason| head.ended(reason);
        let n = head.trajectories;
        let infrastructure = ended(StopReason::Infrastructure);
        let mut rest = vec![format!("{} failed", head.failed())];
        for (count, word) in [
            (infrastructure, "infrastructure"),
            (ended(StopReason::NotFaulty), "not faulty"),
            (ended(StopReason::Budget), "budget spent"),
            (ended(StopReason::Cancelled), "cancelled"),
            (head.intervened, "stepped into"),
            (n - head.over, "not finished"),
        ] {
            if count > 0 {
                rest.push(format!("{count} {word}"));
            }
        }
        let role = if infrastructure > 0 { Role::StatusWarn } else { Role::TextDim };
        output.styled(&[
            (&words::short(head.id), Role::Accent),
            (&format!("  {}  ", head.created.strftime("%Y-%m-%d %H:%M")), Role::TextDim),
            (&pad(&truncate(&described(head), cells), cells), Role::Text),
            (&format!("  {:<9} ", counted(head.tasks, "task")), Role::TextDim),
            (&format!("{} of {n} repaired", ended(StopReason::Passed)), Role::TextStrong),
            (&format!(", {}", rest.join(", ")), role),
        ])?;
    }
    if heads.len() < all {
        output.note(&format!("{}, the first {} shown", counted(all, "run"), heads.len()));
    }
    Ok(DONE)
}

fn described(head: &RunHead) -> String {
    let cells: Vec<String> = head.spec.cells.iter().map(words::cell).collect();
    match cells.as_slice() {
        [one] => one.clone(),
        many => format!("{} cells", many.len()),
    }
}

fn object(head: &RunHead) -> serde_json::Value {
    json!({
        "type": "run-head", "v": 1, "id": head.id, "created": head.created, "spec": head.spec,
        "tasks": head.tasks, "trajectories": head.trajectories, "over": head.over, "ends": head.ends,
        "intervened": head.intervened,
        "repaired": head.ended(StopReason::Passed),
    })
}
