//! Sandboxes in containers of a Docker engine: the best rung.
//!
//! Promises: what `sandbox` promises, by the engine's means (see `container`), for any image that brings `sh`, `tar`,
//! `timeout`, `find` with `-printf` and the usual file utilities. Containers may be made ahead; each is used once. A
//! container ends with the process that owns it; what an owner could not remove, the next start does ([`DockerRung::reap`]).
//! Leaves to others: which image (`config`), what runs in it (`harness`).

mod archive;
mod container;
mod endpoint;
mod engine;
mod execute;
mod owner;
mod pool;
mod scripts;
mod state;
mod tree;

use super::{
    ExecReport, ExecRequest, Killer, Limits, Listing, OutputSink, Program, Provider, Rung, Sandbox,
    SandboxError, TreeFile,
};
use crate::task::Command;
use bollard::query_parameters::ListContainersOptionsBuilder;
use container::{Container, Profile, Shape, kill};
use engine::{Engine, failed};
use owner::{MARK, Owner};
use pool::Pool;
use state::State;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tree::Held;

/// How long after one was taken the next is made: the one that was taken is to start its work undisturbed.
const SETTLING_IN: Duration = Duration::from_millis(250);

/// A Docker engine with an image: makes sandboxes.
pub struct DockerRung {
    engine: Arc<Engine>,
    profile: Arc<Profile>,
    pool: Arc<Pool>,
    clock: Arc<str>,
    own: Option<PathBuf>,
}

impl DockerRung {
    /// Connects to the engine that `DOCKER_HOST` or the docker context means, removes what dead owners left there, finds
    /// the image (`name`, `name:tag`, `name@sha256:…` or an id), gets it from its registry where it is missing, and
    /// checks that it brings what a sandbox needs. `progress` hears lines for people.
    ///
    /// # Errors
    /// No engine answers; the image cannot be had, or lacks something: each says which and what to do.
    pub fn connect(image: &str, progress: &mut dyn FnMut(&str)) -> Result<DockerRung, SandboxError> {
        let engine = Engine::connect()?;
        let owner = Owner::this();
        reap(&engine, &owner)?;
        let found = engine.image(image, progress)?;
        let name = crate::text::sanitise(image).into_owned();
        let profile = Profile { image: found, name, owner, facts: engine.facts.clone() };
        let shape = Shape::from(&Limits::default());
        let (first, clock) = engine.wait(async {
            let first = Container::open(&engine.docker, &profile, shape).await?;
            match first.check(&profile.name).await {
                Ok(clock) => Ok((first, clock)),
                Err(error) => {
                    // The first error tells more than one about tidying up would.
                    let _ = first.close().await;
                    Err(error)
                }
            }
        })?;
        let rung = DockerRung {
            engine: Arc::new(engine),
            profile: Arc::new(profile),
            pool: Arc::new(Pool::default()),
            clock: clock.into(),
            own: None,
        };
        // It is as good as new, and mostly what is wanted first.
        rung.pool.want(1, shape);
        let surplus = rung.pool.keep(first);
        rung.pool.want(0, shape).into_iter().chain(surplus).for_each(|spare| rung.spare(spare));
        Ok(rung)
    }

    /// Runs this program of ours where [`Program::Own`] is asked for; otherwise it is the one that is running.
    #[must_use]
    pub fn with_helper(mut self, path: &Path) -> DockerRung {
        self.own = Some(path.to_owned());
        self
    }

    /// The image's id, as `sha256:…`: the same for the same content, whatever it is called.
    pub fn image_id(&self) -> &str {
        &self.profile.image.id
    }

    /// Keeps so many containers with these limits made ahead, in the background, until told otherwise or dropped.
    pub fn ahead(&self, count: usize, limits: &Limits) {
        let surplus = self.pool.want(count, Shape::from(limits));
        surplus.into_iter().for_each(|spare| self.spare(spare));
        self.fill(Duration::ZERO);
    }

    fn fill(&self, after: Duration) {
        Pool::fill(&self.pool, self.engine.handle(), &self.engine.docker, &self.profile, after);
    }

