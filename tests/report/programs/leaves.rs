//! Leaves while tests run.
#[test]
fn a_passes() {}

#[test]
fn b_leaves() {
    std::process::exit(0);
}

#[test]
fn c_fails() {
    panic!("never reached");
}
