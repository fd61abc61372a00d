//! The templates by language, what the baseline may see, its answers, and any text at all.
#![allow(clippy::unwrap_used)]

use mendbench::repair::template::{
    Candidate, CannotAnswer, Evidence, MOST_CANDIDATES, Order, Template, answer, candidates,
};
use mendbench::repair::{Asked, Form, Prediction, apply, extract, predict};
use mendbench::report::dig::{Class, Failure, Place, Stage};
use mendbench::report::{Case, Report, Status};
use mendbench::task::{Content, FeedbackKind, Target, Task};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn task(language: &str, source: &str, function: Option<&str>) -> Task {
    let ending = match language {
        "python" => "py",
        "javascript" => "js",
        "rust" => "rs",
        other => other,
    };
    let mut task = Task::new("tests", "a");
    task.language = language.to_owned();
    let file = format!("src/a.{ending}");
    task.targets.push(Target { file: file.clone(), function: function.map(str::to_owned) });
    task.files.buggy.insert(file, Content::from(source));
    task
}

fn all(task: &Task) -> Vec<Candidate> {
    candidates(task, &Evidence::default(), Order::Suspicion).collect()
}

/// The family of the candidate that makes `wanted` of `source`.
fn family(language: &str, source: &str, wanted: &str, evidence: &Evidence) -> Option<Template> {
    let task = task(language, source, Some("f"));
    let mut found = candidates(&task, evidence, Order::Suspicion);
    found.find(|candidate| candidate.text == wanted).map(|candidate| candidate.template)
}

/// What a message of a failing test gives away.
fn told(message: &str) -> Evidence {
    let case = Case {
        id: "test_a.Test.test_it".to_owned(),
        status: Status::Errored,
        message: Some(message.to_owned()),
        seconds: None,
    };
    Evidence::of(Some(&Report { cases: vec![case], ..Report::default() }), None)
}

#[test]
fn python_templates() {
    use Template as T;
    let body = |lines: &str| {
        let lines: String = lines.split('|').map(|line| format!("    {line}\n")).collect();
        format!("def f(a, b, items):\n{lines}")
    };
    for (buggy, fixed, template) in [
        ("return a < b", "return a <= b", T::Comparison),
        ("return a == None", "return a is None", T::Comparison),
        ("return 'x' == items", "return 'x' in items", T::Comparison),
        ("return a and b", "return a or b", T::Connective),
        ("return a and b", "return b", T::Operand),
        ("return a if b else 1", "return 1 if b else a", T::Operand),
        ("return a / b", "return a // b", T::Arithmetic),
        ("return a - b - 1 - b", "return a + b + 1 + b", T::Arithmetic),
        ("a += b|return a", "a -= b|return a", T::Assignment),
        ("if a.ready():|    return 1|return 2", "if not a.ready():|    return 1|return 2", T::Negation),
        ("return not a", "return a", T::Negation),
        ("total = 0|return total + a", "total = 1|return total + a", T::Constant),
        ("return items[2.0]", "return items[2]", T::Constant),
        ("return True", "return False", T::Truth),
        ("if a:|    return True|return 1", "if a:|    return True|return False", T::Truth),
        ("return ''.join(items)", "return ' '.join(items)", T::Text),
        ("return items[a]", "return items[a - 1]", T::Step),
        ("return list(range(a))", "return list(range(a + 1))", T::Step),
        ("return items[a + 1]", "return items[a]", T::Step),
        ("return g(a, 26)", "return g(a)", T::DropArgument),
        ("return len()", "return len(items)", T::AddArgument),
        ("return pow(a, b)", "return pow(b, a)", T::SwapArguments),
        ("return min(items)", "return max(items)", T::Related),
        ("return a.lstrip()", "return a.rstrip()", T::Related),
        ("items.append(a)|return items", "items.extend(a)|return items", T::Related),
        ("return sorted(items)", "return sorted(items, reverse=True)", T::Related),
        ("return a.lower()", "return a", T::Unwrap),
        ("return a", "return b", T::Name),
        ("return a.left + b.right", "return a.right + b.right", T::Member),
        ("a.g()|b.g()", "b.g()|a.g()", T::SwapStatements),
        ("a.g()|return b", "return b", T::DeleteStatement),
        ("if a:|    b.g()|return b", "if a:|    pass|return b", T::DeleteStatement),
        ("for i in items:|    b += i|    return b", "for i in items:|    b += i|return b", T::MoveStatement),
        ("for i in items:|    break", "for i in items:|    continue", T::Jump),
        ("if a:|    b = 1|elif b:|    b = 2|return b", "if a:|    b = 1|if b:|    b = 2|return b", T::Branch),
        ("if a:|    b = 1|if b:|    b = 2|return b", "if a:|    b = 1|elif b:|    b = 2|return b", T::Branch),
        ("return max(items)", "if not items:|    return None|return max(items)", T::Guard),
    ] {
        let found = family("python", &body(buggy), &body(fixed), &Evidence::default());
        assert_eq!(found, Some(template), "{buggy} -> {fixed}");
    }
    let bytes = told("TypeError: Object of type bytes is not JSON serializable");
    let (buggy, fixed) = (body("return g(a)"), body("return g(a).decode()"));
    assert_eq!(family("python", &buggy, &fixed, &bytes), Some(T::Conversion));
    assert_eq!(
        family("python", &buggy, &fixed, &Evidence::default()),
        None,
        "only where the failure speaks of types"
    );
}

