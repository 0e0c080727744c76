//! What the program's own tests cannot time: a save between reading and writing.

use super::{Destination, replace};

#[test]
fn what_someone_saved_in_the_meantime_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.md");
    std::fs::write(&path, "saved just now\n").unwrap();
    let destination = Destination::find(&path).unwrap();
    let refused = replace(&destination, "merged\n", Some("as we read it\n")).unwrap_err();
    assert!(refused.to_string().ends_with("was changed meanwhile"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "saved just now\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
