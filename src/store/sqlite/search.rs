//! Words to rows, by SQLite's full-text index.
//!
//! Promises: whatever is typed is taken as words, never as query syntax. Leaves to others: what is
//! indexed (`store::index`).

use super::Fault;
use super::events::{number, unsigned};
use crate::store::SEARCH_LIMIT;
use rusqlite::{Connection, params};

/// Words that are looked at; the rest of a longer text is ignored.
const WORDS: usize = 32;

/// Rows that hold every word of the text, in the order of their numbers.
pub(super) fn search(connection: &Connection, text: &str, limit: usize) -> Result<Vec<u64>, Fault> {
    let Some(query) = query(text) else { return Ok(Vec::new()) };
    let sql = "SELECT rowid FROM task_text WHERE task_text MATCH ?1 ORDER BY rowid LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let limit = number(limit.min(SEARCH_LIMIT) as u64);
    let rows = statement.query_map(params![query, limit], |row| unsigned(row, 0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The text as a query: each word quoted, the last one as a beginning. `None` when it has no words.
fn query(text: &str) -> Option<String> {
    let mut query = String::new();
    for word in text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).take(WORDS) {
        query.push('"');
        query.extend(
            word.chars().filter(|c| !c.is_control()).take(200).map(|c| if c == '"' { ' ' } else { c }),
        );
        query.push_str("\" ");
    }
    if query.is_empty() {
        return None;
    }
    // Somebody who has just typed a space has finished the word before it.
    if !text.ends_with(char::is_whitespace) {
        query.insert(query.len() - 1, '*');
    }
    Some(query)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn table() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE task_text USING fts5 (name, description, code, content = '',
                    contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
                 INSERT INTO task_text (rowid, name, description, code) VALUES
                    (1, 'one', 'off by one in the ring buffer', 'int rb_push(struct rb *rb)'),
                    (2, 'two', 'Überlauf NOT AND OR', 'return rb->len;');",
            )
            .unwrap();
        connection
    }

    #[test]
    fn words_find_rows() {
        let connection = table();
        let find = |text| search(&connection, text, 10).unwrap();
        assert_eq!(find("ring buffer"), [1]);
        assert_eq!(find("buffer ring"), [1], "any order");
        assert_eq!(find("rb_push"), [1], "a name is its parts in order");
        assert_eq!(find("push_rb"), [] as [u64; 0]);
        assert_eq!(find("rb"), [1, 2]);
        assert_eq!(find("buf"), [1], "the last word may be unfinished");
        assert_eq!(find("buf "), [] as [u64; 0], "but not with a space behind it");
        assert_eq!(find("uberlauf"), [2]);
        assert_eq!(find("rb->len;"), [2]);
        assert_eq!(search(&connection, "rb", 1).unwrap(), [1]);
    }

    #[test]
    fn syntax_is_only_words() {
        let connection = table();
        let find = |text| search(&connection, text, 10).unwrap();
        assert_eq!(find("NOT"), [2]);
        assert_eq!(find("Überlauf AND"), [2]);
        for nothing in
            ["", "  ", "\"", "*", "-> ()", "NEAR(", "code:x", "^x", "a\"b\" OR", "\0", "{", "x\0\"*"]
        {
            assert_eq!(find(nothing), [] as [u64; 0], "{nothing:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_typed_is_an_error(text in any::<String>(), ascii in "[ -~]{0,40}") {
            let connection = table();
            prop_assert!(search(&connection, &text, 10).is_ok());
            prop_assert!(search(&connection, &ascii, 10).is_ok());
        }
    }
}
