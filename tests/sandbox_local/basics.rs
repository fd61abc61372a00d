//! What every execution keeps: how it ended, what it wrote, what it may use.

use crate::rig::*;
use mendbench::sandbox::{
    Deaf, ExecRequest, Exit, OutputSink, Program, Sandbox, SandboxError, Stream, TreeFile,
};
use mendbench::task::Command;

#[test]
fn some_rung_stands_on_this_machine() {
    for (rung, stands) in ladder().standing() {
        say(&format!("{rung}: {stands:?}"));
    }
    ladder().choose().unwrap();
    assert!(matches!(
        ladder().unsafe_local(false).on(mendbench::sandbox::Rung::Unsafe),
        Err(SandboxError::Unavailable { .. })
    ));
}

#[test]
fn where_nothing_stands_the_reasons_are_given() {
    let nowhere = ladder().unsafe_local(false).with_helper("/nowhere/mendbench".into());
    let Err(error) = nowhere.choose() else { panic!("a rung without its first process") };
    let said = error.to_string();
    assert!(said.contains("bubblewrap: ") && said.contains("landlock: "), "{said}");
    assert!(said.contains("--unsafe-local"), "{said}");
}

#[test]
fn exits_are_told_apart() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let sandbox = sandbox.as_mut();
        let exit = |sandbox: &mut dyn Sandbox, line: &str| run(sandbox, line).exit;
        assert_eq!(exit(sandbox, "exit 0"), Exit::Code(0), "{rung}");
        assert_eq!(exit(sandbox, "exit 127"), Exit::Code(127), "{rung}");
        assert_eq!(exit(sandbox, "kill -TERM $$"), Exit::Signal(15), "{rung}");
        assert_eq!(exit(sandbox, "kill -KILL $$"), Exit::Signal(9), "{rung}");
        let missing = ExecRequest::new(Command::Arguments(vec!["no-such-program".into()]), limits());
        let report = sandbox.execute(&missing, &mut Deaf).unwrap();
        assert!(matches!(report.exit, Exit::NotStarted(_)), "{rung}: {}", report.exit);
        put(sandbox, "plain", "#!/bin/sh\n");
        let plain = ExecRequest::new(Command::Arguments(vec!["./plain".into()]), limits());
        let report = sandbox.execute(&plain, &mut Deaf).unwrap();
        assert!(matches!(report.exit, Exit::NotStarted(_)), "{rung}: {}", report.exit);
        let mut elsewhere = shell("pwd");
        elsewhere.folder = "not/there".into();
        let report = sandbox.execute(&elsewhere, &mut Deaf).unwrap();
        assert!(matches!(report.exit, Exit::NotStarted(_)), "{rung}: {}", report.exit);
        assert_eq!(report.rung, rung);
        elsewhere.folder = "../up".into();
        assert!(matches!(sandbox.execute(&elsewhere, &mut Deaf), Err(SandboxError::Path { .. })));
    });
}

#[test]
fn programs_of_files_run_where_they_are_told_to() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let script = b"#!/bin/sh\nread line && exit 9\npwd; echo $1 >&2";
        sandbox.put(&[TreeFile { path: "a/b/run", bytes: script, executable: true }]).unwrap();
        let mut request = ExecRequest::new(Command::Arguments(vec!["./run".into(), "word".into()]), limits());
        request.folder = "a/b".into();
        request.environment.insert("LANG".into(), "xx".into());
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Code(0), "{rung}: {}", both(&report));
        assert_eq!(report.stdout.text(), format!("{}/a/b\n", sandbox.work()));
        assert_eq!(report.stderr.text(), "word\n");
    });
}

#[test]
fn our_own_program_runs_inside() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let mut request = shell("");
        request.program = Program::Own(vec!["--version".into()]);
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Code(0), "{rung}: {}", both(&report));
        assert!(report.stdout.text().starts_with("mendbench "), "{rung}: {}", both(&report));
    });
}

#[test]
fn time_ends_everything_even_what_ignores_signals() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let mut request =
            shell("trap '' TERM INT HUP; (trap '' TERM; while :; do :; done) & while :; do :; done");
        request.limits.time_ms = 300;
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Timeout, "{rung}");
        assert_eq!(output(sandbox.as_mut(), "echo again"), "again\n");
    });
}

#[test]
fn memory_of_all_processes_together_is_bounded() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let mut request = shell("for i in 1 2 3 4; do (head -c 1G /dev/zero | tail | sleep 8) & done; wait");
        request.limits.memory = 48 * MIB;
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        // Where a supervisor counts and the machine is busy, each process may meet the bound of its own before the sum of
        // them is seen: then all four were refused.
        let refused = both(&report).matches("memory exhausted").count();
        assert!(
            report.exit == Exit::OutOfMemory || refused == 4,
            "{rung}: {:?} {}",
            report.exit,
            both(&report)
        );
        assert_eq!(output(sandbox.as_mut(), "echo again"), "again\n");
        assert!(run(sandbox.as_mut(), "true").peak_memory.unwrap() > 0);
    });
}

