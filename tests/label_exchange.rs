//! Labels on two machines: carried over in files, merged, contradictions told; sealed files.
#![allow(clippy::unwrap_used)]

mod cli_rig;
mod study_rig;

use cli_rig::{Home, Ran};
use serde_json::json;
use study_rig::{by, create, label_all, labels, lines, queue, set, twin};

fn round(items: usize) -> Home {
    let home = Home::new();
    home.rows("set.jsonl", items);
    create(&home, "r", &["--seed", "7"]).done();
    home
}

/// Carries a label file of `who` from one home to another.
fn carry(who: &str, from: &Home, to: &Home, taker: &str, name: &str) -> Ran {
    by(from, who, &["label", "export", name]).done();
    std::fs::copy(from.path(name), to.path(name)).unwrap();
    by(to, taker, &["label", "import", name, "--json"])
}

#[test]
fn two_machines_of_one_person_come_together() {
    let one = round(6);
    let items = queue(&one, "anna", "r");
    set(&one, "anna", "r", &lines(&items[0], &[("bug-related", "no")])).done();
    let other = twin(&one);
    set(&one, "anna", "r", &lines(&items[1], &[("bug-related", "no")])).done();
    set(&one, "anna", "r", &lines(&items[2], &[("bug-related", "no")])).done();
    set(&other, "anna", "r", &lines(&items[2], &[("bug-related", "yes")])).done();
    set(&other, "anna", "r", &lines(&items[3], &[("bug-related", "no")])).done();
    set(&other, "anna", "r", &lines(&items[0], &[("bug-related", "yes")])).done();

    let ran = carry("anna", &other, &one, "anna", "there.jsonl").ended(1, &[]);
    let import = ran.object("label-import");
    assert_eq!((&import["added"], &import["conflicts"]), (&3.into(), &1.into()));
    let conflict = ran.object("label-conflict");
    assert_eq!(
        (&conflict["item"], &conflict["question"]),
        (&items[2].as_str().into(), &"bug-related".into())
    );
    carry("anna", &one, &other, "anna", "here.jsonl").ended(1, &[]);
    // Both machines show the same, whichever was merged into which.
    assert_eq!(labels(&one, "anna", "r", &[]), labels(&other, "anna", "r", &[]));
    assert_eq!(labels(&one, "anna", "r", &[]).len(), 4);
    // Again changes nothing, and the contradiction is still told.
    let ran = by(&one, "anna", &["label", "import", "there.jsonl", "--json"]).ended(1, &[]);
    assert_eq!(ran.object("label-import")["added"], 0);
    let told = by(&one, "anna", &["label", "list", "--conflicts"]).done().out;
    assert!(told.contains("was said on another machine"), "{told}");
    // An answer that knows of both settles it, everywhere.
    set(&one, "anna", "r", &lines(&items[2], &[("bug-related", "no")])).done();
    let ran = carry("anna", &one, &other, "anna", "settled.jsonl").done();
    assert_eq!(ran.object("label-import")["conflicts"], 0);
    assert_eq!(labels(&one, "anna", "r", &[]), labels(&other, "anna", "r", &[]));
}

