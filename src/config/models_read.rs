//! Reads `models.toml`.
//!
//! Promises: every mistake names file, line and key; nothing that looks like a key itself is accepted, and none is
//! repeated in a message. Leaves to others: what the values mean (`models`).

use super::models::{Decoding, KeySource, ModelSettings, Models, Prices, Route, WireFormat};
use super::{ConfigError, Money, reader};
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use url::Url;

type Value<'a> = Spanned<DeValue<'a>>;
type Name<'a> = Spanned<Cow<'a, str>>;

/// Most models, and most entries of one table.
const MOST: usize = 500;

/// Names that mean something else where a model is named.
const TAKEN: [&str; 2] = ["template", "recorded"];

const KEYS: [&str; 20] = [
    "address",
    "model",
    "wire",
    "key_env",
    "key_file",
    "key_header",
    "decoding",
    "context",
    "max_output",
    "max_tokens_field",
    "stream_usage",
    "prices",
    "limits",
    "timeouts",
    "retries",
    "headers",
    "extra",
    "proxy",
    "ca_file",
    "key",
];
const DECODING: [&str; 5] = ["temperature", "top_p", "seed", "max_tokens", "stop"];
const PRICES: [&str; 3] = ["input", "output", "cached"];
const LIMITS: [&str; 3] = ["concurrent", "requests_per_minute", "tokens_per_minute"];
const TIMEOUTS: [&str; 4] = ["connect_s", "first_byte_s", "idle_s", "total_s"];

/// Fields of a request that mendbench writes itself.
const OWN_FIELDS: [&str; 11] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "n",
    "temperature",
    "top_p",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "stop",
];

/// Headers that mendbench writes itself, or that would carry a key past its protection.
const OWN_HEADERS: [&str; 11] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
    "content-type",
    "content-length",
    "host",
    "accept",
    "transfer-encoding",
];

pub(super) fn read(
    file: &str,
    text: &str,
    folder: &Path,
    home: Option<&Path>,
) -> Result<Models, ConfigError> {
    let reader = Reader { file, text, folder, home };
    let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        file: file.to_owned(),
        line: reader::line(text, error.span().unwrap_or(0..0)),
        why: error.message().replace('\n', ", "),
    })?;
    let mut models = Models::default();
    for (name, value) in table.get_ref() {
        let at = name.span();
        if models.all.len() >= MOST {
            return Err(reader.wrong(at, name.get_ref(), format!("is one model too many: at most {MOST}")));
        }
        models.all.push(reader.model(name, value)?);
    }
    Ok(models)
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    folder: &'a Path,
    home: Option<&'a Path>,
}

