//! Tests of the languages that come with mendbench, of files laid over them, and of messages.
#![allow(clippy::unwrap_used)]
use super::languages::{Languages, fill};
use super::{Config, ConfigError};
use crate::report::Parser;
use crate::task::Command;

fn with(text: &str) -> Result<Languages, ConfigError> {
    Languages::built_in().with_overrides("languages.toml", text)
}

#[test]
fn five_languages_come_with_mendbench() {
    let languages = Languages::built_in();
    let names: Vec<&str> = languages.iter().map(|language| language.name.as_str()).collect();
    assert_eq!(names, ["python", "c", "cpp", "rust", "javascript"]);
    for language in languages.iter() {
        assert!(crate::syntax::language::names().any(|name| name == language.name), "{}", language.name);
        assert!(language.test.is_some() && language.parser != Parser::ExitCode, "{}", language.name);
        let limits = &language.limits;
        for limit in [limits.timeout_s, limits.memory_mb, limits.processes, limits.disk_mb, limits.output_kb]
        {
            assert!(limit.is_some(), "{}", language.name);
        }
        assert!(!language.analysers.is_empty() && !language.sources.is_empty(), "{}", language.name);
    }
    assert_eq!(languages.of_path("src/a.H").unwrap().name, "c");
    assert_eq!(languages.of_path("src/.rs"), None);
    assert_eq!(languages.get("python").unwrap().analysers[0].program(), "python3");
}

#[test]
fn the_users_file_is_laid_over_key_by_key() {
    let languages = with(
        "[python]\ntest = [\"pytest\", \"-v\"]\nparser = \"pytest\"\nlimits = { timeout_s = 5 }\n[c]\nbuild = []\n\
         [zig]\nendings = [\"zig\"]\ntest = \"zig test a.zig\"\n",
    )
    .unwrap();
    let python = languages.get("python").unwrap();
    assert_eq!(python.parser, Parser::Pytest);
    assert_eq!((python.limits.timeout_s, python.limits.memory_mb), (Some(5), Some(1024)));
    assert_eq!(python.endings, ["py", "pyi"]);
    assert_eq!(languages.get("c").unwrap().build, None);
    let zig = languages.of_path("a.zig").unwrap();
    assert_eq!(
        (zig.test.clone(), zig.parser),
        (Some(Command::Shell("zig test a.zig".into())), Parser::ExitCode)
    );
    assert_eq!(zig.sources, ["zig"]);
}

#[test]
fn mistakes_name_line_key_and_the_way_out() {
    for (text, words) in [
        ("[python]\n\ntets = []\n", vec!["languages.toml:3:", "`python.tets`", "did you mean `test`"]),
        ("[python]\nparser = \"nose\"\n", vec![":2:", "python.parser", "unittest, pytest, junit"]),
        ("[python]\nlimits = { memory = 3 }\n", vec![":2:", "python.limits.memory", "memory_mb"]),
        ("[python]\nlimits = { timeout_s = 0 }\n", vec!["python.limits.timeout_s", "above 0"]),
        ("[python]\nlimits = { timeout_s = -1 }\n", vec!["above 0"]),
        ("[python]\nendings = [\".py\"]\n", vec!["`.py`", "without dot"]),
        ("[python]\nendings = [\"py\", 3]\n", vec!["list of texts"]),
        ("[zig]\nparser = \"tap\"\n", vec![":1:", "`zig`", "needs `endings"]),
        ("[zig]\nendings = [\"zig\", \"py\"]\n", vec!["ending `py`", "belongs to `python`"]),
        ("[Zig]\nendings = [\"zig\"]\n", vec!["`Zig`", "lower-case"]),
        ("python = 3\n", vec!["must be a table", "[python]"]),
        ("[python]\ntest = 3\n", vec!["list of arguments"]),
        ("[[python.analysers]]\ncommand = [\"x\"]\n", vec!["`command` and `form`"]),
        (
            "[[python.analysers]]\ncommand = [\"x\"]\nform = \"lint\"\n",
            vec![":3:", "python.analysers.form", "gcc-json"],
        ),
        ("[[python.analysers]]\ncommnd = [\"x\"]\n", vec!["did you mean `command`"]),
        ("[python\n", vec!["languages.toml:1", "TOML"]),
    ] {
        let message = with(text).unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "{text:?}: {message}");
        }
    }
}

#[test]
fn commands_are_filled_with_sources() {
    let command =
        |arguments: &[&str]| Command::Arguments(arguments.iter().map(|text| (*text).to_owned()).collect());
    let files = ["a.c", "-o.c", "b c.c"];
    assert_eq!(
        fill(&command(&["gcc", "{sources}", "-lm"]), &files),
        [command(&["gcc", "a.c", "./-o.c", "b c.c", "-lm"])]
    );
    assert_eq!(
        fill(&command(&["node", "--check", "{source}"]), &files[..2]),
        [command(&["node", "--check", "a.c"]), command(&["node", "--check", "./-o.c"])]
    );
    assert_eq!(fill(&command(&["gcc", "{sources}"]), &[]), []);
    assert_eq!(fill(&command(&["make"]), &[]), [command(&["make"])]);
    assert_eq!(
        fill(&Command::Shell("cc {sources} && ./a.out".into()), &files),
        [Command::Shell("cc a.c ./-o.c 'b c.c' && ./a.out".into())]
    );
    let languages = Languages::built_in();
    let sources = languages.get("c").unwrap().sources_of(["a.c", "a.h", "Makefile", "x/b.C"].into_iter());
    assert_eq!(sources, ["a.c", "x/b.C"]);
}

#[test]
fn the_file_is_found_in_the_configuration_folder() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { folder: Some(folder.path().to_owned()), ..Config::defaults() };
    assert_eq!(config.languages().unwrap(), Languages::built_in());
    std::fs::write(folder.path().join("languages.toml"), "[python]\nparser = \"pytest\"\n").unwrap();
    assert_eq!(config.languages().unwrap().get("python").unwrap().parser, Parser::Pytest);
    std::fs::write(folder.path().join("languages.toml"), "[python]\nparser = 1\n").unwrap();
    let message = config.languages().unwrap_err().to_string();
    assert!(message.contains(&folder.path().display().to_string()), "{message}");
}
