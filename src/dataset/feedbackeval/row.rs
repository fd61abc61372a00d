//! One row of FeedbackEval: what all its faulty instances share.

use super::{oracle, python};
use crate::dataset::bounds::Bounds;
use crate::dataset::json::type_name;
use crate::dataset::rows::Keys;
use crate::dataset::skipped::{Location, SkipReason, Skipped};
use crate::task::paths::check_path;
use serde_json::{Map, Value};

/// Names of the id over the releases.
pub(super) const ID_KEYS: [&str; 3] = ["task_id", "_id", "instance_id"];
const INSTANCES: &str = "false_results";

/// What the instances of a row share.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The row's id, the group of its tasks.
    pub id: String,
    pub family: Family,
    /// Name of the function to be repaired.
    pub function: Option<String>,
    pub description: String,
    pub context: String,
    pub reference: Option<String>,
    /// HumanEval's test text.
    pub test: Option<String>,
    pub swe: Swe,
    /// Kept as they are: level, difficulty, unknown keys.
    pub meta: Map<String, Value>,
}

/// The benchmark that a row comes from.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// A program with its tests.
    #[default]
    HumanEval,
    /// A function of a project, without tests in the row.
    CoderEval,
    /// A function of a repository, with an issue and patches.
    SweBench,
}

/// Keys that only SWE-bench rows have.
#[derive(Debug, Default)]
pub(super) struct Swe {
    pub repo: Option<String>,
    pub base_commit: Option<String>,
    pub file_path: Option<String>,
    pub patch: Option<String>,
}

/// Reads a row; the instances are looked at one by one, so that one bad does not take the others along.
pub(super) fn parse(
    at: &Location,
    mut object: Map<String, Value>,
    bounds: &Bounds,
) -> Result<(Row, Vec<Value>), Skipped> {
    let mut keys = Keys { at: at.clone(), prefix: String::new(), map: &mut object };
    if let Some(key) = ["fixed_results", "repair_results"].into_iter().find(|key| keys.map.contains_key(*key))
    {
        let text = "results of a run, not a task; results are read together with runs";
        return keys.skip(key, SkipReason::OtherKind(text.to_owned()));
    }
    let instances = match keys.map.shift_remove(INSTANCES) {
        Some(Value::Array(list)) if list.is_empty() => return keys.skip(INSTANCES, SkipReason::Empty),
        Some(Value::Array(list)) => list,
        Some(other) => {
            let found = type_name(&other);
            return keys.skip(INSTANCES, SkipReason::WrongType { expected: "a list", found });
        }
        None => return keys.skip(INSTANCES, SkipReason::MissingKey("a list of faulty instances".to_owned())),
    };
    let mut row = Row { family: family(keys.map), ..Row::default() };
    let present = |key: &&str| keys.map.get(*key).is_some_and(|value| !value.is_null());
    let id_key = ID_KEYS.into_iter().find(present).unwrap_or(ID_KEYS[0]);
    row.id = match keys.string_of(&ID_KEYS)? {
        Some(id) if !id.trim().is_empty() => id,
        Some(_) => return keys.skip(id_key, SkipReason::BadValue("the id is empty".to_owned())),
        None => {
            let names = "the id, under `task_id`, `_id` or `instance_id`".to_owned();
            return keys.skip(ID_KEYS[0], SkipReason::MissingKey(names));
        }
    };
    if let Some(reason) = crate::dataset::task_folder::bad_id(&row.id) {
        return keys.skip(id_key, SkipReason::BadValue(format!("the id {reason}")));
    }
    row.reference = keys.string("correct_code")?.filter(|code| !code.is_empty());
    match row.family {
        Family::HumanEval => human_eval(&mut row, &mut keys, &instances)?,
        Family::CoderEval => coder_eval(&mut row, &mut keys)?,
        Family::SweBench => swe_bench(&mut row, &mut keys)?,
    }
    for (key, value) in object {
        keep(&mut row.meta, key, value, bounds);
    }
    Ok((row, instances))
}

