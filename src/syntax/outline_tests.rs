//! What outlines hold, language by language.
#![allow(clippy::unwrap_used)]

use super::*;
use ItemKind::{Comment, Function, Import, Other, Prototype, Type, Value};

fn kinds(language: &str, source: &str) -> Vec<(ItemKind, String)> {
    let outline = outline(language, source).unwrap();
    assert!(outline.errors.is_empty(), "{source}: {:?}", outline.errors);
    outline.items.into_iter().map(|item| (item.kind, item.names.join(","))).collect()
}

#[test]
fn items_by_language() {
    for (language, source, expected) in [
        (
            "python",
            "import os\nfrom a  import b\nX = 1\n@dec\ndef f(): pass\nclass C: pass\n# note\nprint(1)\n",
            &[
                (Import, "import os"),
                (Import, "from a import b"),
                (Value, "X"),
                (Function, "f"),
                (Type, "C"),
                (Comment, ""),
                (Other, ""),
            ][..],
        ),
        (
            "c",
            "#include <a.h>\n#define N 3\nint f(int);\nint x = 2, *y;\nstruct s { int a; };\ntypedef struct t { int a; } u;\nstatic int *g(void) { return y; }\n",
            &[
                (Import, "#include <a.h>"),
                (Value, "N"),
                (Prototype, "f"),
                (Value, "x,y"),
                (Type, "s"),
                (Type, "u,t"),
                (Function, "g"),
            ],
        ),
        (
            "javascript",
            "import a from 'a';\nconst fs = require('fs');\nexport function f() {}\nconst g = () => 1;\nlet x = 2;\nexport default class C {}\nmodule.exports = { f };\n",
            &[
                (Import, "import a from 'a';"),
                (Import, "const fs = require('fs');"),
                (Function, "f"),
                (Function, "g"),
                (Value, "x"),
                (Type, "C"),
                (Value, "module.exports"),
            ],
        ),
        (
            "rust",
            "use std::fmt;\nconst N: u8 = 1;\nstruct S;\nimpl S { fn f(&self) {} }\nfn g() {}\n",
            &[(Import, "use std::fmt;"), (Value, "N"), (Type, "S"), (Type, "impl S"), (Function, "g")],
        ),
        (
            "java",
            "package a.b;\nimport java.util.List;\nclass C { int f() { return 1; } }\n",
            &[(Other, ""), (Import, "import java.util.List;"), (Type, "C")],
        ),
        (
            "cpp",
            "#include <a>\nnamespace n {\ntemplate <class T> T f(T t) { return t; }\n}\nint C::g() const { return 1; }\n",
            &[(Import, "#include <a>"), (Function, "f"), (Function, "C::g")],
        ),
    ] {
        let expected: Vec<_> = expected.iter().map(|(kind, names)| (*kind, (*names).to_owned())).collect();
        assert_eq!(kinds(language, source), expected, "{language}");
    }
}

#[test]
fn definitions_know_their_core_parameters_and_statement() {
    for (language, source, core, parameters, statement) in [
        (
            "python",
            "@a\n@b(1)\nasync def f(x): pass\n",
            "async def f(x): pass",
            "(x)",
            "@a\n@b(1)\nasync def f(x): pass",
        ),
        (
            "rust",
            "#[a]\n#[b]\npub fn f(x: u8) {}\n",
            "pub fn f(x: u8) {}",
            "(x: u8)",
            "#[a]\n#[b]\npub fn f(x: u8) {}",
        ),
        (
            "java",
            "class C { @A @B(1) public int f(int x) { return x; } }",
            "public int f(int x) { return x; }",
            "(int x)",
            "@A @B(1) public int f(int x) { return x; }",
        ),
        (
            "java",
            "class C { @A int f(int x) { return x; } }",
            "int f(int x) { return x; }",
            "(int x)",
            "@A int f(int x) { return x; }",
        ),
        ("javascript", "const f = (x) => x;", "f = (x) => x", "(x)", "const f = (x) => x;"),
        ("javascript", "a.f = function (x) {};", "a.f = function (x) {}", "(x)", "a.f = function (x) {};"),
        (
            "cpp",
            "template <class T> int f(T x) { return 1; }",
            "int f(T x) { return 1; }",
            "(T x)",
            "template <class T> int f(T x) { return 1; }",
        ),
        (
            "c",
            "static int *f(char *x)\n{\n}\n",
            "static int *f(char *x)\n{\n}",
            "(char *x)",
            "static int *f(char *x)\n{\n}",
        ),
    ] {
        let outline = outline(language, source).unwrap();
        let definition = &outline.definitions[0];
        assert_eq!(&source[definition.core..definition.span.bytes.end], core, "{source}");
        assert_eq!(&source[definition.parameters.clone().unwrap()], parameters, "{source}");
        assert_eq!(&source[definition.statement.clone()], statement, "{source}");
    }
}

#[test]
fn errors_and_literals() {
    let broken = outline("c", "int f(void) { return (1; }\n").unwrap();
    assert!(!broken.errors.is_empty());
    let source = "def f():\n    \"\"\"doc\n    more\"\"\"\n    return '''a\nb'''\n";
    let found = outline("python", source).unwrap();
    assert_eq!(found.literals.len(), 1);
    assert_eq!(&source[found.literals[0].clone()], "'''a\nb'''");
    assert_eq!(outline("go", "package a"), None);
}

#[test]
fn parts_stand_inside_something() {
    for (language, source, name, text) in [
        ("python", "    def f(self):\n        return 1\n", "f", "def f(self):\n        return 1"),
        ("javascript", "  off(name) {\n    return 1;\n  }\n", "off", "off(name) {\n    return 1;\n  }"),
        ("java", "public C(int n) { this.n = n; }\n", "C", "public C(int n) { this.n = n; }"),
        ("cpp", "Ring(int n) : n_(n) {}\n", "Ring", "Ring(int n) : n_(n) {}"),
        ("c", "int f(void) { return 1; }", "f", "int f(void) { return 1; }"),
    ] {
        let outline = outline_of_part(language, source).unwrap();
        assert!(outline.errors.is_empty(), "{source}");
        let [definition] = outline.definitions.as_slice() else { panic!("{source}: {outline:?}") };
        assert_eq!(definition.span.qualified, name);
        assert_eq!(&source[definition.span.bytes.clone()], text);
        assert_eq!(outline.items.len(), 1, "{source}");
    }
}
