//! The small shell programs that run inside a container.
//!
//! Promises: POSIX `sh` with `tar`, `timeout`, `find` (with `-printf`), `head`, `stat` and the file utilities beside it;
//! paths come as lines or arguments, never as code. Two users: the *keeper* holds the folders and what is
//! protected, the *code* is everything untrusted; neither is root, neither may signal the other. Leaves to others:
//! who runs them and when (`container`, `tree`, `execute`).

/// User and group of the keeper.
pub const KEEPER: &str = "65532:65532";
/// User and group of untrusted code.
pub const CODE: &str = "65534:65534";
/// The only file system that both may write: sized, and gone with the container.
pub const ROOM: &str = "/work";
/// The work tree.
pub const TREE: &str = "/work/tree";
/// The temporary folder of the code.
pub const TEMPORARY: &str = "/work/tmp";
/// Where a program of our own is put: the code cannot write there.
pub const OWN: &str = "/own";

/// The first program of a container. It makes the folders, says `ready`, and then carries out orders that come as
/// lines, each answered by one line. It ends, and the container with it, when its input ends: so a container does
/// not outlive the process that owns it. Probing and counting forks nothing, for it must work when no process can
/// be made any more.
pub const KEEP: &str = r#"
exec 2>/dev/null
umask 022
mkdir /work/tree /work/tmp && chmod 1777 /work/tree /work/tmp || exit 3
groups=/sys/fs/cgroup
first() { first=-; [ -r "$1" ] && read -r first <"$1"; }
named() {
  named=-
  [ -r "$2" ] || return
  while read -r key value; do [ "$key" = "$1" ] && named=$value; done <"$2"
}
probe() {
  if [ -r $groups/memory.events ]; then
    named oom_kill $groups/memory.events; first $groups/memory.peak
  else
    named oom_kill $groups/memory/memory.oom_control; first $groups/memory/memory.max_usage_in_bytes
  fi
  others=0
  for process in /proc/[0-9]*; do
    [ -O "$process" ] && continue
    state=
    while read -r key value rest; do
      if [ "$key" = State: ]; then state=$value; break; fi
    done <"$process/status"
    case $state in '' | Z | X) ;; *) others=$((others + 1)) ;; esac
  done
  echo "$named $first $others"
}
answer() { if "$@"; then echo ok; else echo no; fi; }
echo ready
while IFS= read -r order; do
  path=${order#* }
  case $order in
    probe) probe ;;
    space) echo $(stat -f -c '%a:%S:%d' /work /tmp /dev/shm) ;;
    next) rm -rf /work/next; mkdir /work/next && answer chmod 1777 /work/next ;;
    'folder '*) mkdir "/work/next/$path" && answer chmod 1777 "/work/next/$path" ;;
    swap) rm -rf /work/tree; answer mv /work/next /work/tree ;;
    *) echo no ;;
  esac
done
"#;

/// What an image must bring. Prints what is missing, else where `timeout` is.
pub const CHECK: &str = r#"
for tool in sh tar timeout find head stat rm mv mkdir chmod; do
  command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if command -v find >/dev/null 2>&1 && [ "$(find / -maxdepth 0 -printf x 2>/dev/null)" != x ]; then
  missing="$missing find-with-printf"
fi
if [ -n "$missing" ]; then echo "missing$missing"; else command -v timeout; fi
"#;

/// Kills every process of the code, all at once: no fork can slip through `kill -1`.
pub const SWEEP: &str = "kill -9 -1; exit 0";

/// Runs a program. Arguments: where `timeout` is, seconds, blocks of 512 bytes that a file may have, then the program.
/// Before any untrusted code starts, one line goes to standard error: `+`, or `-` and why it cannot start.
pub const RUN: &str = r#"
clock=$1 seconds=$2 blocks=$3
shift 3
refuse() { echo "-$1" >&2; exit 127; }
usable() { [ -f "$1" ] && [ -x "$1" ]; }
find_in_path() {
  rest=$PATH:
  while [ -n "$rest" ]; do
    folder=${rest%%:*}
    rest=${rest#*:}
    if usable "${folder:-.}/$1"; then found=${folder:-.}/$1; return 0; fi
  done
  return 1
}
case $1 in
  */*)
    [ -e "$1" ] || refuse "there is no \`$1\`"
    usable "$1" || refuse "\`$1\` is not executable"
    found=$1 ;;
  *) find_in_path "$1" || refuse "there is no \`$1\` in the image" ;;
esac
case $(head -c 2 "$found" 2>/dev/null) in
  '#!')
    IFS= read -r line <"$found"
    line=${line#'#!'}
    line=${line#"${line%%[! ]*}"}
    usable "${line%%[ 	]*}" || refuse "\`$1\` wants \`${line%%[ 	]*}\`, which is not there" ;;
esac
ulimit -c 0 2>/dev/null
[ "$blocks" = - ] || ulimit -f "$blocks" 2>/dev/null
unset OLDPWD
echo + >&2
"$clock" -k 1 "$seconds" /bin/sh -c '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"' sh "$@" </dev/null
exit $?
"#;

/// Lays files: first lines `d FOLDER` and `f FILE`, parents before children, then an empty line, then an archive.
/// Whatever is in the way, links above all, is removed and never followed.
pub const LAY: &str = r#"
cd /work/tree || exit 9
clear_away() {
  if [ -d "./$1" ] && [ ! -L "./$1" ]; then chmod -R u+rwX "./$1"; fi
  rm -rf "./$1"
}
while IFS= read -r line && [ -n "$line" ]; do
  path=${line#? }
  case $line in
    d*)
      if [ -L "./$path" ] || [ ! -d "./$path" ]; then rm -rf "./$path"
      elif [ ! -w "./$path" ] || [ ! -x "./$path" ]; then chmod u+rwx "./$path"; fi ;;
    f*) if [ -L "./$path" ] || [ -e "./$path" ]; then clear_away "$path"; fi ;;
  esac
done
exec tar -xf -
"#;

/// Removes a path, and nothing behind a link.
pub const REMOVE: &str = r#"
cd /work/tree || exit 9
rest=$1 path=
while :; do
  case $rest in
    */*) path=$path${rest%%/*}; rest=${rest#*/} ;;
    *) path=$path$rest; break ;;
  esac
  [ -d "./$path" ] && [ ! -L "./$path" ] || exit 0
  [ -w "./$path" ] && [ -x "./$path" ] || chmod u+rwx "./$path"
  path=$path/