#[test]
fn c_templates() {
    use Template as T;
    let body = |lines: &str| {
        // A bar ends a line; two of them are the operator.
        let lines = lines.replace("||", "\0");
        let lines: String = lines.split('|').map(|line| format!("    {line}\n")).collect();
        let lines = lines.replace('\0', "||");
        format!("int f(struct ring *r, int n, int m)\n{{\n{lines}}}\n")
    };
    for (buggy, fixed, template) in [
        ("return n < m;", "return n <= m;", T::Comparison),
        ("if (n && m) return 1;|return 0;", "if (n || m) return 1;|return 0;", T::Connective),
        ("return n << 2;", "return n >> 2;", T::Arithmetic),
        ("n++;|return n;", "n--;|return n;", T::Assignment),
        ("if (g(n)) return 1;|return 0;", "if (!g(n)) return 1;|return 0;", T::Negation),
        ("if (!n) return 1;|return 0;", "if (n) return 1;|return 0;", T::Negation),
        ("return n + 4u;", "return n + 3u;", T::Constant),
        ("return r->buf[n];", "return r->buf[n - 1];", T::Step),
        ("return g(n, m);", "return g(m, n);", T::SwapArguments),
        ("return tolower(n);", "return toupper(n);", T::Related),
        ("return r->head + r->tail;", "return r->tail + r->tail;", T::Member),
        (
            "if (n == r->tail) return r->len - r->cap;|return 0;",
            "if (r->cap == r->len) return r->len - r->cap;|return 0;",
            T::Members,
        ),
        ("g(n);|while (n > 0) n--;", "while (n > 0) n--;|g(n);", T::SwapStatements),
        (
            "switch (n) {|case 1:|    m = 2;|case 2:|    m = 3;|}|return m;",
            "switch (n) {|case 1:|    m = 2;|    break;|case 2:|    m = 3;|}|return m;",
            T::Jump,
        ),
        (
            "char *p = g(n);|char *q = strchr(p, ';');|return q - p;",
            "char *p = g(n);|char *q = p != NULL ? strchr(p, ';') : NULL;|return q - p;",
            T::Guard,
        ),
        ("char *p = g(n);|return -1;", "char *p = g(n);|if (p == NULL)|    return -1;|return -1;", T::Guard),
        ("int k = n * 2;|return k;", "int k = n * 2;|if (k < n)|    k = n;|return k;", T::Clamp),
    ] {
        let found = family("c", &body(buggy), &body(fixed), &Evidence::default());
        assert_eq!(found, Some(template), "{buggy} -> {fixed}");
    }
}

