//! Who is answered, and who is not.

use crate::server::Server;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use testkit::browser::Browser;

#[test]
fn foreign_pages_and_foreign_names_are_refused() {
    let server = Server::start(&[]);
    let own = format!("Origin: http://{}", server.host);
    let port = server.host.split(':').nth(1).unwrap().to_owned();
    let ask = |headers: &[&str]| server.ask_with("/api/variants", headers, None).status;
    assert_eq!(ask(&[]), 200);
    assert_eq!(ask(&[&own]), 200);
    assert_eq!(ask(&[&format!("Host: localhost:{port}")]), 200);
    assert_eq!(ask(&["Origin: http://evil.example"]), 403);
    assert_eq!(ask(&["Origin: null"]), 403);
    assert_eq!(ask(&["Sec-Fetch-Site: cross-site"]), 403);
    // A name that someone made to point here.
    assert_eq!(ask(&[&format!("Host: evil.example:{port}")]), 403);
    assert_eq!(ask(&["Host: 127.0.0.1:1"]), 403);
    let game = json!({ "variant": "xiangqi" });
    assert_eq!(server.ask_with("/api/position", &["Origin: http://evil.example"], Some(&game)).status, 403);
}

/// The port of a server of somebody else, whose pages are empty.
fn foreign_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            // A browser opens connections before it needs them.
            std::thread::spawn(move || {
                let head = BufReader::new(&stream).lines().map_while(Result::ok);
                head.take_while(|line| !line.is_empty()).for_each(drop);
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<!doctype html>"
                )
            });
        }
    });
    port
}

#[test]
fn a_browser_gets_nothing_for_a_foreign_page_or_under_a_foreign_name() {
    let rebound = "--host-resolver-rules=MAP evil.test 127.0.0.1";
    let Some(mut browser) = Browser::find_with(&[rebound]) else { return };
    let server = Server::start(&[]);
    let port = server.host.split(':').nth(1).unwrap().to_owned();
    let status = |path: &str| format!("fetch('{path}').then((answer) => answer.status, () => 'nothing')");
    browser.go(&server.page("/play"), 1000, "true");
    assert_eq!(browser.value(&status("/api/variants")), 200);
    // A page of somebody else asks this server.
    browser.go(&format!("http://evil.test:{}/", foreign_server()), 1000, "true");
    assert_eq!(browser.value(&status("/")), 200, "its own server answers");
    for host in [server.host.clone(), format!("localhost:{port}"), format!("evil.test:{port}")] {
        assert_eq!(browser.value(&status(&format!("http://{host}/api/variants"))), "nothing", "{host}");
    }
    // Its name then leads to this server, which is of the same origin for the browser.
    browser.go(&format!("http://evil.test:{port}/play"), 1000, "true");
    assert_eq!(browser.value(&status("/api/variants")), 403);
    assert_eq!(browser.value("document.scripts.length"), 0);
}

#[test]
fn pages_load_from_here_alone_and_nothing_else_is_read() {
    let server = Server::start(&[]);
    for path in ["/", "/explorer", "/play", "/analyse", "/matches", "/studio.js", "/studio.css"] {
        let answer = server.ask_with(path, &[], None);
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer.headers.contains("content-security-policy: default-src 'none'; script-src 'self'"),
            "{answer:?}"
        );
    }
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/api/run?id=../../etc", "/etc/passwd", "/api"] {
        let status = server.ask_with(path, &[], None).status;
        assert!([400, 404, 422].contains(&status), "{path}: {status}");
    }
}

#[test]
fn wrong_questions_are_refused_with_the_reason() {
    let server = Server::start(&[]);
    let refused = |game: serde_json::Value| {
        let (status, answer) = server.post("/api/position", &game);
        assert_eq!(status, 422, "{answer}");
        answer["error"].as_str().unwrap().to_owned()
    };
    assert!(refused(json!({ "variant": "chess" })).contains("no variant is called \"chess\""));
    assert!(refused(json!({ "variant": "xiangqi", "moves": "h3e3 h3e3" })).starts_with("move 2: "));
    assert!(refused(json!({ "variant": "shogi", "fen": "<script>" })).contains("FEN side"));
    assert!(refused(json!({ "variant": "janggi", "setups": "inner,none" })).contains("has no setup"));
    let long = server.post("/api/position", &json!({ "variant": "x".repeat(5 << 20) }));
    assert_eq!(long.0, 413);
}

#[test]
fn the_description_has_every_route() {
    let server = Server::start(&[]);
    let description = server.get("/api/openapi.json");
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.contains_key("/api/position") && paths.contains_key("/api/variants"), "{paths:?}");
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/api.rs")).unwrap();
    assert_eq!(source.matches("routes!(").count(), paths.len(), "each route is described");
    assert_eq!(source.matches(".route(\"/api/").count(), 1, "only the description has no description");
    // Each is answered by the method that is described, and by it alone.
    for (path, methods) in paths {
        let described: Vec<&str> = methods.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(described == ["get"] || described == ["post"], "{path}: {described:?}");
        for (method, body) in [("get", None), ("post", Some(json!({})))] {
            let answer = server.ask_with(path, &[], body.as_ref());
            let is_answered = answer.status != 405 && !answer.body.contains("nothing at this address");
            assert_eq!(is_answered, described == [method], "{method} {path}: {answer:?}");
        }
    }
}
