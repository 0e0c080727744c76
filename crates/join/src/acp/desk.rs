//! The editor as a desk: it shows the question and its person answers. Never allows anything that was not chosen.

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Choice, Deciding, Decision, Meaning, PermissionRequest};

/// The person in the editor.
pub(super) struct Editor {
    pub(super) connection: ConnectionTo<Client>,
    pub(super) session: SessionId,
}

impl PermissionDesk for Editor {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        Box::pin(async move {
            let options = request.choices.iter().map(option).collect();
            let kind = match request.kind.as_str() {
                "execute" => ToolKind::Execute,
                "edit" => ToolKind::Edit,
                "read" => ToolKind::Read,
                "fetch" => ToolKind::Fetch,
                _ => ToolKind::Other,
            };
            let mut fields = ToolCallUpdateFields::new().title(request.title).kind(kind);
            if let Some(input) = request.input {
                fields = fields.raw_input(input);
            }
            let call = ToolCallUpdate::new(format!("ask-{}", uuid::Uuid::now_v7()), fields);
            let asked = RequestPermissionRequest::new(self.session.clone(), call, options);
            match self.connection.send_request(asked).block_task().await.map(|response| response.outcome) {
                Ok(RequestPermissionOutcome::Selected(chosen)) => {
                    Decision::Chosen(chosen.option_id.to_string())
                }
                Ok(_) | Err(_) => Decision::Refused,
            }
        })
    }
}

fn option(choice: &Choice) -> PermissionOption {
    let kind = match choice.meaning {
        Meaning::AllowOnce => PermissionOptionKind::AllowOnce,
        Meaning::AllowAlways => PermissionOptionKind::AllowAlways,
        Meaning::RejectOnce => PermissionOptionKind::RejectOnce,
        Meaning::RejectAlways => PermissionOptionKind::RejectAlways,
    };
    PermissionOption::new(choice.id.clone(), choice.name.clone(), kind)
}
