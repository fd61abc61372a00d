//! What code inside sees and reaches of the machine outside: nothing of its owner.

use crate::rig::*;
use mendbench::sandbox::Rung;

#[test]
fn the_environment_holds_only_what_it_should() {
    on_each(&ALL, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let seen = output(sandbox.as_mut(), "env | sed 's/=.*//' | sort");
        let names: Vec<&str> = seen.lines().collect();
        let expected = [
            "HOME",
            "LANG",
            "LC_ALL",
            "PATH",
            "PWD",
            "PYTHONDONTWRITEBYTECODE",
            "PYTHONHASHSEED",
            "TMPDIR",
            "TZ",
        ];
        assert_eq!(names, expected, "{rung}");
        if rung == Rung::Bubblewrap || rung == Rung::Namespaces {
            // Whoever may read the first process's finds nothing there either.
            let first = output(
                sandbox.as_mut(),
                "cat /proc/1/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -cvE '^(HOME|LANG|LC_ALL|PATH|PWD|PYTHON.*|TMPDIR|TZ|OLDPWD|_)=' || true",
            );
            assert_eq!(first.trim(), "0", "{rung}");
        }
    });
}

#[test]
fn no_descriptor_and_no_ignored_signal_is_inherited() {
    // One that is not closed for programs, as a shell or a build tool leaves them to us.
    let left = std::fs::File::open("/dev/null").unwrap();
    let left = rustix::io::dup(&left).unwrap();
    rustix::io::fcntl_setfd(&left, rustix::io::FdFlags::empty()).unwrap();
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let line = "for n in $(seq 3 300); do [ -e /dev/fd/$n ] && readlink /dev/fd/$n; done; echo looked";
        if rung != Rung::Landlock {
            assert_eq!(output(sandbox.as_mut(), line), "looked\n", "{rung}");
            let ignored = output(sandbox.as_mut(), "grep SigIgn /proc/self/status");
            let bits = u64::from_str_radix(ignored.trim().rsplit('\t').next().unwrap(), 16).unwrap();
            assert_eq!(bits & 0x7fff_ffff, 0, "{rung}: {ignored}");
        }
    });
}

#[test]
fn nobody_inside_is_root_or_has_a_capability() {
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let ids = output(sandbox.as_mut(), "id -u; id -g; id -G");
        for id in ids.split_ascii_whitespace().take(2) {
            assert_ne!(id, "0", "{rung}: {ids}");
        }
        if rung != Rung::Landlock {
            let status = output(sandbox.as_mut(), "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
            for line in status.lines().filter(|line| line.starts_with("Cap")) {
                let zero = line.ends_with("0000000000000000");
                assert!(zero || line.starts_with("CapBnd"), "{rung}: {line}");
            }
            assert!(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "{rung}: {status}");
        }
    });
}

#[test]
fn nothing_outside_is_read_or_written() {
    let secret = tempfile::Builder::new().prefix("mendbench-secret").tempdir_in("/var/tmp").unwrap();
    std::fs::write(secret.path().join("key"), "very secret").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(secret.path(), open).unwrap();
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let at = secret.path().display();
        let line = format!(
            "cat {at}/key; echo x > {at}/new; ls {at} /root /home; cat /etc/shadow; echo x > /etc/x; echo x > /x; \
             echo x > /usr/x; echo x > /dev/x; echo x > /proc/sys/kernel/core_pattern; mkdir /tmp/../var/tmp/made; \
             echo x > /proc/sys/vm/overcommit_memory; ln {at}/key k; true"
        );
        let report = run(sandbox.as_mut(), &line);
        assert_eq!(report.stdout.text().replace("/home:\n", ""), "", "{rung}: {}", both(&report));
        assert_eq!(std::fs::read_dir(secret.path()).unwrap().count(), 1, "{rung}");
        assert!(!std::path::Path::new("/var/tmp/made").exists(), "{rung}");
    });
}

#[test]
fn there_is_no_network_and_no_namespace_to_be_had() {
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let line = "unshare -U true && echo user; unshare -r true && echo root; \
                    exec 3<>/dev/tcp/127.0.0.1/22 && echo tcp; true";
        let report = run(sandbox.as_mut(), &format!("bash -c '{line}'"));
        assert_eq!(report.stdout.text(), "", "{rung}: {}", both(&report));
    });
}

#[test]
fn common_needs_of_programs_are_met() {
    on_each(&HELD, |rung, provider| {
        let mut sandbox = provider.make(&limits()).unwrap();
        let line = "echo a > /dev/null; head -c 4 /dev/urandom | wc -c; mktemp -d >/dev/null && echo temporary; \
                    echo x | (cat; cat < /dev/null); mkdir a b; echo 1 > a/f; mv a/f b/g; ln b/g b/h; ln -s g b/i; cat b/i; \
                    echo $(whoami 2>/dev/null | wc -l)";
        let seen = output(sandbox.as_mut(), line);
        assert!(seen.starts_with("4\ntemporary\nx\n1\n"), "{rung}: {seen}");
        if rung != Rung::Landlock {
            assert_eq!(output(sandbox.as_mut(), "id -un"), "sandbox\n", "{rung}");
            assert_eq!(
                output(sandbox.as_mut(), "echo shared > /dev/shm/x; cat /dev/shm/x"),
                "shared\n",
                "{rung}"
            );
            assert_eq!(
                output(sandbox.as_mut(), "echo x > /dev/stdout; echo y > /dev/stderr"),
                "x\n",
                "{rung}"
            );
            assert_eq!(output(sandbox.as_mut(), "bash -c 'cat <(echo fd)'"), "fd\n");
        }
    });
}
