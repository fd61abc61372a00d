//! Forms of result that libtest can print.

pub fn halve(number: i32) -> i32 {
    number / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes() {
        println!("not shown unless asked");
    }

    #[test]
    fn fails() {
        println!("a line before");
        println!("test tests::passes ... FAILED");
        assert_eq!(halve(5), 3, "half of five");
    }

    #[test]
    #[ignore = "too slow"]
    fn ignored_with_reason() {}

    #[test]
    #[ignore]
    fn ignored() {}

    #[test]
    #[should_panic(expected = "divide")]
    fn panics() {
        let zero = halve(1);
        let _ = 1 / zero;
    }

    #[test]
    #[should_panic]
    fn does_not_panic() {}

    #[test]
    fn returns_error() -> Result<(), String> {
        Err("went wrong".into())
    }

    #[test]
    fn unwraps() {
        let nothing: Option<i32> = None;
        nothing.unwrap();
    }
}