#[test]
fn templates_of_other_languages() {
    use Template as T;
    for (language, buggy, fixed, template) in [
        (
            "rust",
            "fn f(a: u32) -> u32 { (0..a).sum() }\n",
            "fn f(a: u32) -> u32 { (0..=a).sum() }\n",
            T::Step,
        ),
        ("rust", "fn f(a: u32) -> bool { a > 1 }\n", "fn f(a: u32) -> bool { a >= 1 }\n", T::Comparison),
        ("rust", "fn f(a: O) -> bool { a.is_some() }\n", "fn f(a: O) -> bool { a.is_none() }\n", T::Related),
        (
            "javascript",
            "function f(a, b) { return a === b; }\n",
            "function f(a, b) { return a !== b; }\n",
            T::Comparison,
        ),
        (
            "javascript",
            "function f(a) { return a.some(g); }\n",
            "function f(a) { return a.every(g); }\n",
            T::Related,
        ),
        (
            "javascript",
            "function f(a) { return a.run; }\nfunction g(h) { return { h, listener: h }; }\n",
            "function f(a) { return a.listener; }\nfunction g(h) { return { h, listener: h }; }\n",
            T::Member,
        ),
        (
            "java",
            "class A { int f(int a, int b) { return Math.min(a, b); } }\n",
            "class A { int f(int a, int b) { return Math.max(a, b); } }\n",
            T::Related,
        ),
        (
            "java",
            "class A { int f(int[] a, int b) { return a[b]; } }\n",
            "class A { int f(int[] a, int b) { return a[b - 1]; } }\n",
            T::Step,
        ),
        (
            "cpp",
            "int f(int a, int b) { return a >= b; }\n",
            "int f(int a, int b) { return a > b; }\n",
            T::Comparison,
        ),
        (
            "cpp",
            "void f(V &v, int b) { v.push_back(b); }\n",
            "void f(V &v, int b) { v.push_front(b); }\n",
            T::Related,
        ),
    ] {
        assert_eq!(family(language, buggy, fixed, &Evidence::default()), Some(template), "{fixed}");
    }
}

#[test]
fn what_would_be_no_repair_is_not_offered() {
    for (language, source, never) in [
        ("python", "def f(a):\n    \"\"\"Adds 1 < 2.\"\"\"\n    return a\n", "1 <= 2"),
        ("python", "def f(a=1):\n    return a\n", "a=2"),
        ("python", "def f(a):\n    # a < 1\n    return a\n", "a <= 1"),
        ("python", "def f(a):\n    return 'x' + a\n", "'x' - a"),
        ("c", "int f(struct s *p, int n) { return p->a + n; }\n", "n->a"),
        ("c", "#include <a.h>\nint f(int n) { return n; }\n", "a.h>\nint f(int n) { return f"),
        ("rust", "fn f(a: [u8; 4]) -> u8 { a[0] }\n", "[u8; 5]"),
        ("java", "class A { @B(1) int f() { return 3; } }\n", "@B(2)"),
    ] {
        let task = task(language, source, Some("f"));
        for candidate in all(&task) {
            assert!(!candidate.text.contains(never), "{never}: {}", candidate.reason);
        }
    }
}

const RING: &str = "#include \"ring.h\"\n\nint len(const struct rb *rb)\n{\n    return rb->len;\n}\n\nint push(struct rb *rb, int v)\n{\n    size_t next = (rb->head + 1) % rb->cap;\n    if (next == rb->tail) return -1;\n    rb->buf[rb->head] = v;\n    rb->head = next;\n    rb->len++;\n    return 0;\n}\n";

#[test]
fn only_the_functions_that_are_named_change() {
    for function in [Some("push"), Some("len"), None] {
        let task = task("c", RING, function);
        let lines: BTreeSet<u32> = all(&task).iter().map(|candidate| candidate.line).collect();
        let (first, last) = (*lines.first().unwrap(), *lines.last().unwrap());
        let expected = match function {
            Some("push") => 10..=15,
            Some(_) => 5..=5,
            None => 5..=15,
        };
        assert_eq!((first, last), (*expected.start(), *expected.end()), "{function:?}");
    }
}

