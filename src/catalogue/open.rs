//! From what the user named to a catalogue.

use super::in_place::InPlace;
use super::opened::Remembered;
use super::workspace::WorkspaceTasks;
use super::{Catalogue, CatalogueError, Origin, OriginKind};
use crate::dataset::{Bounds, Probe, detect_probe};
use crate::store::StoreError;
use crate::store::workspace::{ChosenBy, Disk, Workspace, WorkspaceError, WorkspaceInputs, choose};
use std::path::PathBuf;
use std::sync::Arc;

/// What the user named.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// PATH: a dataset file, a folder of tasks, a workspace folder; nothing for the samples.
    pub path: Option<PathBuf>,
    /// `--workspace`.
    pub workspace: Option<PathBuf>,
    /// `--format`.
    pub format: Option<String>,
    /// `--dataset`.
    pub dataset: Option<String>,
}

/// Opens what was named. PATH wins; a folder that holds task folders is read in place, one that holds a
/// workspace is opened as that. Without PATH an explicitly named workspace is opened (`--workspace` or
/// `MENDBENCH_WORKSPACE`), otherwise the samples.
pub fn open(request: &Request) -> Result<Arc<dyn Catalogue>, CatalogueError> {
    let Some(path) = &request.path else {
        let workspace = workspace_for(request);
        return match workspace {
            Ok(workspace) if matches!(workspace.chosen_by, ChosenBy::Flag | ChosenBy::Variable) => {
                workspace_tasks(&workspace)
            }
            Err(CatalogueError::Workspace(WorkspaceError::Nowhere)) | Ok(_) => {
                Ok(Arc::new(InPlace::samples()))
            }
            Err(error) => Err(error),
        };
    };
    let bounds = Bounds::default();
    let kind = if path.is_dir() { OriginKind::Folder } else { OriginKind::File };
    if request.format.is_none()
        && let Err(error) = Probe::of(path, &bounds).and_then(|probe| detect_probe(&probe).map(|_| ()))
    {
        let workspace = Workspace::in_folder(path.clone(), ChosenBy::Path);
        return match (kind, workspace.database.exists()) {
            (OriginKind::Folder, true) => workspace_tasks(&workspace),
            _ => Err(error.into()),
        };
    }
    // Remembering is a courtesy: without a place for it the file is read all the same. What the user named
    // as that place, though, has to be one.
    let remembered = match (kind, workspace_for(request)) {
        (_, Err(error)) if request.workspace.is_some() => return Err(error),
        (OriginKind::File, Ok(workspace)) => Some(Remembered::new(workspace)),
        _ => None,
    };
    Ok(Arc::new(InPlace::path(
        Origin::path(kind, path),
        path.clone(),
        request.format.clone(),
        request.dataset.clone(),
        remembered,
    )))
}

/// The workspace that these words choose.
pub fn workspace_for(request: &Request) -> Result<Workspace, CatalogueError> {
    let inputs = WorkspaceInputs::from_environment(request.workspace.clone(), request.path.clone());
    Ok(choose(&inputs, &Disk)?)
}

fn workspace_tasks(workspace: &Workspace) -> Result<Arc<dyn Catalogue>, CatalogueError> {
    let Some(store) = workspace.open_if_exists()? else {
        return Err(StoreError::Missing { path: workspace.database.clone() }.into());
    };
    let origin = Origin::path(OriginKind::Workspace, &workspace.folder);
    Ok(Arc::new(WorkspaceTasks::new(origin, store)))
}
