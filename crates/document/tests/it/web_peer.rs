//! A web peer as a browser is one: a replica of its own, made with the library that speaks the peers' format.

use document::{Author, Document, Edit, UpdateError};
use yrs::updates::decoder::Decode;
use yrs::{ClientID, Doc, GetString, OffsetKind, Options, Text, TextRef, Transact, Update};

pub(crate) struct WebPeer {
    pub(crate) author: Author,
    pub(crate) client: u64,
    doc: Doc,
    root: TextRef,
}

impl WebPeer {
    /// Joins the open session of a document.
    pub(crate) fn join(document: &Document, client: u64, name: &str) -> WebPeer {
        let mut options = Options::with_guid_and_client_id("peer".into(), ClientID::new(client));
        options.offset_kind = OffsetKind::Utf16;
        let doc = Doc::with_options(options);
        let root = doc.get_or_insert_text("text");
        let peer = WebPeer { author: Author::new(name), client, doc, root };
        peer.hear(&document.update_since(None).unwrap());
        peer
    }

    /// Types at a place counted in UTF-16 units, and gives the update to be sent.
    pub(crate) fn types(&self, at: u32, text: &str) -> Vec<u8> {
        let mut transaction = self.doc.transact_mut();
        self.root.insert(&mut transaction, at, text);
        transaction.encode_update_v1()
    }

    pub(crate) fn hear(&self, update: &[u8]) {
        self.doc.transact_mut().apply_update(Update::decode_v1(update).unwrap()).unwrap();
    }

    pub(crate) fn sends(&self, update: &[u8], document: &mut Document) -> Result<Vec<Edit>, UpdateError> {
        document.apply_update(update, self.client, &self.author)
    }

    pub(crate) fn text(&self) -> String {
        self.root.get_string(&self.doc.transact())
    }
}