#[test]
fn a_full_disk_is_named_and_the_bound_is_kept() {
    on_each(&ALL, |rung, provider| {
        let mut wish = limits();
        wish.disk = 8 * MIB;
        let mut sandbox = provider.make(&wish).unwrap();
        let report = run(
            sandbox.as_mut(),
            "while :; do head -c 1m /dev/zero >> f$((i%3)) || exit 5; i=$((i+1)); done",
        );
        assert_eq!(report.exit, Exit::DiskFull, "{rung}: {}", both(&report));
        sandbox.remove("f0").unwrap();
        sandbox.remove("f1").unwrap();
        assert_eq!(output(sandbox.as_mut(), "echo room > small; cat small"), "room\n");
        let big = vec![1; 9 * MIB as usize];
        let full = sandbox.put(&[TreeFile { path: "big", bytes: &big, executable: false }]);
        assert!(matches!(full, Err(SandboxError::Full { .. })), "{rung}: {full:?}");
    });
}

#[test]
fn a_single_file_is_bounded() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let mut request = ExecRequest::new(
            Command::Arguments(vec!["dd".into(), "if=/dev/zero".into(), "of=f".into(), "bs=64k".into()]),
            limits(),
        );
        request.limits.file = MIB;
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::DiskFull, "{rung}: {}", both(&report));
        assert_eq!(output(sandbox.as_mut(), "stat -c %s f").trim(), MIB.to_string());
    });
}

struct Counting(u64, u64);

impl OutputSink for Counting {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.0 += bytes.len() as u64,
            Stream::Stderr => self.1 += bytes.len() as u64,
        }
    }
}

#[test]
fn output_is_heard_whole_and_kept_in_part() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let mut request = shell("head -c 20000000 /dev/zero; echo end; echo error >&2");
        request.limits.output = 1000;
        let mut heard = Counting(0, 0);
        let report = sandbox.execute(&request, &mut heard).unwrap();
        assert_eq!(report.exit, Exit::Code(0), "{rung}");
        assert_eq!((heard.0, heard.1), (20_000_004, 6));
        assert_eq!(report.stdout.left_out, 20_000_004 - 1000);
        assert!(report.stdout.tail.ends_with(b"end\n"));
        assert_eq!(report.stderr.text(), "error\n");
        let mut endless = shell("yes & yes >&2");
        endless.limits.output_total = 3 * MIB;
        let report = sandbox.execute(&endless, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::OutputLimit, "{rung}");
    });
}

#[test]
fn a_killer_ends_it_for_good() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        struct Kill(mendbench::sandbox::Killer);
        impl OutputSink for Kill {
            fn output(&mut self, _: Stream, _: &[u8]) {
                let killer = self.0.clone();
                std::thread::spawn(move || killer.kill());
            }
        }
        let killer = sandbox.killer();
        let report = sandbox
            .execute(&shell("echo started; trap '' TERM; sleep 1000 & sleep 1000"), &mut Kill(killer.clone()))
            .unwrap();
        assert_eq!(report.exit, Exit::Cancelled, "{rung}");
        assert_eq!(run(sandbox.as_mut(), "true").exit, Exit::Cancelled, "{rung}");
        killer.kill();
        sandbox.clean().unwrap();
        killer.kill();
    });
}

#[test]
fn what_is_left_behind_is_killed_and_does_not_hold_the_answer() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        // One that holds no pipe, in a session of its own, twice removed; and one that holds it.
        let quiet = "(setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 </dev/null &) ; exit 3";
        let report = run(sandbox.as_mut(), quiet);
        assert_eq!(report.exit, Exit::Code(3), "{rung}");
        let holding = "(trap '' TERM HUP; sleep 1000) & echo done";
        let report = run(sandbox.as_mut(), holding);
        assert_eq!((report.exit, report.stdout.text().as_str()), (Exit::Code(0), "done\n"), "{rung}");
        assert!(report.lingered >= 1, "{rung}");
        // What still writes for a moment is heard.
        let late = run(sandbox.as_mut(), "(sleep 0.2; echo late) & exit 0");
        assert_eq!(late.stdout.text(), "late\n", "{rung}");
        assert_eq!(late.lingered, 0, "{rung}");
        let others = output(sandbox.as_mut(), "ps -eo args 2>/dev/null | grep '[s]leep 1000' | wc -l");
        assert_eq!(others.trim(), "0", "{rung}");
    });
}

#[test]
fn processes_are_bounded() {
    on_each(&HELD, |rung, provider| {
        let mut wish = limits();
        wish.processes = 12;
        let mut sandbox = provider.make(&wish).unwrap();
        let line = "for i in $(seq 60); do sleep 60 & done; wait";
        let mut request = shell(line);
        request.limits.time_ms = 1500;
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert!(report.lingered <= 12, "{rung}: {}", report.lingered);
        assert_eq!(output(sandbox.as_mut(), "echo again"), "again\n");
    });
}
