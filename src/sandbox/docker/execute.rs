//! Running one program in a container until it ends or a bound ends it.
//!
//! Promises: `timeout` inside and a deadline outside; both streams are drained and kept within bounds; when it answers,
//! no process of the code is alive, or the container is gone. How it ended is judged by what the kernel and the
//! engine say, never by what the program prints: memory by the group's own counter, a start that failed by a line that is
//! written before any untrusted code runs. Leaves to others: making the container (`container`), files (`tree`).

use super::container::{Container, kill};
use super::scripts::{CODE, RUN, SWEEP, TEMPORARY, TREE};
use super::state::State;
use crate::sandbox::{
    Capture, ExecReport, ExecRequest, Exit, Limits, Mechanism, OutputSink, Rung, SandboxError, Stream,
};
use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::StreamExt;
use std::time::{Duration, Instant};
use tokio::time::{sleep, sleep_until};

/// What the program gets between its time running out and the deadline outside: a second of grace by `timeout`,
/// and what an engine under load may need.
const GRACE: Duration = Duration::from_secs(6);

/// How long output may stay open after the program has ended.
const LINGER: Duration = Duration::from_secs(2);

/// Exit codes from here are 128 and a signal.
const SIGNALS: std::ops::RangeInclusive<i64> = 129..=192;

const SIGKILL: i64 = 9;
/// Sent to a program that writes beyond the limit of a file.
const SIGXFSZ: i64 = 25;

/// What ended the waiting.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Closed,
    Refused(String),
    Deadline,
    Output,
    Cancelled,
    Broken(String),
}

/// How a program is run.
pub struct Run<'a> {
    /// Its name and arguments.
    pub words: Vec<String>,
    /// What was asked.
    pub request: &'a ExecRequest,
    /// Limits in force.
    pub limits: Limits,
    /// Where `timeout` is.
    pub clock: &'a str,
    /// `PATH` in the image.
    pub path: &'a str,
}

