//! `mendbench label convert`: labels of others for other programs and for papers.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::Home;

const RATINGS: &str = "commit;who;type\na;ann;x\na;ben;x\nb;ann;y\nb;ben;y\nc;ann;x\nc;ben;y\n";

#[test]
fn a_table_of_ratings_becomes_what_a_paper_needs() {
    let home = Home::new();
    home.write("r.csv", RATINGS);
    let how = ["--columns", "item=commit,rater=who,label=type", "--delimiter", ";"];
    let run = |form: &str, more: &[&str]| {
        let given = [&["label", "convert", "r.csv", "--form", form][..], &how, more].concat();
        home.run(&given).done().out
    };
    assert!(run("long", &[]).starts_with("round,phase,revision,question,item,subject,annotator,label"));
    assert!(run("wide", &[]).contains("1,blind,0,label,c,x,y\n"));
    assert_eq!(run("counts", &[]), "item,x,y\na,2,0\nb,0,2\nc,1,1\n");
    assert!(run("methods", &[]).contains("Cohen's kappa 0.400 (95 % interval"));
    assert!(run("markdown", &[]).contains("| Cohen's kappa 0.400"));
    assert!(run("latex", &[]).contains("\\begin{tabular}"));
    let given = [&["label", "convert", "r.csv", "--json"][..], &how].concat();
    let agreement = home.run(&given).done().object("study-agreement");
    assert_eq!(agreement["n_joint"], 3);
    assert!((agreement["statistics"]["cohen_kappa"]["value"].as_f64().unwrap() - 0.4).abs() < 1e-12);
    // What was exported is read again by both commands.
    home.write("long.csv", run("long", &[]));
    let again = home.run(&["label", "convert", "long.csv"]).done().out;
    assert_eq!(again, run("long", &[]));
    let measured = home.run(&["agreement", "--json", "--ratings", "long.csv", "--rater", "annotator"]).done();
    assert!((measured.object("agreement")["cohen_kappa"]["value"].as_f64().unwrap() - 0.4).abs() < 1e-12);
}

#[test]
fn what_is_wrong_is_told_with_what_to_do() {
    let home = Home::new();
    home.write("r.csv", RATINGS);
    home.run(&["label", "convert", "r.csv"]).ended(2, &["--delimiter ';'"]);
    home.run(&["label", "convert", "gone.csv"]).ended(2, &["gone.csv"]);
    home.run(&["label", "convert", "r.csv", "--labels", "xml"]).ended(2, &["linux-bugs"]);
    home.run(&["label", "convert", "r.csv", "--columns", "thing=a"]).ended(2, &["--columns takes"]);
    home.write("twice.csv", "item,rater,label\na,x,1\na,x,2\na,y,1\n");
    let ran = home.run(&["label", "convert", "twice.csv"]).ended(1, &["twice.csv, line 3", "--skip-bad"]);
    assert_eq!(ran.out, "");
    home.run(&["label", "convert", "twice.csv", "--skip-bad"]).done();
    home.run(&["label", "convert", "twice.csv", "--skip-bad", "--question", "q"])
        .ended(2, &["there are label"]);
    home.write("one.csv", "item,rater,label\na,x,1\nb,x,1\n");
    home.run(&["label", "convert", "one.csv"]).ended(0, &["only one annotator", "only one category"]);
}
