//! Pieces that screens and overlays are made of. They take data and know nothing of the app.

pub mod acted;
pub mod answer_view;
pub mod ascii;
pub mod canvas;
pub mod diff_view;
pub mod field;
pub mod input;
pub mod numbers;
pub mod output_view;
pub mod panel;
pub mod skin;
pub mod test_list;
pub mod text_view;
pub mod trail;
