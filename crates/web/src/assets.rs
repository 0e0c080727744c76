//! The Writer's own files, built from `ui/` and carried in the program. Never serves anything else, and never without a policy
//! that says what the page may do.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;

use crate::plain;
use workspace::token::Token;

/// Read from the disk in debug builds, so that a change is seen without building the program again.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// The pages that are all made by the same shell.
const PAGES: [&str; 2] = ["/", "/write"];
const SHELL: &str = "index.html";
const NONCE: &str = "__NONCE__";

/// Whether the Writer is there.
#[must_use]
pub fn is_built() -> bool {
    Built::get(SHELL).is_some()
}

/// A page or one of its files.
pub(crate) async fn page(uri: Uri) -> Response {
    let path = uri.path();
    if PAGES.contains(&path) {
        return shell();
    }
    match Built::get(path.trim_start_matches('/')) {
        Some(file) if path != "/index.html" => {
            let kind = match path.rsplit('.').next() {
                Some("js") => "text/javascript; charset=utf-8",
                Some("css") => "text/css; charset=utf-8",
                Some("svg") => "image/svg+xml",
                Some("woff2") => "font/woff2",
                _ => "application/octet-stream",
            };
            // Always asked for again, so that a page never runs with the parts of an older one.
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
            (headers, Body::from(file.data.into_owned())).into_response()
        }
        Some(_) | None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
    }
}

fn shell() -> Response {
    let Ok(nonce) = Token::random() else {
        return (StatusCode::INTERNAL_SERVER_ERROR, "the system has no randomness\n").into_response();
    };
    let built = Built::get(SHELL).map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let (page, policy) = made(built, nonce.secret());
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The page and what it may do: the Writer if it is built, else the one that stands in.
fn made(built: Option<String>, nonce: &str) -> (String, String) {
    let (page, policy) = match built {
        Some(page) => (page, WRITER_POLICY),
        None => (plain::PAGE.to_owned(), PLAIN_POLICY),
    };
    (page.replace(NONCE, nonce), policy.replace(NONCE, nonce))
}

const WRITER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-__NONCE__'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify";
const PLAIN_POLICY: &str = "default-src 'none'; script-src 'nonce-__NONCE__'; style-src 'nonce-__NONCE__'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests {
    use super::made;

    #[test]
    fn the_page_that_stands_in_runs_its_own_script_and_nothing_else() {
        let (page, policy) = made(None, "n0nce");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("script-src 'self'"), "{policy}");
        // Each script and style has the nonce, nothing is fetched from elsewhere, and no handler stands in an attribute.
        assert_eq!(page.matches("<script").count(), page.matches("<script nonce=\"n0nce\">").count());
        assert_eq!(page.matches("<style").count(), page.matches("<style nonce=\"n0nce\">").count());
        assert!(!page.contains(" src=") && !page.contains("http"), "{page}");
        assert!(!["onclick=", "onload=", "onerror="].iter().any(|handler| page.contains(handler)), "{page}");
        assert!(!page.contains("__NONCE__") && !policy.contains("__NONCE__"));
    }
}