fn variables(run: &Run<'_>) -> Vec<String> {
    let mut variables = std::collections::BTreeMap::from([
        ("PATH", run.path),
        ("HOME", TEMPORARY),
        ("TMPDIR", TEMPORARY),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
    ]);
    variables.extend(run.request.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    variables.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

fn seconds(milliseconds: u64) -> String {
    if milliseconds.is_multiple_of(1000) {
        (milliseconds / 1000).to_string()
    } else {
        format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
    }
}

fn config(run: &Run<'_>) -> ExecConfig {
    let mut words: Vec<String> = ["/bin/sh", "-c", RUN, "sh", run.clock].map(str::to_owned).to_vec();
    words.push(seconds(run.limits.time_ms.max(1)));
    words.push((run.limits.file / 512).to_string());
    words.extend(run.words.iter().cloned());
    let folder = &run.request.folder;
    ExecConfig {
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        cmd: Some(words),
        env: Some(variables(run)),
        user: Some(CODE.to_owned()),
        working_dir: Some(if folder.is_empty() { TREE.to_owned() } else { format!("{TREE}/{folder}") }),
        ..ExecConfig::default()
    }
}

/// Runs it.
pub async fn run(
    container: &mut Container,
    state: &State,
    run: &Run<'_>,
    sink: &mut dyn OutputSink,
) -> Result<ExecReport, SandboxError> {
    let before = container.counts().await?;
    let mut heard = Heard::new(&run.limits, sink);
    let made = container.docker.create_exec(&container.id, config(run)).await;
    let made = made.map_err(super::engine::failed("starting a program in a container"))?;
    let options = StartExecOptions { detach: false, tty: false, output_capacity: Some(1 << 16) };
    let started = container.docker.start_exec(&made.id, Some(options)).await;
    let mut output: Option<Output> = None;
    let end = match started {
        Ok(StartExecResults::Attached { output: stream, .. }) => {
            let stream = output.insert(stream);
            listen(container, state, &made.id, stream, run.limits.time_ms, &mut heard).await
        }
        Ok(StartExecResults::Detached) => End::Broken("it gave no output".to_owned()),
        // The folder to run in is the only thing that can be wrong here.
        Err(error) => End::Refused(super::engine::said(&error)),
    };
    let ended = heard.ended.unwrap_or_else(Instant::now);
    let took = heard.started.map_or(Duration::ZERO, |started| ended.duration_since(started));
    let mut lingered = 0;
    let exit = match end {
        _ if state.is_cancelled() => Exit::Cancelled,
        End::Cancelled => Exit::Cancelled,
        End::Refused(why) => Exit::NotStarted(why),
        End::Broken(why) => broken(container, why).await,
        End::Output | End::Deadline => {
            // Drained until it is dead: an engine that cannot pass output on holds up everything in the container.
            tokio::select! {
                swept = sweep(container) => { swept?; }
                () = drain(output) => {}
            }
            if end == End::Output { Exit::OutputLimit } else { Exit::Timeout }
        }
        End::Closed => match container.exit_code(&made.id).await {
            Ok(code) => {
                lingered = sweep(container).await?;
                judge(code, took, run.limits.time_ms)
            }
            Err(error) => broken(container, error.to_string()).await,
        },
    };
    let exit = if state.is_cancelled() { Exit::Cancelled } else { exit };
    if matches!(exit, Exit::Cancelled | Exit::Broken(_)) {
        kill(&container.docker, &container.id).await;
        return Ok(heard.report(exit, took, None, lingered, container.mechanisms.clone()));
    }
    let after = container.counts().await?;
    let memory = after.out_of_memory > before.out_of_memory;
    let exit = match exit {
        Exit::Code(0) => Exit::Code(0),
        Exit::Code(_) | Exit::Signal(_) if memory => Exit::OutOfMemory,
        Exit::Code(_) | Exit::Signal(_) if container.is_full().await? => Exit::DiskFull,
        Exit::Signal(number) if i64::from(number) == SIGXFSZ => Exit::DiskFull,
        exit => exit,
    };
    // The counter knows no reset: it tells of this program only where it has risen.
    let peak = after.peak.filter(|peak| before.peak.is_none_or(|before| *peak > before));
    Ok(heard.report(exit, took, peak, lingered, container.mechanisms.clone()))
}

/// What an exit code means. `timeout` gives 124, or dies with the program when that must be killed.
fn judge(code: i64, took: Duration, time_ms: u64) -> Exit {
    // The clock inside has started a little before or after ours.
    let over = took + Duration::from_millis(100) >= Duration::from_millis(time_ms);
    if over && (code == 124 || code == 128 + SIGKILL) {
        return Exit::Timeout;
    }
    let code32 = i32::try_from(code).unwrap_or(i32::MAX);
    if SIGNALS.contains(&code) { Exit::Signal(code32 - 128) } else { Exit::Code(code32) }
}

/// What to say when the engine has lost an execution: the container may have been killed for its memory.
async fn broken(container: &Container, why: String) -> Exit {
    let seen = container.docker.inspect_container(&container.id, None).await;
    let killed = seen.ok().and_then(|seen| seen.state?.oom_killed).unwrap_or(false);
    if killed { Exit::OutOfMemory } else { Exit::Broken(why) }
}

/// Kills what the code has left behind, and counts it. When it answers, nothing of it is alive.
async fn sweep(container: &mut Container) -> Result<usize, SandboxError> {
    let lingered = container.counts().await?.others;
    let mut others = lingered;
    for attempt in 0..3 {
        if others == 0 {
            return Ok(lingered);
        }
        if attempt > 0 {
            // Processes without end may leave none for us: there is room for one more program, and theirs are killed
            // before they can fill it again.
            let shape = container.shape;
            container.resize(shape.memory, shape.processes.saturating_add(64)).await?;
        }
        // That it fails is seen by the count.
        let swept = container.script(CODE, SWEEP, &[], b"", 0).await;
        let until = Instant::now() + LINGER;
        others = container.counts().await?.others;
        while others > 0 && swept.is_ok() && Instant::now() < until {
            sleep(Duration::from_millis(5)).await;
            others = container.counts().await?.others;
        }
    }
    if others == 0 {
        return Ok(lingered);
    }
    kill(&container.docker, &container.id).await;
    Err(SandboxError::Engine {
        doing: "ending what a program left behind".to_owned(),
        why: format!("{others} processes would not die, and the container was killed"),
    })
}

type Output =
    std::pin::Pin<Box<dyn futures_util::Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// Throws away what still comes, for ever.
async fn drain(output: Option<Output>) {
    if let Some(mut output) = output {
        while let Some(Ok(_)) = output.next().await {}
    }
    std::future::pending().await
}

/// Hears a program out.
async fn listen(
    container: &Container,
    state: &State,
    exec: &str,
    output: &mut Output,
    time_ms: u64,
    heard: &mut Heard<'_>,
) -> End {
    let deadline = tokio::time::Instant::now() + Duration::from_millis(time_ms) + GRACE;
    let mut closing: Option<tokio::time::Instant> = None;
    let mut pause = Duration::from_millis(100);
    loop {
        let until = closing.unwrap_or(deadline);
        tokio::select! {
            biased;
            () = state.cancelled() => return End::Cancelled,
            // Before the output: a program that writes without end is to be ended as well.
            () = sleep_until(until) => {
                return if closing.is_some() { End::Closed } else { End::Deadline };
            }
            chunk = output.next() => match chunk {
                None => return heard.refused().map_or(End::Closed, End::Refused),
                Some(Ok(LogOutput::StdOut { message })) => heard.hear(Stream::Stdout, &message),
                Some(Ok(LogOutput::StdErr { message })) => heard.hear(Stream::Stderr, &message),
                Some(Ok(_)) => {}
                Some(Err(error)) => return End::Broken(super::engine::said(&error)),
            },
            // A stream may stay open although the program has ended: a grandchild holds it, or an engine forgot it.
            () = sleep(pause), if closing.is_none() => {
                pause = (pause * 2).min(Duration::from_millis(500));
                match container.docker.inspect_exec(exec).await {
                    Ok(seen) if seen.running == Some(false) => {
                        heard.ended = Some(Instant::now());
                        closing = Some(tokio::time::Instant::now() + LINGER);
                    }
                    Ok(_) => {}
                    Err(error) => return End::Broken(super::engine::said(&error)),
                }
            }
        }
        if heard.is_too_much() {
            return End::Output;
        }
    }
}

/// What is reported of a program that was cancelled before it could start.
pub fn cancelled(container: &Container) -> ExecReport {
    let mut deaf = crate::sandbox::Deaf;
    let heard = Heard::new(&Limits::default(), &mut deaf);
    heard.report(Exit::Cancelled, Duration::ZERO, None, 0, container.mechanisms.clone())
}

/// Both streams, kept within bounds and passed on.
struct Heard<'a> {
    stdout: Capture,
    stderr: Capture,
    most: u64,
    sink: &'a mut dyn OutputSink,
    /// The first line of standard error, which is the starter's.
    first: Option<Vec<u8>>,
    started: Option<Instant>,
    /// When it was seen to have ended, where its output went on.
    ended: Option<Instant>,
    refused: Option<String>,
}

impl<'a> Heard<'a> {
    fn new(limits: &Limits, sink: &'a mut dyn OutputSink) -> Heard<'a> {
        Heard {
            stdout: Capture::new(limits.output),
            stderr: Capture::new(limits.output),
            most: limits.output_total,
            sink,
            first: Some(Vec::new()),
            started: None,
            ended: None,
            refused: None,
        }
    }

    fn hear(&mut self, stream: Stream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if stream == Stream::Stdout {
            self.stdout.push(bytes);
            return self.sink.output(stream, bytes);
        }
        let Some(first) = &mut self.first else {
            self.stderr.push(bytes);
            return self.sink.output(stream, bytes);
        };
        first.extend_from_slice(bytes);
        let Some(end) = first.iter().position(|byte| *byte == b'\n') else { return };
        let rest = first.split_off(end + 1);
        let line = String::from_utf8_lossy(first).trim_end().to_owned();
        self.first = None;
        match line.strip_prefix('-') {
            Some(why) => self.refused = Some(crate::text::sanitise(why).into_owned()),
            None => self.started = Some(Instant::now()),
        }
        self.hear(stream, &rest);
    }

    /// Why it did not start, if it did not.
    fn refused(&self) -> Option<String> {
        let said = self.first.as_ref().map(|first| String::from_utf8_lossy(first).into_owned());
        let unsaid = said.map(|said| match crate::text::sanitise(said.trim()).into_owned() {
            said if said.is_empty() => "the engine could not start it".to_owned(),
            said => said,
        });
        self.refused.clone().or(unsaid)
    }

    fn is_too_much(&self) -> bool {
        self.stdout.total() + self.stderr.total() > self.most
    }

    fn report(
        self,
        exit: Exit,
        took: Duration,
        peak_memory: Option<u64>,
        lingered: usize,
        mechanisms: Vec<Mechanism>,
    ) -> ExecReport {
        ExecReport {
            rung: Rung::Docker,
            exit,
            seconds: took.as_secs_f64(),
            peak_memory,
            mechanisms,
            lingered,
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
        }
    }
}
