//! Which system calls a program in a sandbox may make.
//!
//! Promises: what reaches other processes, the kernel's insides, namespaces, mounts, keys or a network is refused, and so
//! is every call newer than this list, every call of the 32-bit and x32 tables, and `clone3`, whose flags no filter can
//! see. Leaves to others: files (`rules`), applying the programs (`launch`).

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Newest call of this list: `listns`. What comes later is not there for a program.
const NEWEST: u32 = 470;

/// Refused with "not permitted".
const REFUSED: &[libc::c_long] = &[
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // namespaces and mounts
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // the kernel
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_memfd_secret,
    // keys
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Not there: programs then do without, or fall back.
const ABSENT: &[libc::c_long] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// Objects that outlive their processes where there is no namespace for them.
const LASTING: &[libc::c_long] = &[libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget, libc::SYS_mq_open];

/// Changes of what a file is: Landlock does not see them. Modes and times are for `marks`.
const MARKING: &[libc::c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// An old kind of socket, by its number.
const PACKET: libc::c_int = 10;

const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;

/// Requests that set flags of a file.
const FLAGGING: [u64; 3] = [0x4008_6602, 0x4004_6602, 0x401c_5820];

/// Every flag of `clone` that makes a namespace.
const NEW_NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// What surrounds a program beside the filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether it has namespaces: else sockets with names, and objects that last, reach out of the sandbox.
    pub namespaces: bool,
    /// Whether files of the user we are can be seen: then marks on files are refused by path.
    pub same_user: bool,
}

/// The programs, to be applied one after the other.
pub fn programs(around: Surroundings) -> Result<Vec<BpfProgram>, String> {
    let mut refused = Rules::default();
    REFUSED.iter().for_each(|&call| refused.always(call));
    for flag in NEW_NAMESPACES {
        let flag = u64::from(flag.cast_unsigned());
        refused.when(libc::SYS_clone, &[(0, Length::Qword, Compare::MaskedEq(flag), flag)])?;
    }
    for request in [libc::TIOCSTI, libc::TIOCLINUX] {
        refused.when(libc::SYS_ioctl, &[(1, Length::Dword, Compare::Eq, request)])?;
    }
    if !around.namespaces {
        LASTING.iter().for_each(|&call| refused.always(call));
    }
    if around.same_user && !around.namespaces {
        MARKING.iter().for_each(|&call| refused.always(call));
        for request in FLAGGING {
            refused.when(libc::SYS_ioctl, &[(1, Length::Dword, Compare::Eq, request)])?;
        }
    }
    let mut absent = Rules::default();
    ABSENT.iter().for_each(|&call| absent.always(call));
    let mut network = Rules::default();
    let local = u64::from(libc::AF_UNIX.cast_unsigned());
    if around.namespaces {
        network.when(libc::SYS_socket, &[(0, Length::Dword, Compare::Ne, local)])?;
    } else {
        // A socket with a name leads to whoever listens on this machine; of pairs, only kinds that
        // cannot be sent anywhere else.
        network.always(libc::SYS_socket);
        let kind = |kind: i32| (1, Length::Dword, Compare::MaskedEq(0xf), u64::from(kind.cast_unsigned()));
        for other in [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_DCCP, PACKET] {
            network.when(libc::SYS_socketpair, &[kind(other)])?;
        }
    }
    network.when(libc::SYS_socketpair, &[(0, Length::Dword, Compare::Ne, local)])?;
    Ok(vec![
        network.program(libc::EAFNOSUPPORT, None)?,
        absent.program(libc::ENOSYS, Some(NEWEST))?,
        refused.program(libc::EPERM, None)?,
    ])
}

#[derive(Default)]
struct Rules(BTreeMap<i64, Vec<SeccompRule>>);

impl Rules {
    fn always(&mut self, call: libc::c_long) {
        self.0.insert(call, Vec::new());
    }

    fn when(&mut self, call: libc::c_long, conditions: &[(u8, Length, Compare, u64)]) -> Result<(), String> {
        let conditions = conditions
            .iter()
            .map(|(argument, length, compare, value)| {
                SeccompCondition::new(*argument, length.clone(), compare.clone(), *value)
            })
            .collect::<Result<Vec<_>, _>>()
            .and_then(SeccompRule::new)
            .map_err(|error| error.to_string())?;
        self.0.entry(call).or_default().push(conditions);
        Ok(())
    }

    /// The program; calls above `newest` are refused likewise.
    fn program(self, errno: i32, newest: Option<u32>) -> Result<BpfProgram, String> {
        let machine = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
        let refuse = SeccompAction::Errno(errno.cast_unsigned());
        let filter = SeccompFilter::new(self.0, SeccompAction::Allow, refuse, machine);
        let program: BpfProgram =
            filter.and_then(TryInto::try_into).map_err(|error| format!("making a filter: {error}"))?;
        let Some(newest) = newest else { return Ok(program) };
        // Load the number of the call; above the newest known one (which takes in the whole x32 table), refuse.
        let word =
            |code: u32, jt: u8, jf: u8, k: u32| seccompiler::sock_filter { code: code as u16, jt, jf, k };
        let mut whole = vec![
            word(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            word(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 0, 1, newest),
            word(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned()),
        ];
        whole.extend(program);
        Ok(whole)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_surrounding_has_programs_that_the_kernel_takes_by_length() {
        for namespaces in [false, true] {
            for same_user in [false, true] {
                for program in programs(Surroundings { namespaces, same_user }).unwrap() {
                    assert!(program.len() > 3 && program.len() < 4096);
                }
            }
        }
    }
}
