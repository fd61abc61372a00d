//! Which engine is meant: `DOCKER_HOST`, else the context that `docker context use` chose, else the usual socket.
//!
//! Promises: pure rules over what was read; the answer says where it came from, for errors. Leaves to others:
//! connecting (`engine`).

use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where an engine listens when nothing says otherwise.
const USUAL: &str = "unix:///var/run/docker.sock";

/// An engine's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// As `unix:///…` or `tcp://…`.
    pub host: String,
    /// Who says so, as `DOCKER_HOST` or `the docker context "x"`.
    pub source: String,
}

/// Reads a text file; `None` where there is none.
type ReadText<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Finds the engine's address, by the rules of the `docker` command.
///
/// # Errors
/// A context that is chosen and cannot be read.
pub fn find(variable: &dyn Fn(&str) -> Option<String>, read: ReadText<'_>) -> Result<Endpoint, String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(host) = set("DOCKER_HOST") {
        return Ok(Endpoint { host, source: "DOCKER_HOST".to_owned() });
    }
    let folder = set("DOCKER_CONFIG")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".docker")));
    let configured = || {
        let text = read(&folder.as_ref()?.join("config.json"))?;
        let config: Value = serde_json::from_str(&text).ok()?;
        Some(config.get("currentContext")?.as_str()?.to_owned())
    };
    let context = set("DOCKER_CONTEXT").or_else(configured).filter(|name| name != "default");
    let Some(name) = context else {
        return Ok(Endpoint { host: USUAL.to_owned(), source: "the usual socket".to_owned() });
    };
    let source = format!("the docker context \"{}\"", crate::text::sanitise(&name));
    let meta = || {
        let hash = crate::task::hex(&sha2::Digest::finalize(
            <sha2::Sha256 as sha2::Digest>::new_with_prefix(name.as_bytes()),
        ));
        let text = read(&folder.as_ref()?.join("contexts/meta").join(hash).join("meta.json"))?;
        let meta: Value = serde_json::from_str(&text).ok()?;
        Some(meta.pointer("/Endpoints/docker/Host")?.as_str()?.to_owned())
    };
    match meta() {
        Some(host) => Ok(Endpoint { host, source }),
        None => Err(format!(
            "{source} is chosen and names no engine; `docker context ls` shows them, and DOCKER_HOST overrides them"
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)], files: &[(&str, &str)]) -> Result<Endpoint, String> {
        find(
            &|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()),
            &|path| files.iter().find(|(known, _)| path.ends_with(known)).map(|(_, text)| (*text).to_owned()),
        )
    }

    #[test]
    fn the_variable_wins_then_the_context_then_the_socket() {
        let hash = crate::task::hex(&sha2::Digest::finalize(
            <sha2::Sha256 as sha2::Digest>::new_with_prefix(b"lab"),
        ));
        let meta = format!("contexts/meta/{hash}/meta.json");
        let files = [
            ("config.json", r#"{"currentContext": "lab"}"#),
            (meta.as_str(), r#"{"Name": "lab", "Endpoints": {"docker": {"Host": "tcp://lab:2375"}}}"#),
        ];
        let home = ("HOME", "/home/someone");
        let host = |found: Result<Endpoint, String>| found.unwrap().host;
        assert_eq!(host(found(&[("DOCKER_HOST", "tcp://a:1"), home], &files)), "tcp://a:1");
        let chosen = found(&[home], &files).unwrap();
        assert_eq!(
            (chosen.host.as_str(), chosen.source.as_str()),
            ("tcp://lab:2375", "the docker context \"lab\"")
        );
        assert_eq!(host(found(&[home, ("DOCKER_CONTEXT", "default")], &files)), USUAL);
        assert_eq!(host(found(&[home, ("DOCKER_HOST", "")], &files[1..])), USUAL);
        assert_eq!(host(found(&[], &files)), USUAL);
        let broken = found(&[home], &files[..1]).unwrap_err();
        assert!(broken.contains("\"lab\"") && broken.contains("docker context ls"), "{broken}");
    }
}
