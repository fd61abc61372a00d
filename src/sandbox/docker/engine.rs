//! The connection to a Docker engine, and the one place where its asynchronous client meets our blocking traits.
//!
//! Promises: every error says what was being done and which engine was meant; what an engine or a registry says is
//! sanitised. Leaves to others: containers (`container`).

use super::endpoint::{self, Endpoint};
use crate::sandbox::{Rung, SandboxError};
use crate::text::sanitise;
use bollard::errors::Error;
use bollard::query_parameters::CreateImageOptionsBuilder;
use bollard::{API_DEFAULT_VERSION, Docker};
use futures_util::StreamExt;
use std::future::Future;
use tokio::runtime::{Builder, Handle, Runtime};

/// Seconds that a request may take.
const PATIENCE: u64 = 60;

/// A connection with the threads that serve it.
pub struct Engine {
    /// The client; cheap to clone, works only inside this engine's runtime.
    pub docker: Docker,
    handle: Handle,
    runtime: Option<Runtime>,
    /// What the engine is and can do.
    pub facts: Facts,
}

/// What an engine is and can do.
#[derive(Debug, Clone)]
pub struct Facts {
    /// `cgroup v1` or `cgroup v2`.
    pub groups: &'static str,
    /// Whether its default seccomp profile is in force.
    pub seccomp: bool,
    /// Processors.
    pub processors: i64,
}

/// An image, found.
#[derive(Debug, Clone)]
pub struct Image {
    /// Its id, as `sha256:…`.
    pub id: String,
    /// `PATH` in it.
    pub path: String,
}

/// What an engine said, for people.
pub fn said(error: &Error) -> String {
    let text = match error {
        Error::DockerResponseServerError { message, .. } => message.clone(),
        Error::DockerStreamError { error } => error.clone(),
        Error::RequestTimeoutError => format!("no answer within {PATIENCE} seconds"),
        other => {
            let mut text = other.to_string();
            let mut source = std::error::Error::source(other);
            while let Some(inner) = source {
                let inner_text = inner.to_string();
                if !text.contains(&inner_text) {
                    text = format!("{text}: {inner_text}");
                }
                source = inner.source();
            }
            text
        }
    };
    sanitise(text.trim()).chars().take(600).collect()
}

/// Turns an engine's error into ours.
pub fn failed(doing: &str) -> impl Fn(Error) -> SandboxError + '_ {
    move |error| SandboxError::Engine { doing: doing.to_owned(), why: said(&error) }
}

/// Whether an engine says that there is no such thing (any more).
pub fn is_gone(error: &Error) -> bool {
    matches!(error, Error::DockerResponseServerError { status_code: 404, .. })
}

fn unavailable(why: String) -> SandboxError {
    SandboxError::Unavailable { rung: Rung::Docker, why }
}

impl Engine {
    /// Connects to the engine that the environment means, and agrees on a version.
    pub fn connect() -> Result<Engine, SandboxError> {
        let read = |path: &std::path::Path| std::fs::read_to_string(path).ok();
        let endpoint = endpoint::find(&|name| std::env::var(name).ok(), &read).map_err(unavailable)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("docker")
            .enable_all()
            .build()
            .map_err(|source| SandboxError::System { doing: "starting a thread".to_owned(), source })?;
        let reached = runtime.block_on(reach(&endpoint));
        match reached {
            Ok((docker, facts)) => {
                Ok(Engine { docker, handle: runtime.handle().clone(), runtime: Some(runtime), facts })
            }
            Err(why) => {
                runtime.shutdown_background();
                Err(unavailable(format!(
                    "the engine at {} ({}) does not answer: {why}; is it running, and may this user reach it?",
                    sanitise(&endpoint.host),
                    endpoint.source
                )))
            }
        }
    }

    /// A handle on the threads that serve the connection.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Waits for what the engine does; not inside an asynchronous task of somebody else, where nothing may block.
    pub fn wait<T>(&self, task: impl Future<Output = T>) -> T {
        self.handle.block_on(task)
    }

    /// Waits as well where nothing may block, on a thread of its own.
    pub fn wait_anywhere(&self, task: impl Future<Output = ()> + Send) {
        if Handle::try_current().is_ok() {
            std::thread::scope(|scope| {
                scope.spawn(|| self.wait(task));
            });
        } else {
            self.wait(task);
        }
    }

