# make run    the whole loop, small: self-play, training, matches, openings, report (under 10 minutes)
# make test   everything that must hold: format, lints, docs, tests
# make build  the program alone: target/release/kirin
# make bench  speed of rules and search on this machine
# make libtorch  finds or installs libtorch (the others do it by themselves)
.PHONY: run build test bench libtorch
CONFIG ?= configs/wangqi-smoke.toml

run: build
	target/release/kirin run $(CONFIG)

build: libtorch
	cargo build --release --workspace

# One profile for everything, so that the heavy crates compile once; clippy and rustdoc share their own pass.
test: libtorch
	cargo fmt --all --check
	cargo build --release --workspace
	cargo test --release --workspace
	cargo clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps

bench:
	cargo bench -p rules
	cargo run --release -p selfplay --example overhead

libtorch:
	@scripts/libtorch