#[test]
fn a_lead_collects_from_machines_of_others() {
    let lead = round(5);
    let (anna, ben) = (Home::new(), Home::new());
    for home in [&anna, &ben] {
        by(&lead, "lea", &["label", "export", "round.jsonl"]).done();
        std::fs::rename(lead.path("round.jsonl"), home.path("round.jsonl")).unwrap();
        by(home, "x", &["label", "import", "round.jsonl"]).done();
    }
    label_all(&anna, "anna", "r", 0);
    label_all(&ben, "ben", "r", 100);
    for (home, who) in [(&anna, "anna"), (&ben, "ben")] {
        carry(who, home, &lead, "lea", &format!("{who}.jsonl")).done();
    }
    by(&lead, "lea", &["round", "advance", "--to", "discussion"]).done();
    // Somebody who had not heard of it goes on labelling: kept, and not blind any more.
    let blind = labels(&lead, "lea", "r", &["--of-annotator", "ben", "--blind"]);
    let (cell, was) =
        labels(&ben, "ben", "r", &[]).into_iter().find(|(cell, _)| cell.ends_with("bug-related")).unwrap();
    let item = cell.split(' ').next().unwrap();
    let now = if was == "yes" { "no" } else { "yes" };
    set(&ben, "ben", "r", &lines(item, &[("bug-related", now)])).done();
    let ran = carry("ben", &ben, &lead, "lea", "late.jsonl").ended(1, &[]);
    let problems = ran.object("label-import")["problems"].to_string();
    assert!(problems.contains("1 label came after labelling had ended"), "{problems}");
    assert_eq!(labels(&lead, "lea", "r", &["--of-annotator", "ben", "--blind"]), blind);
    let present = labels(&lead, "lea", "r", &["--of-annotator", "ben"]);
    assert!(present.contains(&(cell, now.to_owned())), "kept all the same");
}

#[test]
fn what_is_no_label_file_or_is_damaged_changes_nothing() {
    let home = round(3);
    label_all(&home, "anna", "r", 0);
    by(&home, "anna", &["label", "export", "good.jsonl"]).done();
    by(&home, "anna", &["label", "export", "good.jsonl"]).ended(2, &["good.jsonl", "name another file"]);
    let text = std::fs::read_to_string(home.path("good.jsonl")).unwrap();
    let other = Home::new();
    let cut: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    for (name, text, code, words) in [
        ("text.jsonl", "hello\n".to_owned(), 2, "not a bundle"),
        ("empty.jsonl", String::new(), 2, "not a bundle"),
        ("cut.jsonl", cut, 1, "lost its end"),
        ("changed.jsonl", text.replace("anna", "anni"), 1, "changed since it was written"),
    ] {
        other.write(name, text);
        by(&other, "lea", &["label", "import", name]).ended(code, &[name, words]);
    }
    home.run(&["import", "set.jsonl", "--workspace", "tasks"]).done();
    home.run(&["bundle", "export", "whole.jsonl", "--workspace", "tasks"]).done();
    by(&home, "lea", &["label", "import", "whole.jsonl"])
        .ended(1, &["not a label file", "mendbench bundle import"]);
    by(&home, "lea", &["label", "import", "absent.jsonl"]).ended(2, &["absent.jsonl: cannot be read"]);
    other.write("good.jsonl", text);
    by(&other, "anna", &["label", "import", "good.jsonl"]).done();
    assert_eq!(labels(&other, "anna", "r", &[]), labels(&home, "anna", "r", &[]));
}

