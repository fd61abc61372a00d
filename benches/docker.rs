//! What a container costs: `docker run` of `true` by hand against ours, made at once and made ahead. What is done
//! beside the work (killing and removing the used container, making the next) is measured apart.
//!
//!     cargo bench --profile dev --bench docker [-- IMAGE]
//!
//! Needs an engine and an image; says so where there is none.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod timing;

use mendbench::sandbox::docker::DockerRung;
use mendbench::sandbox::{Deaf, ExecRequest, Exit, Limits, Provider};
use mendbench::task::Command;
use std::time::Instant;
use timing::median;

const ROUNDS: usize = 15;

fn once(rung: &DockerRung) -> [f64; 3] {
    let start = Instant::now();
    let mut sandbox = rung.make(&Limits::default()).unwrap();
    let made = start.elapsed();
    let request = ExecRequest::new(Command::Arguments(vec!["true".into()]), Limits::default());
    let report = sandbox.execute(&request, &mut Deaf).unwrap();
    assert_eq!(report.exit, Exit::Code(0));
    let executed = start.elapsed();
    sandbox.clean().unwrap();
    [made, executed - made, start.elapsed() - executed].map(|part| part.as_secs_f64() * 1000.0)
}

fn main() {
    let image = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let image = image.unwrap_or_else(|| "mendbench-test:latest".to_owned());
    let rung = match DockerRung::connect(&image, &mut |line| println!("{line}")) {
        Ok(rung) => rung,
        Err(error) => return println!("not measured: {error}"),
    };
    let by_hand = median(ROUNDS, || {
        let arguments = ["run", "--rm", "--network", "none", &image, "true"];
        assert!(std::process::Command::new("docker").args(arguments).status().unwrap().success());
    });
    println!("docker run by hand           {by_hand:7.1} ms");
    let mut parts = Vec::new();
    let at_once = median(ROUNDS, || parts.push(once(&rung)));
    println!("ours, made at once           {at_once:7.1} ms  ({:.2} of it)", at_once / by_hand);
    show(&parts);
    rung.ahead(1, &Limits::default());
    let (mut parts, mut ahead, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    assert_eq!(rung.settle(), 1);
    for _ in 0..ROUNDS {
        let part = once(&rung);
        ahead.push(part.iter().sum::<f64>());
        parts.push(part);
        let start = Instant::now();
        assert_eq!(rung.settle(), 1);
        beside.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    ahead.sort_by(f64::total_cmp);
    beside.sort_by(f64::total_cmp);
    println!("ours, made ahead             {:7.1} ms", ahead[ROUNDS / 2]);
    show(&parts);
    println!("    then, until the used one is gone and the next is there: {:.1} ms", beside[ROUNDS / 2]);
}

fn show(parts: &[[f64; 3]]) {
    for (at, name) in ["make", "execute", "clean"].iter().enumerate() {
        let mut times: Vec<f64> = parts.iter().map(|part| part[at]).collect();
        times.sort_by(f64::total_cmp);
        println!("    {name:8} {:7.1} ms", times[times.len() / 2]);
    }
}
