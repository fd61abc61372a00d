//! `mendbench sandbox doctor`.
//!
//! Promises: every rung that stands is attacked, those that do not stand are named with their reason; the exit code
//! speaks of the rung that would be used. Leaves to others: the attacks and their judgement (`sandbox::doctor`).

use super::arguments::Sandbox;
use super::{Arguments, DONE, FAILED, Failure, Output};
use crate::config::Config;
use crate::harness::Choice;
use crate::sandbox::docker::DockerRung;
use crate::sandbox::doctor::{self, Attack, Cell, Outcome, Unit};
use crate::sandbox::local::{self, Ladder};
use crate::sandbox::{Provider, Rung, SandboxError};
use crate::text::counted;
use crate::text::{pad, pad_start, width, wrap};
use crate::theme::Role;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Why a rung is not examined, or what came of it.
enum Examined {
    /// It does not stand.
    Absent(String),
    /// It was attacked; how long that took.
    Attacked(Vec<Cell>, Duration),
}

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    what: &Sandbox,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let Sandbox::Doctor { rung, image } = what;
    let choice = Choice::new(&config.settings, rung.as_deref().or(Some("auto")), image.as_deref(), false)
        .map_err(Failure::usage)?;
    // What cannot be cleaned now is met again at the next start; it does not stand in the way.
    let _ = local::reap();
    let rungs: Vec<Rung> = match choice.rung {
        Some(rung) => vec![rung],
        None => Rung::ALL.into_iter().filter(|rung| *rung != Rung::Unsafe).collect(),
    };
    let image = choice.image.as_ref().or(choice.default_image.as_ref());
    let ladder = Ladder::new();
    let bar = bar(arguments);
    let mut all = Vec::new();
    for rung in rungs {
        all.push((rung, examine(rung, image.map(String::as_str), &ladder, &bar)?));
    }
    bar.finish_and_clear();
    // The first that stands is the one that would be used.
    let default = all.iter().find(|(_, examined)| matches!(examined, Examined::Attacked(..)));
    let default = default.map(|(rung, _)| *rung);
    let Some(default) = default else { return Err(nothing_stands(&all)) };
    if output.json {
        lines(&all, default, output)?;
    } else {
        table(&all, default, output)?;
    }
    let leaks = all.iter().any(|(rung, examined)| {
        *rung == default
            && matches!(examined, Examined::Attacked(cells, _) if cells.iter().any(|cell| !cell.stopped()))
    });
    Ok(if leaks { FAILED } else { DONE })
}

fn nothing_stands(all: &[(Rung, Examined)]) -> Failure {
    let mut message = "no sandbox stands here".to_owned();
    for (rung, examined) in all {
        if let Examined::Absent(why) = examined {
            message.push_str(&format!("\n{rung}: {why}"));
        }
    }
    Failure::infrastructure(message)
}

