//! From files to sheets.

use super::lines::Lines;
use super::names::fold;
use super::sheet::{Cell, RatingsFile, Sheet};
use super::{BadReason, RatingsError};
use csv::{ByteRecord, ReaderBuilder};
use std::collections::HashMap;
use std::io::Read;

/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 30;
/// Most rows of all files together.
pub(in crate::dataset) const MOST_ROWS: u64 = 5_000_000;
/// Most raters of a question.
const MOST_RATERS: usize = 200;
/// Most questions and rounds.
const MOST_SHEETS: usize = 10_000;

/// Names of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The item.
    pub item: String,
    /// The rater; not used in the wide form.
    pub rater: String,
    /// The label; not used in the wide form.
    pub label: String,
    /// The question; where none is named, a column `question` is used if there is one.
    pub question: Option<String>,
    /// The round; where none is named, a column `round` is used if there is one.
    pub round: Option<String>,
}

impl Default for Columns {
    fn default() -> Columns {
        let name = |name: &str| name.to_owned();
        Columns {
            item: name("item"),
            rater: name("rater"),
            label: name("label"),
            question: None,
            round: None,
        }
    }
}

/// How a file of ratings is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Names of columns.
    pub columns: Columns,
    /// One column for each rater instead of one row for each label.
    pub wide: bool,
    /// Only these raters; empty: all.
    pub raters: Vec<String>,
    /// What stands between fields.
    pub delimiter: u8,
    /// Words that mean that there is no label, beside nothing at all.
    pub missing: Vec<String>,
    /// Take labels that differ in case and white space only as one.
    pub fold: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            columns: Columns::default(),
            wide: false,
            raters: Vec::new(),
            delimiter: b',',
            missing: Vec::new(),
            fold: false,
        }
    }
}

/// Reads a whole text of bounded size, without its byte order mark.
pub fn read_text(file: &str, reader: impl Read) -> Result<Vec<u8>, RatingsError> {
    let mut bytes = Vec::new();
    reader
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| RatingsError::Unreadable { file: file.to_owned(), source })?;
    if bytes.len() as u64 > MOST_BYTES {
        let file = file.to_owned();
        return Err(RatingsError::TooMuch { file, most: MOST_BYTES, what: "bytes", next: "" });
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(RatingsError::Utf16 { file: file.to_owned() });
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// Reads files of ratings, given as names and content, as if they were one; each has its own column names.
pub fn read_ratings(files: &[(String, Vec<u8>)], layout: &Layout) -> Result<RatingsFile, RatingsError> {
    let mut reading = Reading { layout, files, all: RatingsFile::default(), sheets: HashMap::new() };
    for number in 0..files.len() {
        reading.file(number)?;
    }
    Ok(reading.all)
}

struct Reading<'a> {
    layout: &'a Layout,
    files: &'a [(String, Vec<u8>)],
    all: RatingsFile,
    sheets: HashMap<(Option<String>, Option<String>), usize>,
}

/// Where the columns of a file are.
struct Places {
    names: Vec<String>,
    item: usize,
    question: Option<usize>,
    round: Option<usize>,
    /// In the long form, the columns of rater and label.
    long: Option<(usize, usize)>,
    /// In the wide form, the columns of the raters.
    raters: Vec<usize>,
}

