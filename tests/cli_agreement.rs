//! `mendbench agreement` as users run it: the reference cases, a published study, bad files, hostile ones.
#![allow(clippy::unwrap_used)]

mod cli_rig;

use cli_rig::{Home, skip};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");

fn shared(name: &str) -> Option<Value> {
    match std::fs::read_to_string(format!("{SHARED}/{name}")) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            skip(&format!("{name} is not at hand"));
            None
        }
    }
}

fn near(found: &Value, wanted: &Value, tolerance: f64) -> bool {
    match (found, wanted) {
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(one, other)| near(one, other, tolerance))
        }
        (Value::Null, Value::Null) => true,
        // A pair of raters.
        (Value::Object(found), Value::Object(wanted)) => {
            near(&found["kappa"], &wanted["kappa"], tolerance) && found["n"] == wanted["n"]
        }
        _ => match (found.as_f64(), wanted.as_f64()) {
            (Some(found), Some(wanted)) => (found - wanted).abs() <= tolerance * wanted.abs().max(1.0),
            _ => false,
        },
    }
}

/// The arguments that give a case to the command; ratings go into a file.
fn arguments(home: &Home, case: &Value) -> Vec<String> {
    let rows = |rows: &Value| -> String {
        let row =
            |row: &Value| row.as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(",");
        rows.as_array().unwrap().iter().map(row).collect::<Vec<_>>().join("; ")
    };
    let size = case["categories"].as_u64().unwrap();
    let names: Vec<String> = (0..size).map(|number| number.to_string()).collect();
    let categories = ["--categories".to_owned(), names.join(",")];
    let mut given = match case["kind"].as_str().unwrap() {
        "pair_table" => vec!["--table".to_owned(), rows(&case["table"])],
        "counts" => vec!["--counts".to_owned(), rows(&case["counts"])],
        kind => {
            let mut text = "item,rater,label\n".to_owned();
            for (rater, labels) in case["ratings"].as_array().unwrap().iter().enumerate() {
                for (item, label) in labels.as_array().unwrap().iter().enumerate() {
                    let label = match label {
                        Value::Null => String::new(),
                        Value::Array(set) if set.is_empty() => "{}".to_owned(),
                        Value::Array(set) => set.iter().map(Value::to_string).collect::<Vec<_>>().join("+"),
                        label => label.to_string(),
                    };
                    writeln!(text, "{item},{rater},{label}").unwrap();
                }
            }
            let path = home.write("ratings.csv", text);
            let mut given = vec!["--ratings".to_owned(), path.to_str().unwrap().to_owned()];
            if kind == "sets" {
                given.extend(["--sets".to_owned(), "+".to_owned()]);
            }
            given
        }
    };
    given.extend(categories);
    if let Some(values) = case["values"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        given.extend(["--values".to_owned(), values.join(",")]);
    }
    given
}

