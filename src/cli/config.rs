//! `mendbench config path|show|check`.

use super::arguments::ConfigPart;
use super::{Arguments, DONE, FAILED, Failure, Output};
use crate::config::{Config, SETTINGS, Source, file, folder};
use crate::text::counted;
use crate::text::pad;
use crate::theme::Role;
use serde_json::json;

/// Runs the command.
pub fn run(arguments: &Arguments, what: ConfigPart) -> Result<u8, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let read = Config::read(folder(), &variable);
    let defaults = Config::defaults();
    let mut output = Output::lenient(arguments, read.as_ref().unwrap_or(&defaults));
    let code = match what {
        ConfigPart::Path => path(&mut output)?,
        ConfigPart::Check => check(read, &mut output)?,
        ConfigPart::Show => {
            let mut config = read.map_err(Failure::usage)?;
            if let Some(theme) = &arguments.theme {
                config.settings.set("theme", theme, Source::Flag("--theme")).map_err(Failure::usage)?;
            }
            show(&config, &mut output)?
        }
    };
    output.finish()?;
    Ok(code)
}

fn path(output: &mut Output) -> Result<u8, Failure> {
    let Some(folder) = folder() else {
        return Err(Failure::usage("there is no folder for configuration: set HOME or MENDBENCH_CONFIG"));
    };
    let file = file(&folder);
    if output.json {
        output.object(&json!({
            "type": "config-path", "v": 1, "folder": folder.to_string_lossy(), "file": file.to_string_lossy(),
            "exists": file.exists(), "themes": folder.join("themes").to_string_lossy(),
        }))?;
    } else {
        output.line(&file.display().to_string())?;
        if !file.exists() {
            output.note("there is no such file yet; everything is at its default");
        }
    }
    Ok(DONE)
}

fn show(config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let width = |part: fn(&str, &Source) -> usize| {
        let all = SETTINGS.iter().filter_map(|setting| config.settings.with_source(setting.key));
        all.map(|(value, source)| part(value, source)).max().unwrap_or(0)
    };
    let values = width(|value, _| crate::text::width(value)).clamp(8, 40);
    let sources = width(|_, source| crate::text::width(&source.to_string())) + 2;
    for setting in &SETTINGS {
        let Some((value, source)) = config.settings.with_source(setting.key) else { continue };
        if output.json {
            output.object(&json!({
                "type": "setting", "v": 1, "key": setting.key, "value": value, "source": source.to_string(),
                "default": setting.default, "variable": setting.variable, "meaning": setting.meaning,
            }))?;
            continue;
        }
        let shown = if value.is_empty() { "\"\"" } else { value };
        output.styled(&[
            (&pad(setting.key, 10), Role::Accent),
            (&pad(shown, values), Role::Text),
            (" ", Role::Text),
            (&pad(&format!("({source})"), sources), Role::TextDim),
            (&format!("  {}", setting.meaning), Role::TextDim),
        ])?;
    }
    Ok(DONE)
}

fn check(read: Result<Config, crate::config::ConfigError>, output: &mut Output) -> Result<u8, Failure> {
    let mut problems = Vec::new();
    let mut remarks = Vec::new();
    match read {
        Ok(config) => {
            let (themes, errors) = config.themes();
            problems.extend(errors.iter().map(ToString::to_string));
            problems.extend(config.languages().err().map(|error| error.to_string()));
            match config.models() {
                Ok(models) => {
                    remarks.extend(models.iter().filter(|model| model.sends_key_in_clear()).map(|model| {
                        format!(
                            "model {}: its key goes over http, where others on the way can read it",
                            model.name
                        )
                    }));
                }
                Err(error) => problems.push(error.to_string()),
            }
            let name = config.settings.get("theme");
            let known =
                matches!(name, "auto" | "colourblind") || themes.iter().any(|theme| theme.name == name);
            if !known {
                problems.push(format!("theme `{name}` is not known; `mendbench themes` lists them"));
            }
            for theme in &themes {
                for low in theme.low_contrast() {
                    remarks.push(format!(
                        "theme {}: {} has a contrast of {:.1} only",
                        theme.name,
                        low.text.name(),
                        low.ratio
                    ));
                }
            }
            for shadow in config.keymap.shadows() {
                remarks.push(format!(
                    "key {} means {} in {}, and {} elsewhere",
                    shadow.key,
                    shadow.action.name(),
                    shadow.context.name(),
                    shadow.hidden.name()
                ));
            }
        }
        Err(error) => problems.push(error.to_string()),
    }
    if output.json {
        for problem in &problems {
            output.object(&json!({"type": "config-problem", "v": 1, "message": problem}))?;
        }
        for remark in &remarks {
            output.object(&json!({"type": "config-remark", "v": 1, "message": remark}))?;
        }
        output.object(
            &json!({"type": "config-check", "v": 1, "problems": problems.len(), "remarks": remarks.len()}),
        )?;
    } else {
        for problem in &problems {
            output.styled(&[("problem  ", Role::StatusError), (problem, Role::Text)])?;
        }
        for remark in &remarks {
            output.styled(&[("remark   ", Role::TextDim), (remark, Role::Text)])?;
        }
        output.line(&format!(
            "{}, {}",
            counted(problems.len(), "problem"),
            counted(remarks.len(), "remark")
        ))?;
    }
    Ok(if problems.is_empty() { DONE } else { FAILED })
}
