//! Secrets for others, and the end of all of them. Never gives one that opens more than the asker has: only the person asks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::document::person_name;
use crate::key::Role;
use crate::refused::{Answer, Refused};
use crate::server::Shared;
use crate::wire::{KeyCall, KeyGiven, KeyRole};
use workspace::token::Token;

pub(super) async fn give(
    State(shared): State<Arc<Shared>>,
    Json(KeyCall { role }): Json<KeyCall>,
) -> Answer<Json<KeyGiven>> {
    let role = match role {
        KeyRole::Reader => Role::Reader,
        KeyRole::Worker { name } => {
            let wrong =
                || Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "a worker needs a plain name of its own");
            Role::Worker(person_name(&name).ok_or_else(wrong)?.to_owned())
        }
    };
    match shared.keys.given(role) {
        Ok(Some(token)) => Ok(given(&token)),
        Ok(None) => {
            let message = "there are too many secrets; make all of them anew first";
            Err(Refused::new(StatusCode::CONFLICT, message))
        }
        Err(_) => Err(no_randomness()),
    }
}

pub(super) async fn renew(State(shared): State<Arc<Shared>>) -> Answer<Json<KeyGiven>> {
    shared.keys.renew().map(|token| given(&token)).map_err(|_| no_randomness())
}

fn given(token: &Token) -> Json<KeyGiven> {
    Json(KeyGiven { token: token.secret().to_owned() })
}

fn no_randomness() -> Refused {
    Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "the system has no randomness; try again")
}