impl Reading<'_> {
    fn file(&mut self, number: usize) -> Result<(), RatingsError> {
        let (name, bytes) = &self.files[number];
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(RatingsError::Empty { file: name.clone() });
        }
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.layout.delimiter)
            .from_reader(bytes.as_slice());
        let unreadable = |error: csv::Error| RatingsError::Unreadable {
            file: name.clone(),
            source: std::io::Error::other(error.to_string()),
        };
        let mut lines = Lines::of(bytes);
        let mut record = ByteRecord::new();
        if !reader.read_byte_record(&mut record).map_err(unreadable)? {
            return Err(RatingsError::Empty { file: name.clone() });
        }
        let header: Vec<String> =
            record.iter().map(|field| String::from_utf8_lossy(field).trim().to_owned()).collect();
        let places = self.places(name, header)?;
        let mut rows = 0;
        while reader.read_byte_record(&mut record).map_err(unreadable)? {
            rows += 1;
            self.all.rows += 1;
            if self.all.rows > MOST_ROWS {
                let next = "; split the file by question";
                return Err(RatingsError::TooMuch {
                    file: name.clone(),
                    most: MOST_ROWS,
                    what: "rows",
                    next,
                });
            }
            let line = lines.of_record(record.position());
            if let Err(reason) = self.row(number, line, &record, &places)? {
                self.all.refuse(name, line, reason);
            }
        }
        if rows == 0 { Err(RatingsError::NoRows { file: name.clone() }) } else { Ok(()) }
    }

    /// Finds the columns.
    fn places(&self, file: &str, names: Vec<String>) -> Result<Places, RatingsError> {
        let columns = &self.layout.columns;
        let mut missing = Vec::new();
        let mut purposes: Vec<(&'static str, usize)> = Vec::new();
        let mut find = |flag: &'static str, name: &str, needed: bool| {
            let found = names.iter().position(|column| column == name.trim());
            match found {
                Some(place) => purposes.push((flag.trim_start_matches("--"), place)),
                None if needed => missing.push((flag, name.to_owned())),
                None => {}
            }
            found
        };
        let item = find("--item", &columns.item, true);
        let mut optional = |flag: &'static str, named: &Option<String>| match named {
            Some(name) => find(flag, name, true),
            None => find(flag, flag.trim_start_matches("--"), false),
        };
        let question = optional("--question", &columns.question);
        let round = optional("--round", &columns.round);
        let mut long = None;
        let mut raters = Vec::new();
        if self.layout.wide {
            for name in &self.layout.raters {
                raters.extend(find("--raters", name, true));
            }
            if self.layout.raters.is_empty() {
                let taken = [item, question, round];
                raters = (0..names.len()).filter(|place| !taken.contains(&Some(*place))).collect();
            }
        } else {
            let places = (find("--rater", &columns.rater, true), find("--label", &columns.label, true));
            long = places.0.zip(places.1);
        }
        let Some(item) = item.filter(|_| missing.is_empty()) else {
            return Err(RatingsError::MissingColumns {
                file: file.to_owned(),
                wanted: missing,
                found: names,
            });
        };
        for (at, (one, place)) in purposes.iter().enumerate() {
            if let Some((other, _)) = purposes[..at].iter().find(|(_, earlier)| earlier == place) {
                return Err(RatingsError::OneColumnTwice {
                    name: names[*place].clone(),
                    one: other,
                    other: one,
                });
            }
        }
        if self.layout.wide && raters.is_empty() {
            return Err(RatingsError::NoRaters { file: file.to_owned() });
        }
        let read = purposes.iter().map(|(_, place)| *place).chain(raters.iter().copied());
        for place in read {
            let name = &names[place];
            let twice = names.iter().filter(|other| *other == name).count() > 1;
            if twice {
                return Err(RatingsError::TwoColumns { file: file.to_owned(), name: name.clone() });
            }
        }
        Ok(Places { names, item, question, round, long, raters })
    }

    /// Takes a row, or says why not.
    fn row(
        &mut self,
        file: usize,
        line: u64,
        record: &ByteRecord,
        places: &Places,
    ) -> Result<Result<(), BadReason>, RatingsError> {
        let (found, wanted) = (record.len(), places.names.len());
        // A blank inside a quote that is never closed swallows the rest: both are told apart by the line break.
        let broken = record.iter().position(|field| field.contains(&b'\n'));
        if found != wanted {
            return Ok(Err(match broken {
                Some(at) => BadReason::LineBreak { column: column(places, at) },
                None => BadReason::Ragged { found, wanted },
            }));
        }
        let Ok(fields) = record.iter().map(std::str::from_utf8).collect::<Result<Vec<&str>, _>>() else {
            return Ok(Err(BadReason::NotUtf8));
        };
        let field = |place: usize| fields.get(place).copied().unwrap_or_default();
        let keys: Vec<usize> =
            [Some(places.item), places.question, places.round, places.long.map(|(rater, _)| rater)]
                .into_iter()
                .flatten()
                .collect();
        let labels: Vec<usize> = match places.long {
            Some((_, label)) => vec![label],
            None => places.raters.clone(),
        };
        if let Some(place) = keys.iter().chain(&labels).find(|place| field(**place).contains('\n')) {
            return Ok(Err(BadReason::LineBreak { column: column(places, *place) }));
        }
        if let Some(place) = keys.iter().find(|place| field(**place).trim().is_empty()) {
            return Ok(Err(BadReason::EmptyField { column: column(places, *place) }));
        }
        if let Some((rater, _)) = places.long
            && !self.layout.raters.is_empty()
            && !self.layout.raters.iter().any(|wanted| wanted == field(rater))
        {
            return Ok(Ok(()));
        }
        let key =
            (places.question.map(|at| field(at).to_owned()), places.round.map(|at| field(at).to_owned()));
        let sheet = self.sheet(key, file)?;
        for place in labels {
            let rater = match places.long {
                Some((rater, _)) => field(rater).to_owned(),
                None => column(places, place),
            };
            let label = self.label(sheet, field(place));
            let sheet = &mut self.all.sheets[sheet];
            let (item, number) = (sheet.items.number(field(places.item)), sheet.raters.number(&rater));
            if sheet.raters.len() > MOST_RATERS {
                return Err(RatingsError::TooMuch {
                    file: self.files[file].0.clone(),
                    most: MOST_RATERS as u64,
                    what: "raters",
                    next: "; is this the column of the raters?",
                });
            }
            if let Err(there) = sheet.put(number, item, Cell { label, file, line }) {
                return Ok(Err(BadReason::Duplicate {
                    item: field(places.item).to_owned(),
                    rater,
                    file: (there.file != file).then(|| self.files[there.file].0.clone()),
                    first: there.line,
                    same: there.label == label,
                }));
            }
        }
        Ok(Ok(()))
    }

    /// The number of the sheet of a question and a round.
    fn sheet(&mut self, key: (Option<String>, Option<String>), file: usize) -> Result<usize, RatingsError> {
        if let Some(number) = self.sheets.get(&key) {
            return Ok(*number);
        }
        let number = self.all.sheets.len();
        if number == MOST_SHEETS {
            return Err(RatingsError::TooMuch {
                file: self.files[file].0.clone(),
                most: MOST_SHEETS as u64,
                what: "questions and rounds",
                next: "; are these the columns of question and round?",
            });
        }
        let (question, round) = key.clone();
        self.all.sheets.push(Sheet::new(question, round));
        self.sheets.insert(key, number);
        Ok(number)
    }

    /// The number of a label in a sheet; none where it is missing.
    fn label(&mut self, sheet: usize, text: &str) -> Option<usize> {
        if text.trim().is_empty() || self.layout.missing.iter().any(|word| word == text.trim()) {
            self.all.missing += 1;
            self.all.blank += u64::from(!text.is_empty() && text.trim().is_empty());
            return None;
        }
        let names = &mut self.all.sheets[sheet].labels;
        if !self.layout.fold {
            return Some(names.number(text));
        }
        let (number, respelt) = names.number_by(fold(text), text);
        self.all.folded += u64::from(respelt);
        Some(number)
    }
}

fn column(places: &Places, at: usize) -> String {
    places.names.get(at).cloned().unwrap_or_default()
}
