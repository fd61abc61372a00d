//! Models as data: address, key, decoding, prices, limits, as the user's `models.toml` says.
//!
//! Promises: a mistake names file, line, key and what would be right; a key itself is never in the file, only the
//! variable or the file that holds it. Leaves to others: reading keys and calling anything (`model`).

use super::money::Money;
use super::{ConfigError, models_read};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// All models of the user, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Models {
    pub(super) all: Vec<ModelSettings>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WireFormat {
    /// OpenAI chat completions, which also vLLM, SGLang, llama.cpp, Ollama, DeepSeek, OpenRouter and LM Studio speak.
    OpenaiChat,
}

impl WireFormat {
    /// All of them.
    pub const ALL: [WireFormat; 1] = [WireFormat::OpenaiChat];

    /// Its name in `models.toml`.
    pub fn name(self) -> &'static str {
        match self {
            WireFormat::OpenaiChat => "openai-chat",
        }
    }
}

/// Where a key is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeySource {
    /// The server wants none.
    None,
    /// In this environment variable.
    Variable(String),
    /// In this file, which nobody but its owner may read (mode 600).
    File(PathBuf),
}

/// How answers are drawn. What is not set is left to the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Decoding {
    /// 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Above 0, at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// For servers that draw the same from the same seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Longest answer, in tokens, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Texts that end an answer.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stop: Vec<String>,
}

impl Decoding {
    /// This, with `over` laid over it.
    #[must_use]
    pub fn with(&self, over: &Decoding) -> Decoding {
        Decoding {
            temperature: over.temperature.or(self.temperature),
            top_p: over.top_p.or(self.top_p),
            seed: over.seed.or(self.seed),
            max_tokens: over.max_tokens.or(self.max_tokens),
            stop: if over.stop.is_empty() { self.stop.clone() } else { over.stop.clone() },
        }
    }
}

/// Prices of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Of the prompt.
    pub input: Money,
    /// Of the answer, reasoning included.
    pub output: Money,
    /// Of the part of the prompt that the server had in its cache; `None`: as the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<Money>,
}

impl Prices {
    /// What so many tokens of prompts and of answers cost.
    pub fn cost(&self, input: u64, output: u64) -> Money {
        self.input.for_tokens(input).plus(self.output.for_tokens(output))
    }
}

/// What a key allows; shared by all models that use the same key at the same server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimits {
    /// Requests under way at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<u64>,
    /// Requests begun within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    /// Tokens of prompts and answers begun within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
}

impl RateLimits {
    /// The stricter of both, one by one.
    #[must_use]
    pub fn and(self, other: RateLimits) -> RateLimits {
        let least = |one: Option<u64>, two: Option<u64>| one.into_iter().chain(two).min();
        RateLimits {
            concurrent: least(self.concurrent, other.concurrent),
            requests_per_minute: least(self.requests_per_minute, other.requests_per_minute),
            tokens_per_minute: least(self.tokens_per_minute, other.tokens_per_minute),
        }
    }
}

/// How long is waited for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// From the sending of the request to the first byte of the answer.
    pub first_byte: Duration,
    /// Between two reads of the answer; comments that keep it alive count.
    pub idle: Duration,
    /// For one request in all, waiting for its turn not included.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(1800),
        }
    }
}

/// Which way requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// Through the proxy of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`); never for addresses
    /// of this machine.
    Environment,
    /// Straight.
    Direct,
    /// Through this proxy.
    Proxy(Url),
}

/// One model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// Its name for mendbench.
    pub name: String,
    /// Base address of the server, without `/chat/completions`.
    pub address: Url,
    /// Its name for the server.
    pub model: String,
    /// How the server is spoken to.
    pub wire: WireFormat,
    /// Where its key is kept.
    pub key: KeySource,
    /// Header that carries the key as it is; `None`: `Authorization: Bearer KEY`.
    pub key_header: Option<String>,
    /// How answers are drawn where a request says nothing else.
    pub decoding: Decoding,
    /// Tokens that prompt and answer may have together.
    pub context: Option<u64>,
    /// Tokens that an answer may have.
    pub max_output: Option<u64>,
    /// The field that carries `max_tokens`: `max_tokens`, or `max_completion_tokens`.
    pub max_tokens_field: String,
    /// Whether the server is asked to tell the usage at the end of a stream.
    pub stream_usage: bool,
    /// What it costs; `None`: not known.
    pub prices: Option<Prices>,
    /// What its key allows.
    pub limits: RateLimits,
    /// How long is waited.
    pub timeouts: Timeouts,
    /// How often a request that failed before its answer began is made again.
    pub retries: u32,
    /// Further headers.
    pub headers: BTreeMap<String, String>,
    /// Further fields of the request.
    pub extra: serde_json::Map<String, serde_json::Value>,
    /// Which way requests go.
    pub route: Route,
    /// Certificates that are trusted beside those of the machine, as PEM.
    pub ca_file: Option<PathBuf>,
}

impl ModelSettings {
    /// Longest answer in tokens when it is asked with `over` laid over its own decoding; `None`: nothing says so.
    pub fn longest_answer(&self, over: &Decoding) -> Option<u64> {
        self.decoding.with(over).max_tokens.or(self.max_output).or(self.context)
    }

    /// A model with everything at its default.
    pub fn new(name: &str, address: Url) -> ModelSettings {
        ModelSettings {
            name: name.to_owned(),
            address,
            model: name.to_owned(),
            wire: WireFormat::OpenaiChat,
            key: KeySource::None,
            key_header: None,
            decoding: Decoding::default(),
            context: None,
            max_output: None,
            max_tokens_field: "max_tokens".to_owned(),
            stream_usage: true,
            prices: None,
            limits: RateLimits::default(),
            timeouts: Timeouts::default(),
            retries: 5,
            headers: BTreeMap::new(),
            extra: serde_json::Map::new(),
            route: Route::Environment,
            ca_file: None,
        }
    }

    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        match self.address.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Whether its key would travel where others on the way can read it.
    pub fn sends_key_in_clear(&self) -> bool {
        self.key != KeySource::None && self.address.scheme() == "http" && !self.is_local()
    }
}

impl Models {
    /// Reads a file; `file` is its name in messages, `folder` what relative paths in it go from, `home` what `~` is.
    pub fn parse(file: &str, text: &str, folder: &Path, home: Option<&Path>) -> Result<Models, ConfigError> {
        models_read::read(file, text, folder, home)
    }

    /// The model with a name.
    pub fn get(&self, name: &str) -> Option<&ModelSettings> {
        self.all.iter().find(|model| model.name == name)
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &ModelSettings> {
        self.all.iter()
    }

    /// The name that is most like this one, if one is like it at all.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        self.all
            .iter()
            .map(|model| (strsim::damerau_levenshtein(name, &model.name), model.name.as_str()))
            .filter(|(distance, _)| *distance <= 1 + name.len() / 3)
            .min()
            .map(|(_, near)| near)
    }
}