#[test]
fn protected_files_and_files_that_no_parser_may_see_give_nothing() {
    let mut protected = task("c", RING, Some("push"));
    protected.protected.push("src/**".to_owned());
    assert_eq!(all(&protected), []);
    assert_eq!(all(&task("c", &"a=>".repeat(20_000), None)), []);
    assert_eq!(all(&task("klingon", "x", None)), []);
}

#[test]
fn the_baseline_never_reads_what_it_should_not() {
    let bare = task("c", RING, Some("push"));
    let mut told = bare.clone();
    told.files
        .reference
        .insert("src/a.c".to_owned(), Content::from(RING.replace("next == rb->tail", "rb->len == rb->cap")));
    told.expected.patch = Some("--- a\n+++ b\n".to_owned());
    told.expected.answer = Some("rb->len == rb->cap".to_owned());
    told.expected.files.push("src/a.c:push".to_owned());
    told.provenance.operator = Some("comparison".to_owned());
    told.provenance.site = Some("src/a.c:11".to_owned());
    told.provenance.error_type = Some("B".to_owned());
    told.feedback.insert(FeedbackKind::Minimal, "compare `len` with `cap` in line 11".to_owned());
    told.feedback.insert(FeedbackKind::LlmExpert, "src/a.c:11 `len`".to_owned());
    told.title = "rb->len == rb->cap".to_owned();
    told.description = "len cap 11".to_owned();
    told.context = "len".to_owned();
    told.sections.issue_body = Some("len == cap".to_owned());
    told.meta.insert("fix".to_owned(), "len".into());
    for order in [Order::Suspicion, Order::Lot { seed: 7 }] {
        let of = |task: &Task| candidates(task, &Evidence::default(), order).collect::<Vec<_>>();
        assert!(of(&bare).len() > 50);
        assert_eq!(of(&bare), of(&told), "{order:?}");
    }
    let answers = |task: &Task| {
        let first = all(task).remove(0);
        answer(task, Some(&first), Form::Function, &task.buggy_tree()).unwrap()
    };
    assert_eq!(answers(&bare), answers(&told));
}

#[test]
fn the_place_of_a_failure_comes_first() {
    let source = "def f(a, b):\n    c = a < b\n    d = a < c\n    e = b < d\n    return e\n";
    let placed = task("python", source, Some("f"));
    let place = Some(Place { file: "src/a.py".to_owned(), line: 4, function: None });
    let failure = Failure { stage: Stage::Test, class: Class::Assertion, place, excerpt: String::new() };
    let evidence = Evidence::of(None, Some(&failure));
    assert_eq!(all(&placed)[0].line, 2);
    assert_eq!(candidates(&placed, &evidence, Order::Suspicion).next().unwrap().line, 4);
    // What the message points to comes before what is likely otherwise.
    let calls = "def f(a, b):\n    if a < b and b < 9:\n        return g(a, b, 77)\n    return a == b\n";
    let calling = task("python", calls, Some("f"));
    let first =
        |evidence: &Evidence| candidates(&calling, evidence, Order::Suspicion).next().unwrap().template;
    assert_eq!(first(&Evidence::default()), Template::Comparison);
    assert_eq!(first(&told("g() takes 2 positional arguments but 3 were given")), Template::DropArgument);
}

#[test]
fn the_first_candidates_are_spread() {
    let first: Vec<Candidate> = all(&task("c", RING, Some("push"))).into_iter().take(20).collect();
    let families: BTreeSet<Template> = first.iter().map(|candidate| candidate.template).collect();
    let lines: BTreeSet<u32> = first.iter().map(|candidate| candidate.line).collect();
    assert!(families.len() >= 7, "{families:?}");
    assert!(lines.len() >= 5, "{lines:?}");
}

