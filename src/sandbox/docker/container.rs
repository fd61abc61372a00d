//! One container: made with every bound that the engine has, held by its keeper, removed for good.
//!
//! Promises: no network, nothing writable but sized file systems in memory, no capability, no new privileges, no user
//! who is root, bounded memory (swap counts), processes and processors, no log; the container ends when the
//! connection to its keeper ends, so it does not outlive us. Leaves to others: what is done in it (`tree`,
//! `execute`), whose it is (`owner`).

use super::engine::{Facts, Image, failed, is_gone};
use super::owner::Owner;
use super::scripts::{CHECK, CODE, KEEP, KEEPER, OWN, ROOM};
use crate::sandbox::{Limits, Mechanism, Rung, SandboxError};
use crate::text::sanitise;
use bollard::Docker;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::{
    ContainerCreateBody, ContainerUpdateBody, ExecConfig, HealthConfig, HostConfig, HostConfigLogConfig,
    ResourcesUlimits,
};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, KillContainerOptions,
    RemoveContainerOptionsBuilder, StartContainerOptions,
};
use futures_util::{Stream, StreamExt};
use std::collections::HashMap;
use std::pin::Pin;
use std::time::{Duration, Instant, SystemTime};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// What every container of a rung has in common.
#[derive(Debug)]
pub struct Profile {
    /// The image.
    pub image: Image,
    /// Its name as it was given, sanitised.
    pub name: String,
    /// Who owns the containers.
    pub owner: Owner,
    /// The engine.
    pub facts: Facts,
}

/// The limits that are fixed when a container is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of memory.
    pub memory: u64,
    /// Processes of the code.
    pub processes: u64,
    /// Bytes of disk.
    pub disk: u64,
}

impl From<&Limits> for Shape {
    fn from(limits: &Limits) -> Shape {
        // An engine refuses less than 6 MiB of memory; a disk has at least a page for each of its parts.
        Shape {
            memory: limits.memory.max(6 << 20),
            processes: limits.processes.max(1),
            disk: limits.disk.max(1 << 17),
        }
    }
}

impl Shape {
    /// Bytes that the room may hold, and bytes of each of `/tmp` and `/dev/shm`: together the disk.
    pub fn shares(self) -> (u64, u64) {
        let small = (self.disk / 16) & !4095;
        (self.disk - 2 * small, small)
    }
}

/// Tasks beside the code's: the init, the keeper, and two around a running program.
const OURS: u64 = 4;

/// What the engine itself needs to start a program in a container; a smaller limit would refuse ours as well.
const LEAST_TASKS: u64 = 16;

