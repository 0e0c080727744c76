//! One worker of a run is stopped, and the others go on. Never waits for the worker to be gone, and never takes back what it wrote.

use super::Runs;
use crate::actor::Message;
use crate::core::Event;
use crate::error::RunError;

impl Runs {
    /// Stops a worker: what it has to do is not done, and what it wrote stays. It works again when the person says something to it.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such run or worker here, or it has nothing to do.
    pub async fn stop(&self, id: &str, worker: &str, person: &str) -> Result<(), RunError> {
        let folder = self.folder(id).await?;
        let Some(handle) = self.listening(folder.id()).await else {
            let record = self.record(&folder).await?;
            return Err(RunError::Over { run: record.id, status: record.status.words() });
        };
        let record = std::sync::Arc::clone(&handle.view.borrow().record);
        let Some(known) = record.workers.iter().find(|known| known.name.eq_ignore_ascii_case(worker)) else {
            return Err(RunError::NoWorker(worker.to_owned(), record.names().join(", ")));
        };
        if !record.plan.iter().any(|item| item.worker == known.name && !item.state.is_over()) {
            return Err(RunError::Idle(known.name.clone()));
        }
        let event = Event::Dismissed { worker: known.name.clone(), by: person.to_owned() };
        handle.mailbox.send(Message::Event(event)).await.map_err(|_| RunError::Closing)
    }
}