done
if [ -d "./$path" ] && [ ! -L "./$path" ]; then chmod -R u+rwX "./$path"; fi
rm -rf "./$path"
"#;

/// Prints the first bytes of a regular file; 44: there is none. Arguments: the path, how many.
pub const READ: &str = r#"
cd /work/tree || exit 9
rest=$1 path=
while :; do
  case $rest in
    */*) path=$path${rest%%/*}; rest=${rest#*/} ;;
    *) path=$path$rest; break ;;
  esac
  [ -d "./$path" ] && [ ! -L "./$path" ] || exit 44
  [ -x "./$path" ] || chmod u+rwx "./$path"
  path=$path/
done
[ -f "./$path" ] && [ ! -L "./$path" ] || exit 44
[ -r "./$path" ] || chmod u+r "./$path"
exec head -c "$2" "./$path"
"#;

/// Lists the tree, each entry as `type size path` and a zero byte. Argument: bytes at most. Folders that the code
/// has closed are opened, so that nothing hides in them.
pub const LIST: &str = r#"
cd /work/tree || exit 9
find . -mindepth 1 -type d ! -perm -0700 -exec chmod u+rwx {} \;
find . -mindepth 1 -printf '%y %s %P\0' | head -c "$1"
"#;

/// Moves the tree into `/work/next`, whose held folders the keeper has made, and prints an archive of what is to be
/// laid anew under another owner. Lines: `h FOLDER` is held in the new tree, `g FOLDER` was held and is not any
/// more, `s PATH` goes into the archive; folders parents first.
pub const MOVE: &str = r#"
cd /work/tree || exit 9
nl='
'
special=$nl folders= reversed=
set --
while IFS= read -r line && [ -n "$line" ]; do
  path=${line#? }
  special=$special$path$nl
  case $line in
    [hg]*)
      [ -d "./$path" ] && [ ! -L "./$path" ] || { echo "missing $path" >&2; exit 8; }
      [ -O "./$path" ] && chmod u+rwx "./$path"
      case $line in g*) gone=$gone$path$nl ;; esac
      folders=$folders$path$nl
      reversed=$path$nl$reversed ;;
    s*)
      [ -f "./$path" ] || [ -d "./$path" ] || { echo "missing $path" >&2; exit 8; }
      [ ! -L "./$path" ] || { echo "missing $path" >&2; exit 8; }
      [ -O "./$path" ] && chmod -R u+rwX "./$path"
      set -- "$@" "./$path" ;;
  esac
done
if [ $# -gt 0 ]; then tar -cf - "$@" || exit 7; fi
carry() {
  at=$1
  set --
  for entry in "$at"* "$at".[!.]* "$at"..?*; do
    [ -e "./$entry" ] || [ -L "./$entry" ] || continue
    case $special in *"$nl$entry$nl"*) continue ;; esac
    if [ -d "./$entry" ] && [ ! -L "./$entry" ] && [ ! -w "./$entry" ]; then chmod u+w "./$entry"; fi
    set -- "$@" "./$entry"
    if [ $# -ge 500 ]; then mv -f "$@" "/work/next/$at" || exit 6; set --; fi
  done
  if [ $# -gt 0 ]; then mv -f "$@" "/work/next/$at" || exit 6; fi
}
each() {
  rest=$2
  while [ -n "$rest" ]; do
    each=${rest%%"$nl"*}
    rest=${rest#*"$nl"}
    "$1" "$each"
  done
}
carry_folder() { carry "$1/"; }
make() { mkdir "/work/next/$1" || exit 6; }
drop() { [ -O "./$1" ] && rmdir "./$1"; }
each make "$gone"
carry ''
each carry_folder "$folders"
for path in "$@"; do
  if [ -O "$path" ]; then rm -rf "$path" || exit 6; fi
done
each drop "$reversed"
exit 0
"#;

/// Lays an archive as the keeper: readable for the code and not to be changed by it. Arguments: the members.
pub const SEAL: &str = r#"
umask 022
cd /work/tree || exit 9
tar -xf - "$@" && chmod -R a+rX,go-w "$@"
"#;

/// Lays an archive as the code. Arguments: the members.
pub const UNSEAL: &str = r#"
cd /work/tree || exit 9
exec tar -xf - "$@"
"#;

/// Takes a program of our own out of an archive.
pub const BRING: &str = "umask 022; cd /own && tar -xf - && chmod 0555 mendbench";
