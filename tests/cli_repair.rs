//! `mendbench repair`, `runs` and `replay`, as users run them: a server that misbehaves, a real sandbox.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod cli_rig;
mod model_server;

use cli_rig::{Home, Ran, skip};
use mendbench::model::ManualTime;
use model_server::{DONE, Script, Server, Step, USAGE, answer, head, piece, plain, stream, text};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;

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

/// Whether Python tasks can be tested here.
fn has_python() -> bool {
    let found = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !found {
        skip("there is no python3");
    }
    found
}

/// A Python task whose function must add, as a folder beside others.
fn task(home: &Home, id: &str) -> String {
    let folder = format!("tasks/{id}");
    let manifest = format!(
        "schema = 1\nid = \"{id}\"\ntitle = \"Sums of {id} are wrong\"\nkind = \"repair\"\nlanguage = \"python\"\n\
         description = \"add gives the sum\"\nprotected = [\"test_*.py\"]\n\
         [[target]]\nfile = \"m.py\"\nfunction = \"add\"\n[test]\ntimeout_s = 20\n\
         command = [\"python3\", \"-m\", \"unittest\", \"-v\", \"test_m\"]\nparser = \"unittest\"\n"
    );
    home.write(format!("{folder}/task.toml"), manifest);
    let test = "import unittest, m\nclass T(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(m.add(2, 3), 5)\n    def test_zero(self):\n        self.assertEqual(m.add(0, 0), 0)\n";
    home.write(format!("{folder}/base/test_m.py"), test);
    home.write(format!("{folder}/buggy/m.py"), "def add(a, b):\n    return a - b\n");
    home.write(format!("{folder}/reference/m.py"), "def add(a, b):\n    return a + b\n");
    home.path(folder).to_str().unwrap().to_owned()
}

fn code(sum: &str) -> String {
    format!("The sign is wrong.\n\n```python\ndef add(a, b):\n    return {sum}\n```\n")
}

/// A home with a task and a model `m` at this server.
fn home(served: &Served, more: &str) -> (Home, String) {
    let home = Home::new();
    let models =
        format!("[m]\naddress = \"{}/v1\"\nretries = 0\nproxy = \"none\"\n{more}\n", served.server.origin);
    std::fs::write(home.config("models.toml"), models).unwrap();
    let task = task(&home, "one");
    (home, task)
}

fn repair(home: &Home, arguments: &[&str]) -> Ran {
    let ran = home.run(&[&["repair"], arguments].concat());
    if !arguments.contains(&"--json") {
        return ran.harmless();
    }
    ran
}

/// What a request asked.
fn asked(served: &Served, number: usize) -> String {
    let seen = served.server.seen();
    let messages = seen[number].body["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n\n")
}

#[track_caller]
fn holds(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
}

