//! The work tree, from the host: links that hostile code planted are never followed.

use crate::rig::*;
use mendbench::sandbox::{Kind, SandboxError};

#[test]
fn links_planted_inside_lead_the_host_nowhere() {
    let outside = tempfile::Builder::new().prefix("mendbench-outside").tempdir_in("/var/tmp").unwrap();
    std::fs::write(outside.path().join("file"), "outside").unwrap();
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let sandbox = sandbox.as_mut();
        let at = outside.path().display();
        let plant = format!(
            "ln -s {at} folder; ln -s {at}/file file; ln -s / root; mkfifo pipe; mkdir d; echo ok > d/f; echo made"
        );
        assert_eq!(output(sandbox, &plant), "made\n", "{rung}");
        assert_eq!(sandbox.read("file", 10).unwrap(), None, "{rung}");
        assert_eq!(sandbox.read("folder/file", 10).unwrap(), None, "{rung}");
        assert_eq!(sandbox.read("root/etc/hostname", 10).unwrap(), None, "{rung}");
        assert_eq!(sandbox.read("pipe", 10).unwrap(), None, "{rung}");
        let listing = sandbox.list(100).unwrap();
        let kinds: Vec<_> = listing.entries.iter().map(|e| (e.path.as_str(), e.kind)).collect();
        let expected = [
            ("d", Kind::Folder),
            ("d/f", Kind::File(3)),
            ("file", Kind::Other),
            ("folder", Kind::Other),
            ("pipe", Kind::Other),
            ("root", Kind::Other),
        ];
        assert_eq!(kinds, expected, "{rung}");
        put(sandbox, "folder/file", "inside");
        put(sandbox, "file", "inside");
        sandbox.remove("root/etc/hostname").unwrap();
        sandbox.remove("root").unwrap();
        assert_eq!(std::fs::read_to_string(outside.path().join("file")).unwrap(), "outside", "{rung}");
        assert_eq!(output(sandbox, "cat folder/file file"), "insideinside", "{rung}");
        sandbox.remove("folder").unwrap();
        assert_eq!(output(sandbox, "rm -r d; ls"), "file\npipe\n", "{rung}");
        for bad in ["", "../x", "/etc/passwd", "a//b", "a/../../b"] {
            assert!(matches!(sandbox.read(bad, 1), Err(SandboxError::Path { .. })), "{bad}");
            assert!(matches!(sandbox.remove(bad), Err(SandboxError::Path { .. })), "{bad}");
        }
    });
}

#[test]
fn what_is_laid_belongs_to_the_code_inside() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        put(sandbox.as_mut(), "a/b/c", "1");
        let line =
            "echo 2 > a/b/c && chmod 700 a/b/c && touch -d @7 a/b/c && mv a/b a/x && rm -r a && echo mine";
        assert_eq!(output(sandbox.as_mut(), line), "mine\n", "{rung}");
        // What is closed by its owner is still read and removed.
        assert_eq!(
            output(sandbox.as_mut(), "mkdir -p p/q; echo 3 > p/q/r; chmod 0 p/q/r p/q p; echo closed"),
            "closed\n"
        );
        assert_eq!(sandbox.read("p/q/r", 9).unwrap().unwrap(), b"3\n", "{rung}");
        sandbox.remove("p").unwrap();
        assert_eq!(sandbox.list(9).unwrap().entries.len(), 0, "{rung}");
        sandbox.clean().unwrap();
    });
}
