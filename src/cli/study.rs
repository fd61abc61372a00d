//! What the commands of studies have in common: who asks, the workspace, failures, codebooks.
//!
//! Promises: who asks is what `--as` says, else the setting `annotator`, else the user's name, and a command that
//! somebody else may do says so; a message does not depend on what is hidden from who reads it.

use super::{Arguments, FAILED, Failure, WAITING_FOR_ANOTHER, note, request};
use crate::catalogue::workspace_for;
use crate::config::Config;
use crate::label::codebook::Codebook;
use crate::label::phase::{Obstacle, Refusal};
use crate::store::bundle::BundleError;
use crate::store::{Store, StoreError};
use crate::study::{Studies, StudyError};
use std::sync::Arc;

/// Who asks.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Identity {
    /// Who you are; default: the setting `annotator`, then your user name
    #[arg(long = "as", value_name = "NAME")]
    pub who: Option<String>,
}

impl Identity {
    /// The name of who asks.
    pub fn of(&self, config: &Config) -> Result<String, Failure> {
        let variable = |name: &str| std::env::var(name).ok();
        let given = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let known = self.who.clone().and_then(given);
        let known = known.or_else(|| given(config.settings.get("annotator").to_owned()));
        let known = known.or_else(|| variable("USER").and_then(given));
        let known = known.or_else(|| variable("LOGNAME").and_then(given));
        let none = "nobody knows who you are: say it with --as NAME, or in the setting `annotator`";
        known.ok_or_else(|| Failure::usage(none))
    }
}

/// The studies of the workspace, which must be there.
pub fn studies(arguments: &Arguments) -> Result<Studies, Failure> {
    let workspace = workspace_for(&request(arguments, None))?;
    match workspace.open_if_exists()? {
        Some(store) => Ok(Studies::new(Arc::new(store.when_waiting(|| note(WAITING_FOR_ANOTHER))))),
        None => Err(StoreError::Missing { path: workspace.database }.into()),
    }
}

/// The studies of the workspace, which is made where there is none.
pub fn studies_or_new(arguments: &Arguments) -> Result<Studies, Failure> {
    let workspace = workspace_for(&request(arguments, None))?;
    let store: Arc<dyn Store> =
        Arc::new(workspace.open_or_create()?.when_waiting(|| note(WAITING_FOR_ANOTHER)));
    Ok(Studies::new(store))
}

/// What failed, with its exit code.
pub fn failure(error: StudyError) -> Failure {
    use StudyError as E;
    match error {
        E::Store(error) => error.into(),
        E::Bundle(error) => match error {
            BundleError::NotABundle | BundleError::Newer { .. } => Failure::usage(error),
            BundleError::NotWhole { .. } => {
                Failure { code: FAILED, message: format!("{error}; nothing was taken: fetch the file again") }
            }
            BundleError::Write(error) => Failure::from(error),
            _ => Failure::infrastructure(error),
        },
        E::Secret(_) => Failure::infrastructure(error),
        E::Refused(Refusal::Obstacles(obstacles)) => {
            Failure { code: FAILED, message: obstacles.iter().map(obstacle).collect::<Vec<_>>().join("\n") }
        }
        E::Refused(Refusal::NotTheLead)
        | E::NotYourPart { .. }
        | E::Hidden { .. }
        | E::NotNow { .. }
        | E::Frozen { .. }
        | E::HandedIn { .. }
        | E::LabelsExist
        | E::HasAnswers { .. }
        | E::Withdrawn { .. }
        | E::NothingToUndo
        | E::NotContested { .. }
        | E::BadFile(_)
        | E::NoTable(_)
        | E::BadRound { .. } => Failure { code: FAILED, message: error.to_string() },
        _ => Failure::usage(error),
    }
}

/// Most items that are named in a line.
const NAMED: usize = 10;

/// What stands in the way, in a line.
pub fn obstacle(obstacle: &Obstacle) -> String {
    let items: Vec<&str> = obstacle.items.iter().take(NAMED).map(String::as_str).collect();
    let more = obstacle.items.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{}: {} {}: {}{more}",
        obstacle.who,
        crate::text::counted(obstacle.items.len(), "item"),
        obstacle.what.words(),
        items.join(", ")
    )
}

/// Reads a codebook: a file, or one with a name.
pub fn codebook(name: &str, config: &Config) -> Result<Codebook, Failure> {
    config.codebook(name).map(|found| found.codebook).map_err(Failure::usage)
}
