//! Tests of `models.toml`: a whole file, and mistakes.
#![allow(clippy::unwrap_used)]
use super::{ConfigError, KeySource, Models, Money, RateLimits, Route};
use std::path::Path;
use std::time::Duration;

fn parse(text: &str) -> Result<Models, ConfigError> {
    Models::parse("models.toml", text, Path::new("/conf"), Some(Path::new("/home/me")))
}

#[test]
fn a_whole_file_is_read() {
    let models = parse(
        r#"
["qwen2.5-coder"]
address = "http://127.0.0.1:8089/v1/chat/completions/"

[cloud]
address = "https://api.example.com/v1?api-version=2"
model = "vendor/big-model:free"
wire = "openai-chat"
key_file = "~/keys/cloud"
key_header = "Api-Key"
context = 128_000
max_output = 8192
max_tokens_field = "max_completion_tokens"
stream_usage = false
decoding = { temperature = 0.3, top_p = 1, seed = -7, max_tokens = 1024, stop = ["\n\n\n"] }
prices = { input = 0.15, output = 0.6, cached = 0.075 }
limits = { concurrent = 4, requests_per_minute = 60, tokens_per_minute = 200_000 }
timeouts = { connect_s = 5, first_byte_s = 300, idle_s = 30, total_s = 3600 }
retries = 0
headers = { HTTP-Referer = "https://example.com" }
extra = { top_k = 20, provider = { order = ["a", "b"] }, x = 0.5 }
proxy = "none"
ca_file = "ca.pem"
"#,
    )
    .unwrap();
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    assert_eq!(names, ["qwen2.5-coder", "cloud"], "in the order of the file");
    let local = models.get("qwen2.5-coder").unwrap();
    assert_eq!((local.address.as_str(), local.model.as_str()), ("http://127.0.0.1:8089/v1", "qwen2.5-coder"));
    assert_eq!((&local.key, local.prices, local.retries), (&KeySource::None, None, 5));
    assert!(local.is_local() && !local.sends_key_in_clear());
    let cloud = models.get("cloud").unwrap();
    assert_eq!(cloud.address.as_str(), "https://api.example.com/v1?api-version=2");
    assert_eq!(cloud.key, KeySource::File("/home/me/keys/cloud".into()));
    assert_eq!(cloud.key_header.as_deref(), Some("api-key"));
    assert_eq!((cloud.context, cloud.max_output, cloud.retries), (Some(128_000), Some(8192), 0));
    assert_eq!((cloud.decoding.seed, cloud.decoding.top_p), (Some(-7), Some(1.0)));
    let prices = cloud.prices.unwrap();
    assert_eq!((prices.output, prices.cached), (Money(600_000_000), Some(Money(75_000_000))));
    assert_eq!(cloud.timeouts.first_byte, Duration::from_secs(300));
    assert_eq!(cloud.extra["provider"]["order"][1], "b");
    assert_eq!(cloud.extra["x"], 0.5);
    assert_eq!((&cloud.route, cloud.ca_file.as_deref()), (&Route::Direct, Some(Path::new("/conf/ca.pem"))));
    assert_eq!(models.nearest("clowd"), Some("cloud"));
    assert_eq!(models.nearest("gpt"), None);
}

#[test]
fn what_two_models_allow_of_one_key_is_the_stricter() {
    let one = RateLimits { concurrent: Some(4), requests_per_minute: None, tokens_per_minute: Some(10) };
    let two = RateLimits { concurrent: Some(2), requests_per_minute: Some(9), tokens_per_minute: Some(20) };
    let both = RateLimits { concurrent: Some(2), requests_per_minute: Some(9), tokens_per_minute: Some(10) };
    assert_eq!(one.and(two), both);
}

