fn sum(a: i32) -> String {
    let unused = 1;
    a + "x"
}

fn main() {
    let text: i32 = sum(1);
}
