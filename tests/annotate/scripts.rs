//! Codebooks and labels in Chinese and in Arabic: aligned by the columns that they take, never cut inside a cell pair.
//!
//! Arabic stands in the order in which it is stored; putting it from right to left is the terminal's part.

use super::study::{Plot, Study, book, changes, fingers};
use crate::rig::{Options, Rig};
use mendbench::task::Task;
use mendbench::text;

/// A codebook in two scripts; labels of all widths.
pub const TWO_SCRIPTS: &str = r#"
[[question]]
id = "kind"
text = "这个改动修正了什么？ ما الذي أصلحه هذا التغيير؟"
kind = "single"
[[question.answer]]
id = "memory"
key = "1"
label = "内存错误"
definition = "程序在释放之后继续使用内存，或者读写超出数组的边界，因此结果取决于碰巧在那里的内容。"
positive = ["缓冲区少了一个字节"]
negative = ["只是改了变量的名字"]
[[question.answer]]
id = "logic"
key = "2"
label = "خطأ منطقي"
definition = "الشرط معكوس أو ناقص، فينفذ البرنامج الفرع الخاطئ عند القيم الحدية."
[[question.answer]]
id = "interface"
key = "3"
label = "接口用错 استخدام خاطئ"
definition = "调用了错误的函数 أو مُرِّرت إليها معاملات بترتيب خاطئ."
[[question.answer]]
id = "other"
key = "4"
label = "其他"
[[question]]
id = "evidence"
text = "依据是什么？ ما الدليل؟"
kind = "multiple"
[[question.answer]]
id = "test"
key = "a"
label = "测试"
[[question.answer]]
id = "message"
key = "b"
label = "رسالة الإيداع"
[[question]]
id = "why"
text = "请说明理由 اشرح السبب"
kind = "text"
"#;

fn tasks() -> Vec<Task> {
    let mut tasks = changes(4);
    for task in &mut tasks {
        task.title = "求和时漏掉了前面的元素 المجموع يساوي آخر عنصر فقط".to_owned();
        task.description = "返回的总和总是最后一个元素，前面的元素都丢失了。\n\nيعيد التابع آخر عنصر بدلاً من مجموع العناصر كلها.".to_owned();
    }
    tasks
}

pub fn study() -> Study {
    Study::new(Plot { codebook: book(TWO_SCRIPTS), tasks: tasks(), ..Plot::default() })
}

/// Answers, a text that is typed, a note.
pub fn labelled(rig: &mut Rig) {
    fingers(rig, "g a 2 a b enter enter");
    rig.kind("总和 = 最后一个元素 المجموع").wait(200);
    fingers(rig, "enter [ N");
    rig.kind("不确定：请再看一遍 غير متأكد").wait(200);
    fingers(rig, "enter");
}

/// Every symbol of two columns has both of them: the second is a blank that nothing else was put into.
fn assert_whole(rig: &Rig, size: (u16, u16), step: &str) {
    let buffer = rig.buffer();
    for y in 0..size.1 {
        let mut x = 0;
        while x < size.0 {
            let wide = text::width(buffer[(x, y)].symbol()).max(1) as u16;
            assert!(x + wide <= size.0, "{step} at {size:?}: cut at the end of row {y}\n{}", rig.text());
            for behind in x + 1..x + wide {
                let symbol = buffer[(behind, y)].symbol();
                assert!(
                    symbol.trim().is_empty(),
                    "{step} at {size:?}: `{symbol}` inside a pair\n{}",
                    rig.text()
                );
            }
            x += wide;
        }
    }
}

const STEPS: &str = "g_a E down down down E I N esc L down L 1 a enter S esc T F H D L enter g_t enter 2 6";

#[test]
fn no_pair_of_cells_is_cut_at_any_width() {
    let study = study();
    for width in (20..=84).step_by(3).chain([79, 80, 81, 118, 119, 120, 121, 140, 141]) {
        let size = (width, if width < 100 { 24 } else { 40 });
        let mut rig = study.rig("anna", Options::sized(size.0, size.1));
        for step in STEPS.split(' ') {
            fingers(&mut rig, &step.replace('_', " "));
            assert_whole(&rig, size, step);
        }
        // Taken back, so that every width begins with the same.
        fingers(&mut rig, "g a backspace backspace backspace");
    }
}

/// Column in which a text begins in a row that holds it.
fn column(rig: &Rig, words: &str) -> usize {
    let screen = rig.text();
    let line = screen.lines().find(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("`{words}` is not on the screen:\n{screen}"));
    text::width(&line[..line.find(words).unwrap()])
}

#[test]
fn keys_labels_and_definitions_stand_in_columns() {
    let study = study();
    const LABELS: [&str; 4] = ["内存错误", "خطأ منطقي", "接口用错", "其他"];
    const DEFINITIONS: [&str; 3] = ["程序在释放", "الشرط معكوس", "调用了错误的函数"];
    // Below the evidence there is room for two columns, beside it for one with definitions.
    let rig = study.labelling("anna");
    let [first, second, third, fourth] = LABELS.map(|label| column(&rig, label));
    assert!(first == second && third == fourth && first < third, "{}", rig.text());
    let mut rig = study.rig("anna", Options::sized(140, 40));
    rig.press("g a").wait(500);
    let labels = LABELS.map(|label| column(&rig, label));
    assert_eq!(labels, [labels[0]; 4], "{}", rig.text());
    let definitions = DEFINITIONS.map(|words| column(&rig, words));
    assert_eq!(definitions, [definitions[0]; 3], "{}", rig.text());
    // What was said and noted is found again in the list of items.
    labelled(&mut rig);
    rig.expect("总和 = 最后一个元素 المجموع");
    fingers(&mut rig, "L");
    rig.expect("done        N  logic · message,test · 总和 = 最后一个元素");
    assert_eq!(study.said("anna").len(), 3);
}
