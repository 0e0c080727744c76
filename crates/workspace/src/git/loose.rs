//! Objects of a plain repository that lie in files of their own, read and written without starting git. Never takes the place of one
//! that is there, and never answers for a repository that is out of the ordinary: then git is asked.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha1::{Digest as _, Sha1};

use super::{ObjectId, tree};

/// The digits of an object's name, and how many of them name its folder.
const DIGITS: usize = 40;
const FOLDER_DIGITS: usize = 2;
/// A tree or a commit that is longer is git's to read.
const LENGTH_MAX: u64 = 16 << 20;
/// What makes a repository want its objects written in another way than here, or read in another.
const WISHES: [&str; 3] = ["sharedrepository", "fsync", "objectformat"];

/// The objects of one repository.
#[derive(Debug, Clone)]
pub(super) struct Loose {
    objects: PathBuf,
}

/// An object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) kind: String,
    pub(super) content: Vec<u8>,
}

impl Loose {
    /// The objects of the repository in this folder, whose settings are known to be ordinary, unless they say how objects are kept, or
    /// some objects stand for others.
    pub(super) fn of(folder: &Path, settings: &str) -> Option<Loose> {
        let replaces = |name: &str| folder.join(name).exists();
        let packed = fs::read(folder.join("packed-refs")).unwrap_or_default();
        let is_replaced = replaces("refs/replace")
            || replaces("info/grafts")
            || memchr::memmem::find(&packed, b"refs/replace/").is_some();
        let has_wishes = WISHES.iter().any(|wish| settings.contains(wish));
        let objects = folder.join("objects");
        (!is_replaced && !has_wishes && objects.is_dir()).then_some(Loose { objects })
    }

    /// The object of this name, if it lies in a file of its own.
    pub(super) fn read(&self, id: &str) -> Option<Object> {
        let mut bytes = Vec::new();
        let file = File::open(self.path(id)?).ok()?;
        ZlibDecoder::new(file).take(LENGTH_MAX).read_to_end(&mut bytes).ok()?;
        let end = memchr::memchr(0, &bytes)?;
        let (kind, length) = std::str::from_utf8(bytes.get(..end)?).ok()?.split_once(' ')?;
        let (kind, length) = (kind.to_owned(), length.parse::<usize>().ok()?);
        bytes.drain(..=end);
        (bytes.len() == length).then_some(Object { kind, content: bytes })
    }

    /// Keeps an object, and gives its name.
    pub(super) fn write(&self, kind: &str, content: &[u8]) -> io::Result<ObjectId> {
        let head = format!("{kind} {}\0", content.len());
        let id = hex(&Sha1::new().chain_update(&head).chain_update(content).finalize());
        let path = self.path(&id).ok_or(ErrorKind::InvalidInput)?;
        if let Ok(file) = File::open(&path) {
            // One that is used again must not seem old to whoever cleans up.
            drop(file.set_modified(SystemTime::now()));
            return Ok(id);
        }
        let folder = path.parent().unwrap_or(&self.objects);
        match fs::create_dir(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        // Git knows files of this name as ones that were never finished, and cleans them up.
        let unfinished = folder.join(format!("tmp_obj_{}", uuid::Uuid::now_v7().simple()));
        let written =
            write_new(&unfinished, head.as_bytes(), content).and_then(|()| fs::rename(&unfinished, &path));
        if let Err(error) = written {
            drop(fs::remove_file(&unfinished));
            return Err(error);
        }
        Ok(id)
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        let (folder, name) = id.split_at_checked(FOLDER_DIGITS).filter(|_| is_name(id))?;
        Some(self.objects.join(folder).join(name))
    }
}

fn write_new(path: &Path, head: &[u8], content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        options.mode(0o444);
    }
    let mut encoder = ZlibEncoder::new(options.open(path)?, Compression::fast());
    encoder.write_all(head)?;
    encoder.write_all(content)?;
    encoder.finish()?.flush()
}

/// The listing of a tree as `git ls-tree -z` tells it, of what the tree holds.
pub(super) fn listing(mut tree: &[u8]) -> Option<Vec<u8>> {
    let mut listed = Vec::with_capacity(tree.len() * 2);
    while !tree.is_empty() {
        let end = memchr::memchr(0, tree)?;
        let (entry, rest) = (tree.get(..end)?, tree.get(end + 1..)?);
        let (id, rest) = rest.split_at_checked(DIGITS / 2)?;
        let space = memchr::memchr(b' ', entry)?;
        let (mode, name) = (std::str::from_utf8(entry.get(..space)?).ok()?, entry.get(space + 1..)?);
        let kind = match mode {
            "40000" => "tree",
            "160000" => "commit",
            _ => "blob",
        };
        listed.extend_from_slice(format!("{mode:0>6} {kind} {}\t", hex(id)).as_bytes());
        listed.extend_from_slice(name);
        listed.push(0);
        tree = rest;
    }
    Some(listed)
}

/// What a tree of this listing holds. Git has its entries in the order of their names, a folder's with `/` at its end.
pub(super) fn content(listed: &[u8]) -> Option<Vec<u8>> {
    let mut entries = Vec::new();
    for row in tree::rows(listed) {
        let (name, (mode, kind, id)) = (tree::name(row), tree::parts(row)?);
        let end: &[u8] = if kind == "tree" { b"/" } else { b"" };
        let entry = [mode.trim_start_matches('0').as_bytes(), b" ", name, b"\0", &bytes_of(&id)?].concat();
        entries.push(([name, end].concat(), entry));
    }
    entries.sort();
    Some(entries.into_iter().flat_map(|(_, entry)| entry).collect())
}

/// Whether this is the name of an object in a repository of the plainest kind.
pub(super) fn is_name(id: &str) -> bool {
    id.len() == DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}