fn tasks(processes: u64) -> i64 {
    signed(processes.saturating_add(OURS).max(LEAST_TASKS))
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, Error>> + Send>>;

/// A running container.
pub struct Container {
    /// Its id.
    pub id: String,
    /// The limits that it has.
    pub shape: Shape,
    /// When it was made.
    pub born: Instant,
    /// What holds the code.
    pub mechanisms: Vec<Mechanism>,
    /// The engine's client.
    pub docker: Docker,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    output: Output,
    pending: Vec<u8>,
}

/// What a program of ours in a container gave.
#[derive(Debug)]
pub struct Done {
    /// Its exit code.
    pub code: i64,
    /// What it printed, as far as was asked for.
    pub stdout: Vec<u8>,
    /// What it complained.
    pub stderr: String,
    /// Whether it printed more than was asked for.
    pub cut: bool,
}

/// What a keeper counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Processes that the kernel killed because memory ran out, since the container was made.
    pub out_of_memory: Option<u64>,
    /// Most memory so far, bytes.
    pub peak: Option<u64>,
    /// Processes of the code that are alive.
    pub others: usize,
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn body(profile: &Profile, shape: Shape) -> ContainerCreateBody {
    let (room, small) = shape.shares();
    let nodes = (shape.disk / 2048).clamp(256, 1 << 18);
    let (user, group) = KEEPER.split_once(':').unwrap_or((KEEPER, KEEPER));
    let tmpfs = HashMap::from([
        (ROOM.to_owned(), format!("exec,size={room},nr_inodes={nodes},mode=0755,uid={user},gid={group}")),
        ("/tmp".to_owned(), format!("exec,size={small},nr_inodes={},mode=1777", nodes / 4)),
        (OWN.to_owned(), format!("exec,size=512m,nr_inodes=16,mode=0755,uid={user},gid={group}")),
    ]);
    let ulimit = |name: &str, value: i64| ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(value),
        hard: Some(value),
    };
    let host = HostConfig {
        auto_remove: Some(true),
        cap_drop: Some(vec!["ALL".to_owned()]),
        init: Some(true),
        ipc_mode: Some("private".to_owned()),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        memory: Some(signed(shape.memory)),
        memory_swap: Some(signed(shape.memory)),
        nano_cpus: Some(profile.facts.processors.min(2) * 1_000_000_000),
        network_mode: Some("none".to_owned()),
        oom_score_adj: Some(500),
        pids_limit: Some(tasks(shape.processes)),
        privileged: Some(false),
        readonly_rootfs: Some(true),
        security_opt: Some(vec!["no-new-privileges".to_owned()]),
        shm_size: Some(signed(small.max(4096))),
        tmpfs: Some(tmpfs),
        ulimits: Some(vec![ulimit("nofile", 4096), ulimit("core", 0)]),
        ..HostConfig::default()
    };
    ContainerCreateBody {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(false),
        entrypoint: Some(["/bin/sh", "-c", KEEP].map(str::to_owned).to_vec()),
        cmd: Some(Vec::new()),
        healthcheck: Some(HealthConfig { test: Some(vec!["NONE".to_owned()]), ..HealthConfig::default() }),
        host_config: Some(host),
        hostname: Some("sandbox".to_owned()),
        image: Some(profile.image.id.clone()),
        labels: Some(profile.owner.labels(now())),
        network_disabled: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        user: Some(KEEPER.to_owned()),
        working_dir: Some("/".to_owned()),
        ..ContainerCreateBody::default()
    }
}

fn mechanisms(facts: &Facts) -> Vec<Mechanism> {
    let mut held = vec![
        ("network", "network namespace"),
        ("files", "read-only root, mount namespace"),
        ("memory", facts.groups),
        ("processes", facts.groups),
        ("disk", "sized tmpfs"),
        ("output", "supervisor"),
        ("time", "timeout inside, deadline outside"),
        ("user", "unprivileged user, no capabilities, no new privileges"),
        ("other processes", "process namespace"),
    ];
    if facts.seccomp {
        held.push(("system calls", "seccomp, the engine's profile"));
    }
    held.into_iter().map(|(bound, by)| Mechanism { bound: bound.to_owned(), by: by.to_owned() }).collect()
}

/// Removes a container with whatever runs in it; that it is gone already is no error.
pub async fn remove(docker: &Docker, id: &str) -> Result<(), SandboxError> {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    for _ in 0..100 {
        match docker.remove_container(id, Some(options.clone())).await {
            Ok(()) => return Ok(()),
            Err(error) if is_gone(&error) => return Ok(()),
            // The engine removes it already: it is gone when it says so.
            Err(Error::DockerResponseServerError { status_code: 409, .. }) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => {
                let what = format!("container {id} ({})", super::engine::said(&error));
                return Err(SandboxError::Left { what });
            }
        }
    }
    Err(SandboxError::Left { what: format!("container {id}, which the engine does not finish removing") })
}

/// Kills what runs in a container, which makes the engine remove it; whether nothing runs any more.
pub async fn kill(docker: &Docker, id: &str) -> bool {
    match docker.kill_container(id, None::<KillContainerOptions>).await {
        Ok(()) => true,
        // 409: it has ended already.
        Err(Error::DockerResponseServerError { status_code: 409, .. }) => true,
        Err(error) => is_gone(&error),
    }
}

impl Container {
    /// Makes and starts one.
    pub async fn open(docker: &Docker, profile: &Profile, shape: Shape) -> Result<Container, SandboxError> {
        let doing = format!("making a container of `{}`", profile.name);
        let name = format!("mendbench-{}", uuid::Uuid::now_v7());
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let made =
            docker.create_container(Some(options), body(profile, shape)).await.map_err(failed(&doing))?;
        match Container::start(docker, profile, made.id.clone(), shape, &doing).await {
            Ok(container) => Ok(container),
            Err(error) => {
                // The first error tells more than one about tidying up would.
                let _ = remove(docker, &made.id).await;
                Err(error)
            }
        }
    }

