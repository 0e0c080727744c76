//! A refusal as an answer of HTTP. Never says more than the refusal does.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use workspace::command::{FileErrorKind, Refusal};

use crate::runs::{RunRefusal, RunRefusalKind};
use crate::wire::{Problem, VersionText};

/// An answer, or why there is none.
pub(crate) type Answer<T> = Result<T, Refused>;

/// A refusal as an answer.
pub(crate) struct Refused {
    status: StatusCode,
    problem: Problem,
}

impl Refused {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Refused {
        Refused { status, problem: Problem { message: message.into(), current: None } }
    }

    /// What the owner of a document said.
    pub(crate) fn of(message: String, kind: FileErrorKind) -> Refused {
        let status = match &kind {
            FileErrorKind::NotFound | FileErrorKind::SectionNotFound => StatusCode::NOT_FOUND,
            FileErrorKind::PathTraversal => StatusCode::BAD_REQUEST,
            FileErrorKind::Forbidden { .. } => StatusCode::FORBIDDEN,
            FileErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            FileErrorKind::InvalidContent => StatusCode::UNPROCESSABLE_ENTITY,
            FileErrorKind::Conflict { .. } => StatusCode::PRECONDITION_FAILED,
            FileErrorKind::NoMatch | FileErrorKind::MultipleMatches { .. } | FileErrorKind::AlreadyExists => {
                StatusCode::CONFLICT
            }
            FileErrorKind::IoError => StatusCode::SERVICE_UNAVAILABLE,
        };
        let current = match kind {
            FileErrorKind::Conflict { current_revision, current } => {
                Some(VersionText { revision: current_revision, text: current })
            }
            _ => None,
        };
        Refused { status, problem: Problem { message, current } }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Refused::of(refusal.message, refusal.kind)
    }
}

impl From<RunRefusal> for Refused {
    fn from(refusal: RunRefusal) -> Self {
        let status = match refusal.kind {
            RunRefusalKind::Absent => StatusCode::NOT_FOUND,
            RunRefusalKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            RunRefusalKind::Conflict => StatusCode::CONFLICT,
            RunRefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        Refused::new(status, refusal.message)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}
