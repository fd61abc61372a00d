//! What a sandbox costs: a bare spawn of a command, against the same in a standing sandbox, against making, executing
//! and cleaning, on each rung that stands. Medians of 200; one table on stdout.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[cfg(target_os = "linux")]
fn main() {
    linux::measure();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the local rungs need Linux");
}

#[cfg(target_os = "linux")]
mod linux {
    use mendbench::sandbox::local::{Ladder, Pool};
    use mendbench::sandbox::{Deaf, ExecRequest, Exit, Limits, Provider, Rung, Sandbox};
    use mendbench::task::Command;
    use std::path::PathBuf;
    use std::process::Stdio;
    use std::time::Instant;

    const ROUNDS: usize = 200;

    /// Milliseconds that something takes: the median of many.
    fn median(mut what: impl FnMut()) -> f64 {
        for _ in 0..5 {
            what();
        }
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let began = Instant::now();
                what();
                began.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    }

    fn bare() {
        let done = std::process::Command::new("/bin/true").env_clear().stdin(Stdio::null()).output().unwrap();
        assert!(done.status.success());
    }

    fn execute(sandbox: &mut dyn Sandbox, read_only: &[&str]) {
        let mut request = ExecRequest::new(Command::Arguments(vec!["/bin/true".into()]), Limits::default());
        request.read_only = read_only.iter().map(ToString::to_string).collect();
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert_eq!(report.exit, Exit::Code(0));
    }

    pub fn measure() {
        let ladder =
            Ladder::new().with_helper(PathBuf::from(env!("CARGO_BIN_EXE_mendbench"))).unsafe_local(true);
        let base = median(bare);
        println!("{:<12} {:<34} {:>9} {:>9} {:>7}", "rung", "what", "ms", "more, ms", "times");
        let say = |rung: &str, what: &str, ms: f64| {
            println!("{rung:<12} {what:<34} {ms:>9.2} {:>9.2} {:>7.1}", ms - base, ms / base);
        };
        say("-", "bare spawn", base);
        for rung in [Rung::Bubblewrap, Rung::Namespaces, Rung::Landlock, Rung::Unsafe] {
            let provider = match ladder.on(rung) {
                Ok(provider) => provider,
                Err(error) => {
                    println!("{rung:<12} does not stand: {error}");
                    continue;
                }
            };
            let limits = Limits::default();
            let mut standing = provider.make(&limits).unwrap();
            say(rung.as_str(), "execute, standing", median(|| execute(standing.as_mut(), &[])));
            standing
                .put(&[mendbench::sandbox::TreeFile { path: "tests/check", bytes: b"x", executable: false }])
                .unwrap();
            let read_only = median(|| execute(standing.as_mut(), &["tests/check"]));
            say(rung.as_str(), "execute, standing, a read-only file", read_only);
            standing.clean().unwrap();
            let whole = median(|| {
                let mut sandbox = provider.make(&limits).unwrap();
                execute(sandbox.as_mut(), &[]);
                sandbox.clean().unwrap();
            });
            say(rung.as_str(), "make, execute, clean", whole);
            let pool = Pool::new(provider, 2);
            let pooled = median(|| {
                let mut sandbox = pool.make(&limits).unwrap();
                execute(sandbox.as_mut(), &[]);
                sandbox.clean().unwrap();
            });
            say(rung.as_str(), "the same from a pool", pooled);
        }
    }
}