#[test]
fn lots_are_other_orders_of_the_same_candidates() {
    let task = task("c", RING, Some("push"));
    let texts = |order| {
        let texts: Vec<String> =
            candidates(&task, &Evidence::default(), order).map(|found| found.text).collect();
        texts
    };
    let (one, again, two) =
        (texts(Order::Lot { seed: 1 }), texts(Order::Lot { seed: 1 }), texts(Order::Lot { seed: 2 }));
    assert_eq!(one, again);
    assert_ne!(one, two);
    let set = |texts: &[String]| texts.iter().cloned().collect::<BTreeSet<String>>();
    assert_eq!(set(&one), set(&two));
    assert_eq!(set(&one), set(&texts(Order::Suspicion)));
}

/// What an answer gives, laid over a tree.
fn laid(task: &Task, answer: &str, form: Form, current: &[(String, Content)]) -> Vec<(String, Content)> {
    let mut asked = Asked { form, ..Asked::of_task(task) };
    for (path, content) in current {
        asked.current.insert(path, content);
    }
    let extraction = extract(answer, Default::default(), &asked);
    let application = apply(&asked, extraction.usable(asked.policy));
    assert!(application.why.is_none(), "{form}: {:?}\n{answer}", application.why);
    let mut all: std::collections::BTreeMap<String, Content> =
        asked.current.iter().map(|(path, content)| ((*path).to_owned(), (*content).clone())).collect();
    all.extend(application.changes.into_iter().filter_map(|(path, content)| Some((path, content?))));
    all.into_iter().collect()
}

const FORMS: [Form; 4] = [Form::Function, Form::File, Form::Patch, Form::SearchReplace];

#[test]
fn answers_are_laid_as_the_candidate_alone_whatever_came_before() {
    let class = "class Queue:\n    limit = 3\n\n    def push(self, value):\n        if len(self.held) > self.limit:\n            return False\n        self.held.append(value)\n        return True\n\n    def push_all(self, values):\n        return all(self.push(value) for value in values)\n";
    let windows = RING.replace('\n', "\r\n");
    for (language, source, functions) in [
        ("c", RING, &["push"][..]),
        ("c", RING, &["push", "len"]),
        ("c", &windows, &["push"]),
        ("python", class, &["push"]),
        ("python", class, &["Queue.push_all", "Queue.push"]),
        ("c", RING, &[]),
    ] {
        let mut task = task(language, source, functions.first().copied());
        let file = task.targets[0].file.clone();
        for function in functions.iter().skip(1) {
            task.targets.push(Target { file: file.clone(), function: Some((*function).to_owned()) });
        }
        let found = all(&task);
        for form in FORMS {
            let mut tree: Vec<(String, Content)> = Vec::new();
            for candidate in found.iter().step_by(9).take(6) {
                let current: Vec<(String, Content)> = tree.clone();
                let mut shown = task.buggy_tree();
                shown.extend(current.iter().map(|(path, content)| (path.as_str(), content)));
                let said = answer(&task, Some(candidate), form, &shown).unwrap();
                assert!(
                    said.contains("baseline") && said.contains(&format!("line {}", candidate.line)),
                    "{said}"
                );
                tree = laid(&task, &said, form, &current);
                let new = tree.iter().find(|(path, _)| *path == file).unwrap().1.text().unwrap().into_owned();
                assert_eq!(new, candidate.text, "{language} {functions:?} {form}: {}", candidate.reason);
            }
        }
    }
}

#[test]
fn files_that_an_earlier_candidate_changed_are_put_back() {
    let mut task = task("c", "int f(int a) { return a < 1; }\n", Some("f"));
    task.targets.push(Target { file: "src/b.c".to_owned(), function: Some("g".to_owned()) });
    task.files.buggy.insert("src/b.c".to_owned(), Content::from("int g(int a) { return a < 2; }\n"));
    let found = all(&task);
    let of = |file: &str| found.iter().find(|candidate| candidate.file == file).unwrap();
    for form in FORMS {
        let mut tree: Vec<(String, Content)> = Vec::new();
        for candidate in [of("src/a.c"), of("src/b.c"), of("src/a.c")] {
            let current = tree.clone();
            let mut shown = task.buggy_tree();
            shown.extend(current.iter().map(|(path, content)| (path.as_str(), content)));
            let said = answer(&task, Some(candidate), form, &shown).unwrap();
            tree = laid(&task, &said, form, &current);
            for (path, content) in &tree {
                let buggy = task.files.buggy[path].text().unwrap().into_owned();
                let wanted = if *path == candidate.file { &candidate.text } else { &buggy };
                assert_eq!(&content.text().unwrap(), wanted, "{form} {path}\n{said}");
            }
        }
    }
}

