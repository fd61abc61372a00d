//! Which categories there are, in which order, with which values and weights.

use super::flags::{Flags, MetricName};
use super::input;
use super::study::quoted;
use crate::agreement::Weights;
use crate::cli::Failure;
use crate::dataset::ratings::parse_matrix;

/// The categories of a study.
pub struct Choices {
    /// Their names.
    pub categories: Vec<String>,
    /// Whether the order means something.
    pub ordered: bool,
    /// Their values.
    pub values: Option<Vec<f64>>,
    /// Disagreement weights.
    pub weights: Weights,
    /// What these are called.
    pub scheme: String,
}

/// Reads `a,b,"c,d"`.
pub fn list(text: &str) -> Result<Vec<String>, Failure> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut names: Vec<String> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| Failure::usage(format!("{} is not a list", quoted(text))))?;
        for name in &record {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// The labels of a set; an empty set is the lone separator or `{}`.
pub fn split_set(text: &str, separator: &str) -> Vec<String> {
    if text.trim() == "{}" {
        return Vec::new();
    }
    text.split(separator).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// What `--categories` declares for a question: `QUESTION=a,b` wins over `a,b`.
pub fn for_question(given: &[String], question: Option<&str>) -> Result<Option<Vec<String>>, Failure> {
    let own = given.iter().find_map(|text| text.strip_prefix(question?)?.strip_prefix('='));
    let general = given.iter().find(|text| question.is_none() || !text.contains('=')).map(String::as_str);
    own.or(general).map(list).transpose()
}

impl Choices {
    /// From the labels that there are and what is declared; an error is a text without its place.
    pub fn of(
        flags: &Flags,
        labels: &[String],
        declared: Option<Vec<String>>,
        remarks: &mut Vec<String>,
    ) -> Result<Choices, String> {
        let number = |name: &String| name.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let (categories, ordered) = match declared {
            Some(declared) if declared.is_empty() => return Err("--categories names none".to_owned()),
            Some(declared) => (declared, true),
            None => {
                let mut categories = labels.to_vec();
                let numbers: Option<Vec<f64>> = categories.iter().map(number).collect();
                match numbers {
                    Some(_) => categories.sort_by(|one, other| {
                        let value = |name| number(name).unwrap_or(0.0);
                        value(one).total_cmp(&value(other)).then_with(|| one.cmp(other))
                    }),
                    None => categories.sort(),
                }
                (categories, numbers.is_some() && !labels.is_empty())
            }
        };
        let ordered = ordered && flags.sets.is_none();
        let size = categories.len().max(1);
        let order_for = |what: &str| match ordered || size <= 2 {
            true => Ok(()),
            false => Err(format!(
                "{what} needs the order of the categories: name them with --categories, lowest first"
            )),
        };
        let values =
            match flags.values.as_deref() {
                None => None,
                Some("labels") => Some(categories.iter().map(number).collect::<Option<Vec<f64>>>().ok_or(
                    "--values labels: not every label is a number; give a number for each category",
                )?),
                Some(text) => {
                    let values: Option<Vec<f64>> =
                        text.split(',').map(|value| number(&value.to_owned())).collect();
                    let values =
                        values.ok_or(format!("--values: {} is not a list of numbers", quoted(text)))?;
                    if values.len() != categories.len() {
                        let names: Vec<String> =
                            categories.iter().take(20).map(|name| quoted(name)).collect();
                        return Err(format!(
                            "--values has {} numbers for {} categories: {}",
                            values.len(),
                            categories.len(),
                            names.join(", ")
                        ));
                    }
                    Some(values)
                }
            };
        match flags.metric {
            MetricName::Ordinal => order_for("--metric ordinal")?,
            MetricName::Interval | MetricName::Ratio if values.is_none() => {
                return Err(format!("--metric {} needs --values", flags.metric.as_str()));
            }
            _ => {}
        }
        let weights = match flags.weights.as_str() {
            "none" => Weights::nominal(size),
            "linear" => order_for("--weights linear").map(|()| Weights::linear(size))?,
            "quadratic" => order_for("--weights quadratic").map(|()| Weights::quadratic(size))?,
            "taxonomy" => {
                let path = |name: &String| name.split(['.', '/']).map(str::to_owned).collect();
                Weights::taxonomy(&categories.iter().map(path).collect::<Vec<Vec<String>>>())
            }
            file => custom_weights(file, flags, &categories, remarks)?,
        };
        let scheme = match flags.weights.as_str() {
            known @ ("none" | "linear" | "quadratic" | "taxonomy") => known.to_owned(),
            _ => "custom".to_owned(),
        };
        let weights = weights.map_err(|error| error.to_string())?;
        Ok(Choices { categories, ordered, values, weights, scheme })
    }

    /// The category that is most like a text.
    pub fn near(&self, text: &str) -> Option<String> {
        if text.len() > 200 {
            return None;
        }
        let wanted = text.trim().to_lowercase();
        self.categories
            .iter()
            .map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), name))
            .filter(|(distance, name)| distance * 3 <= name.chars().count().max(3))
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, name)| name.clone())
    }
}

/// Weights from a file: a table of disagreements, in the order of the categories or with their names.
fn custom_weights(
    file: &str,
    flags: &Flags,
    categories: &[String],
    remarks: &mut Vec<String>,
) -> Result<Result<Weights, crate::agreement::AgreementError>, String> {
    let bytes = input::bytes(file).map_err(|failure| {
        format!("--weights is none, linear, quadratic, taxonomy or a file; {}", failure.message)
    })?;
    let delimiter = input::delimiter(flags).map_err(|failure| failure.message)?;
    let matrix = parse_matrix(file, &bytes, delimiter).map_err(|error| format!("--weights: {error}"))?;
    let mut rows: Vec<Vec<f64>> = matrix.rows.iter().map(|row| row.numbers.clone()).collect();
    if let Some(names) = &matrix.columns {
        let place = |wanted: &String| {
            names.iter().position(|name| name == wanted).ok_or(format!(
                "--weights: {} has no column for the category {}",
                quoted(file),
                quoted(wanted)
            ))
        };
        let order = categories.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
        let rows_named = matrix.rows.iter().all(|row| row.name.is_some());
        let same = matrix.rows.iter().zip(names).all(|(row, name)| row.name.as_ref() == Some(name));
        if rows.len() != names.len() || (rows_named && !same) {
            return Err(format!("--weights: the rows of {} are not those of its columns", quoted(file)));
        }
        rows = order
            .iter()
            .map(|row| order.iter().filter_map(|column| rows[*row].get(*column).copied()).collect())
            .collect();
    } else if rows.len() != categories.len() {
        return Err(format!(
            "--weights: {} has {} rows for {} categories",
            quoted(file),
            rows.len(),
            categories.len()
        ));
    }
    let largest = rows.iter().flatten().copied().fold(0.0, f64::max);
    if largest > 1.0 {
        rows.iter_mut().flatten().for_each(|weight| *weight /= largest);
        let remark = format!("--weights: disagreements are divided by their largest, {largest}");
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    Ok(Weights::custom(&rows))
}