    async fn start(
        docker: &Docker,
        profile: &Profile,
        id: String,
        shape: Shape,
        doing: &str,
    ) -> Result<Container, SandboxError> {
        let options = AttachContainerOptionsBuilder::new().stdin(true).stdout(true).stream(true).build();
        let attached = docker.attach_container(&id, Some(options)).await.map_err(failed(doing))?;
        docker.start_container(&id, None::<StartContainerOptions>).await.map_err(failed(doing))?;
        let mut container = Container {
            id,
            shape,
            born: Instant::now(),
            mechanisms: mechanisms(&profile.facts),
            docker: docker.clone(),
            input: attached.input,
            output: attached.output,
            pending: Vec::new(),
        };
        let ready = container.line().await?;
        if ready == "ready" {
            return Ok(container);
        }
        Err(container.broken(format!("its keeper says `{}`", sanitise(&ready))))
    }

    fn broken(&self, why: String) -> SandboxError {
        let short = self.id.get(..12).unwrap_or(&self.id);
        SandboxError::Engine { doing: format!("talking to container {short}"), why }
    }

    async fn line(&mut self) -> Result<String, SandboxError> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            match timeout(Duration::from_secs(30), self.output.next()).await {
                Ok(Some(Ok(LogOutput::StdOut { message }))) if self.pending.len() < 4096 => {
                    self.pending.extend_from_slice(&message);
                }
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(error))) => return Err(self.broken(super::engine::said(&error))),
                Ok(None) => return Err(self.broken("it has ended".to_owned())),
                Err(_) => return Err(self.broken("it does not answer".to_owned())),
            }
        }
    }

    /// Gives the keeper an order; its answer.
    pub async fn order(&mut self, order: &str) -> Result<String, SandboxError> {
        let line = format!("{order}\n");
        let sent = match self.input.write_all(line.as_bytes()).await {
            Ok(()) => self.input.flush().await,
            error => error,
        };
        sent.map_err(|error| self.broken(error.to_string()))?;
        self.line().await
    }

    /// Gives the keeper an order that it must be able to carry out.
    pub async fn must(&mut self, order: &str) -> Result<(), SandboxError> {
        match self.order(order).await?.as_str() {
            "ok" => Ok(()),
            _ => Err(self.broken(format!("it could not do `{}`", sanitise(order)))),
        }
    }

    /// What the keeper counts.
    pub async fn counts(&mut self) -> Result<Counts, SandboxError> {
        let line = self.order("probe").await?;
        let mut numbers = line.split(' ').map(|word| word.parse::<u64>().ok());
        let out_of_memory = numbers.next().flatten();
        let peak = numbers.next().flatten();
        match numbers.next().flatten() {
            Some(others) => {
                Ok(Counts { out_of_memory, peak, others: usize::try_from(others).unwrap_or(usize::MAX) })
            }
            None => Err(self.broken("it cannot count processes".to_owned())),
        }
    }

    /// Whether one of the file systems that the code may write is full: no room for data, or for files.
    pub async fn is_full(&mut self) -> Result<bool, SandboxError> {
        let line = self.order("space").await?;
        Ok(line.split(' ').any(|part| {
            let mut numbers = part.split(':').map(|word| word.parse::<u64>().unwrap_or(u64::MAX));
            let (free, size, nodes) = (numbers.next(), numbers.next(), numbers.next());
            free.zip(size).is_some_and(|(free, size)| free.saturating_mul(size) < 1 << 15) || nodes == Some(0)
        }))
    }

    /// Runs a script of ours as this user, with this input.
    pub async fn script(
        &self,
        user: &str,
        script: &str,
        arguments: &[&str],
        input: &[u8],
        most: usize,
    ) -> Result<Done, SandboxError> {
        let mut words = vec!["/bin/sh", "-c", script, "sh"];
        words.extend_from_slice(arguments);
        let config = ExecConfig {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            cmd: Some(words.iter().map(|word| (*word).to_owned()).collect()),
            user: Some(user.to_owned()),
            ..ExecConfig::default()
        };
        let engine = |error: Error| self.broken(super::engine::said(&error));
        let made = self.docker.create_exec(&self.id, config).await.map_err(engine)?;
        let options = StartExecOptions { detach: false, tty: false, output_capacity: Some(1 << 17) };
        let started = self.docker.start_exec(&made.id, Some(options)).await.map_err(engine)?;
        let StartExecResults::Attached { mut output, input: mut pipe } = started else {
            return Err(self.broken("it gave no output".to_owned()));
        };
        let feed = async {
            // A script that wants no more of it closes the pipe: its exit code tells why.
            if pipe.write_all(input).await.is_ok() {
                let _ = pipe.shutdown().await;
            }
            std::future::pending::<()>().await;
        };
        let collect = async {
            let (mut stdout, mut stderr, mut cut) = (Vec::new(), Vec::new(), false);
            let (mut pause, mut ended) = (Duration::from_millis(200), false);
            loop {
                let chunk = tokio::select! {
                    chunk = output.next() => chunk,
                    // An engine may forget to close the stream of what has ended.
                    () = tokio::time::sleep(pause) => {
                        if ended {
                            break;
                        }
                        pause = (pause * 2).min(Duration::from_secs(1));
                        ended = self.docker.inspect_exec(&made.id).await.map_err(engine)?.running == Some(false);
                        continue;
                    }
                };
                match chunk {
                    Some(Ok(LogOutput::StdOut { message })) => {
                        let room = most.saturating_sub(stdout.len());
                        cut |= message.len() > room;
                        stdout.extend_from_slice(message.get(..message.len().min(room)).unwrap_or_default());
                    }
                    Some(Ok(LogOutput::StdErr { message })) if stderr.len() < 1 << 16 => {
                        stderr.extend_from_slice(&message);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(engine(error)),
                    None => break,
                }
            }
            Ok((stdout, stderr, cut))
        };
        let collected = async {
            tokio::select! {
                collected = collect => collected,
                () = feed => Err(self.broken("it took no input".to_owned())),
            }
        };
        let (stdout, stderr, cut) = match timeout(Duration::from_secs(120), collected).await {
            Ok(collected) => collected?,
            Err(_) => return Err(self.broken("a script of ours does not end".to_owned())),
        };
        let code = self.exit_code(&made.id).await?;
        let stderr = sanitise(String::from_utf8_lossy(&stderr).trim()).into_owned();
        Ok(Done { code, stdout, stderr, cut })
    }

    /// The exit code of an execution whose output has ended.
    pub async fn exit_code(&self, exec: &str) -> Result<i64, SandboxError> {
        for _ in 0..500 {
            let seen = self.docker.inspect_exec(exec).await;
            let seen = seen.map_err(|error| self.broken(super::engine::said(&error)))?;
            if let (Some(false), Some(code)) = (seen.running, seen.exit_code) {
                return Ok(code);
            }
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
        Err(self.broken("an execution has closed its output and does not end".to_owned()))
    }

    /// Whether the image brings what we need; where its `timeout` is.
    pub async fn check(&self, image: &str) -> Result<String, SandboxError> {
        let done = self.script(CODE, CHECK, &[], b"", 4096).await?;
        let answer = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        if answer.starts_with('/') && done.code == 0 {
            return Ok(answer);
        }
        let missing = sanitise(answer.strip_prefix("missing").unwrap_or(&done.stderr)).into_owned();
        Err(SandboxError::Unavailable {
            rung: Rung::Docker,
            why: format!(
                "the image `{image}` lacks{missing}; it needs sh, tar, timeout, find with -printf, head, stat, rm, mv, \
                 mkdir and chmod, as every Debian has"
            ),
        })
    }

    /// Changes the limits of memory and processes.
    pub async fn resize(&mut self, memory: u64, processes: u64) -> Result<(), SandboxError> {
        if (memory, processes) == (self.shape.memory, self.shape.processes) {
            return Ok(());
        }
        let body = ContainerUpdateBody {
            memory: Some(signed(memory)),
            memory_swap: Some(signed(memory)),
            pids_limit: Some(tasks(processes)),
            ..ContainerUpdateBody::default()
        };
        self.docker
            .update_container(&self.id, body)
            .await
            .map_err(failed("changing the limits of a container"))?;
        self.shape = Shape { memory, processes, ..self.shape };
        Ok(())
    }

    /// Removes it.
    pub async fn close(self) -> Result<(), SandboxError> {
        let Container { docker, id, .. } = self;
        remove(&docker, &id).await
    }
}