fn bar(arguments: &Arguments) -> ProgressBar {
    if arguments.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn examine(rung: Rung, image: Option<&str>, ladder: &Ladder, bar: &ProgressBar) -> Result<Examined, Failure> {
    let mut progress = |line: &str| bar.set_message(line.to_owned());
    let provider: Result<Box<dyn Provider>, String> = match (rung, image) {
        (Rung::Docker, None) => {
            Err("no image is named: give --image, or set `image` in config.toml".to_owned())
        }
        (Rung::Docker, Some(image)) => match DockerRung::connect(image, &mut progress) {
            Ok(docker) => Ok(Box::new(docker)),
            Err(error) => Err(reason(error)),
        },
        _ => ladder.on(rung).map_err(reason),
    };
    let provider = match provider {
        Ok(provider) => provider,
        Err(why) => return Ok(Examined::Absent(why)),
    };
    let began = Instant::now();
    let cells = doctor::examine(provider.as_ref(), &mut progress).map_err(Failure::infrastructure)?;
    Ok(Examined::Attacked(cells, began.elapsed()))
}

fn reason(error: SandboxError) -> String {
    match error {
        SandboxError::Unavailable { why, .. } => why,
        other => other.to_string(),
    }
}

fn lines(all: &[(Rung, Examined)], default: Rung, output: &mut Output) -> Result<(), Failure> {
    for (rung, examined) in all {
        let (stands, why) = match examined {
            Examined::Absent(why) => (false, Value::from(why.as_str())),
            Examined::Attacked(..) => (true, Value::Null),
        };
        output.object(&json!({
            "type": "sandbox-rung", "v": 1, "rung": rung.as_str(), "stands": stands, "reason": why,
            "default": default == *rung,
        }))?;
        let Examined::Attacked(cells, _) = examined else { continue };
        for cell in cells {
            let overshoot = cell.overshoot.map(|over| {
                json!({
                    "limit": over.limit, "by": over.by, "allowed": over.allowed, "unit": over.unit.as_str(),
                })
            });
            output.object(&json!({
                "type": "sandbox-attack", "v": 1, "rung": cell.rung.as_str(), "attack": cell.attack.as_str(),
                "stopped": cell.stopped(), "outcome": cell.outcome.as_str(), "mechanism": cell.mechanism,
                "overshoot": overshoot, "detail": cell.detail,
            }))?;
        }
    }
    Ok(())
}

fn mark(outcome: Outcome) -> (&'static str, Role) {
    match outcome {
        Outcome::Stopped => ("✔", Role::StatusOk),
        Outcome::Leaked => ("✘", Role::StatusError),
        Outcome::NotAttempted => ("?", Role::StatusWarn),
    }
}

/// Widest name of an attack.
fn title_width() -> usize {
    Attack::ALL.iter().map(|attack| width(attack.title())).max().unwrap_or(0)
}

fn table(all: &[(Rung, Examined)], default: Rung, output: &mut Output) -> Result<(), Failure> {
    let attacked: Vec<(Rung, &Vec<Cell>)> = all
        .iter()
        .filter_map(|(rung, examined)| match examined {
            Examined::Attacked(cells, _) => Some((*rung, cells)),
            Examined::Absent(_) => None,
        })
        .collect();
    if attacked.len() > 1 {
        matrix(&attacked, output)?;
    }
    for (rung, examined) in all {
        match examined {
            Examined::Attacked(cells, took) => details(*rung, cells, *took, default, output)?,
            Examined::Absent(why) => {
                output
                    .styled(&[(rung.as_str(), Role::Title), ("  does not stand here", Role::StatusWarn)])?;
                let columns = output.width().clamp(40, 120).saturating_sub(2);
                for line in wrap(why, columns) {
                    output.styled(&[("  ", Role::Text), (&line, Role::TextDim)])?;
                }
                output.line("")?;
            }
        }
    }
    Ok(())
}

/// Attacks against rungs.
fn matrix(attacked: &[(Rung, &Vec<Cell>)], output: &mut Output) -> Result<(), Failure> {
    let first = title_width() + 2;
    let mut parts = vec![(pad("", first), Role::Text)];
    parts.extend(attacked.iter().map(|(rung, _)| (pad(rung.as_str(), 12), Role::Title)));
    styled(&parts, output)?;
    for attack in Attack::ALL {
        let cells: Vec<Option<&Cell>> =
            attacked.iter().map(|(_, cells)| cells.iter().find(|cell| cell.attack == *attack)).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let mut parts = vec![(pad(attack.title(), first), Role::Text)];
        for cell in cells {
            let (mark, role) = cell.map_or((" ", Role::Text), |cell| mark(cell.outcome));
            parts.push((pad(mark, 12), role));
        }
        styled(&parts, output)?;
    }
    output.line("")
}

fn styled(parts: &[(String, Role)], output: &mut Output) -> Result<(), Failure> {
    let end = parts.iter().rposition(|(text, _)| !text.trim().is_empty()).map_or(0, |at| at + 1);
    let mut parts: Vec<(&str, Role)> =
        parts.iter().take(end).map(|(text, role)| (text.as_str(), *role)).collect();
    if let Some((last, _)) = parts.last_mut() {
        *last = last.trim_end();
    }
    output.styled(&parts)
}

fn details(
    rung: Rung,
    cells: &[Cell],
    took: Duration,
    default: Rung,
    output: &mut Output,
) -> Result<(), Failure> {
    let stopped = cells.iter().filter(|cell| cell.stopped()).count();
    let sum = format!("{stopped} of {} stopped", counted(cells.len(), "attack"));
    let role = if stopped == cells.len() { Role::StatusOk } else { Role::StatusError };
    let is_default = if default == rung { "  the one that is used" } else { "" };
    output.styled(&[
        (rung.as_str(), Role::Title),
        ("  ", Role::Text),
        (&sum, role),
        (&format!(" in {:.0} s", took.as_secs_f64()), Role::TextDim),
        (is_default, Role::Accent),
    ])?;
    let title = title_width();
    let by = cells.iter().map(|cell| width(&over(cell))).max().unwrap_or(0);
    let rest = output.width().clamp(60, 160).saturating_sub(title + by + 8);
    for cell in cells {
        let (mark, role) = mark(cell.outcome);
        let mechanism = if cell.mechanism.is_empty() { "nothing is named" } else { &cell.mechanism };
        let mut lines = wrap(mechanism, rest.max(20)).into_iter();
        let first = lines.next().unwrap_or_default();
        styled(
            &[
                ("  ".to_owned(), Role::Text),
                (mark.to_owned(), role),
                (format!(" {}  ", pad(cell.attack.title(), title)), Role::Text),
                (format!("{}  ", pad_start(&over(cell), by)), Role::Count),
                (first, Role::TextDim),
            ],
            output,
        )?;
        let indent = pad("", title + by + 8);
        for line in lines {
            styled(&[(indent.clone(), Role::Text), (line, Role::TextDim)], output)?;
        }
        if !cell.stopped() {
            for line in wrap(&cell.detail, rest.max(20)) {
                styled(&[(indent.clone(), Role::Text), (line, role)], output)?;
            }
        }
    }
    output.line("")
}

/// By how much a bound was passed, for people.
fn over(cell: &Cell) -> String {
    let Some(over) = cell.overshoot else { return String::new() };
    match over.unit {
        Unit::Processes => format!("+{}", over.by),
        Unit::Milliseconds => format!("+{:.1} s", over.by as f64 / 1000.0),
        Unit::Bytes if over.by == 0 => "+0 MiB".to_owned(),
        Unit::Bytes => format!("+{:.1} MiB", over.by as f64 / (1 << 20) as f64),
    }
}
