//! Paths that one execution may not change, whatever it tries, and may again afterwards.

use crate::rig::*;
use mendbench::sandbox::{Deaf, Rung};

#[test]
fn what_is_read_only_stays_as_it_is_in_every_way() {
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let sandbox = sandbox.as_mut();
        put(sandbox, "src/code", "code\n");
        put(sandbox, "tests/one/check", "kept\n");
        put(sandbox, "tests/one/free", "free\n");
        put(sandbox, "whole/a/b", "kept\n");
        put(sandbox, "top", "kept\n");
        // A second name that was made before.
        assert_eq!(output(sandbox, "ln top second; ln whole/a/b src/third; echo made"), "made\n");
        let attack = "
            for f in tests/one/check whole/a/b top; do
                echo changed > $f; echo changed >> $f; rm -f $f; mv $f $f.moved; chmod 777 $f; echo changed > $f
                echo changed > other; mv -f other $f; cp other $f; ln -sf other $f; truncate -s 0 $f; sed -i s/kept/x/ $f
            done
            echo changed > second; echo changed > src/third
            mv tests elsewhere && mkdir -p tests/one && echo changed > tests/one/check
            mv tests/one tests/two && mkdir -p tests/one && echo changed > tests/one/check
            mv whole gone && mkdir -p whole/a && echo changed > whole/a/b
            rm -rf tests whole top; echo changed > whole/new; echo changed > whole/a/new; chmod -R 777 whole tests .
            mkdir -p tests/one; echo changed > tests/one/check; echo changed > top; echo changed > whole/a/b
            echo fresh > src/new; echo better > src/code; echo out
        ";
        let mut request = shell(attack);
        request.read_only = vec!["tests/one/check".into(), "whole".into(), "top".into(), "not/there".into()];
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert!(report.stdout.text().ends_with("out\n"), "{rung}: {} {}", report.exit, both(&report));
        for path in ["tests/one/check", "whole/a/b", "top"] {
            let kept = sandbox.read(path, 100).unwrap();
            assert_eq!(kept.as_deref(), Some(&b"kept\n"[..]), "{rung}: {path}\n{}", both(&report));
        }
        assert_eq!(sandbox.read("whole/new", 100).unwrap(), None, "{rung}");
        assert_eq!(sandbox.read("whole/a/new", 100).unwrap(), None, "{rung}");
        // What is not protected can be written to meanwhile, and everything afterwards.
        assert_eq!(sandbox.read("src/new", 100).unwrap().as_deref(), Some(&b"fresh\n"[..]), "{rung}");
        let later = "echo later > top && echo later > tests/one/check && rm -r whole && mv tests t && cat top t/one/check";
        assert_eq!(output(sandbox, later), "later\nlater\n", "{rung}");
    });
}

#[test]
fn links_are_not_made_read_only_in_place_of_what_they_lead_to() {
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        assert_eq!(output(sandbox.as_mut(), "ln -s /etc/passwd link; echo made"), "made\n");
        let mut request = shell("echo ran");
        request.read_only = vec!["link".into()];
        let report = sandbox.execute(&request, &mut Deaf).unwrap();
        assert!(matches!(report.exit, mendbench::sandbox::Exit::Broken(_)), "{rung}: {}", report.exit);
        assert_eq!(output(sandbox.as_mut(), "echo again"), "again\n");
        let _ = Rung::ALL;
    });
}
