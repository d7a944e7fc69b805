//! Who may ask: pages of this server alone.
//!
//! A browser lets any page send requests to 127.0.0.1. Foreign pages are refused by their `Origin` and `Sec-Fetch-Site`, and
//! names that were made to point here (DNS rebinding) by their `Host`. A server that other machines can reach has a random
//! token in the link, which becomes a cookie; requests without it are refused.

use crate::App;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use rand::RngExt;
use std::net::SocketAddr;
use std::sync::Arc;

/// What a page may load: from this server alone, and no scripts or styles that stand in the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Name of the cookie and of the parameter that hold the token.
const TOKEN: &str = "kirin_token";

/// Who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    port: u16,
    /// The token of a server that others than this machine can reach.
    token: Option<String>,
}

impl Guard {
    /// The guard of a server at this address.
    pub fn of(address: SocketAddr) -> Guard {
        let token = (!address.ip().is_loopback()).then(|| format!("{:032x}", rand::rng().random::<u128>()));
        Guard { port: address.port(), token }
    }

    /// The link to open.
    pub fn link(&self, address: SocketAddr) -> String {
        match &self.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?{TOKEN}={token}"),
        }
    }

    /// Whether the header `Host` names this server. Beyond this machine the token decides.
    fn knows_host(&self, host: &str) -> bool {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        self.token.is_some() || names.iter().any(|name| host == format!("{name}:{}", self.port))
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, headers: &HeaderMap, uri: &Uri) -> Option<&'static str> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(header::HOST).filter(|host| self.knows_host(host)) else {
            return Some("this server has another name: use the link that it printed");
        };
        if headers.get(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}").as_str()) {
            return Some("foreign pages may not ask this server");
        }
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        let is_foreign = site.is_some_and(|site| !["same-origin", "none"].contains(&site));
        // A link from a foreign page to one of ours is no harm: the foreign page cannot read what it shows.
        if is_foreign && uri.path().starts_with("/api") {
            return Some("foreign pages may not ask this server");
        }
        let token = self.token.as_deref()?;
        let cookies = text(header::COOKIE).unwrap_or_default().split(';');
        let is_held = cookies.filter_map(|cookie| cookie.trim().split_once('=')).any(|held| held == (TOKEN, token));
        (!is_held).then_some("the token is missing: use the link that the server printed")
    }

    /// Whether the query of an address has the token.
    fn is_in(&self, uri: &Uri) -> bool {
        let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        self.token.as_deref().is_some_and(|token| pairs.into_iter().any(|pair| pair == (TOKEN, token)))
    }
}

/// Refuses requests that may not be made, and says what a page may load.
pub(crate) async fn watch(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let guard = &app.guard;
    let mut response = if *request.method() == Method::GET && guard.is_in(request.uri()) {
        // The token leaves the address, so that no link that is passed on has it.
        let mut response = Redirect::to(request.uri().path()).into_response();
        let token = guard.token.as_deref().unwrap_or_default();
        let cookie = format!("{TOKEN}={token}; HttpOnly; SameSite=Strict; Path=/");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    } else if let Some(reason) = guard.refusal(request.headers(), request.uri()) {
        (StatusCode::FORBIDDEN, reason).into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
