//! scikit-learn and statsmodels find the same kappas in the exported files.

use super::{pairs_measured, study};
use mendbench::label::export::{Raters, long_csv, wide_csv};
use std::io::Write;
use std::process::Command;

/// Reads both files with the standard library, and lets both packages compute.
const SCRIPT: &str = r#"
import csv, json, sys
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, to_table
import numpy
def kappas(one, other, names):
    first = cohen_kappa_score(one, other, labels=names)
    table = numpy.zeros((len(names), len(names)))
    for a, b in zip(one, other): table[names.index(a), names.index(b)] += 1
    second = cohens_kappa(table).kappa
    return [None if x != x else float(x) for x in (first, second)]
long = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
wide = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
for ask in json.load(open(sys.argv[3])):
    a, b = ask["annotators"]
    def keep(row): return row["phase"] == ask["phase"] and row["question"] == ask["question"]
    answers = {}
    for row in filter(keep, long): answers.setdefault(row["item"], {})[row["annotator"]] = row["label"]
    pairs = [(x[a], x[b]) for x in answers.values() if a in x and b in x]
    other = [(row[a], row[b]) for row in filter(keep, wide) if row[a] and row[b]]
    if ask["reading"] != "with-not-applicable":
        pairs = [p for p in pairs if "not-applicable" not in p]
        other = [p for p in other if "not-applicable" not in p]
    out = []
    for found in (pairs, other):
        out.append({"n": len(found), "kappas": kappas([p[0] for p in found], [p[1] for p in found], ask["categories"])})
    print(json.dumps(out))
"#;

/// A Python that has both packages: that of `MENDBENCH_TEST_PYTHON`, or `python3`.
fn python() -> Option<String> {
    let python = std::env::var("MENDBENCH_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let asked = Command::new(&python).args(["-c", "import sklearn, statsmodels"]).output();
    asked.is_ok_and(|asked| asked.status.success()).then_some(python)
}

#[test]
fn python_finds_the_same_kappas_in_the_long_and_in_the_wide_file() {
    let Some(python) = python() else {
        let note = "skipped: there is no python3 with scikit-learn and statsmodels (MENDBENCH_TEST_PYTHON names one)\n";
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return;
    };
    let study = study();
    let measured = pairs_measured(&study);
    let asks: Vec<serde_json::Value> = measured
        .iter()
        .map(|found| {
            let Raters::Pair(one, other) = &found.raters else { panic!("{:?}", found.raters) };
            serde_json::json!({
                "annotators": [&**one, &**other], "phase": found.place.stage.phase(),
                "question": &*found.place.question, "reading": found.reading.name(), "categories": found.categories,
            })
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("long.csv"), long_csv(&study)).unwrap();
    std::fs::write(path("wide.csv"), wide_csv(&study)).unwrap();
    std::fs::write(path("asks.json"), serde_json::to_string(&asks).unwrap()).unwrap();
    let mut command = Command::new(python);
    command.args(["-W", "ignore", "-c", SCRIPT]).args(["long.csv", "wide.csv", "asks.json"].map(path));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), measured.len());
    for (found, line) in measured.iter().zip(lines) {
        let ours = found.get("cohen_kappa").unwrap().value.as_ref().ok();
        for file in line.as_array().unwrap() {
            assert_eq!(file["n"], found.joint, "{found:?}");
            for theirs in file["kappas"].as_array().unwrap() {
                match (ours, theirs.as_f64()) {
                    (Some(ours), Some(theirs)) => assert!((ours - theirs).abs() < 1e-9, "{found:?} {file}"),
                    // What has no value here has none there.
                    (None, None) => {}
                    other => panic!("{other:?} {found:?}"),
                }
            }
        }
    }
}
