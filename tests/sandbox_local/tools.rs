//! Interpreters and compilers of this machine work inside; each is skipped, and said so, where it is not installed.

use crate::rig::*;
use mendbench::sandbox::{Deaf, Exit, Limits, Rung};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Roomy enough for a compiler or a virtual machine.
fn roomy() -> Limits {
    Limits {
        memory: 1024 * MIB,
        disk: 256 * MIB,
        file: 256 * MIB,
        processes: 128,
        time_ms: 300_000,
        ..limits()
    }
}

fn installed(program: &str) -> bool {
    ["/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join(program).exists())
}

/// Runs a line on every rung after laying files; what it wrote has to end so.
fn works(rungs: &[Rung], files: &[(&str, &str)], line: &str, ends: &str) {
    on_each(rungs, |rung, provider| {
        let mut sandbox = provider.make(&roomy()).unwrap();
        for (path, text) in files {
            put(sandbox.as_mut(), path, text);
        }
        let mut request = shell(line);
        request.limits = roomy();
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Code(0), "{rung}: {line}\n{}", both(&report));
        assert!(report.stdout.text().ends_with(ends), "{rung}: {line}\n{}", both(&report));
    });
}

#[test]
fn c_is_compiled_and_run_with_threads() {
    if !installed("gcc") {
        return say("skipped: gcc is not installed");
    }
    let code = "#include <pthread.h>\n#include <stdio.h>\nvoid *f(void *x) { return x; }\n\
                int main(void) { pthread_t t; if (pthread_create(&t, 0, f, 0)) return 3; pthread_join(t, 0); puts(\"joined\"); return 0; }\n";
    works(&HELD, &[("a.c", code)], "gcc -pthread -o a a.c && ./a", "joined\n");
}

#[test]
fn node_runs_with_workers_and_children() {
    if !installed("node") {
        return say("skipped: node is not installed");
    }
    let code = "const {Worker, isMainThread} = require('worker_threads');\n\
                if (isMainThread) new Worker(__filename).on('exit', () => {\n\
                  console.log(require('child_process').execFileSync('echo', ['child']).toString().trim());\n\
                }); else console.log('worker');\n";
    works(&HELD, &[("a.js", code)], "node a.js", "child\n");
}

#[test]
fn java_is_compiled_and_run() {
    if !installed("javac") {
        return say("skipped: javac is not installed");
    }
    let code = "public class A { public static void main(String[] a) throws Exception {\n\
                Thread t = new Thread(() -> System.out.println(\"thread\")); t.start(); t.join(); System.out.println(\"main\"); } }\n";
    works(&HELD, &[("A.java", code)], "javac A.java && java A", "main\n");
}

#[test]
fn python_runs_with_processes_threads_and_folders_of_its_own() {
    if !installed("python3") {
        return say("skipped: python3 is not installed");
    }
    let code = "import threading, subprocess, sys, os, tempfile, asyncio\n\
                t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()\n\
                assert subprocess.run([sys.executable, '-c', 'import sqlite3, ssl, hashlib; print(6*7)'], capture_output=True).stdout == b'42\\n'\n\
                open(os.path.join(tempfile.mkdtemp(), 'x'), 'w').write('x')\n\
                async def f():\n    p = await asyncio.create_subprocess_exec('echo', 'async', stdout=subprocess.PIPE)\n    return (await p.communicate())[0]\n\
                assert asyncio.run(f()) == b'async\\n'\n\
                print('whole')\n";
    works(&HELD, &[("a.py", code)], "python3 a.py", "whole\n");
    // Shared memory and semaphores need a place that only the rungs with mounts have.
    let code = "import multiprocessing\n\
                def f(x): return x * x\n\
                if __name__ == '__main__':\n    with multiprocessing.Pool(3) as p: print(p.map(f, [1, 2, 3]))\n";
    let mounts = [Rung::Bubblewrap, Rung::Namespaces];
    works(&mounts, &[("a.py", code)], "python3 a.py", "[1, 4, 9]\n");
}