#[test]
fn sealed_files_open_when_all_have_handed_in() {
    let lead = round(4);
    let (anna, ben) = (twin(&lead), twin(&lead));
    label_all(&anna, "anna", "r", 0);
    by(&anna, "anna", &["label", "reveal", "anna.key"]).ended(1, &["when the sealed files of all are here"]);
    by(&ben, "ben", &["label", "seal", "ben.sealed"]).ended(1, &["4 of your items are not done", "--force"]);
    label_all(&ben, "ben", "r", 100);
    by(&anna, "anna", &["label", "seal", "anna.sealed"]).done();
    by(&ben, "ben", &["label", "seal", "ben.sealed"]).done();
    // Handed in is handed in; the same file comes again.
    let item = labels(&anna, "anna", "r", &[])[0].0.split(' ').next().unwrap().to_owned();
    set(&anna, "anna", "r", &lines(&item, &[("bug-related", "no")]))
        .ended(1, &["has handed in a sealed file"]);
    by(&anna, "anna", &["label", "seal", "again.sealed"]).done();
    let read = |home: &Home, name: &str| std::fs::read(home.path(name)).unwrap();
    assert_eq!(read(&anna, "again.sealed"), read(&anna, "anna.sealed"));
    assert_eq!(
        read(&anna, "anna.sealed").len(),
        read(&ben, "ben.sealed").len() + 1,
        "but for the name as long"
    );
    let sealed = String::from_utf8(read(&anna, "anna.sealed")).unwrap();
    assert!(!sealed.contains("bug-related"));

    let send = |name: &str, from: &Home, to: &Home| {
        std::fs::copy(from.path(name), to.path(name)).unwrap();
    };
    send("anna.sealed", &anna, &ben);
    // Ben has both now; anna has not, and her key stays with her.
    by(&ben, "ben", &["label", "import", "anna.sealed"]).done();
    by(&ben, "ben", &["label", "reveal", "ben.key"]).done();
    by(&anna, "anna", &["label", "reveal", "anna.key"]).ended(1, &["that of ben"]);
    send("ben.key", &ben, &anna);
    by(&anna, "anna", &["label", "import", "ben.key"]).ended(1, &["take that in first"]);
    send("ben.sealed", &ben, &anna);
    // A changed file, a foreign key, a second file.
    let changed = String::from_utf8(read(&anna, "ben.sealed")).unwrap().replacen(
        "\"sealed\":\"",
        "\"sealed\":\"AAAA",
        1,
    );
    lead.write("changed.sealed", changed);
    by(&lead, "lea", &["label", "import", "changed.sealed"])
        .ended(1, &["changed.sealed: ", "it was changed since it was written", "fetch it again"]);
    // It does not stand in the way of the right one.
    send("ben.sealed", &ben, &lead);
    by(&lead, "lea", &["label", "import", "ben.sealed"]).done();
    // With both files and both keys the labels come in, at the lead's and at each other's.
    by(&anna, "anna", &["label", "import", "ben.key", "ben.sealed"]).done();
    by(&anna, "anna", &["label", "reveal", "anna.key"]).done();
    let fresh = round_of(&anna, "lea");
    for (name, from) in [("anna.sealed", &anna), ("ben.sealed", &ben), ("anna.key", &anna), ("ben.key", &ben)]
    {
        send(name, from, &fresh);
    }
    by(&fresh, "lea", &["label", "import", "anna.key"]).ended(1, &["take that in first"]);
    by(&fresh, "lea", &["label", "import", "anna.sealed", "anna.key"]).ended(1, &["missing: ben"]);
    by(&fresh, "lea", &["label", "import", "anna.sealed", "ben.sealed", "anna.key", "ben.key"]).done();
    by(&fresh, "lea", &["round", "advance", "--to", "discussion"]).done();
    for (who, home) in [("anna", &anna), ("ben", &ben)] {
        assert_eq!(
            labels(&fresh, "lea", "r", &["--of-annotator", who]),
            labels(home, who, "r", &[]),
            "{who}"
        );
    }
    // Blindness holds until the lead has ended labelling, also where the labels are.
    by(&anna, "anna", &["label", "list", "--of-annotator", "ben"]).ended(1, &["cannot be seen in labelling"]);
}

/// Sealed files of both, and one that ben sealed on another machine: with other labels, and another key.
fn sealed() -> (Home, Home, Home, Home) {
    let lead = round(3);
    let (anna, ben, other) = (twin(&lead), twin(&lead), twin(&lead));
    label_all(&anna, "anna", "r", 0);
    label_all(&ben, "ben", "r", 0);
    label_all(&other, "ben", "r", 100);
    by(&anna, "anna", &["label", "seal", "anna.sealed"]).done();
    by(&ben, "ben", &["label", "seal", "ben.sealed"]).done();
    by(&other, "ben", &["label", "seal", "wrong.sealed"]).done();
    for (from, name) in [(&anna, "anna.sealed"), (&ben, "ben.sealed"), (&other, "wrong.sealed")] {
        let bytes = std::fs::read(from.path(name)).unwrap();
        [&lead, &anna, &ben].iter().for_each(|home| std::fs::write(home.path(name), &bytes).unwrap());
    }
    (lead, anna, ben, other)
}

