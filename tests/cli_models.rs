//! `mendbench models`: what is listed, what a test tells, and that no key is printed.
#![allow(clippy::unwrap_used)]

mod cli_rig;
mod model_server;

use cli_rig::{Home, Ran};
use mendbench::model::ManualTime;
use model_server::{Script, Server, Step, answer, head, piece, plain, stream, text};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

const KEY: &str = "sk-never-to-be-printed-987";

/// A server beside the test; the program runs in a process of its own.
struct Served {
    runtime: tokio::runtime::Runtime,
    server: Server,
}

fn serve(scripts: Vec<Script>) -> Served {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = runtime.block_on(Server::start(scripts, Arc::new(ManualTime::new())));
    Served { runtime, server }
}

fn home(models: &str) -> Home {
    let home = Home::new();
    std::fs::write(home.config("models.toml"), models).unwrap();
    home
}

/// A run in which the key is in the environment and must not come out.
fn run(home: &Home, arguments: &[&str]) -> Ran {
    run_with(home, arguments, &[("BENCH_KEY", KEY)])
}

fn run_with(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let ran = home.run_with(arguments, variables, "").harmless();
    assert!(!ran.out.contains(KEY) && !ran.err.contains(KEY), "{}{}", ran.out, ran.err);
    ran
}

fn model(served: &Served, more: &str) -> String {
    format!("[m]\naddress = \"{}/v1\"\nkey_env = \"BENCH_KEY\"\n{more}\n", served.server.origin)
}

