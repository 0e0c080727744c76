//! The smallest keeper of a real file, for tests of paths and watching. Never safe against a crash: the store is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use workspace::SharedText;
use workspace::hub::KeeperFactory;
use workspace::keeper::{Displaced, Entry, Keeper, KeeperError};

struct FileKeeper {
    path: PathBuf,
    known: Option<String>,
}

impl FileKeeper {
    fn text(&self) -> Result<String, KeeperError> {
        std::fs::read_to_string(&self.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => KeeperError::Gone,
            _ => KeeperError::Io(error),
        })
    }
}

impl Keeper for FileKeeper {
    fn read(&mut self) -> Result<Option<SharedText>, KeeperError> {
        let text = self.text()?;
        if self.known.as_ref() == Some(&text) {
            return Ok(None);
        }
        self.known = Some(text.clone());
        Ok(Some(text.into()))
    }

    fn write(&mut self, expected: &SharedText, text: &SharedText) -> Result<Displaced, KeeperError> {
        let stood = self.text()?;
        std::fs::write(&self.path, &**text)?;
        self.known = Some(text.to_string());
        Ok(if *expected == stood { Displaced::AsExpected } else { Displaced::Save(stood) })
    }

    fn note(&mut self, _: &[Entry], _: &SharedText) -> Result<(), KeeperError> {
        Ok(())
    }
}

pub(crate) fn keepers() -> KeeperFactory {
    Arc::new(|path: &Path| Ok(Box::new(FileKeeper { path: path.to_owned(), known: None }) as Box<dyn Keeper>))
}