#[test]
fn a_wrong_sealed_file_that_came_first_can_be_exchanged_until_a_key_is_out() {
    let (lead, anna, ben, _other) = sealed();
    by(&lead, "lea", &["label", "import", "wrong.sealed", "anna.sealed"]).done();
    by(&lead, "lea", &["label", "import", "ben.sealed"]).ended(1, &["that one counts", "--replace"]);
    assert_eq!(by(&lead, "lea", &["round", "status", "--json"]).done().objects()[0]["deviations"], json!([]));
    by(&lead, "lea", &["label", "import", "ben.sealed", "--replace"]).done();
    by(&lead, "lea", &["label", "import", "ben.sealed"]).done();
    let status = by(&lead, "lea", &["round", "status"]).done();
    assert_eq!(status.out.matches("the sealed file of ben was exchanged").count(), 1, "{}", status.out);
    // Ben's and anna's machines give the keys out, and with them the labels come in.
    by(&ben, "ben", &["label", "import", "anna.sealed"]).done();
    by(&anna, "anna", &["label", "import", "ben.sealed"]).done();
    for (home, who) in [(&anna, "anna"), (&ben, "ben")] {
        let key = format!("{who}.key");
        by(home, who, &["label", "reveal", &key]).done();
        std::fs::copy(home.path(&key), lead.path(&key)).unwrap();
    }
    // With a key out, nothing is exchanged any more: not even by who says that they must.
    by(&anna, "anna", &["label", "import", "wrong.sealed", "--replace"]).ended(1, &["a key is out since"]);
    by(&lead, "lea", &["label", "import", "ben.key", "anna.key"]).done();
    by(&lead, "lea", &["label", "import", "wrong.sealed", "--replace"]).ended(1, &["a key is out since"]);
    by(&lead, "lea", &["round", "advance", "--to", "discussion"]).done();
    assert_eq!(labels(&lead, "lea", "r", &["--of-annotator", "ben"]), labels(&ben, "ben", "r", &[]));
}

#[test]
fn the_file_that_its_annotator_wrote_down_counts() {
    let (lead, anna, ben, _other) = sealed();
    by(&lead, "lea", &["label", "import", "wrong.sealed"]).done();
    by(&anna, "anna", &["label", "import", "wrong.sealed"]).done();
    // The round as ben's machine has it, without a label, says which file he handed in.
    by(&ben, "eve", &["label", "export", "round.jsonl"]).done();
    for home in [&lead, &anna] {
        std::fs::copy(ben.path("round.jsonl"), home.path("round.jsonl")).unwrap();
        by(home, "lea", &["label", "import", "round.jsonl"]);
        by(home, "lea", &["label", "import", "ben.sealed"]).done();
        by(home, "lea", &["label", "import", "wrong.sealed", "--replace"])
            .ended(1, &["not the sealed file that ben handed in", "send it again"]);
        let status = by(home, "lea", &["round", "status", "--json"]).done().objects().remove(0);
        assert_eq!((&status["problems"], &status["deviations"]), (&json!([]), &json!([])));
    }
    by(&anna, "anna", &["label", "import", "anna.sealed"]).done();
    by(&anna, "anna", &["label", "reveal", "anna.key"]).done();
}

#[test]
fn nobody_slips_another_file_in_once_a_key_is_out() {
    let (_lead, anna, ben, other) = sealed();
    by(&anna, "anna", &["label", "import", "ben.sealed"]).done();
    by(&anna, "anna", &["label", "reveal", "anna.key"]).done();
    // Ben's other machine says in the round that it was another file.
    by(&other, "eve", &["label", "export", "round.jsonl"]).done();
    std::fs::copy(other.path("round.jsonl"), anna.path("round.jsonl")).unwrap();
    by(&anna, "anna", &["label", "import", "round.jsonl"]).ended(1, &["a key is out: that is left out"]);
    by(&anna, "anna", &["label", "import", "wrong.sealed", "--replace"]).ended(1, &["a key is out since"]);
    by(&ben, "ben", &["label", "import", "anna.sealed"]).done();
    by(&ben, "ben", &["label", "reveal", "ben.key"]).done();
    std::fs::copy(ben.path("ben.key"), anna.path("ben.key")).unwrap();
    by(&anna, "anna", &["label", "import", "ben.key"]).done();
}