#[test]
fn the_reference_cases_come_out_of_the_command() {
    let Some(file) = shared("agreement/cases.json") else { return };
    let home = Home::new();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for case in file["cases"].as_array().unwrap() {
        let entries = case["expect"].as_array().unwrap();
        let scheme = |entry: &Value| entry["weights"].as_str().unwrap_or("none").to_owned();
        let schemes: BTreeSet<String> = entries.iter().map(scheme).collect();
        for weights in schemes {
            let mut given = vec!["agreement".to_owned(), "--json".to_owned()];
            given.extend(arguments(&home, case));
            if case["kind"] != "sets" {
                let custom = |entry: &&Value| entry["weights"] == "custom";
                let weights = match (weights.as_str(), entries.iter().find(custom)) {
                    ("custom", Some(entry)) => {
                        let rows = entry["disagreement_weights"].as_array().unwrap().iter();
                        let row = |row: &Value| {
                            row.as_array().unwrap().iter().map(Value::to_string).collect::<Vec<_>>().join(",")
                        };
                        let path = home.write("weights.csv", rows.map(row).collect::<Vec<_>>().join("\n"));
                        path.to_str().unwrap().to_owned()
                    }
                    (known, _) => known.to_owned(),
                };
                given.extend(["--weights".to_owned(), weights, "--resamples".to_owned(), "50".to_owned()]);
            }
            let given: Vec<&str> = given.iter().map(String::as_str).collect();
            let ran = home.run(&given).done().harmless();
            let found = ran.object("agreement");
            let key = |entry: &Value| scheme(entry) == weights || entry["weights"].is_null();
            for entry in entries.iter().filter(|entry| key(entry)) {
                // Where several raters have weights, kappa of pairs has them too.
                let pairs = matches!(
                    entry["stat"].as_str().unwrap(),
                    "cohen_kappa_pairs" | "light_kappa" | "fleiss_kappa"
                );
                if entry["stat"] == "bootstrap_cohen_kappa" || (pairs && scheme(entry) != weights) {
                    continue;
                }
                compared += 1;
                if let Some(problem) = differs(&found, entry) {
                    wrong.push(format!("{} {weights}: {problem}", case["id"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 700, "{compared}");
}

/// What an entry wants and the object has not.
fn differs(found: &Value, entry: &Value) -> Option<String> {
    let stat = entry["stat"].as_str().unwrap();
    let name = match (stat, entry["metric"].as_str()) {
        ("krippendorff_alpha" | "alpha_sets", Some(metric)) => format!("{stat}_{metric}"),
        _ => stat.to_owned(),
    };
    let statistic = &found[&name];
    // Alone among two raters, Scott's pi of ratings is not in the cases; its error is that of a table.
    for key in [
        "value",
        "se",
        "se_null",
        "z_null",
        "ci95_normal",
        "expected",
        "observed",
        "df",
        "se_gwet",
        "n_labels",
    ] {
        let Some(wanted) = entry.get(key) else { continue };
        let tolerance = if wanted.as_f64().is_some_and(|wanted| wanted.abs() < 1e-6) { 1e-6 } else { 1e-9 };
        let tolerance = if stat.contains("mcnemar") { 1e-6 } else { tolerance };
        if !near(&statistic[key], wanted, tolerance) {
            return Some(format!("{name}.{key}: wanted {wanted}, found {}", statistic[key]));
        }
    }
    if entry["value"].is_null() && !matches!(statistic["why"].as_str(), Some(why) if !why.is_empty()) {
        return Some(format!("{name}: undefined without a reason: {statistic}"));
    }
    None
}

#[test]
fn the_linux_bugs_study_has_its_kappas() {
    let Some(expected) = shared("linux-bugs-annotations/expected_kappa.json") else { return };
    let home = Home::new();
    let run = |round: u64, label: &str, weights: &str, raters: &str| {
        let files: Vec<String> = ["A1", "A2", "A3"]
            .map(|rater| format!("{SHARED}/linux-bugs-annotations/round{round}_{rater}.csv"))
            .into();
        let mut given =
            vec!["agreement", "--json", "--item", "hash", "--rater", "annotator", "--label", label];
        given.extend(["--weights", weights, "--raters", raters, "--resamples", "100", "--ratings"]);
        given.extend(files.iter().map(String::as_str));
        home.run(&given).done().object("agreement")
    };
    for entry in expected.as_array().unwrap() {
        let round = entry["round"].as_u64().unwrap();
        let pair = entry["pair"].as_str().unwrap();
        let raters = pair.replace('-', ",");
        let found = run(round, "label", "none", &raters);
        let place = format!("round {round}, {pair}");
        assert_eq!(found["n_joint"], entry["n_common"], "{place}");
        let only = entry["only_first"].as_u64().unwrap() + entry["only_second"].as_u64().unwrap();
        assert_eq!(found["n_one_sided"], only, "{place}");
        for (found, wanted) in [
            (found["cohen_kappa"].clone(), "kappa_label"),
            (run(round, "bfc", "none", &raters)["cohen_kappa"].clone(), "kappa_bfc_0to4_unweighted"),
            (run(round, "bfc", "linear", &raters)["cohen_kappa"].clone(), "kappa_bfc_linear"),
            (run(round, "bfc", "quadratic", &raters)["cohen_kappa"].clone(), "kappa_bfc_quadratic"),
        ] {
            let (found, wanted) = (found["value"].as_f64().unwrap(), entry[wanted].as_f64().unwrap());
            assert!((found - wanted).abs() < 1e-6, "{place}: wanted {wanted}, found {found}");
        }
        assert!(near(&found["cohen_kappa"]["observed"], &entry["observed"], 1e-6), "{place}");
        assert!(near(&found["cohen_kappa"]["expected"], &entry["expected"], 1e-6), "{place}");
    }
}

/// Two raters, two questions, two rounds.
const RATINGS: &str = "item,rater,label,question,round\n\
    1,ann,yes,bug,1\n1,ben,yes,bug,1\n2,ann,yes,bug,1\n2,ben,no,bug,1\n3,ann,no,bug,1\n3,ben,no,bug,1\n4,ann,no,bug,1\n\
    1,ann,yes,bug,2\n1,ben,yes,bug,2\n2,ann,no,bug,2\n2,ben,no,bug,2\n3,ann,no,bug,2\n3,ben,no,bug,2\n\
    1,ann,a.1,type,1\n1,ben,a.2,type,1\n2,ann,b.1,type,1\n2,ben,b.1,type,1\n";

#[test]
fn each_question_and_round_has_its_object() {
    let home = Home::new();
    home.write("ratings.csv", RATINGS);
    let ran = home.run(&["agreement", "--json", "--ratings", "ratings.csv", "--weights", "taxonomy"]).done();
    let found = ran.objects_of("agreement");
    let keys: Vec<_> =
        found.iter().map(|object| (object["question"].clone(), object["round"].clone())).collect();
    assert_eq!(keys, [(json!("bug"), json!("1")), (json!("bug"), json!("2")), (json!("type"), json!("1"))]);
    let first = &found[0];
    assert_eq!(
        (&first["n_items"], &first["n_joint"], &first["n_one_sided"]),
        (&json!(4), &json!(3), &json!(1))
    );
    assert_eq!(first["one_sided"], json!({"ann": 1, "ben": 0}));
    assert_eq!(first["categories"], json!(["no", "yes"]));
    assert_eq!(first["declared"], false);
    assert_eq!(first["table"], json!([[1, 0], [1, 1]]));
    assert_eq!(first["bootstrap_cohen_kappa"]["seed"], 1);
    let change = &found[1]["kappa_difference"];
    assert_eq!((&change["from_round"], &change["n"]), (&json!("1"), &json!(3)));
    assert!(near(&change["value"], &json!(0.6), 1e-9), "{change}");
    assert!(first.get("kappa_difference").is_none());
    // The same parent is half an agreement.
    assert!(near(&found[2]["cohen_kappa"]["observed"], &json!(0.75), 1e-9), "{}", found[2]["cohen_kappa"]);
    // The other form of the same file.
    let wide = "item,ann,ben\n1,yes,yes\n2,yes,no\n3,no,no\n4,no,\n";
    let ran = home.run_with(&["agreement", "--json", "--wide", "--ratings", "-"], &[], wide).done();
    let found = ran.object("agreement");
    assert_eq!(found["cohen_kappa"]["value"], first["cohen_kappa"]["value"]);
    // Other names of columns.
    let renamed =
        "commit;who;answer\n1;ann;yes\n1;ben;yes\n2;ann;yes\n2;ben;no\n3;ann;no\n3;ben;no\n4;ann;no\n";
    let flags = ["--item", "commit", "--rater", "who", "--label", "answer", "--delimiter", ";"];
    let given = [&["agreement", "--json", "--ratings", "-"][..], &flags].concat();
    let found = home.run_with(&given, &[], renamed).done().object("agreement");
    assert_eq!(found["cohen_kappa"]["value"], first["cohen_kappa"]["value"]);
}

#[test]
fn the_report_is_short_and_says_what_matters() {
    let home = Home::new();
    let ran =
        home.run(&["agreement", "--table", "20,5; 10,15", "--categories", "yes,no", "--seed", "7"]).done();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines.len() < 40, "{}", ran.out);
    for words in [
        "50 items: 50 labelled by both, 0 by one only",
        "2 categories: yes, no",
        "Cohen's kappa                   0.400  95 % 0.151 to 0.649  se 0.127  n 50",
        "by Landis and Koch's convention slight to substantial from end to end of the 95 % interval; asked about its lower end only, at least slight with 95 % probability",
        "seed 7",
        "against 0: z 2.89, p = 0.004",
        "largest kappa of these margins  0.800",
        "PABAK                           0.400",
        "McNemar, exact    p = 0.302",
    ] {
        assert!(ran.out.contains(words), "{words:?} is not in\n{}", ran.out);
    }
    let never = home.run(&["agreement", "--table", "25,0; 0,0", "--categories", "yes,no"]).done();
    assert!(never.out.contains("Cohen's kappa                   undefined: expected agreement is 1: everyone always answered `yes`"), "{}", never.out);
    assert!(!never.out.contains("NaN") && !never.out.contains("convention"), "{}", never.out);
    let again =
        home.run(&["agreement", "--table", "20,5; 10,15", "--categories", "yes,no", "--seed", "7"]).done();
    assert_eq!(again.out, ran.out);
}

#[test]
fn bad_rows_are_all_told_and_nothing_is_computed_past_them() {
    let home = Home::new();
    let text = "\u{feff}item,rater,label\r\n1,ann,yes\r\n1,ben,yes\r\n1,ann,no\r\n2,ann\r\n2,ben,yes,no\r\n,ann,yes\r\n3,ann,no\r\n3,ben,no\r\n";
    home.write("bad.csv", text);
    let refused = home.run(&["agreement", "--ratings", "bad.csv"]).ended(
        1,
        &[
            "bad.csv, line 4: rater `ann` labels item `1` again",
            "line 5: 2 fields",
            "line 6: 4 fields",
            "line 7: column `item` is empty",
            "4 bad rows of 8 rows",
        ],
    );
    assert_eq!(refused.out, "");
    let told = home.run(&["agreement", "--json", "--ratings", "bad.csv"]).ended(1, &[]);
    let rows: Vec<_> =
        told.objects_of("bad-row").iter().map(|row| (row["line"].clone(), row["reason"].clone())).collect();
    let row = |line: u64, reason: &str| (json!(line), json!(reason));
    assert_eq!(rows, [row(4, "duplicate"), row(5, "ragged"), row(6, "ragged"), row(7, "empty-field")]);
    assert!(told.objects_of("agreement").is_empty());
    let skipped = home.run(&["agreement", "--json", "--skip-bad", "--ratings", "bad.csv"]).done();
    assert!(
        skipped.err.contains("4 bad rows of 8 rows left out; of duplicates the first row counts"),
        "{}",
        skipped.err
    );
    assert_eq!(skipped.object("agreement")["n_joint"], 2);
    assert_eq!(skipped.object("agreement")["cohen_kappa"]["value"], 1.0);
    let undeclared =
        home.run(&["agreement", "--skip-bad", "--ratings", "bad.csv", "--categories", "yess,no"]);
    undeclared.ended(0, &["line 2: label `yes` is not one of the declared categories; did you mean `yess`?"]);
}

#[test]
fn many_bad_rows_are_told_by_their_lines() {
    let home = Home::new();
    let rows: String = (0..300).map(|_| "1,ann,yes\n").collect();
    home.write("bad.csv", format!("item,rater,label\n{rows}"));
    let ran = home
        .run(&["agreement", "--ratings", "bad.csv"])
        .ended(1, &["bad.csv, duplicate: lines 23-301", "299 bad rows of 300"]);
    assert!(ran.err.lines().count() < 30, "{}", ran.err);
}

#[test]
fn odd_names_are_told_and_taken_as_they_are() {
    let home = Home::new();
    home.write(
        "odd.csv",
        "item,rater,label\n1,ann,Yes\n1,ben,yes \n2,ann,NA\n2,ben,no\n3,ann,yes\n3,Ann,\u{1b}[31mred\n",
    );
    let ran = home.run(&["agreement", "--json", "--ratings", "odd.csv"]).done().harmless();
    for words in [
        "labels `Yes`, `yes `, `yes` differ in case or white space only",
        "label `NA` counts as a category",
        "raters `ann`, `Ann` differ",
    ] {
        assert!(ran.err.contains(words), "{words:?} is not in {}", ran.err);
    }
    assert_eq!(ran.object("agreement")["categories"].as_array().unwrap().len(), 6);
    let folded =
        home.run(&["agreement", "--json", "--fold", "--missing", "NA", "--ratings", "odd.csv"]).done();
    assert_eq!(folded.object("agreement")["categories"].as_array().unwrap().len(), 3);
    assert!(folded.err.contains("--fold: 2 labels taken as an earlier spelling"), "{}", folded.err);
    home.run(&["agreement", "--ratings", "odd.csv"]).done().harmless();
}

#[test]
fn one_rater_is_no_agreement_and_says_so() {
    let home = Home::new();
    home.write("one.csv", "item,rater,label\n1,ann,yes\n2,ann,no\n");
    let ran = home
        .run(&["agreement", "--json", "--ratings", "one.csv"])
        .ended(0, &["only one rater, `ann`: agreement needs two"]);
    let found = ran.object("agreement");
    assert_eq!(
        (&found["n_raters"], &found["n_joint"], &found["n_one_sided"]),
        (&json!(1), &json!(0), &json!(2))
    );
    assert_eq!(found["cohen_kappa"]["value"], Value::Null);
    assert_eq!(found["cohen_kappa"]["why"], "fewer than two raters have labels");
    home.write("none.csv", "item,rater,label\n1,ann,\n1,ben,\n");
    let found = home.run(&["agreement", "--json", "--ratings", "none.csv"]).done().object("agreement");
    assert_eq!(found["cohen_kappa"]["why"], "no jointly rated item");
    assert_eq!(found["categories"], json!([]));
}

#[test]
fn what_makes_no_sense_is_wrong_usage_and_says_what_to_do() {
    let home = Home::new();
    home.write("empty.csv", "");
    home.write("ratings.csv", RATINGS);
    home.write("nominal.csv", "item,rater,label\n1,a,x\n1,b,y\n2,a,z\n2,b,z\n");
    home.write("other.csv", "id,who,what\n1,a,b\n");
    home.write("weights.csv", "0,1\n1,0\n");
    home.write("items.csv", "item\n1\n2\n");
    for (given, words) in [
        (&["--ratings", "empty.csv"][..], &["`empty.csv` is empty"][..]),
        (&["--ratings", "missing.csv"], &["cannot read `missing.csv`"]),
        (&["--ratings", "."], &["is a folder"]),
        (
            &["--ratings", "other.csv"],
            &["no columns `item`, `rater`, `label`", "it has `id`, `who`, `what`", "--item"],
        ),
        (
            &["--ratings", "nominal.csv", "--weights", "linear"],
            &["needs the order of the categories", "--categories"],
        ),
        (
            &["--ratings", "nominal.csv", "--weights", "heavy"],
            &["--weights is none, linear, quadratic, taxonomy or a file"],
        ),
        (&["--ratings", "nominal.csv", "--weights", "weights.csv"], &["2 rows for 3 categories"]),
        (&["--ratings", "nominal.csv", "--values", "1,2"], &["2 numbers for 3 categories: `x`, `y`, `z`"]),
        (&["--ratings", "nominal.csv", "--values", "labels"], &["not every label is a number"]),
        (&["--ratings", "nominal.csv", "--metric", "interval"], &["needs --values"]),
        (&["--ratings", "nominal.csv", "--raters", "a,c"], &["there is no rater `c`"]),
        (&["--table", "1,2;3"], &["line 2: a row of 1 where the first has 2"]),
        (&["--table", "1,2,3;4,5,6"], &["must be square"]),
        (&["--table", "1.5,2;3,4"], &["1.5 is not a count"]),
        (&["--table", "1,-2;3,4"], &["-2 is not a count"]),
        (&["--table", "1,2;3,4", "--categories", "a"], &["1 names of categories for 2 columns"]),
        (&["--counts", "1,2;3"], &["line 2: a row of 1 where the first has 2"]),
        (&["--ratings", "items.csv", "--wide"], &["`items.csv` has no column of a rater"]),
        (&[], &["--ratings", "--table", "--counts"]),
        (&["--table", "1,2;3,4", "--counts", "1,2"], &["cannot be used with"]),
    ] {
        home.run(&[&["agreement"], given].concat()).ended(2, words);
    }
}

#[test]
fn weights_and_tables_come_from_files_with_names() {
    let home = Home::new();
    home.write("table.csv", ",low,mid,high\nlow,88,14,18\nmid,10,40,10\nhigh,2,6,12\n");
    home.write("weights.csv", ",high,low,mid\nhigh,0,3,6\nlow,3,0,1\nmid,6,1,0\n");
    let ran = home.run(&["agreement", "--json", "--table", "table.csv", "--weights", "weights.csv"]);
    let found = ran.ended(0, &["disagreements are divided by their largest, 6"]).object("agreement");
    assert_eq!(found["categories"], json!(["low", "mid", "high"]));
    // Cohen 1968.
    assert!(near(&found["cohen_kappa"]["value"], &json!(0.347_826_087), 1e-9), "{}", found["cohen_kappa"]);
    assert_eq!(found["cohen_kappa"]["weights"], "custom");
    home.write("turned.csv", ",low,mid\nmid,1,2\nlow,3,4\n");
    home.run(&["agreement", "--table", "turned.csv"])
        .ended(2, &["row `mid` stands where the columns have `low`"]);
    let many = home.run(&["agreement", "--json", "--counts", "4000000000,5; 1,2"]).done().object("agreement");
    assert_eq!(many["n_raters"], 4_000_000_005u64);
    home.write("counts.csv", "item,a,b\np1,3,0\np2,1,2\n");
    let counts = home.run(&["agreement", "--json", "--counts", "counts.csv"]).done().object("agreement");
    assert_eq!(
        (&counts["categories"], &counts["n_raters"], &counts["n_items"]),
        (&json!(["a", "b"]), &json!(3), &json!(2))
    );
}

#[test]
fn a_hundred_thousand_rows_are_read() {
    let home = Home::new();
    let mut text = "item,rater,label\n".to_owned();
    for item in 0..50_000 {
        writeln!(text, "item-{item},ann,{}\nitem-{item},ben,{}", item % 3, item % 4 % 3).unwrap();
    }
    home.write("big.csv", text);
    let found = home.run(&["agreement", "--json", "--ratings", "big.csv"]).done().object("agreement");
    assert_eq!((&found["n_items"], &found["n_joint"]), (&json!(50_000), &json!(50_000)));
    let mut text = "item,rater,label\n".to_owned();
    for item in 0..3_000 {
        writeln!(text, "{item},ann,text {item}").unwrap();
    }
    home.write("texts.csv", text);
    home.run(&["agreement", "--ratings", "texts.csv"])
        .ended(2, &["3000 categories are more than 500", "is this the column of the labels?"]);
    let raters: String = (0..300).map(|rater| format!("1,r{rater},x\n")).collect();
    home.write("raters.csv", format!("item,rater,label\n{raters}"));
    home.run(&["agreement", "--ratings", "raters.csv"])
        .ended(2, &["more than 200 raters", "column of the raters?"]);
}