#[test]
fn forms_with_a_place_of_their_own_are_refused_and_the_end_is_said() {
    let task = task("c", RING, Some("push"));
    let first = all(&task).remove(0);
    for form in [Form::Hunk, Form::Line] {
        let refused = answer(&task, Some(&first), form, &task.buggy_tree()).unwrap_err();
        assert_eq!(refused, CannotAnswer(form));
        assert!(refused.to_string().contains("function, file, patch or search-replace"));
    }
    let end = answer(&task, None, Form::Function, &task.buggy_tree()).unwrap();
    assert!(end.contains("no further candidate"));
    assert!(predict(&Prediction::RawAnswer(end), &Asked::of_task(&task)).application.changes.is_empty());
}

#[test]
fn fences_and_reasons_hold_what_is_hostile() {
    let source = "def f(a):\n    b = a.g('```')\n    c = '`\u{202e}`'\n    return b < c\n";
    let task = task("python", source, Some("f"));
    for candidate in all(&task) {
        assert!(!candidate.reason.contains(['\n', '\u{202e}']), "{:?}", candidate.reason);
        let said = answer(&task, Some(&candidate), Form::Function, &task.buggy_tree()).unwrap();
        let predicted = predict(&Prediction::RawAnswer(said.clone()), &Asked::of_task(&task));
        let new = predicted.application.changes.get("src/a.py").cloned().flatten();
        // A function of which nothing is left is no code that anybody would lay.
        if let Some(new) = new {
            assert_eq!(new.text().unwrap(), candidate.text, "{said}");
        }
    }
}

const LANGUAGES: [&str; 6] = ["python", "c", "cpp", "java", "javascript", "rust"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_gives_bounded_candidates_that_parse_and_come_once(
        language in 0..LANGUAGES.len(),
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("def f(a, b):\n    "), Just("return a < 1\n"), Just("if (a && !b) {\n"), Just("}\n"), Just("int f(int a) {"),
                Just("fn f() { 0..1 }\n"), Just("x = [1, 2.0, 'ü']\n"), Just("for a in b:\n        break\n"), Just("\r\n"),
                Just("f(a, 3)"), Just(" else "), Just(";"), Just("`"), Just("\u{202e}"), Just("a.b->c"), Just("case 1: g();"),
            ],
            0..14,
        ),
        message in "[a-z .':<>0-9]{0,40}",
    ) {
        let language = LANGUAGES[language];
        let source = pieces.concat();
        let task = task(language, &source, None);
        let evidence = told(&format!("{message} src/a.py:2 IndexError not bytes"));
        let found: Vec<Candidate> = candidates(&task, &evidence, Order::Suspicion).collect();
        let again: Vec<Candidate> = candidates(&task, &evidence, Order::Suspicion).collect();
        prop_assert_eq!(&found, &again);
        prop_assert!(found.len() <= MOST_CANDIDATES);
        let errors = mendbench::syntax::syntax_errors(language, &source);
        let mut seen = BTreeSet::new();
        for (number, candidate) in found.iter().enumerate() {
            prop_assert_eq!(candidate.number, number + 1);
            prop_assert!(candidate.text != source && seen.insert(&candidate.text));
            prop_assert!(mendbench::syntax::syntax_errors(language, &candidate.text) <= errors);
            prop_assert!(!candidate.reason.contains('\n'));
        }
        for form in FORMS {
            prop_assert!(answer(&task, found.first(), form, &task.buggy_tree()).is_ok());
        }
    }
}