/// A folder of tools behind others that are closed: rungs with mounts show it, Landlock says why it cannot.
#[test]
fn tools_behind_closed_folders_are_shown_where_there_are_mounts() {
    let above = tempfile::Builder::new().prefix("mendbench-closed").tempdir_in("/var/tmp").unwrap();
    let tools = above.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("tool"), "#!/bin/sh\necho tool\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode;
    std::fs::set_permissions(tools.join("tool"), mode(0o755)).unwrap();
    std::fs::set_permissions(&tools, mode(0o755)).unwrap();
    std::fs::set_permissions(above.path(), mode(0o700)).unwrap();
    let ladder = ladder().readable(vec![tools.clone()]).search(vec![tools.clone()]);
    for rung in HELD {
        match ladder.on(rung) {
            Ok(provider) => {
                let mut sandbox = provider.make(&limits()).unwrap();
                assert_eq!(output(sandbox.as_mut(), "tool"), "tool\n", "{rung}");
                let change = format!(
                    "echo x > {0}/tool; chmod 0 {0}/tool; touch {0}/new; touch -d @7 {0}/tool; ln -s {0}/tool l; chmod 0 l; \
                     ln {0}/tool h; cd {0}; chmod 0 tool; chmod 0 .; setfattr -n user.x -v y tool; \
                     /usr/bin/python3 -c 'import os; f = os.open(\"tool\", 0); os.utime(f, (7, 7))'; \
                     /usr/bin/python3 -c 'import os; f = os.open(\"tool\", 0); os.fchmod(f, 0)'",
                    tools.display()
                );
                let before = tools.join("tool").metadata().unwrap();
                run(sandbox.as_mut(), &change);
                let after = tools.join("tool").metadata().unwrap();
                assert_eq!(before.permissions(), after.permissions(), "{rung}");
                assert_eq!(before.modified().unwrap(), after.modified().unwrap(), "{rung}");
                assert_eq!(output(sandbox.as_mut(), "tool"), "tool\n", "{rung}");
                assert_eq!(std::fs::read_dir(&tools).unwrap().count(), 1, "{rung}");
            }
            Err(error) => {
                let said = error.to_string();
                let why = rung == Rung::Landlock && said.contains("closed to others");
                assert!(why || !ladder_stands(rung), "{rung}: {said}");
            }
        }
    }
}

fn ladder_stands(rung: Rung) -> bool {
    ladder().on(rung).is_ok()
}

/// Folders in a temporary place are shown although the sandbox has its own there.
#[test]
fn tools_in_temporary_folders_are_shown() {
    let above = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::write(above.path().join("data"), "data").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(above.path(), mode).unwrap();
    let ladder = ladder().readable(vec![above.path().to_owned()]);
    for rung in HELD {
        let Ok(provider) = ladder.on(rung) else { continue };
        let mut sandbox = provider.make(&limits()).unwrap();
        let line = format!("cat {0}/data; echo x > {0}/new || echo closed", above.path().display());
        assert_eq!(output(sandbox.as_mut(), &line), "dataclosed\n", "{rung}");
    }
}

/// The toolchain that builds these tests, which lies in a home folder.
#[test]
fn rust_is_compiled_tested_and_run() {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).output();
    let Some(root) = asked.ok().filter(|answer| answer.status.success()) else {
        return say("skipped: rustc is not installed");
    };
    let root = PathBuf::from(String::from_utf8(root.stdout).unwrap().trim());
    let ladder = ladder().readable(vec![root.clone()]).search(vec![root.join("bin")]);
    for rung in [Rung::Bubblewrap, Rung::Namespaces] {
        let Ok(provider) = ladder.on(rung) else {
            say(&format!("skipped on {rung}"));
            continue;
        };
        let mut sandbox = provider.make(&roomy()).unwrap();
        put(sandbox.as_mut(), "a.rs", "fn main() { println!(\"made\"); }\n#[test] fn holds() {}\n");
        let mut request = shell("rustc -o a a.rs && ./a && rustc --test -o t a.rs && ./t");
        request.limits = roomy();
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Code(0), "{rung}: {}", both(&report));
        assert!(report.stdout.text().contains("made\n") && report.stdout.text().contains("1 passed"));
    }
}