#[test]
fn a_right_answer_repairs_in_one_turn() {
    if !has_python() {
        return;
    }
    let served = serve(vec![answer(&code("a + b"))]);
    let (home, task) = home(&served, "prices = { input = 1, output = 2 }");
    let ran = repair(&home, &[&task, "-m", "m"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    holds(
        &ran.out,
        &[
            "m · test feedback · iterative:3",
            "Sums of one are wrong",
            "buggy    ✘ failed         1/2 tests",
            "turn 1   ✔ passed         2/2 tests  found, exact  40 tokens, ",
            "  fixed test_sum\n",
            "repaired after 1 turn",
            "\n1 of 1 repaired\n",
            "  counted         1 of 1 (100 %, 21 to 100 %), nothing is left out",
            "@1 1 of 1 (100 %)  @3 1 of 1 (100 %)",
            "not repaired    0 of 1",
            "infrastructure  0 of 1",
            "turns           1: 1 found · 1 exact · 1 passed",
            "calls           1, 91 + 40 tokens, $0.00017",
            "mendbench replay ",
        ],
    );
    assert!(!ran.out.contains("```") && !ran.out.contains("go on"), "{}", ran.out);
    holds(
        &asked(&served, 0),
        &["def add(a, b):\n    return a - b", "add gives the sum", "AssertionError: -1 != 5"],
    );
    let runs = home.run(&["runs"]).done();
    holds(&runs.out, &["m · test feedback · iterative:3", "1 task", "1 of 1 repaired, 0 failed"]);
    let listed = home.run(&["runs", "--json"]).done().object("run-head");
    assert_eq!((&listed["repaired"], &listed["ends"]), (&json!(1), &json!({"passed": 1})));
}

#[test]
fn a_second_turn_is_told_what_the_tests_said_of_the_first() {
    if !has_python() {
        return;
    }
    let served = serve(vec![answer(&code("a * b")), answer(&code("a + b"))]);
    let (home, task) = home(&served, "");
    let ran = repair(&home, &[&task, "-m", "m", "--json"]).done();
    let objects = ran.objects();
    let (first, last) = (&objects[0], objects.last().unwrap());
    assert_eq!((&first["type"], &first["spec"]["cells"][0]["model"]), (&json!("run"), &json!("m")));
    assert_eq!(first["trajectories"].as_array().unwrap().len(), 1);
    assert_eq!((&last["type"], &last["run"]), (&json!("summary"), &first["id"]));
    assert_eq!(last["repair_at_k"][0]["all"]["hits"], 0);
    assert_eq!(last["repair_at_k"][1]["all"], last["repaired"]["counted"]);
    assert_eq!(last["spending"]["unpriced"], 2);
    let events = ran.objects_of("run-event");
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
    assert!(events.iter().all(|event| event["run"] == first["id"]));
    let verdicts: Vec<&Value> =
        of_kind(&events, "verified").iter().map(|event| &event["data"]["verdict"]).collect();
    assert_eq!(verdicts, ["failed", "failed", "passed"]);
    let told = asked(&served, 1);
    holds(&told, &["return a * b", "AssertionError: 6 != 5"]);
    assert!(
        !told.contains("a - b") && !told.contains("a + b"),
        "the newest code, and not the reference: {told}"
    );
    // Played again, it is the same; the answers stream with it.
    let again = home.run(&["replay", "last", "--json"]).done();
    assert_eq!(again.objects()[0], *first);
    assert_eq!(durable(&again), durable(&ran));
    assert!(!of_kind(&again.objects_of("run-event"), "answer-delta").is_empty());
    let played = home.run(&["replay", "last", "one", "--speed", "max"]).done().harmless();
    holds(&played.out, &["turn 1   ✘ failed         1/2 tests", "turn 2   ✔ passed", "1 of 1 repaired"]);
    home.run(&["replay", "last", "ome"]).ended(2, &["has no task `ome`", "did you mean `one`?"]);
    home.run(&["replay", "0000"]).ended(2, &["there is no run `0000`", "`last`"]);
    home.run(&["replay", "last", "--speed", "fast"]).ended(2, &["such as 4, or `max`"]);
    // What a turn made of the code.
    let diff = home.run(&["diff", "one", "--turn", "last:1", "--patch"]).done();
    holds(&diff.out, &["-    return a - b", "+    return a * b"]);
    let diff = home.run(&["diff", "one", "--turn", "last:1.2", "--json"]).done().object("difference");
    holds(diff["patch"].as_str().unwrap(), &["-    return a - b", "+    return a + b"]);
    assert_eq!(
        (&diff["turn"], &diff["revision"]),
        (&json!("last:1.2"), &first["trajectories"][0]["revision"])
    );
    home.run(&["diff", "one", "--turn", "last:3"]).ended(2, &["did not get to turn 1.3", "its last is 1.2"]);
    home.run(&["diff", "one", "--turn", "last"]).ended(2, &["RUN:ATTEMPT.TURN"]);
    // Asked anew, the recorded answers are given and no server is.
    let before = served.server.seen().len();
    let recorded = repair(&home, &[&task, "-m", "recorded:last", "--json"]).done();
    assert_eq!(recorded.object("summary")["repaired"]["all"]["hits"], 1);
    assert_eq!(served.server.seen().len(), before);
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["kind"] == kind).collect()
}

/// Events that are kept as such.
fn durable(ran: &Ran) -> Vec<Value> {
    let transient = ["answer-delta", "build-output", "test-finished", "waiting"];
    let events = ran.objects_of("run-event").into_iter();
    events.filter(|event| !transient.contains(&event["kind"].as_str().unwrap())).collect()
}

#[test]
fn what_the_model_fails_at_is_its_failure() {
    if !has_python() {
        return;
    }
    let same = code("a - b");
    let cheat = format!(
        "{}\n{}",
        "```diff\n--- a/test_m.py\n+++ b/test_m.py\n@@ -1,2 +1,2 @@\n-import unittest, m\n+import unittest\n class T(unittest.TestCase):\n",
        "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a * b\n```\n"
    );
    for (said, form, words, kind) in [
        ("", "function", "– empty", "extractions"),
        ("I cannot help with that.", "function", "– refusal", "extractions"),
        ("It should add.", "function", "– no-code", "extractions"),
        (&code("a * b"), "function", "✘ failed         1/2 tests  found, exact", "verdicts"),
        (&same, "function", "no-op", "applications"),
        (&cheat, "patch", "touched-protected", "flags"),
        (
            "\u{1b}[2J\u{1b}]0;gone\u{7}```python\ndef add(a, b):\n    return a * b  # \u{1b}[31m\u{202e}\n```\n",
            "function",
            "1/2 tests",
            "verdicts",
        ),
    ] {
        let served = serve(vec![answer(said)]);
        let (home, task) = home(&served, "");
        let ran = repair(&home, &[&task, "-m", "m", "-s", "single", "--form", form]);
        assert_eq!(ran.code, 1, "{said:?}: {}{}", ran.out, ran.err);
        holds(
            &ran.out,
            &[words, "not repaired after 1 turn", "0 of 1 repaired", "not repaired    1 of 1: 1 exhausted"],
        );
        let again = home.run(&["replay", "last", "--json"]).done();
        assert!(!again.out.contains(['\u{1b}', '\u{202e}']), "JSON escapes what a terminal obeys");
        let counts = again.object("summary")["turns"][kind].as_object().unwrap().len();
        assert_eq!(counts, 1, "{said:?}");
    }
}

#[test]
fn what_the_infrastructure_fails_at_is_not_the_models_failure() {
    if !has_python() {
        return;
    }
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let error = r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#;
    let html = ["content-type: text/html"].as_slice();
    let json = ["content-type: application/json"].as_slice();
    let broken = vec![head(), piece(text("def add")), Step::End];
    for (script, words) in [
        (
            plain("401 Unauthorized", json, r#"{"error":{"message":"bad key"}}"#),
            "does not accept the key (401): bad key",
        ),
        (plain("404 Not Found", json, r#"{"error":{"message":"no such model"}}"#), "has no model `m`"),
        (plain("400 Bad Request", json, error), "does not fit into the model's context"),
        (plain("200 OK", json, r#"{"error":{"message":"overloaded"}}"#), "overloaded"),
        (plain("200 OK", html, "<html>\u{1b}[31mlogin</html>"), "does not stream"),
        (broken, "the stream broke off"),
        (vec![], ""),
    ] {
        let served = serve(vec![script]);
        let (home, task) = home(&served, "");
        if words.is_empty() {
            std::fs::write(home.config("models.toml"), format!("[m]\naddress = \"{gone}\"\nretries = 0\n"))
                .unwrap();
        }
        let ran = repair(&home, &[&task, "-m", "m"]);
        assert_eq!(ran.code, 3, "{words}: {}{}", ran.out, ran.err);
        let words = if words.is_empty() { "cannot be reached" } else { words };
        holds(
            &ran.out,
            &[
                words,
                "no answer: ",
                "given up: the infrastructure failed, not the model",
                "0 of 1 repaired",
                "counted         0 of 0, without 1 failed by the infrastructure",
                "not repaired    0 of 1",
                "infrastructure  1 of 1",
            ],
        );
    }
}

#[test]
fn several_tasks_run_at_once_and_each_line_names_its_own() {
    if !has_python() {
        return;
    }
    let served = serve(vec![answer(&code("a + b"))]);
    let (home, _) = home(&served, "");
    task(&home, "two");
    let third = task(&home, "three");
    std::fs::write(format!("{third}/buggy/m.py"), "def add(a, b):\n    return b + a\n").unwrap();
    let ran = repair(&home, &["tasks", "-m", "m", "--jobs", "3", "--samples", "2"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    holds(
        &ran.out,
        &[
            "tasks/one #1    turn 1   ✔ passed",
            "tasks/two #2    turn 1   ✔ passed",
            "nothing to repair: the buggy version passes its tests",
            "4 of 6 repaired",
            "counted         4 of 4 (100 %, 51 to 100 %), without 2 not faulty",
            "not faulty      2 of 6",
        ],
    );
    // The filter narrows a place; an example is another task's, with its reference.
    let few = ["tasks", "-m", "m", "--filter", "id:one", "--technique", "few-shot", "--json", "--jobs", "1"];
    let ran = repair(&home, &few).done();
    assert_eq!(ran.object("summary")["trajectories"], 1);
    let last = served.server.seen().len() - 1;
    holds(&asked(&served, last), &["return a + b"]);
    assert!(ran.objects()[0]["spec"]["examples"].is_string(), "who goes on with it shows the same ones");
}

#[test]
fn the_template_repairs_without_a_key_or_a_network() {
    if !has_python() {
        return;
    }
    let home = Home::new();
    let ran = repair(&home, &["py-page-cursor", "--model", "template", "--strategy", "iterative:10"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    holds(
        &ran.out,
        &["template · test feedback · iterative:10", "✔ passed         11/11 tests", "1 of 1 repaired"],
    );
    // Tasks of a workspace are repaired in that workspace, and the way to see it again names it.
    task(&home, "sum");
    home.run(&["import", "tasks", "--workspace", "study"]).done();
    let ran = repair(&home, &["study", "--model", "template", "--strategy", "single"]);
    holds(&ran.out, &["of 1 repaired", "--workspace"]);
    let runs = |arguments: &[&str]| home.run(arguments).done().out.lines().count();
    assert_eq!((runs(&["runs", "--workspace", "study"]), runs(&["runs"])), (1, 1));
    // A key that is missing matters to who needs it alone.
    home.run(&["repair", "py-page-cursor", "--model", "qwen"])
        .ended(2, &["`template` needs no key", "models.toml"]);
}

#[test]
fn a_budget_stops_before_it_is_passed() {
    if !has_python() {
        return;
    }
    let served = serve(vec![answer(&code("a * b"))]);
    let (home, task) = home(&served, "prices = { input = 1000, output = 1000 }\nmax_output = 1000");
    // The longest answer alone costs a dollar: what holds no call at all is refused before anything is made.
    for plan in [&["--plan"][..], &[]] {
        let flags = [&[&task, "-m", "m", "--budget", "0.01"][..], plan].concat();
        repair(&home, &flags)
            .ended(2, &["--budget $0.010 holds no single call of `m`", "1000 tokens, costs $1.00"]);
    }
    let ran = repair(&home, &[&task, "-m", "m", "--budget", "1.1"]);
    assert_eq!((ran.code, served.server.seen().len()), (1, 0), "{}{}", ran.out, ran.err);
    holds(
        &ran.out,
        &[
            "left: the budget is spent",
            "budget spent    1 of 1",
            "counted         0 of 0, without 1 cut short",
            "calls           0, 1 that failed before anything was sent",
        ],
    );
    // What has no price is refused under a budget, unless it is allowed.
    let (home, task) = self::home(&served, "");
    for plan in [&["--plan"][..], &[]] {
        let flags = [&[&task, "-m", "m", "-s", "single", "--budget", "1"][..], plan].concat();
        repair(&home, &flags).ended(2, &["has no `prices` in models.toml", "--unknown-prices"]);
    }
    assert_eq!(served.server.seen().len(), 0);
    let ran = repair(&home, &[&task, "-m", "m", "-s", "single", "--budget", "1", "--unknown-prices"]);
    assert_eq!((ran.code, served.server.seen().len()), (1, 1), "{}{}", ran.out, ran.err);
    holds(&ran.out, &["cost of 1 not known"]);
}

#[test]
fn a_run_that_was_left_goes_on_and_comes_to_the_same() {
    if !has_python() {
        return;
    }
    let scripts = || vec![answer(&code("a * b")), answer(&code("a + b"))];
    let whole = serve(scripts());
    let (unbroken, task) = home(&whole, "");
    let unbroken = repair(&unbroken, &[&task, "-m", "m", "--json"]).done();
    let mut broken = scripts();
    broken.insert(1, vec![head(), piece(text("def ad")), Step::Gone]);
    let served = serve(broken);
    let (home, task) = home(&served, "");
    let mut child = home.spawn(&["repair", &task, "-m", "m"], Stdio::piped(), Stdio::piped());
    while served.server.seen().len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    // SAFETY: the child was not waited for, so that its number is its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    served.runtime.block_on(served.server.gone());
    let left = Ran::of(&child.wait_with_output().unwrap()).harmless();
    assert_eq!(left.code, 130, "{}{}", left.out, left.err);
    holds(
        &left.out,
        &[
            "turn 1   ✘ failed",
            "0 of 1 repaired; 1 not finished",
            "go on           mendbench repair --resume ",
        ],
    );
    let listed = home.run(&["runs"]).done();
    holds(&listed.out, &["0 of 1 repaired, 0 failed, 1 not finished"]);
    let words = left.out.lines().find_map(|line| line.split_once("mendbench repair --resume ")).unwrap().1;
    let resumed = home.run(&["repair", "--resume", words.trim()]).done().harmless();
    assert_eq!(served.server.seen().len(), 3, "the first answer is not asked for again");
    // Turns are counted over both processes, and what a turn fixed is told against the turn before.
    holds(&resumed.out, &["turn 2   ✔ passed", "repaired after 2 turns", "1 of 1 repaired"]);
    let stored = home.run(&["replay", "last", "--json"]).done();
    assert_eq!(essence(&stored), essence(&unbroken));
    // Over, it can be gone on with all the same, and nothing is done.
    let over = home.run(&["repair", "--resume", "last", "--json"]).done();
    assert_eq!((over.objects_of("run-event").len(), served.server.seen().len()), (0, 3));
    home.run(&["repair", "--resume", "last", "-m", "m"]).ended(2, &["cannot be used with"]);
    home.run(&["repair", "--resume", "ffff"]).ended(2, &["no run `ffff`"]);
    std::fs::create_dir(home.config("prompts")).unwrap();
    std::fs::write(home.config("prompts/role.txt"), "You repair.").unwrap();
    home.run(&["repair", "--resume", "last"]).ended(2, &["other prompt templates"]);
}

/// What counts of a run's events: hashes and outcomes, without times, ids and requests that were broken off.
fn essence(ran: &Ran) -> Vec<Value> {
    let wanted = ["prompt-built", "extracted", "applied", "verified", "feedback-made", "stopped"];
    let kept = durable(ran).into_iter().filter(|event| wanted.contains(&event["kind"].as_str().unwrap()));
    kept.map(|event| {
        let data = &event["data"];
        let keys = ["prompt", "outcome", "code", "verdict", "passed", "executed", "text", "reason"];
        let values: Vec<&Value> = keys.iter().map(|key| &data[*key]).collect();
        json!([event["attempt"], event["turn"], event["kind"], values])
    })
    .collect()
}

#[test]
fn words_that_are_not_known_name_the_nearest() {
    let served = serve(vec![]);
    let (home, task) = home(&served, "");
    for (arguments, words) in [
        (&["-m", "n"][..], &["no model `n`", "did you mean `m`?"][..]),
        (&["-m", "templat"], &["did you mean `template`?"]),
        (&["-m", "recorded:last"], &["holds no runs yet"]),
        (&["-m", "m", "--feedback", "tests"], &["did you mean `test`?"]),
        (&["-m", "m", "--feedback", "human"], &["needs a person"]),
        (&["-m", "m", "--feedback", "llm-expert"], &["--helper"]),
        (&["-m", "m", "--feedback", "llm-expert", "--helper", "mm"], &["no model `mm`", "did you mean `m`?"]),
        (
            &["-m", "m", "--feedback", "minimal", "--feedback-source", "stored"],
            &["no stored feedback `minimal`"],
        ),
        (&["-m", "m", "--technique", "fewshot"], &["did you mean `few-shot`?"]),
        (&["-m", "m", "--without", "role,guideline"], &["did you mean `guidelines`?"]),
        (&["-m", "m", "--form", "functions"], &["did you mean `function`?"]),
        (&["-m", "m", "--strategy", "iterativ:3"], &["did you mean `iterative`?"]),
        (&["-m", "m", "--context", "bm25:100"], &["needs a repository"]),
        (&["-m", "m", "--stop-on", "repeats"], &["did you mean `repeat`?"]),
        (&["-m", "m", "--temperature", "hot"], &["is not a number from 0"]),
        (&["-m", "m", "--temperature", "9"], &["temperature", "0 to 5"]),
        (&["-m", "m", "--budget=-1"], &["--budget", "such as 2.50"]),
        (&["-m", "m", "--filter", "lang:c"], &["--filter chooses among the tasks of a PATH"]),
        (&[], &["--model"]),
    ] {
        let ran = home.run(&[&["repair", task.as_str()], arguments].concat());
        ran.harmless().ended(2, words);
    }
    home.run(&["repair", "no-such-task", "-m", "m"]).ended(2, &["no task `no-such-task`"]);
    home.run(&["repair", "tasks", "--filter", "lang:rust", "-m", "m"]).ended(2, &["passes the filter"]);
    std::fs::create_dir(home.config("prompts")).unwrap();
    std::fs::write(home.config("prompts/rolle.txt"), "x").unwrap();
    home.run(&["repair", &task, "-m", "m"])
        .ended(2, &["config/prompts", "`rolle` is not a template", "`role`"]);
    let models = format!("[m]\naddress = \"{}/v1\"\nkey_env = \"BENCH_KEY\"\n", served.server.origin);
    std::fs::remove_dir_all(home.config("prompts")).unwrap();
    std::fs::write(home.config("models.toml"), models).unwrap();
    home.run(&["repair", &task, "-m", "m"]).ended(3, &["`BENCH_KEY` is not set"]);
    assert!(served.server.seen().is_empty() && !home.data().join(".mendbench/runs").exists());
}

#[test]
fn a_plan_asks_nothing_and_keeps_nothing() {
    let served = serve(vec![]);
    let (home, task) = home(&served, "prices = { input = 1, output = 2 }");
    std::fs::create_dir(home.config("prompts")).unwrap();
    std::fs::write(home.config("prompts/role.txt"), "You repair \u{1b}[31msums.").unwrap();
    let plan = ["-m", "m", "--plan"];
    let ran = repair(&home, &[&[task.as_str()], plan.as_slice()].concat()).done();
    holds(
        &ran.out,
        &[
            "m · test feedback · iterative:3",
            "tasks         1: 1 trajectory",
            "calls         at most 3",
            "cost          about $0.00",
            "the first prompt (about ",
            "[system]\nYou repair ␛[31msums.",
            "    return a - b",
        ],
    );
    task_beside(&home);
    let planned =
        repair(&home, &["tasks", "-m", "m", "--plan", "--samples", "2", "--json"]).done().object("plan");
    assert_eq!((&planned["trajectories"], &planned["calls_at_most"]), (&json!(4), &json!(12)));
    assert_eq!((&planned["prompt"], &planned["left_out"]), (&Value::Null, &json!([])));
    assert!(served.server.seen().is_empty() && !home.data().exists());
    let none = home.run(&["runs"]).done();
    assert!(none.out.is_empty() && none.err.contains("holds no runs yet"), "{}", none.err);
}

fn task_beside(home: &Home) {
    task(home, "two");
}

#[test]
fn output_that_cannot_be_written_ends_the_run_and_loses_nothing() {
    if !has_python() {
        return;
    }
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return skip("there is no /dev/full");
    };
    let served = serve(vec![answer(&code("a + b"))]);
    let (home, task) = home(&served, "");
    let child = home.spawn(&["repair", &task, "-m", "m"], full.into(), Stdio::piped());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 3, "{}", ran.err);
    holds(&ran.err, &["the output could not be written"]);
    let resumed = home.run(&["repair", "--resume", "last", "--json"]).done();
    assert_eq!(resumed.object("summary")["repaired"]["all"]["hits"], 1);
}

#[test]
fn a_reader_that_leaves_early_ends_the_run_quietly_and_loses_nothing() {
    use std::io::Read;
    if !has_python() {
        return;
    }
    for json in [&[][..], &["--json"]] {
        let home = Home::new();
        let command = ["repair", "py-page-cursor", "-m", "template", "-s", "iterative:10"];
        let mut child = home.spawn(&[&command[..], json].concat(), Stdio::piped(), Stdio::piped());
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 1]).unwrap();
        drop(stdout);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{json:?}");
        let resumed = home.run(&["repair", "--resume", "last"]).done();
        holds(&resumed.out, &["1 of 1 repaired"]);
        for run in [&["runs"][..], &["replay", "last", "--speed", "max"]] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let child = home.spawn(&[run, json].concat(), writer.into(), Stdio::piped());
            let ran = Ran::of(&child.wait_with_output().unwrap());
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{run:?} {json:?}");
        }
    }
}

#[test]
fn on_a_terminal_the_answer_streams_and_commands_nothing() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;
    if !has_python() {
        return;
    }
    let hostile =
        "\u{1b}[2J\u{1b}]0;owned\u{7}It \u{202e}adds.\n```python\ndef add(a, b):\n    return a + b\n```\n";
    let pieces: Vec<String> = hostile.split_inclusive(' ').map(text).collect();
    let mut pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    pieces.extend([model_server::STOP, USAGE, DONE]);
    let served = serve(vec![stream(&pieces)]);
    let (home, task) = home(&served, "");
    let size = PtySize { rows: 40, cols: 110, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_mendbench"));
    command.env_clear();
    command.cwd(home.path(""));
    for (name, value) in home.variables() {
        command.env(name, value);
    }
    command.args(["repair", &task, "-m", "m", "--color=never", "--jobs", "1"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = reader.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    let raw = String::from_utf8_lossy(&bytes).into_owned();
    assert!(child.wait().unwrap().success(), "{raw}");
    // Ours alone: what takes a line back.
    let rest = raw.replace("\r\u{1b}[K", "");
    assert!(!rest.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{rest:?}");
    let mut screen = vt100::Parser::new(40.try_into().unwrap(), 110.try_into().unwrap(), 200);
    screen.process(&bytes);
    let seen = screen.screen().contents();
    holds(
        &seen,
        &[
            "  │ ␛[2J␛]0;owned␇It U+202Eadds.",
            "  │ ```python",
            "  │     return a + b",
            "turn 1   ✔ passed",
            "1 of 1 repaired",
        ],
    );
    assert!(!seen.contains("… "), "nothing is left of what was waited for: {seen}");
}

#[test]
fn a_budget_below_nothing_is_refused_in_words() {
    let home = Home::new();
    for budget in ["-1", "0", "-0.5"] {
        home.run(&["repair", "t", "-m", "m", "--budget", budget])
            .ended(2, &["a budget must be a number above 0"]);
    }
    home.run(&["repair", "t", "-m", "m", "--budget", "much"]).ended(2, &["a number of US dollars"]);
}
