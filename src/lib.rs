//! mendbench: a terminal workbench for code-repair benchmarks.
//!
//! This page is the map. One line per room:
//!
//! | room | what it holds | may import |
//! |---|---|---|
//! | [`text`] | measuring, cutting and sanitising text that came from outside; numbers as people read them | nothing |
//! | [`theme`] | semantic colour roles and the theme files that fill them | nothing |
//! | [`keymap`] | the one table of keys: dispatch, footer, help, palette, README | nothing |
//! | [`syntax`] | functions and their spans (tree-sitter), syntax colours (syntect) as roles | `text` |
//! | [`task`] | a task and its parts, its revision, filter expressions, the list of tasks | `syntax`, `text` |
//! | [`diff`] | aligned rows, word emphasis, hunks, granularity, unified patches | `task`, `syntax`, `text` |
//! | [`agreement`] | confusion tables of raters, kappa and its family, intervals, tests | `text` |
//! | [`report`] | what test runners, compilers and analysers say, as data; verdicts; digging in failures | `task`, `syntax`, `text` |
//! | [`repair`] | the repair loop as a machine; cells, prompts, feedback; code out of answers, laid into the tree | `task`, `syntax`, `diff`, `text`, `report` |
//! | [`label`] | codebooks, the labels given with them, the tables and exports of a study | `text`, `task`, `keymap`, `agreement` |
//! | [`dataset`] | formats in, one file per format; task folders are one of them | pure rooms |
//! | [`store`] | the workspace database: append-only events, blobs, derived task index | pure rooms |
//! | [`sandbox`] | where untrusted code runs: one trait, a rung of the ladder behind it | pure rooms |
//! | [`config`] | the user's settings, layered: flags > environment > file > defaults | pure rooms |
//! | [`model`] | models that stream: calls with their waits and tries, keys, limits, budget | `config`, `text` |
//! | [`harness`] | build and tests of a candidate in a sandbox, verdicts remembered, tasks checked | ports |
//! | [`runner`] | drives repair loops with models, harness and store; control, resume, recorded answers | `task`, `syntax`, `diff`, `text`, `report`, `repair`, `store`, `sandbox`, `config`, `model`, `harness` |
//! | [`study`] | rounds and labels in a workspace: kept, ended, exchanged; read only by whom they may be seen | `text`, `task`, `label`, `store` |
//! | [`catalogue`] | what PATH means: samples, folder, file or workspace, as one list of tasks | ports |
//! | [`cli`] | one file per command; human text, or JSON Lines with `--json` | all above |
//! | [`tui`] | the workbench on the screen | all above |
//!
//! Arrows go one way, `main → cli | tui → catalogue → dataset, store, config → pure rooms`, and
//! `tests/architecture.rs` fails on any other. Nothing imports `cli` or `tui`.
//!
//! # Follow one keypress
//!
//! `tui::terminal` reads a key → `tui::run` turns it into a `Msg::Key` → `tui::app` looks it up in
//! [`keymap`] (top overlay first, then the screen, then global) → the action's name reaches
//! `tui::screens::…::update`, which changes state and may return commands → `tui::runtime` runs the
//! commands on worker threads and answers with a message → when the queue is empty `tui::app::view`
//! draws once.

pub mod agreement;
pub mod catalogue;
pub mod cli;
pub mod config;
pub mod dataset;
pub mod diff;
pub mod harness;
pub mod keymap;
pub mod label;
pub mod model;
pub mod repair;
pub mod report;
pub mod runner;
pub mod sandbox;
pub mod store;
pub mod study;
pub mod syntax;
pub mod task;
pub mod text;
pub mod theme;
pub mod tui;