#[test]
fn a_wrong_file_that_others_took_in_does_not_keep_its_annotator_from_sealing() {
    let lead = round(2);
    let (ben, other) = (twin(&lead), twin(&lead));
    label_all(&other, "ben", "r", 100);
    by(&other, "ben", &["label", "seal", "wrong.sealed"]).done();
    std::fs::copy(other.path("wrong.sealed"), lead.path("wrong.sealed")).unwrap();
    by(&lead, "lea", &["label", "import", "wrong.sealed"]).done();
    by(&lead, "eve", &["label", "export", "round.jsonl"]).done();
    std::fs::copy(lead.path("round.jsonl"), ben.path("round.jsonl")).unwrap();
    by(&ben, "ben", &["label", "import", "round.jsonl"]).done();
    label_all(&ben, "ben", "r", 0);
    by(&ben, "ben", &["label", "seal", "ben.sealed"]).done();
    by(&ben, "ben", &["label", "seal", "again.sealed"]).done();
    let anna = twin(&lead);
    label_all(&anna, "anna", "r", 0);
    by(&anna, "anna", &["label", "seal", "anna.sealed"]).done();
    std::fs::copy(anna.path("anna.sealed"), ben.path("anna.sealed")).unwrap();
    by(&ben, "ben", &["label", "import", "anna.sealed"]).done();
    by(&ben, "ben", &["label", "reveal", "ben.key"]).done();
}

/// A home that knows the round, and nothing else.
fn round_of(home: &Home, who: &str) -> Home {
    let fresh = Home::new();
    by(home, "eve", &["label", "export", "round.jsonl"]).done();
    std::fs::copy(home.path("round.jsonl"), fresh.path("round.jsonl")).unwrap();
    by(&fresh, who, &["label", "import", "round.jsonl"]).done();
    fresh
}