impl Reader<'_> {
    fn wrong(&self, span: Range<usize>, key: &str, problem: impl Into<String>) -> ConfigError {
        ConfigError::Model {
            file: self.file.to_owned(),
            line: reader::line(self.text, span),
            key: crate::text::truncate(key, 80).into_owned(),
            problem: problem.into(),
        }
    }

    fn unknown(&self, name: &Name<'_>, path: &str, known: &[&str]) -> ConfigError {
        let hint = reader::hint(name.get_ref(), known);
        self.wrong(name.span(), path, format!("is not known here: {hint}"))
    }

    fn model(&self, name: &Name<'_>, value: &Value<'_>) -> Result<ModelSettings, ConfigError> {
        let (at, name) = (name.span(), name.get_ref().as_ref());
        let DeValue::Table(keys) = value.get_ref() else {
            let problem = format!("must be a table: write `[{name}]` and its keys below");
            return Err(self.wrong(at, name, problem));
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if !name.starts_with(|c: char| c.is_ascii_alphanumeric())
            || name.len() > 80
            || !name.chars().all(allowed)
        {
            return Err(self.wrong(
                at,
                name,
                "is no name of a model: letters, digits, `-`, `_` and `.`, at most 80 (`model = \"…\"` holds the server's name)",
            ));
        }
        if TAKEN.contains(&name) {
            return Err(self.wrong(at, name, "is the name of a built-in model: take another one"));
        }
        let Some((key, address)) = keys.iter().find(|(key, _)| key.get_ref() == "address") else {
            return Err(self.wrong(at, name, "needs `address = \"http://…/v1\"`"));
        };
        let path = format!("{name}.{}", key.get_ref());
        let mut model = ModelSettings::new(name, self.address(&path, address)?);
        for (key, value) in keys {
            self.key(&mut model, key, value)?;
        }
        let most = model.context.filter(|context| model.max_output.is_some_and(|output| output > *context));
        if let Some(context) = most {
            return Err(self.wrong(at, name, format!("`max_output` is more than `context`, {context}")));
        }
        Ok(model)
    }

    fn key(&self, model: &mut ModelSettings, key: &Name<'_>, value: &Value<'_>) -> Result<(), ConfigError> {
        let name = key.get_ref().as_ref();
        let path = &format!("{}.{name}", model.name);
        match name {
            "address" => {}
            "model" => model.model = self.text(path, value)?,
            "wire" => {
                let wanted = self.text(path, value)?;
                let names = WireFormat::ALL.map(WireFormat::name);
                model.wire =
                    WireFormat::ALL.into_iter().find(|wire| wire.name() == wanted).ok_or_else(|| {
                        self.wrong(value.span(), path, format!("must be one of {}", names.join(", ")))
                    })?;
            }
            "key" => {
                let advice = "is not read: a key does not belong into this file; name a variable with `key_env`, or a file of mode 600 with `key_file`";
                return Err(self.wrong(key.span(), path, advice));
            }
            "key_env" | "key_file" if model.key != KeySource::None => {
                return Err(self.wrong(
                    key.span(),
                    path,
                    "is one too many: there is `key_env` and `key_file`",
                ));
            }
            "key_env" => model.key = KeySource::Variable(self.variable(path, value)?),
            "key_file" => model.key = KeySource::File(self.path(path, value)?),
            "key_header" => {
                model.key_header = Some(self.header_name(path, value.span(), &self.text(path, value)?)?)
            }
            "decoding" => model.decoding = self.decoding(path, value)?,
            "context" => model.context = Some(self.count(path, value, u64::MAX)?),
            "max_output" => model.max_output = Some(self.count(path, value, u64::MAX)?),
            "max_tokens_field" => {
                model.max_tokens_field = self.text(path, value)?;
                if !matches!(model.max_tokens_field.as_str(), "max_tokens" | "max_completion_tokens") {
                    let problem = "must be `max_tokens` or `max_completion_tokens`";
                    return Err(self.wrong(value.span(), path, problem));
                }
            }
            "stream_usage" => match value.get_ref() {
                DeValue::Boolean(yes) => model.stream_usage = *yes,
                _ => return Err(self.wrong(value.span(), path, "must be true or false")),
            },
            "prices" => model.prices = Some(self.prices(path, value)?),
            "limits" => {
                for (name, path, value) in self.table(path, value, &LIMITS)? {
                    let count = Some(self.count(&path, value, 100_000_000)?);
                    match name.get_ref().as_ref() {
                        "concurrent" => model.limits.concurrent = count,
                        "requests_per_minute" => model.limits.requests_per_minute = count,
                        _ => model.limits.tokens_per_minute = count,
                    }
                }
            }
            "timeouts" => {
                for (name, path, value) in self.table(path, value, &TIMEOUTS)? {
                    let time = Duration::from_secs(self.count(&path, value, 7 * 24 * 3600)?);
                    match name.get_ref().as_ref() {
                        "connect_s" => model.timeouts.connect = time,
                        "first_byte_s" => model.timeouts.first_byte = time,
                        "idle_s" => model.timeouts.idle = time,
                        _ => model.timeouts.total = time,
                    }
                }
            }
            "retries" => {
                let retries = integer(value).filter(|retries| (0..=100).contains(retries));
                let retries = retries.and_then(|retries| u32::try_from(retries).ok());
                model.retries = retries
                    .ok_or_else(|| self.wrong(value.span(), path, "must be a whole number, 0 to 100"))?;
            }
            "headers" => self.headers(model, path, value)?,
            "extra" => self.extra(model, path, value)?,
            "proxy" => {
                model.route = match self.text(path, value)?.as_str() {
                    "environment" => Route::Environment,
                    "none" => Route::Direct,
                    _ => Route::Proxy(self.url(path, value, &["http", "https"])?),
                }
            }
            "ca_file" => model.ca_file = Some(self.path(path, value)?),
            _ => return Err(self.unknown(key, path, &KEYS[..KEYS.len() - 1])),
        }
        Ok(())
    }

    fn text(&self, key: &str, value: &Value<'_>) -> Result<String, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) if !text.is_empty() && text.len() <= 4096 => Ok(text.to_string()),
            _ => Err(self.wrong(value.span(), key, "must be a text")),
        }
    }

    /// The entries of a table whose names are all known, each with its whole name.
    fn table<'v>(
        &self,
        key: &str,
        value: &'v Value<'v>,
        known: &[&str],
    ) -> Result<Vec<(&'v Name<'v>, String, &'v Value<'v>)>, ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span(), key, format!("must be a table of {}", known.join(", "))));
        };
        let mut entries = Vec::new();
        for (name, value) in table {
            let path = format!("{key}.{}", name.get_ref());
            if !known.contains(&name.get_ref().as_ref()) {
                return Err(self.unknown(name, &path, known));
            }
            entries.push((name, path, value));
        }
        Ok(entries)
    }

    fn count(&self, key: &str, value: &Value<'_>, most: u64) -> Result<u64, ConfigError> {
        let count = integer(value).and_then(|count| u64::try_from(count).ok());
        let problem = || match most {
            u64::MAX => "must be a whole number above 0".to_owned(),
            most => format!("must be a whole number, 1 to {most}"),
        };
        count
            .filter(|count| (1..=most).contains(count))
            .ok_or_else(|| self.wrong(value.span(), key, problem()))
    }

    fn fraction(&self, key: &str, value: &Value<'_>, least: f64, most: f64) -> Result<f64, ConfigError> {
        let number = match value.get_ref() {
            DeValue::Float(number) => number.to_string().parse::<f64>().ok(),
            _ => integer(value).map(|number| number as f64),
        };
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.wrong(value.span(), key, format!("must be a number, {least} to {most}")))
    }

    /// A base address; `/chat/completions` at its end is taken off.
    fn address(&self, key: &str, value: &Value<'_>) -> Result<Url, ConfigError> {
        let mut url = self.url(key, value, &["http", "https"])?;
        let path = url.path().trim_end_matches('/');
        let base = path.strip_suffix("/chat/completions").unwrap_or(path).to_owned();
        url.set_path(&base);
        url.set_fragment(None);
        Ok(url)
    }

    fn url(&self, key: &str, value: &Value<'_>, schemes: &[&str]) -> Result<Url, ConfigError> {
        let text = self.text(key, value)?;
        let example = "must be an address such as `http://127.0.0.1:8080/v1`";
        let url = Url::parse(&text)
            .map_err(|error| self.wrong(value.span(), key, format!("{example}: {error}")))?;
        if !schemes.contains(&url.scheme()) || url.host_str().is_none() {
            return Err(self.wrong(value.span(), key, example));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let advice = "holds a name or a password: a secret does not belong into this file; use `key_env` or `key_file`";
            return Err(self.wrong(value.span(), key, advice));
        }
        let secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            name == "key"
                || ["api_key", "apikey", "api-key", "token", "secret"].iter().any(|part| name.contains(part))
        };
        if url.query_pairs().any(|(name, _)| secret(&name)) {
            let advice =
                "holds a key in its query: a key does not belong into this file; use `key_env` or `key_file`";
            return Err(self.wrong(value.span(), key, advice));
        }
        Ok(url)
    }

    fn variable(&self, key: &str, value: &Value<'_>) -> Result<String, ConfigError> {
        let name = self.text(key, value)?;
        let is_name = !name.starts_with(|c: char| c.is_ascii_digit())
            && name.len() <= 100
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // It may be a key that was pasted here: it is not repeated.
        let problem = "must be the name of an environment variable, such as `OPENAI_API_KEY`; the key itself does not belong into this file";
        if is_name { Ok(name) } else { Err(self.wrong(value.span(), key, problem)) }
    }

    fn path(&self, key: &str, value: &Value<'_>) -> Result<PathBuf, ConfigError> {
        let text = self.text(key, value)?;
        match text.strip_prefix("~/") {
            None => Ok(self.folder.join(text)),
            Some(rest) => match self.home {
                Some(home) => Ok(home.join(rest)),
                None => Err(self.wrong(value.span(), key, "begins with `~`, and there is no home folder")),
            },
        }
    }

    fn header_name(&self, key: &str, span: Range<usize>, name: &str) -> Result<String, ConfigError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !name.is_empty() && name.len() <= 100 && name.chars().all(allowed) {
            return Ok(name.to_ascii_lowercase());
        }
        Err(self.wrong(span, key, "must be the name of a header: letters, digits and `-`"))
    }

    fn decoding(&self, key: &str, value: &Value<'_>) -> Result<Decoding, ConfigError> {
        let mut decoding = Decoding::default();
        for (name, path, value) in self.table(key, value, &DECODING)? {
            match name.get_ref().as_ref() {
                "temperature" => decoding.temperature = Some(self.fraction(&path, value, 0.0, 2.0)?),
                "top_p" => decoding.top_p = Some(self.fraction(&path, value, 0.0, 1.0)?),
                "max_tokens" => decoding.max_tokens = Some(self.count(&path, value, u64::MAX)?),
                "seed" => {
                    let seed = integer(value).and_then(|seed| i64::try_from(seed).ok());
                    decoding.seed =
                        Some(seed.ok_or_else(|| self.wrong(value.span(), &path, "must be a whole number"))?);
                }
                _ => {
                    let wrong = || self.wrong(value.span(), &path, "must be a list of at most 16 texts");
                    let DeValue::Array(texts) = value.get_ref() else { return Err(wrong()) };
                    if texts.len() > 16 {
                        return Err(wrong());
                    }
                    decoding.stop =
                        texts.iter().map(|text| self.text(&path, text)).collect::<Result<_, _>>()?;
                }
            }
        }
        Ok(decoding)
    }

    fn prices(&self, key: &str, value: &Value<'_>) -> Result<Prices, ConfigError> {
        let (mut input, mut output, mut cached) = (None, None, None);
        for (name, path, value) in self.table(key, value, &PRICES)? {
            let price = Money::from_dollars(self.fraction(&path, value, 0.0, 1e6)?);
            match name.get_ref().as_ref() {
                "input" => input = price,
                "output" => output = price,
                _ => cached = price,
            }
        }
        match (input, output) {
            (Some(input), Some(output)) => Ok(Prices { input, output, cached }),
            _ => Err(self.wrong(
                value.span(),
                key,
                "needs `input` and `output`, in US dollars for a million tokens; 0 for what is free",
            )),
        }
    }

    fn headers(&self, model: &mut ModelSettings, key: &str, value: &Value<'_>) -> Result<(), ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span(), key, "must be a table of names and texts"));
        };
        for (name, value) in table.iter().take(MOST) {
            let path = format!("{key}.{}", name.get_ref());
            let header = self.header_name(&path, name.span(), name.get_ref())?;
            if OWN_HEADERS.contains(&header.as_str()) {
                let advice = "is written by mendbench: keys go by `key_env` or `key_file`, with `key_header` where the server wants another header";
                return Err(self.wrong(name.span(), &path, advice));
            }
            let text = self.text(&path, value)?;
            if text.chars().any(|c| c.is_control() || !c.is_ascii()) {
                return Err(self.wrong(value.span(), &path, "must be one line of ASCII text"));
            }
            model.headers.insert(header, text);
        }
        Ok(())
    }

    fn extra(&self, model: &mut ModelSettings, key: &str, value: &Value<'_>) -> Result<(), ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span(), key, "must be a table of fields for the request"));
        };
        for (name, value) in table.iter().take(MOST) {
            let path = format!("{key}.{}", name.get_ref());
            if OWN_FIELDS.contains(&name.get_ref().as_ref()) {
                let advice = "is written by mendbench: see `decoding`, `model` and `stream_usage`";
                return Err(self.wrong(name.span(), &path, advice));
            }
            let json = json(value.get_ref())
                .ok_or_else(|| self.wrong(value.span(), &path, "cannot be written as JSON"))?;
            model.extra.insert(name.get_ref().to_string(), json);
        }
        Ok(())
    }
}

fn integer(value: &Value<'_>) -> Option<i128> {
    match value.get_ref() {
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

fn json(value: &DeValue<'_>) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    Some(match value {
        DeValue::String(text) => Json::String(text.to_string()),
        DeValue::Boolean(yes) => Json::Bool(*yes),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok()?.into(),
        DeValue::Float(number) => {
            Json::Number(serde_json::Number::from_f64(number.to_string().parse().ok()?)?)
        }
        DeValue::Datetime(_) => return None,
        DeValue::Array(values) => {
            Json::Array(values.iter().map(|value| json(value.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => Json::Object(
            table
                .iter()
                .map(|(name, value)| Some((name.get_ref().to_string(), json(value.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
    })
}
