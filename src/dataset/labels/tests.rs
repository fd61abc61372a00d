//! What the columns say about the format.

use super::*;

#[test]
fn the_format_is_told_by_the_columns() {
    for (line, format) in [
        ("hash,annotator,understand,purpose,bfc,label\n", LabelFormat::LinuxBugs),
        ("instance_id,underspecified,difficulty\r\n", LabelFormat::SweBench),
        ("instance_id,description quality\n", LabelFormat::SweBench),
        (
            "round,phase,revision,question,item,subject,annotator,label,seen_before,codebook,at\n",
            LabelFormat::Own,
        ),
        ("item,rater,label\n", LabelFormat::Ratings),
        ("", LabelFormat::Ratings),
    ] {
        assert_eq!(LabelFormat::detect(line.as_bytes()), format, "{line}");
    }
    assert!(LabelFormat::ALL.into_iter().all(|format| LabelFormat::by_name(format.name()) == Some(format)));
}