/// The text of a bundle in which the first answer to an item reads otherwise, with a hash that fits.
fn forged(text: &str, item: &str, change: &dyn Fn(&str) -> String) -> String {
    use sha2::{Digest, Sha256};
    let hash = |text: &str| -> String {
        Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let (body, end) = text.trim_end().rsplit_once('\n').unwrap();
    let body = format!("{body}\n");
    assert!(end.contains(&hash(&body)), "{end}");
    let first = |line: &&str| line.contains("\"answered\"") && line.contains(item);
    let line = body.lines().find(first).unwrap();
    let changed = body.replace(line, &change(line));
    assert_ne!(changed, body);
    format!("{changed}{}\n", end.replace(&hash(&body), &hash(&changed)))
}

#[test]
fn what_the_codebook_does_not_have_and_what_leaves_no_room_is_not_taken_in() {
    let home = round(4);
    let items = queue(&home, "anna", "r");
    let other = twin(&home);
    set(&home, "anna", "r", &lines(&items[0], &[("bug-related", "no")])).done();
    set(&home, "anna", "r", &lines(&items[1], &[("bug-related", "no")])).done();
    by(&home, "anna", &["label", "export", "good.jsonl"]).done();
    let text = std::fs::read_to_string(home.path("good.jsonl")).unwrap();
    let forged = |change: &dyn Fn(&str) -> String| forged(&text, &items[0], change);
    let nonsense = forged(&|line| line.replace("\"one\":\"no\"", "\"one\":\"nonsense\""));
    let strange = forged(&|line| line.replace("\"question\":\"bug-related\"", "\"question\":\"mood\""));
    for (name, text, words) in
        [("nonsense.jsonl", nonsense, "nonsense"), ("strange.jsonl", strange, "`mood` is no question")]
    {
        let there = twin(&other);
        there.write(name, text);
        let ran = by(&there, "anna", &["label", "import", name, "--json"]).ended(1, &[]);
        let import = ran.object("label-import");
        assert_eq!(import["added"], 1, "the other answer is taken in: {import}");
        assert!(import["problems"].to_string().contains(words), "{import}");
        assert_eq!(labels(&there, "anna", "r", &[]).len(), 1);
    }
    // An order after which nothing later could stand: told, and later answers hold.
    let late = forged(&|line| {
        let at = line.find("\"order\":").unwrap() + "\"order\":".len();
        let digits = line[at..].find(|c: char| !c.is_ascii_digit()).unwrap();
        format!("{}18446744073709551615{}", &line[..at], &line[at + digits..])
    });
    other.write("late.jsonl", late);
    let ran = by(&other, "anna", &["label", "import", "late.jsonl", "--json"]).ended(1, &[]);
    assert!(ran.object("label-import")["problems"].to_string().contains("its order"), "{}", ran.out);
    set(&other, "anna", "r", &lines(&items[0], &[("bug-related", "yes")])).done();
    assert!(
        labels(&other, "anna", "r", &[])
            .iter()
            .any(|(cell, value)| cell.contains(&items[0]) && value == "yes")
    );
}

#[test]
fn what_a_copy_of_a_workspace_holds_beside_the_codebook_is_stale_and_counted() {
    let home = round(4);
    let items = queue(&home, "anna", "r");
    label_all(&home, "anna", "r", 0);
    label_all(&home, "ben", "r", 0);
    by(&home, "lea", &["bundle", "export", "whole.jsonl"]).done();
    let text = std::fs::read_to_string(home.path("whole.jsonl")).unwrap();
    let value = |line: &str| {
        let at = line.find("\"value\":").unwrap();
        let end = at + line[at..].find('}').unwrap() + 1;
        format!("{}\"value\":{{\"one\":\"nonsense\"}}{}", &line[..at], &line[end..])
    };
    let question = |line: &str| line.replace("\"question\":\"bug-related\"", "\"question\":\"mood\"");
    let changed = forged(&forged(&text, &items[0], &value), &items[1], &question);
    let there = Home::new();
    there.write("whole.jsonl", changed);
    there.run(&["bundle", "import", "whole.jsonl", "--workspace", "w"]).done();
    // Which of both wrote the first answer to an item in the file does not matter.
    let mut untaken = Vec::new();
    let mut told = String::new();
    for who in ["anna", "ben"] {
        let ran = by(&there, who, &["label", "list", "--stale", "--json"]).done();
        untaken.extend(ran.objects_of("stale-label"));
        told.push_str(&by(&there, who, &["label", "list"]).done().err);
        told.push_str(&by(&there, who, &["round", "status"]).done().err);
    }
    let whys: Vec<&str> = untaken.iter().map(|stale| stale["why"].as_str().unwrap()).collect();
    assert_eq!(whys.len(), 2, "{whys:?}");
    assert!(whys.contains(&"the question does not take such an answer"), "{whys:?}");
    assert!(whys.contains(&"the question is not in the codebook"), "{whys:?}");
    assert!(told.contains("do not hold with the codebook: `label list --stale` says why"), "{told}");
    assert!(told.contains("1 answer to questions that the codebook does not have"), "{told}");
    by(&there, "lea", &["round", "advance", "--to", "discussion", "--force"]).done();
    let ran = by(&there, "lea", &["agreement", "--round", "r", "--basis", "blind", "--json"]).done();
    let all = ran.objects_of("agreement");
    assert_eq!(all[0]["n_stale_left_out"], 1, "{}", all[0]);
    assert_eq!(all[0]["aside"], json!({ "unasked": 1, "untaken": 1, "not_theirs": 0 }));
    let ran = by(&there, "lea", &["agreement", "--round", "r", "--basis", "blind"]).done();
    assert!(ran.out.contains("1 stale label left out"), "{}", ran.out);
    assert!(ran.err.contains("1 answer to questions that the codebook does not have"), "{}", ran.err);
}