#[test]
fn a_key_in_clear_is_noticed() {
    let keyed = |address: &str| {
        let models = parse(&format!("[m]\naddress = \"{address}\"\nkey_env = \"K\"\n")).unwrap();
        models.get("m").unwrap().sends_key_in_clear()
    };
    assert!(keyed("http://gpu.example.com/v1"));
    for safe in ["https://gpu.example.com/v1", "http://localhost:1/v1", "http://[::1]:1/v1"] {
        assert!(!keyed(safe), "{safe}");
    }
}

#[test]
fn mistakes_name_line_key_and_the_way_out() {
    let with = |line: &str| format!("[m]\naddress = \"http://a/v1\"\n{line}\n");
    let cases: [(String, &[&str]); 32] = [
        ("[m]\n\n".into(), &["models.toml:1:", "`m`", "needs `address"]),
        ("m = 3".into(), &["must be a table: write `[m]`"]),
        ("[\"a b\"]\naddress = \"http://a\"\n".into(), &["is no name of a model"]),
        ("[template]\naddress = \"http://a\"\n".into(), &["built-in model"]),
        ("[m]\naddress = \"a/v1\"\n".into(), &[":2:", "m.address", "http://127.0.0.1:8080/v1"]),
        ("[m]\naddress = \"ftp://a/v1\"\n".into(), &["must be an address"]),
        ("[m]\naddress = \"https://me:hush@a/v1\"\n".into(), &["a name or a password", "key_env"]),
        ("[m]\naddress = \"https://a/v1?api_key=hush\"\n".into(), &["in its query", "key_env"]),
        (with("adress = 3"), &["models.toml:3:", "`m.adress`", "did you mean `address`?"]),
        (with("colour = 3"), &["known are address, model, wire"]),
        (with("key = \"hush\""), &["m.key", "does not belong into this file", "mode 600"]),
        (with("key_env = \"sk-hush\""), &["m.key_env", "OPENAI_API_KEY", "does not belong"]),
        (with("key_env = \"A\"\nkey_file = \"b\""), &[":4:", "one too many"]),
        (with("wire = \"openai\""), &["must be one of openai-chat"]),
        (with("context = 0"), &["m.context", "above 0"]),
        (with("context = 8\nmax_output = 9"), &["`max_output` is more than `context`"]),
        (with("decoding = { temperature = 2.5 }"), &["m.decoding.temperature", "0 to 2"]),
        (with("decoding = { temperature = nan }"), &["m.decoding.temperature", "0 to 2"]),
        (with("decoding = { topp = 1 }"), &["m.decoding.topp", "did you mean `top_p`?"]),
        (with("decoding = { stop = \"x\" }"), &["m.decoding.stop", "list of at most 16 texts"]),
        (with("max_tokens_field = \"tokens\""), &["max_completion_tokens"]),
        (with("stream_usage = 1"), &["true or false"]),
        (with("prices = { input = 1 }"), &["m.prices", "needs `input` and `output`", "million tokens"]),
        (with("prices = { input = -1, output = 1 }"), &["m.prices.input", "0 to"]),
        (with("limits = { rpm = 3 }"), &["m.limits.rpm", "requests_per_minute"]),
        (with("timeouts = { idle_s = 0 }"), &["m.timeouts.idle_s", "1 to 604800"]),
        (with("retries = -1"), &["m.retries", "0 to 100"]),
        (with("headers = { Authorization = \"Bearer hush\" }"), &["m.headers.Authorization", "key_env"]),
        (with("headers = { X = \"a\\nb\" }"), &["m.headers.X", "one line"]),
        (with("extra = { stream = false }"), &["m.extra.stream", "written by mendbench"]),
        (with("proxy = \"nowhere\""), &["m.proxy", "must be an address"]),
        ("[m\n".into(), &["models.toml:1:", "not valid TOML"]),
    ];
    for (text, words) in cases {
        let error = parse(&text).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{word:?} is not in: {error}");
        }
        assert!(!error.contains("hush"), "a secret is repeated: {error}");
    }
}
