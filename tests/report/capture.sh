#!/bin/sh
# Captures the output of real runners, compilers and analysers on the programs beside this script, into
# `captured/`. Run by hand when a runner changes; tests read what is stored. Paths of this machine are
# replaced, everything else stays as it was printed.
#
#   PYTHONS="/path/of/python3.8 …" PYTEST=… PYLINT=… RUFF=… CLANG=… sh tests/report/capture.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$here/captured
tree=$(mktemp -d /tmp/mendbench-capture.XXXXXX)
trap 'rm -rf "$tree"' EXIT
cp -r "$here/programs/." "$tree"
cd "$tree" || exit 1
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80
unset RUST_BACKTRACE

# Paths and names of this machine become ordinary ones.
clean() {
    sed -e "s#$HOME/\.pyenv/versions/[0-9.]*/#/usr/#g" -e "s#$HOME/\.rustup/toolchains/[^/]*#/usr#g" \
        -e "s#$(dirname "${PYTEST:-/usr/bin/pytest}")#/usr/bin#g" -e 's/hostname="[^"]*"/hostname="host"/' \
        -e "s#$tree#${shown:-/tmp/tree}#g"
}

# keep NAME COMMAND…: both streams in one file, the exit code in codes.txt.
keep() {
    name=$1
    shift
    "$@" >"$tree/output" 2>&1
    code=$?
    clean <"$tree/output" >"$out/$name"
    echo "$name $code" >>"$out/codes.txt"
}
: >"$out/codes.txt"

for python in ${PYTHONS:-python3}; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    keep "unittest-$version-verbose.txt" "$python" -m unittest -v test_forms test_module_error test_import_error
    keep "unittest-$version-quiet.txt" "$python" -m unittest test_forms test_module_error test_import_error
    keep "unittest-$version-good.txt" "$python" -m unittest -v test_good
    keep "unittest-$version-empty.txt" "$python" -m unittest -v test_empty
done
python=${PYTHON:-python3}
keep unittest-good-quiet.txt "$python" -m unittest test_good
keep unittest-buffer.txt "$python" -m unittest -v -b test_forms
keep unittest-failfast.txt "$python" -m unittest -v -f test_forms
keep unittest-leaves.txt "$python" -m unittest -v test_leaves
keep unittest-forged.txt "$python" -u -m unittest -v test_forges
keep python-traceback.txt "$python" -c 'import test_forms; test_forms.halve("x")'

if [ -n "${PYTEST:-}" ]; then
    files="test_forms.py test_module_error.py test_pytest_forms.py"
    keep pytest-verbose.txt "$PYTEST" -v -p no:cacheprovider $files
    keep pytest-normal.txt "$PYTEST" -p no:cacheprovider $files
    keep pytest-quiet.txt "$PYTEST" -q -p no:cacheprovider $files
    keep pytest-all.txt "$PYTEST" -q -rA -p no:cacheprovider $files
    keep pytest-unbuffered.txt "$PYTEST" -v -s -p no:cacheprovider test_forms.py
    keep pytest-import-error.txt "$PYTEST" -v -p no:cacheprovider test_import_error.py test_good.py
    keep pytest-empty.txt "$PYTEST" -v -p no:cacheprovider test_empty.py
    keep pytest-good.txt "$PYTEST" -v -p no:cacheprovider test_good.py
    keep pytest-good-quiet.txt "$PYTEST" -q -p no:cacheprovider test_good.py
    keep pytest-leaves.txt "$PYTEST" -v -p no:cacheprovider test_leaves.py
    keep pytest-forged.txt "$PYTEST" -v -s -p no:cacheprovider test_forges.py
    keep pytest-first-only.txt "$PYTEST" -v -x -p no:cacheprovider test_forms.py
    keep pytest-missing-file.txt "$PYTEST" -v -p no:cacheprovider test_nowhere.py
    keep pytest.log "$PYTEST" -q -p no:cacheprovider --junitxml=junit.xml $files
    clean <junit.xml >"$out/junit-pytest.xml"
    keep pytest-collection.log "$PYTEST" -q -p no:cacheprovider --junitxml=junit.xml test_import_error.py
    clean <junit.xml >"$out/junit-import-error.xml"
fi

