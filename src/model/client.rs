//! The HTTP client of a model, and what its failures mean.
//!
//! Promises: no redirect is followed (a key would go along) and nothing is sent twice behind our back; addresses of this
//! machine are never asked through a proxy; failures name scheme, host and port, never a path, a query or a key.
//! Leaves to others: what is sent (`endpoint`).

use super::error::{Limit, ModelError, NoConnection};
use super::secret::Redactor;
use crate::config::{ModelSettings, Route};
use std::error::Error;
use std::io::ErrorKind;
use std::time::Duration;

/// Makes the client of a model.
pub fn client(settings: &ModelSettings) -> Result<reqwest::Client, ModelError> {
    // A client cannot be built without one; whoever came first has installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |why: String| ModelError::Settings { model: settings.name.clone(), why };
    let mut builder = reqwest::Client::builder()
        .connect_timeout(settings.timeouts.connect)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .tcp_keepalive(Duration::from_secs(30))
        .user_agent(concat!("mendbench/", env!("CARGO_PKG_VERSION")));
    builder = match &settings.route {
        Route::Environment if !settings.is_local() => builder,
        Route::Environment | Route::Direct => builder.no_proxy(),
        Route::Proxy(url) => {
            let proxy = reqwest::Proxy::all(url.clone()).map_err(|error| wrong(innermost(&error)))?;
            builder.no_proxy().proxy(proxy)
        }
    };
    if let Some(path) = &settings.ca_file {
        let named = |why: String| wrong(format!("`ca_file` {}: {why}", crate::text::shown(path)));
        let pem = std::fs::read(path).map_err(|error| named(error.kind().to_string()))?;
        let certificates =
            reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| named(innermost(&error)))?;
        if certificates.is_empty() {
            return Err(named("there is no certificate in it".to_owned()));
        }
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|error| wrong(format!("no HTTP client can be made: {}", innermost(&error))))
}

/// Scheme, host and port of a model's server.
pub fn origin(settings: &ModelSettings) -> String {
    settings.address.origin().ascii_serialization()
}

/// What it means that a request could not be sent, or that no answer came.
pub fn send_failure(error: &reqwest::Error, settings: &ModelSettings, redactor: &Redactor) -> ModelError {
    let address = origin(settings);
    if error.is_connect() && error.is_timeout() {
        return ModelError::Timeout { which: Limit::Connect, after: settings.timeouts.connect };
    }
    let mut kind = None;
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(cause) = source {
        let io = cause.downcast_ref::<std::io::Error>();
        if let Some(tls) = cause.downcast_ref::<rustls::Error>().or_else(|| io.and_then(tls_inside)) {
            let why = redactor.text(&format!("{}{}", tls_hint(tls), one_line(&tls.to_string()))).into_owned();
            return ModelError::Tls { address, why };
        }
        kind = io.map(std::io::Error::kind).or(kind);
        source = cause.source();
    }
    let last = redactor.text(&innermost(error)).into_owned();
    let (kind, why) = match kind {
        _ if error.is_dns() => {
            (NoConnection::NoSuchHost, format!("the name of the host is not known ({last})"))
        }
        Some(ErrorKind::ConnectionRefused) => (
            NoConnection::Refused,
            "nothing listens there (connection refused); is the server running?".to_owned(),
        ),
        _ if error.is_connect() => (NoConnection::Other, last),
        _ => (NoConnection::Closed, format!("the connection ended before an answer began ({last})")),
    };
    ModelError::Connect { address, kind, why }
}

/// The TLS error that an error of the system wraps, at whatever depth.
fn tls_inside(error: &std::io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    let nested = || inner.downcast_ref::<std::io::Error>().and_then(tls_inside);
    inner.downcast_ref::<rustls::Error>().or_else(nested)
}

fn tls_hint(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidMessage(_) => {
            "the other side does not speak TLS, perhaps the address begins with http:// instead: "
        }
        rustls::Error::InvalidCertificate(_) => {
            "its certificate is not trusted; `ca_file` names further authorities: "
        }
        _ => "",
    }
}

/// The innermost cause, which says most; it holds no address.
pub fn innermost(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    let text = last.to_string();
    // The system's number says nothing to people.
    one_line(text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words))
}

fn one_line(text: &str) -> String {
    crate::text::truncate(text, 300).into_owned()
}
