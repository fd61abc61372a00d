//! R finds the same kappas in the exported files.

use super::{pairs_measured, study};
use mendbench::label::export::{Raters, long_csv, wide_csv};
use std::io::Write;
use std::process::Command;

/// Reads both files with base R, and lets whichever package is there compute; prints n and kappa, or `NA`, of each.
const SCRIPT: &str = r#"
paths <- commandArgs(trailingOnly = TRUE)
read <- function(path) read.csv(path, colClasses = "character", check.names = FALSE, na.strings = NULL, encoding = "UTF-8")
kappa_of <- function(one, other, names) {
  table <- table(factor(one, levels = names), factor(other, levels = names))
  found <- if (requireNamespace("vcd", quietly = TRUE)) {
    unname(vcd::Kappa(table)$Unweighted["value"])
  } else {
    irr::kappa2(data.frame(one, other))$value
  }
  if (is.finite(found)) format(found, digits = 17) else "NA"
}
long <- read(paths[1]); wide <- read(paths[2]); asks <- read(paths[3])
for (number in seq_len(nrow(asks))) {
  ask <- asks[number, ]
  keep <- function(rows) rows[rows$phase == ask$phase & rows$question == ask$question, ]
  rows <- keep(long)
  of <- function(name) { mine <- rows[rows$annotator == name, ]; setNames(mine$label, mine$item) }
  a <- of(ask$one); b <- of(ask$other)
  both <- intersect(names(a), names(b))
  pairs <- list(data.frame(one = a[both], other = b[both]))
  rows <- keep(wide)
  rows <- rows[rows[[ask$one]] != "" & rows[[ask$other]] != "", ]
  pairs[[2]] <- data.frame(one = rows[[ask$one]], other = rows[[ask$other]])
  for (found in pairs) {
    if (ask$reading != "with-not-applicable")
      found <- found[found$one != "not-applicable" & found$other != "not-applicable", ]
    cat(nrow(found), kappa_of(found$one, found$other, strsplit(ask$categories, ";", fixed = TRUE)[[1]]), "")
  }
  cat("\n")
}
"#;

/// An R that has a package for kappa: that of `MENDBENCH_TEST_RSCRIPT`, or `Rscript`.
fn rscript() -> Option<String> {
    let rscript = std::env::var("MENDBENCH_TEST_RSCRIPT").unwrap_or_else(|_| "Rscript".to_owned());
    let ask =
        "q(status = !(requireNamespace('vcd', quietly = TRUE) || requireNamespace('irr', quietly = TRUE)))";
    let asked = Command::new(&rscript).args(["--vanilla", "-e", ask]).output();
    asked.is_ok_and(|asked| asked.status.success()).then_some(rscript)
}

#[test]
fn r_finds_the_same_kappas_in_the_long_and_in_the_wide_file() {
    let Some(rscript) = rscript() else {
        let note =
            "skipped: there is no R with the package vcd or irr (MENDBENCH_TEST_RSCRIPT names its Rscript)\n";
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return;
    };
    let study = study();
    let measured = pairs_measured(&study);
    let mut asks = "one,other,phase,question,reading,categories\n".to_owned();
    for found in &measured {
        let Raters::Pair(one, other) = &found.raters else { panic!("{:?}", found.raters) };
        let (place, categories) = (&found.place, found.categories.join(";"));
        let fields = [one, other, place.stage.phase(), &place.question, found.reading.name(), &categories];
        asks.push_str(&format!("{}\n", fields.join(",")));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("long.csv"), long_csv(&study)).unwrap();
    std::fs::write(path("wide.csv"), wide_csv(&study)).unwrap();
    std::fs::write(path("asks.csv"), asks).unwrap();
    std::fs::write(path("kappa.R"), SCRIPT).unwrap();
    let mut command = Command::new(rscript);
    command.arg("--vanilla").args(["kappa.R", "long.csv", "wide.csv", "asks.csv"].map(path));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), measured.len(), "{text}");
    let mut compared = 0;
    for (found, line) in measured.iter().zip(text.lines()) {
        let ours = found.get("cohen_kappa").unwrap().value.as_ref().ok();
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(fields.len(), 4, "{line}");
        for file in fields.chunks(2) {
            assert_eq!(file[0], found.joint.to_string(), "{found:?}");
            match (ours, file[1].parse::<f64>().ok()) {
                (Some(ours), Some(theirs)) => {
                    assert!((ours - theirs).abs() < 1e-9, "{found:?} {line}");
                    compared += 1;
                }
                // What has no value here has none there.
                (None, None) => {}
                other => panic!("{other:?} {found:?}"),
            }
        }
    }
    assert!(compared >= 8, "{text}");
}
