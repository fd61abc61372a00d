//! `mendbench regrade RUN`: reads, applies and tests the stored answers of a run anew, and tells where that differs.
//!
//! Promises: asks no model; a new run holds what came of it; where both runs are the same, that is said with its n.
//! Exit codes: 0 the same, 1 a difference, 3 the infrastructure failed. Leaves to others: what counts as a difference
//! ([`crate::runner::compare`]).

use super::{How, Parts, Shop, choices, failure, go, pool, same_templates};
use crate::catalogue::workspace_for;
use crate::cli::arguments::Regrade;
use crate::cli::workshop::remembered;
use crate::cli::{Arguments, DONE, FAILED, Failure, Output, request};
use crate::config::Config;
use crate::runner::{Models, RunRecord, Runs, compare};
use crate::store::workspace::FOLDER;
use crate::task::Task;
use crate::text::counted;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Regrade,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let models = config.models().map_err(Failure::usage)?;
    let templates = choices::templates(config)?;
    let workspace = workspace_for(&request(arguments, None))?;
    let (store, seal) = remembered(&workspace)?;
    let runs = Runs::new(store.clone());
    let original = runs.find(&what.run).and_then(|id| runs.open(id)).map_err(failure)?;
    same_templates(&original, &templates)?;
    let mut spec = original.spec.clone();
    let recorded = format!("{}{}", Models::RECORDED, original.id);
    for cell in &mut spec.cells {
        cell.model.clone_from(&recorded);
        if let Some(helper) = &mut cell.helper {
            helper.clone_from(&recorded);
        }
    }
    spec.budget = None;
    let examples = pool::read(store.as_ref(), &original.spec)?;
    let tasks = tasks(&original)?;
    let locks = Some(workspace.folder.join(FOLDER).join("locks"));
    let parts = Parts { models, templates, store, seal };
    let shop = Shop::open(&what.sandboxing, config, parts, examples, locks)?;
    let record = shop.engine.create(spec, &tasks).map_err(failure)?;
    let code = go(arguments, &workspace, How { fresh: true, unknown_prices: true }, &shop, &record, output)?;
    if code > FAILED {
        return Ok(code);
    }
    let found = compare(&original, &record).map_err(failure)?;
    let all = original.trajectories.len();
    if output.json {
        let differences: Vec<String> = found.iter().map(ToString::to_string).collect();
        output.object(&json!({
            "type": "regraded", "v": 1, "run": original.id, "as": record.id, "trajectories": all,
            "same": all.saturating_sub(found.len()), "differences": differences,
        }))?;
    } else if found.is_empty() {
        output.line(&format!("regraded: the same in all of {}", counted(all, "trajectory")))?;
    } else {
        output.line(&format!("regraded: {} of {} differ", found.len(), counted(all, "trajectory")))?;
        for difference in &found {
            output.line(&format!("  {difference}"))?;
        }
    }
    Ok(if found.is_empty() { DONE } else { FAILED })
}

/// The tasks of a run, each once.
fn tasks(record: &RunRecord) -> Result<Vec<Arc<Task>>, Failure> {
    let mut seen = BTreeSet::new();
    let heads = record.trajectories.iter();
    let firsts = heads.filter(|head| seen.insert((head.task.clone(), head.revision.clone())));
    firsts.map(|head| record.task(head).map(Arc::new).map_err(failure)).collect()
}