gcc -g -o tap tap.c
for form in first last crash early forged skip; do keep "tap-c-$form.txt" ./tap $form; done
keep tap-perl.txt perl t/shapes.t
keep tap-perl-bails.txt perl bails.pl
keep prove-verbose.txt prove -v t/good.t t/shapes.t
keep prove.txt prove t/good.t t/shapes.t t/stops.t
keep prove-good.txt prove t/good.t
keep prove-verbose-good.txt prove -v t/good.t
keep node.tap node --test --test-reporter=tap forms.test.mjs
keep node-good.tap node --test --test-reporter=tap good.test.mjs
keep node-direct.tap node --test-reporter=tap forms.test.mjs
keep node-leaves.tap node --test --test-reporter=tap leaves.test.mjs
keep node-broken.tap node --test --test-reporter=tap broken.test.mjs good.test.mjs
keep node-two-files.tap node --test --test-reporter=tap good.test.mjs forms.test.mjs
keep junit-node.xml node --test --test-reporter=junit forms.test.mjs

rustc --edition 2021 --test -g -o forms forms.rs 2>/dev/null
keep cargo-pretty.txt ./forms
keep cargo-one-thread.txt ./forms --test-threads=1 --nocapture
keep cargo-nocapture.txt ./forms --nocapture
keep cargo-quiet.txt ./forms -q
RUST_BACKTRACE=1 keep cargo-backtrace.txt ./forms tests::unwraps
rustc --edition 2021 --test -o leaves leaves.rs 2>/dev/null
keep cargo-leaves.txt ./leaves --test-threads=1
keep cargo-filtered.txt ./forms nothing_is_called_so
cargo new --quiet --vcs none --lib package 2>/dev/null
cp forms.rs package/src/lib.rs
cat >>package/src/lib.rs <<'END'
/// ```
/// assert_eq!(package::twice(2), 4);
/// ```
/// ```should_panic
/// panic!();
/// ```
/// ```compile_fail
/// let a: i32 = "";
/// ```
pub fn twice(number: i32) -> i32 {
    number * 2
}
END
mkdir -p package/tests
echo '#[test] fn outside() { assert_eq!(package::twice(2), 4); }' >package/tests/outside.rs
keep cargo-package.txt cargo test --offline --no-fail-fast --manifest-path package/Cargo.toml
echo '#[test] fn aborts() { std::process::abort(); }' >package/tests/outside.rs
keep cargo-abort.txt cargo test --offline --test outside --manifest-path package/Cargo.toml
echo 'nonsense' >>package/src/lib.rs
keep cargo-build-error.txt cargo test --offline --manifest-path package/Cargo.toml

for compiler in gcc ${CLANG:-}; do
    case $compiler in *clang*) kind=clang ;; *) kind=gcc ;; esac
    $compiler -g -O0 -w -fsanitize=address,undefined -fno-omit-frame-pointer -o memory memory.c
    for form in overflow free leak integer; do keep "$kind-sanitizer-$form.txt" ./memory $form; done
    keep "$kind-diagnostics.txt" $compiler -Wall -c -o /dev/null bad.c
done
gcc -g -w -o memory memory.c
keep c-assert.txt ./memory assert
keep c-twice.txt ./memory twice
keep c-null.txt ./memory null
keep gcc-diagnostics.json gcc -Wall -fdiagnostics-format=json -c -o /dev/null bad.c
echo 'int main(void) { return missing(); }' >link.c
keep gcc-link.txt gcc -w -o /dev/null link.c
keep python-syntax.txt "$python" -m py_compile bad.py
keep python-indent.txt "$python" -m py_compile bad_indent.py
if [ -n "${PYLINT:-}" ]; then
    keep pylint.json "$PYLINT" --output-format=json lint.py bad.py
    keep pylint.txt "$PYLINT" lint.py bad.py
fi
[ -n "${RUFF:-}" ] && keep ruff.json "$RUFF" check --no-cache --isolated --output-format=json lint.py bad.py
keep rustc.json rustc --edition 2021 --error-format=json -o /dev/null bad.rs
keep rustc.txt rustc --edition 2021 -o /dev/null bad.rs
keep node-check.txt node --check bad.js
keep node-thrown.txt node thrown.mjs

# The same failures once more, in another tree at another time: digging has to give the same text.
again=$(mktemp -d /tmp/mendbench-capture-again.XXXXXX)
cp -r "$here/programs/." "$again"
cd "$again" || exit 1
first=$tree
tree=$again
shown=/tmp/again-1234/work
sleep 1
keep again-unittest.txt "$python" -m unittest -v test_forms
keep again-node.tap node --test --test-reporter=tap forms.test.mjs
rustc --edition 2021 --test -g -o forms forms.rs 2>/dev/null
keep again-cargo.txt ./forms
gcc -g -O0 -w -fsanitize=address,undefined -fno-omit-frame-pointer -o memory memory.c
keep again-sanitizer.txt ./memory overflow
[ -n "${PYTEST:-}" ] && keep again-pytest.txt "$PYTEST" -p no:cacheprovider test_forms.py test_module_error.py test_pytest_forms.py
rm -rf "$first" "$again"
