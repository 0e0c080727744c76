//! What a server says without being asked. Never answers a question of it: our model, our person and our files are not its.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
    ProtocolVersion,
};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};

use super::words::{short, without_secrets};
use crate::process::locked;
use crate::web::Key;

/// Takes progress of one call, for the screen.
pub(super) type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// Hears the progress of calls.
#[derive(Clone, Default)]
pub(super) struct Ears {
    reports: Arc<Mutex<HashMap<ProgressToken, Report>>>,
    secrets: Arc<[Key]>,
}

/// Hears for one call. Dropping it ends that.
pub(super) struct Hearing {
    ears: Ears,
    token: ProgressToken,
}

impl Ears {
    pub(super) fn new(secrets: &[Key]) -> Self {
        Self { reports: Arc::default(), secrets: secrets.into() }
    }

    /// Passes on what is said about the call with this token.
    pub(super) fn hear(&self, token: ProgressToken, report: Report) -> Hearing {
        locked(&self.reports).insert(token.clone(), report);
        Hearing { ears: self.clone(), token }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        locked(&self.ears.reports).remove(&self.token);
    }
}

impl ClientHandler for Ears {
    /// No capability is offered.
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("agent-doc", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_progress(&self, heard: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let report = locked(&self.reports).get(&heard.progress_token).cloned();
        let Some(report) = report else { return };
        let share = heard
            .total
            .map_or_else(|| heard.progress.to_string(), |total| format!("{} of {total}", heard.progress));
        let words = heard.message.map(|message| without_secrets(short(&message), &self.secrets));
        report(&words.map_or_else(|| share.clone(), |words| format!("{share}: {words}")));
    }
}