fn family(map: &Map<String, Value>) -> Family {
    let any = |keys: &[&str]| keys.iter().any(|key| map.contains_key(*key));
    if any(&["instance_id", "problem_statement", "test_patch", "base_commit"]) {
        Family::SweBench
    } else if any(&["docstring", "oracle_context", "level"]) {
        Family::CoderEval
    } else {
        Family::HumanEval
    }
}

fn human_eval(row: &mut Row, keys: &mut Keys<'_>, instances: &[Value]) -> Result<(), Skipped> {
    row.test = keys.string("test")?;
    let checked = row.test.as_deref().and_then(python::checked_function).map(str::to_owned);
    row.function = checked.or_else(|| row.reference.as_deref().and_then(python::first_function));
    if let Some(function) = &row.function {
        // The first release has no reference; then one of the faulty programs may have kept the text.
        let programs = instances.iter().filter_map(|instance| instance.get("generate_code")?.as_str());
        let mut programs = row.reference.as_deref().into_iter().chain(programs);
        row.description = programs.find_map(|code| python::docstring(code, function)).unwrap_or_default();
    }
    Ok(())
}

fn coder_eval(row: &mut Row, keys: &mut Keys<'_>) -> Result<(), Skipped> {
    row.description = keys.string("docstring")?.unwrap_or_default();
    row.function = row.reference.as_deref().and_then(python::first_function);
    match keys.map.shift_remove("oracle_context") {
        None | Some(Value::Null) => {}
        Some(value @ (Value::String(_) | Value::Object(_))) => {
            row.context = oracle::readable(&value);
            // Prompts of the paper use the text as it is.
            if let Value::String(text) = value {
                row.meta.insert("oracle_context".to_owned(), Value::String(text));
            }
        }
        Some(other) => {
            let found = type_name(&other);
            return keys.skip("oracle_context", SkipReason::WrongType { expected: "a string", found });
        }
    }
    Ok(())
}

fn swe_bench(row: &mut Row, keys: &mut Keys<'_>) -> Result<(), Skipped> {
    row.description = keys.string("problem_statement")?.unwrap_or_default();
    row.function = keys.string("function_name")?.filter(|name| !name.is_empty());
    row.swe = Swe {
        repo: keys.string("repo")?,
        base_commit: keys.string("base_commit")?,
        file_path: keys.string("file_path")?,
        patch: keys.string("patch")?,
    };
    if let Some(path) = &row.swe.file_path
        && let Err(reason) = check_path(path)
    {
        return keys.skip("file_path", SkipReason::BadValue(reason.to_string()));
    }
    if row.function.is_none() {
        row.function = row.reference.as_deref().and_then(python::first_function);
    }
    Ok(())
}

/// Keeps a key that has no field of its own, if it is not too large; what is left out is named.
pub(super) fn keep(meta: &mut Map<String, Value>, key: String, value: Value, bounds: &Bounds) {
    const LEFT_OUT: &str = "left_out";
    const MOST: usize = 100;
    if value.is_null() {
        return;
    }
    let text = value.to_string();
    if meta.len() >= MOST || key.len() > 200 || text.len() > bounds.extra_bytes {
        let entry = meta.entry(LEFT_OUT).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = entry
            && list.len() < MOST
        {
            list.push(Value::String(crate::dataset::skipped::clip(&key, 100)));
        }
        return;
    }
    let key = if meta.contains_key(&key) { format!("{key}_of_instance") } else { key };
    // What TOML has no word for is kept as the JSON text, so that the task can be written as a folder.
    let value = if fits_toml(&value) { value } else { Value::String(text) };
    meta.insert(key, value);
}

fn fits_toml(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_f64(),
        Value::Array(list) => list.iter().all(fits_toml),
        Value::Object(map) => map.values().all(fits_toml),
    }
}
