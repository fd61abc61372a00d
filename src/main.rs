//! Arguments in, front end chosen, errors out with a message and an exit code.

fn main() {}
