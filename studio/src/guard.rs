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
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// What a page may load: from this server alone, and no scripts or styles that stand in the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Name of the parameter that holds the token, and the beginning of the cookie's name.
const TOKEN: &str = "kirin_token";

/// The port of HTTP.
const HTTP_PORT: u16 = 80;

/// Who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    /// The token of a server that others than this machine can reach.
    token: Option<String>,
}

impl Guard {
    /// The guard of a server at this address.
    pub fn of(address: SocketAddr) -> Guard {
        let token = (!address.ip().is_loopback()).then(|| format!("{:032x}", rand::rng().random::<u128>()));
        Guard { address, token }
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
        let own = match self.address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let is_own = |name: &str| ["127.0.0.1", "localhost", "[::1]", &own].contains(&name);
        let port = self.address.port();
        // Clients leave out the port of HTTP.
        self.token.is_some()
            || host.strip_suffix(&format!(":{port}")).is_some_and(is_own)
            || port == HTTP_PORT && is_own(host)
    }

    /// Name of the cookie. Servers of one machine have their cookies together, whatever their ports.
    fn cookie(&self) -> String {
        format!("{TOKEN}_{}", self.address.port())
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
        let name = self.cookie();
        let is_held = cookies.filter_map(|cookie| cookie.trim().split_once('=')).any(|held| held == (&*name, token));
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
        // `Lax`, because with `Strict` a link in a mail would be redirected without the cookie.
        let cookie = format!("{}={token}; HttpOnly; SameSite=Lax; Path=/", guard.cookie());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(address: &str, host: &str) -> bool {
        Guard::of(address.parse().expect("an address")).knows_host(host)
    }

    #[test]
    fn a_server_knows_the_address_of_its_link() {
        for address in ["127.0.0.1:7878", "127.0.0.2:7878", "[::1]:7878", "127.0.0.1:80"] {
            assert!(knows(address, address), "{address}");
            let port = address.rsplit(':').next().expect("a port");
            assert!(knows(address, &format!("localhost:{port}")) && !knows(address, "localhost:1"), "{address}");
        }
        assert!(knows("127.0.0.1:80", "127.0.0.1") && !knows("127.0.0.1:7878", "127.0.0.1"));
        assert!(!knows("127.0.0.1:7878", "127.0.0.2:7878") && !knows("127.0.0.1:80", "evil.example"));
    }

    #[test]
    fn servers_with_tokens_have_cookies_of_their_own() {
        let [one, other] =
            ["0.0.0.0:7878", "0.0.0.0:7879"].map(|address| Guard::of(address.parse().expect("an address")));
        let cookies =
            [&one, &other].map(|guard| format!("{}={}", guard.cookie(), guard.token.as_deref().expect("a token")));
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("10.0.0.1:7878"));
        headers.insert(header::COOKIE, cookies.join("; ").parse().expect("a header"));
        let uri = Uri::from_static("/api/runs");
        assert_eq!([&one, &other].map(|guard| guard.refusal(&headers, &uri)), [None, None]);
        headers.remove(header::COOKIE);
        assert!(one.refusal(&headers, &uri).is_some_and(|why| why.contains("token")));
    }
}