    /// Finds an image, and gets it from its registry where it is not there.
    pub fn image(&self, name: &str, progress: &mut dyn FnMut(&str)) -> Result<Image, SandboxError> {
        let shown = sanitise(name).into_owned();
        let doing = format!("looking for the image `{shown}`");
        let found = self.wait(self.docker.inspect_image(name));
        let found = match found {
            Err(error) if is_gone(&error) => {
                self.pull(name, progress)?;
                self.wait(self.docker.inspect_image(name))
            }
            found => found,
        };
        let found = found.map_err(failed(&doing))?;
        let id = found.id.ok_or_else(|| SandboxError::Engine { doing, why: "it has no id".to_owned() })?;
        let config = found.config.unwrap_or_default();
        if config.volumes.is_some_and(|volumes| !volumes.is_empty()) {
            return Err(unavailable(format!(
                "the image `{shown}` declares volumes, and what is written to them cannot be bounded; use another"
            )));
        }
        let variables = config.env.unwrap_or_default();
        let path = variables.iter().find_map(|variable| variable.strip_prefix("PATH="));
        let usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        Ok(Image { id, path: path.unwrap_or(usual).to_owned() })
    }

    fn pull(&self, name: &str, progress: &mut dyn FnMut(&str)) -> Result<(), SandboxError> {
        let shown = sanitise(name).into_owned();
        progress(&format!("getting the image {shown}"));
        let mut options = CreateImageOptionsBuilder::new().from_image(name);
        // Without a tag an engine would get all of them.
        let last = name.rsplit('/').next().unwrap_or(name);
        if !last.contains(':') && !last.contains('@') {
            options = options.tag("latest");
        }
        let result = self.wait(async {
            let mut steps = self.docker.create_image(Some(options.build()), None, None);
            let mut before = String::new();
            while let Some(step) = steps.next().await {
                let step = step?;
                if let Some(message) = step.error_detail.and_then(|detail| detail.message) {
                    return Err(Error::DockerStreamError { error: message });
                }
                let mut line = step.status.unwrap_or_default();
                if let Some(id) = step.id {
                    line = format!("{id}: {line}");
                }
                let detail = step.progress_detail.unwrap_or_default();
                if let (Some(current), Some(total)) = (detail.current, detail.total)
                    && total > 0
                {
                    // In tenths, so that a slow layer is not a thousand lines.
                    line = format!("{line} {} %", (current.saturating_mul(10) / total) * 10);
                }
                if line != before {
                    progress(&sanitise(&line));
                    before = line;
                }
            }
            Ok(())
        });
        result.map_err(|error| {
            unavailable(format!(
                "the image `{shown}` is not there and could not be had: {}; `docker images` lists what is there, \
                 `docker pull {shown}` tries by hand",
                said(&error)
            ))
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Dropping a runtime waits for it, which an asynchronous caller may not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn reach(endpoint: &Endpoint) -> Result<(Docker, Facts), String> {
    let host = endpoint.host.as_str();
    let text = |error: Error| said(&error);
    let docker = if host.starts_with("unix://") {
        Docker::connect_with_unix(host, PATIENCE, API_DEFAULT_VERSION)
    } else if host.starts_with("tcp://") || host.starts_with("http://") {
        if std::env::var_os("DOCKER_TLS_VERIFY").is_some_and(|value| !value.is_empty()) {
            return Err("it wants TLS, which this build does not speak; forward its socket and set DOCKER_HOST=unix://…"
                .to_owned());
        }
        Docker::connect_with_http(host, PATIENCE, API_DEFAULT_VERSION)
    } else {
        return Err(
            "only unix:// and tcp:// are spoken here; for ssh:// forward the engine's socket with `ssh -L`"
                .to_owned(),
        );
    }
    .map_err(text)?;
    let docker = docker.negotiate_version().await.map_err(text)?;
    let info = docker.info().await.map_err(text)?;
    let kind = info.os_type.unwrap_or_default();
    if kind != "linux" {
        return Err(format!("it runs {} containers, and only Linux ones will do", sanitise(&kind)));
    }
    if info.memory_limit == Some(false) || info.pids_limit == Some(false) {
        return Err("it cannot limit memory and processes".to_owned());
    }
    let version = info.cgroup_version.map(|version| version.to_string()).unwrap_or_default();
    let facts = Facts {
        groups: if version == "2" { "cgroup v2" } else { "cgroup v1" },
        seccomp: info
            .security_options
            .unwrap_or_default()
            .iter()
            .any(|option| option.starts_with("name=seccomp") && !option.contains("unconfined")),
        processors: info.ncpu.unwrap_or(1).max(1),
    };
    Ok((docker, facts))
}