    /// Waits until what was asked for with [`DockerRung::ahead`] is made, or cannot be; how many are ready.
    pub fn settle(&self) -> usize {
        self.engine.wait(self.pool.settled());
        self.pool.ready()
    }

    /// Removes the containers of owners that are dead; how many there were.
    pub fn reap(&self) -> Result<usize, SandboxError> {
        reap(&self.engine, &self.profile.owner)
    }

    /// Removes a container that nobody wants, in the background.
    fn spare(&self, container: Container) {
        self.engine.handle().spawn(async move {
            // What cannot be removed ends with its keeper, and is removed at the next start.
            let _ = container.close().await;
        });
    }
}

fn reap(engine: &Engine, owner: &Owner) -> Result<usize, SandboxError> {
    let filters = HashMap::from([("label", vec![MARK])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    engine.wait(async {
        let all = engine.docker.list_containers(Some(options)).await;
        let mut removed = 0;
        for found in all.map_err(failed("looking for containers that were left behind"))? {
            let labels = found.labels.unwrap_or_default();
            if let Some(id) = found.id
                && owner.is_abandoned(&labels, now, &super::process::started)
            {
                container::remove(&engine.docker, &id).await?;
                removed += 1;
            }
        }
        Ok(removed)
    })
}

impl Provider for DockerRung {
    fn rung(&self) -> Rung {
        Rung::Docker
    }

    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        let shape = Shape::from(limits);
        let (taken, old) = self.pool.take(shape);
        old.into_iter().for_each(|spare| self.spare(spare));
        let container = match taken {
            Some(container) => container,
            None => self.engine.wait(Container::open(&self.engine.docker, &self.profile, shape))?,
        };
        self.engine.wait(self.pool.not_crowded());
        self.fill(SETTLING_IN);
        Ok(Box::new(DockerSandbox {
            engine: Arc::clone(&self.engine),
            profile: Arc::clone(&self.profile),
            pool: Arc::clone(&self.pool),
            container,
            state: Arc::default(),
            held: Held::default(),
            limits: *limits,
            clock: Arc::clone(&self.clock),
            own: self.own.clone(),
            own_size: None,
            cleaned: false,
        }))
    }
}

impl Drop for DockerRung {
    fn drop(&mut self) {
        let pool = Arc::clone(&self.pool);
        let mut left = pool.close();
        self.engine.wait_anywhere(async move {
            pool.settled().await;
            left.extend(pool.close());
            for container in left {
                // What cannot be removed ends with its keeper, and is removed at the next start.
                let _ = container.close().await;
            }
        });
    }
}

/// A container in use.
struct DockerSandbox {
    engine: Arc<Engine>,
    profile: Arc<Profile>,
    pool: Arc<Pool>,
    container: Container,
    state: Arc<State>,
    held: Held,
    limits: Limits,
    clock: Arc<str>,
    own: Option<PathBuf>,
    /// Bytes that our own program takes, once it is there.
    own_size: Option<u64>,
    cleaned: bool,
}

impl DockerSandbox {
    /// The words to run.
    fn words(&mut self, program: &Program) -> Result<Vec<String>, SandboxError> {
        match program {
            Program::Command(Command::Arguments(words)) => Ok(words.clone()),
            Program::Command(Command::Shell(line)) => {
                Ok(vec!["/bin/sh".to_owned(), "-c".to_owned(), line.clone()])
            }
            Program::Own(words) => {
                self.bring_own()?;
                Ok(std::iter::once(format!("{}/mendbench", scripts::OWN))
                    .chain(words.iter().cloned())
                    .collect())
            }
        }
    }

    /// Has everything in it killed and removed, beside whatever is done next.
    fn end(&self) {
        Pool::bury(&self.pool, self.engine.handle(), &self.container.docker, &self.container.id);
        if self.pool.is_closed() {
            // Nobody comes after us who could wait for it.
            let pool = Arc::clone(&self.pool);
            self.engine.wait_anywhere(async move { pool.settled().await });
        }
    }

    /// Puts our own program where the code can run it and cannot write.
    fn bring_own(&mut self) -> Result<(), SandboxError> {
        if self.own_size.is_some() {
            return Ok(());
        }
        let system = |source| SandboxError::System { doing: "reading our own program".to_owned(), source };
        let path = match &self.own {
            Some(path) => path.clone(),
            None => std::env::current_exe().map_err(system)?,
        };
        let bytes = std::fs::read(path).map_err(system)?;
        let mut archive = archive::Archive::default();
        archive.file("mendbench", &bytes, true, 0);
        let archive = archive.finish();
        let container = &mut self.container;
        let done = self.engine.wait(async {
            let memory = container.shape.memory.saturating_add(archive.len() as u64);
            container.resize(memory, container.shape.processes).await?;
            container.script(scripts::KEEPER, scripts::BRING, &[], &archive, 0).await
        })?;
        if done.code != 0 {
            let doing = "bringing our own program into the sandbox".to_owned();
            return Err(SandboxError::Engine { doing, why: done.stderr });
        }
        self.own_size = Some(archive.len() as u64);
        Ok(())
    }
}

impl Sandbox for DockerSandbox {
    fn rung(&self) -> Rung {
        Rung::Docker
    }

    fn work(&self) -> &str {
        scripts::TREE
    }

    fn put(&mut self, files: &[TreeFile<'_>]) -> Result<(), SandboxError> {
        self.engine.wait(tree::put(&mut self.container, &mut self.held, files))
    }

    fn remove(&mut self, path: &str) -> Result<(), SandboxError> {
        self.engine.wait(tree::remove(&mut self.container, &mut self.held, path))
    }

    fn list(&mut self, most: usize) -> Result<Listing, SandboxError> {
        self.engine.wait(tree::list(&self.container, most))
    }

    fn read(&mut self, path: &str, most: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        self.engine.wait(tree::read(&self.container, path, most))
    }

    fn execute(
        &mut self,
        request: &ExecRequest,
        sink: &mut dyn OutputSink,
    ) -> Result<ExecReport, SandboxError> {
        if self.state.is_cancelled() {
            return Ok(execute::cancelled(&self.container));
        }
        if !request.folder.is_empty() {
            crate::task::paths::check_path(&request.folder)
                .map_err(|why| SandboxError::Path { path: request.folder.clone(), why })?;
        }
        let wanted = Held::of(&request.read_only)?;
        let words = self.words(&request.program)?;
        let limits = self.limits.min(request.limits);
        let run = execute::Run { words, request, limits, clock: &self.clock, path: &self.profile.image.path };
        let own = self.own_size.unwrap_or(0);
        let (container, held, state) = (&mut self.container, &mut self.held, &self.state);
        let result = self.engine.wait(async {
            tree::hold(container, held, wanted).await?;
            // Our own program lies in memory, which is not the code's doing.
            container.resize(limits.memory.saturating_add(own), limits.processes).await?;
            execute::run(container, state, &run, sink).await
        });
        match result {
            // A container that is killed meanwhile answers nothing sensible.
            Err(_) if self.state.is_cancelled() => Ok(execute::cancelled(&self.container)),
            result => result,
        }
    }

    fn killer(&self) -> Killer {
        let (state, handle) = (Arc::clone(&self.state), self.engine.handle().clone());
        let (docker, id) = (self.container.docker.clone(), self.container.id.clone());
        Killer::new(move || {
            state.cancel();
            let (docker, id) = (docker.clone(), id.clone());
            handle.spawn(async move { kill(&docker, &id).await });
        })
    }

    fn clean(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.cleaned = true;
        self.end();
        // Killing and removing are the engine's work, and are waited for by the last of us: what failed is said by
        // whoever cleans next.
        match self.pool.left() {
            left if left.is_empty() => Ok(()),
            left => Err(SandboxError::Left { what: left.join("; ") }),
        }
    }
}

impl Drop for DockerSandbox {
    fn drop(&mut self) {
        if !self.cleaned {
            self.end();
        }
    }
}