#[test]
fn models_are_listed_with_the_place_of_their_keys() {
    let home = home(concat!(
        "[local]\naddress = \"http://127.0.0.1:8089/v1\"\nmodel = \"qwen\"\ncontext = 8192\n",
        "[cloud]\naddress = \"http://gpu.example.com/v1\"\nkey_env = \"BENCH_KEY\"\n",
        "prices = { input = 0.15, output = 0.6 }\n",
        "[open]\naddress = \"https://example.com/v1\"\nkey_file = \"key\"\n",
    ));
    std::fs::write(home.config("key"), KEY).unwrap();
    std::fs::set_permissions(home.config("key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = run(&home, &["models"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(lines[0].starts_with("local  http://127.0.0.1:8089/v1   qwen   8192 tokens"), "{}", ran.out);
    assert!(
        lines[1].contains("$0.15 in, $0.60 out") && lines[1].contains("key in $BENCH_KEY"),
        "{}",
        ran.out
    );
    assert!(lines[2].contains("others may read or write it (mode 644)"), "{}", ran.out);
    assert!(ran.err.contains("`cloud` sends its key over http"), "{}", ran.err);
    let listed = run_with(&home, &["models", "list", "--json"], &[]).objects_of("model");
    assert_eq!(listed[0]["key"], serde_json::json!({"kind": "none"}));
    assert_eq!(
        listed[1]["key"],
        serde_json::json!({"kind": "variable", "name": "BENCH_KEY", "present": false})
    );
    assert!(listed[1]["key_problem"].as_str().unwrap().contains("`BENCH_KEY` is not set"));
    assert_eq!((&listed[1]["prices"]["input"], &listed[1]["key_in_clear"]), (&0.15.into(), &true.into()));
    assert_eq!((&listed[0]["context"], &listed[0]["retries"]), (&8192.into(), &5.into()));
}

#[test]
fn without_models_it_says_where_they_go() {
    let home = Home::new();
    let ran = home.run(&["models"]).done();
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("config/models.toml") && ran.err.contains("address = "), "{}", ran.err);
    home.run(&["models", "test"]).ended(2, &["config/models.toml"]);
    let home = self::home("[m]\nadress = \"http://a/v1\"\n");
    home.run(&["models"]).ended(2, &["models.toml:1:", "`m`", "needs `address"]);
    let home = self::home("[coder]\naddress = \"http://a/v1\"\n");
    home.run(&["models", "test", "codr"]).ended(2, &["no model `codr`", "did you mean `coder`?"]);
}

#[test]
fn the_example_of_the_readme_is_read() {
    let readme = include_str!("../README.md");
    let start =
        readme.find("<!-- models.toml -->\n```toml\n").unwrap() + "<!-- models.toml -->\n```toml\n".len();
    let example = &readme[start..start + readme[start..].find("```").unwrap()];
    let home = home(example);
    let listed = home.run(&["models", "--json"]).done().objects_of("model");
    assert_eq!(listed.len(), 2);
    assert_eq!((&listed[1]["model"], &listed[1]["max_output"]), (&"qwen/qwen3-coder".into(), &65536.into()));
    home.run(&["config", "check"]).done();
    std::fs::write(home.config("models.toml"), example.replace("retries", "retires")).unwrap();
    let ran = home.run(&["config", "check"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("`cloud.retires` is not known here: did you mean `retries`?"), "{}", ran.out);
}

#[test]
fn a_test_tells_speed_usage_and_finish() {
    let served = serve(vec![answer("1, 2, \u{1b}[31m3")]);
    let home = home(&model(&served, "prices = { input = 1, output = 2 }"));
    let ran = run(&home, &["models", "test", "m"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for words in [
        "ok      m  first token after",
        "91 + 40 tokens",
        "$0.00017",
        "finish: stop",
        "it said: 1, 2, ␛[31m3",
    ] {
        assert!(ran.out.contains(words), "{words:?} is not in: {}", ran.out);
    }
    let seen = &served.server.seen()[0];
    assert!(seen.head.contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!((&seen.body["model"], &seen.body["max_tokens"]), (&"m".into(), &96.into()));
    let tested = run(&home, &["models", "test", "--json"]).object("model-test");
    assert_eq!((&tested["passed"], &tested["finish"]), (&true.into(), &"stop".into()));
    assert_eq!((&tested["usage"]["output"], &tested["text"]), (&40.into(), &"1, 2, \u{1b}[31m3".into()));
    assert!(tested["time_to_first_token_s"].as_f64().unwrap() >= 0.0);
}

#[test]
fn a_test_explains_what_went_wrong() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    for (script, error, words) in [
        (
            plain("401 Unauthorized", &[], &echo),
            "unauthorized",
            "does not accept the key (401): Incorrect API key provided: [key]",
        ),
        (
            plain("404 Not Found", &[], r#"{"error":{"message":"no such model"}}"#),
            "not-found",
            "has no model `m`",
        ),
        (
            plain("200 OK", &["content-type: application/json"], r#"{"choices":[]}"#),
            "not-a-stream",
            "does not stream",
        ),
        (
            plain("503 Service Unavailable", &["retry-after: 60"], "busy"),
            "server-error",
            "the server failed (503): busy",
        ),
        (stream(&[&text("half")]), "broken-stream", "the stream broke off"),
    ] {
        let served = serve(vec![script]);
        let home = home(&model(&served, ""));
        let ran = run(&home, &["models", "test"]);
        assert_eq!(ran.code, 3, "{}", ran.out);
        assert!(
            ran.out.starts_with("failed  m  ") && ran.out.contains(words),
            "{words:?} is not in: {}",
            ran.out
        );
        let ran = run(&home, &["models", "test", "--json"]);
        assert_eq!(ran.code, 3);
        let tested = ran.object("model-test");
        assert_eq!((&tested["passed"], &tested["error"]), (&false.into(), &error.into()));
        assert_eq!(served.server.seen().len(), 2, "one request a test");
    }
    let home = home(
        "[m]\naddress = \"http://127.0.0.1:1/v1\"\n[n]\naddress = \"http://127.0.0.1:1/v1\"\nkey_env = \"NONE\"\n",
    );
    let ran = run(&home, &["models", "test"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.out.contains("failed  m  http://127.0.0.1:1 cannot be reached: nothing listens there"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("failed  n  the environment variable `NONE` is not set"), "{}", ran.out);
    assert!(ran.err.contains("2 of 2 models failed"), "{}", ran.err);
}

#[test]
fn proxies_of_the_environment_are_for_other_machines_only() {
    // Every request that goes to the proxy is refused by it; none of this machine's may get there.
    let proxy = serve(vec![plain("403 Forbidden", &[], r#"{"error":{"message":"the proxy was asked"}}"#)]);
    let served = serve(vec![answer("a")]);
    let origin = proxy.server.origin.clone();
    let variables = [("http_proxy", origin.as_str()), ("ALL_PROXY", &origin), ("BENCH_KEY", KEY)];
    let home = home(&model(&served, ""));
    let ran = run_with(&home, &["models", "test"], &variables);
    assert_eq!((ran.code, proxy.server.seen().len()), (0, 0), "{}{}", ran.out, ran.err);
    let home = self::home("[far]\naddress = \"http://model.invalid/v1\"\n");
    let ran = run_with(&home, &["models", "test"], &variables);
    assert!(ran.out.contains("the proxy was asked"), "{}{}", ran.out, ran.err);
    assert!(proxy.server.seen()[0].head.starts_with("POST http://model.invalid/v1/chat/completions"));
    let home = self::home("[far]\naddress = \"http://model.invalid/v1\"\nproxy = \"none\"\n");
    let ran = run_with(&home, &["models", "test"], &variables);
    assert!(ran.out.contains("the name of the host is not known"), "{}{}", ran.out, ran.err);
    assert_eq!(proxy.server.seen().len(), 1);
}

#[test]
fn ctrl_c_ends_a_test_and_its_connection() {
    use std::io::Read;
    use std::process::Stdio;
    let served = serve(vec![vec![head(), piece(text("1")), Step::Gone]]);
    let home = home(&format!("[m]\naddress = \"{}/v1\"\n", served.server.origin));
    let mut child = home.spawn(&["models", "test"], Stdio::piped(), Stdio::null());
    while served.server.seen().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    // SAFETY: the child was not waited for, so that its number is its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    served.runtime.block_on(served.server.gone());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, "");
}
