//! Tests of the layers of settings, of their messages, and of the user's themes.
#![allow(clippy::unwrap_used)]
use super::*;

fn read(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(file(folder.path()), text).unwrap();
    Config::read(Some(folder.path().to_owned()), &|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_defaults() {
    let config = read("theme = \"light\"\ncontext = 5\n", &[("MENDBENCH_CONTEXT", "7")]).unwrap();
    assert_eq!(config.settings.get("theme"), "light");
    assert_eq!(config.settings.number("context"), 7);
    assert!(config.settings.yes("preview"));
    let source = |key| config.settings.with_source(key).unwrap().1.clone();
    assert!(matches!(source("theme"), Source::File(place) if place.ends_with("config.toml:1")));
    assert_eq!(source("context"), Source::Environment("MENDBENCH_CONTEXT"));
    assert_eq!(source("wrap"), Source::Default);
}

#[test]
fn every_default_is_allowed_by_its_own_setting() {
    for setting in SETTINGS {
        Settings::default().set(setting.key, setting.default, Source::Flag("test")).unwrap();
    }
}

#[test]
fn mistakes_name_line_key_and_the_way_out() {
    for (text, words) in [
        ("\nthem = \"dark\"\n", vec!["config.toml:2:", "`them`", "did you mean `theme`"]),
        ("wrap = \"maybe\"\n", vec!["config.toml:1", "`wrap`", "`maybe`", "true or false"]),
        ("context = 5000\n", vec!["`5000`", "at most 1000"]),
        ("layout = [1]\n", vec!["layout", "table, list"]),
        ("theme = \n", vec!["config.toml:1", "TOML"]),
        ("[keys.tasks]\nopen = [\"j\"]\n", vec!["open", "cursor_down"]),
    ] {
        let message = read(text, &[]).unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "{text:?}: {message}");
        }
    }
    let message = read("", &[("MENDBENCH_WRAP", "yes")]).unwrap_err().to_string();
    assert!(message.contains("MENDBENCH_WRAP") && message.contains("true or false"), "{message}");
}

#[test]
fn user_themes_join_and_bad_ones_are_reported_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let themes = folder.path().join("themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("calm.toml"), "inherits = \"dark\"\nname = \"Calm\"\nappearance = \"dark\"\n")
        .unwrap();
    std::fs::write(themes.join("broken.toml"), "inherits = \"nowhere\"\n").unwrap();
    let config = Config::read(Some(folder.path().to_owned()), &|_| None).unwrap();
    let (found, errors) = config.themes();
    assert!(found.iter().any(|theme| theme.name == "calm"));
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("broken.toml"), "{}", errors[0]);
}
