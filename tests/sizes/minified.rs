//! Lines of a megabyte, and very many of everything: each key is answered, and nothing is copied whole.

use super::whole::check;
use crate::rig::{Options, Rig, task};
use mendbench::task::Task;

fn minified() -> Task {
    let old = "var a=1;function f(b){return b+a}".repeat(32_000);
    let mut made = task("minified", &old, &old.replacen("b+a", "b-a", 3));
    made.language = "javascript".to_owned();
    made.files.base.insert("vendor.min.js".to_owned(), "var a=1;".repeat(130_000).as_str().into());
    made.description = "word ".repeat(20_000);
    made.title = "漢".repeat(1_000);
    made
}

#[test]
fn a_line_of_a_megabyte_is_read_searched_and_wrapped() {
    let mut rig = Rig::tasks(vec![minified()], Options::default());
    rig.press("enter").expect("var a=1;function");
    for keys in ["l l l", "w", "j", "G", "w", "v", "w", "w", "/", "a", "r enter", "n", "N", "esc", "Z", "i"] {
        rig.press(keys);
        assert_eq!(check(&rig), Ok(()), "after {keys}");
    }
    rig.press("4").expect("vendor.min.js");
    for keys in ["l l l", "w", "j j G", "g g", "/", "a", "r enter", "n", "N", "w", "n", "y"] {
        rig.press(keys);
        assert_eq!(check(&rig), Ok(()), "after {keys}");
    }
    let copied = rig.copied.pop().unwrap();
    assert!(copied.len() < 1_100_000, "the line once, not once for each row: {}", copied.len());
}

#[test]
fn very_many_files_and_lines() {
    let mut made = task("many", "", "");
    for number in 0..400 {
        let path = format!("src/file-{number}.c");
        made.files.buggy.insert(path.clone(), format!("int x{number};\n").as_str().into());
        made.files.reference.insert(path, format!("long x{number};\n").as_str().into());
    }
    let old: String = (0..4_000).map(|n| format!("line {n}\n")).collect();
    made.files.buggy.insert("long.txt".to_owned(), old.as_str().into());
    made.files.reference.insert("long.txt".to_owned(), old.replace("7\n", "seven\n").as_str().into());
    let mut rig = Rig::tasks(vec![made], Options::sized(80, 24));
    rig.press("enter").expect("change 1 of");
    for keys in ["G", "g g", "Z", "v", "/ x 3 9 9 enter", "n", "v", "w", "space space", "} } {", "e", "y"] {
        rig.press(keys);
        assert_eq!(check(&rig), Ok(()), "after {keys}");
    }
}
