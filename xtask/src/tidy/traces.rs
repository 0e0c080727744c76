//! Traces of one machine: absolute paths and the hosts it downloads from. Never lets them into a file that others clone.

use super::violation::Violation;

/// Folders of one machine or person, cut in two so that this file does not hold them.
const FOLDERS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Where packages are downloaded from. The project names packages, never places.
const HOSTS: &[&str] = &[
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("files.", "pythonhosted.org"),
    concat!("deb.", "debian.org"),
    concat!("arti", "factory"),
];

/// No file holds a folder of a machine or a download host.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in FOLDERS.iter().filter(|folder| is_absolute(line, folder)) {
            let what = format!("`{folder}` is a folder of one machine");
            violations.push(Violation::new(
                path,
                index + 1,
                what,
                "use a relative path or a temporary folder",
            ));
        }
        for host in HOSTS.iter().filter(|host| line.contains(**host)) {
            let what = format!("`{host}` is a host that packages are downloaded from");
            violations.push(Violation::new(
                path,
                index + 1,
                what,
                "name the package and let each machine find it",
            ));
        }
    }
    violations
}

/// Whether `folder` begins a path in `line`, rather than continuing one such as `src/home/`.
fn is_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(index, _)| {
        let before = line[..index].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && !"._-~}*/".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, HOSTS, check};

    #[test]
    fn each_folder_and_host_is_heard_anywhere() {
        for folder in FOLDERS {
            assert_eq!(check("README.md", &format!("see `{folder}me/x`\n")).len(), 1, "{folder}");
            assert_eq!(check("a.toml", &format!("{folder}x\n")).len(), 1, "{folder}");
        }
        for host in HOSTS {
            assert_eq!(check("a.md", &format!("from https://{host}/x\n")).len(), 1, "{host}");
        }
    }

    #[test]
    fn a_relative_path_and_the_index_line_of_the_lock_are_fine() {
        let relative = format!("src{0}x ..{0}x $HOME\n", FOLDERS[2]);
        assert_eq!(check("a.md", &relative), []);
        assert_eq!(
            check("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n"),
            []
        );
    }
}
