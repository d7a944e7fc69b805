# make run    the whole loop, small: self-play, training, matches, openings, report (under 10 minutes)
# make test   format, lints, documentation and all tests
# make build  only the program: target/release/kirin
# make wheel  program and Python module as a wheel in target/wheels, which pip installs without a compiler (docs/how-to/python-rules.md)
# make bench  the speed of rules, search and self-play on this machine, beside other engines
# make bench-pgx  only the last part of the bench: self-play beside pgx and mctx (dev/pgx/README.md; 6 minutes)
# make oracles  installs what tests compare with: engines, DuckDB, TensorBoard, codespell, PyTorch, maturin, Chromium, SLURM, an S3; a test without its oracle prints SKIPPED
# make faults  every step of a run that touches the disk fails, and the power is cut after each (docs/explanation/reliability.md)
# make kills  200 runs are killed, and what that cost is printed (docs/explanation/reliability.md)
# make fuzz   FUZZ_SECONDS (60) of random input for each reader (READERS="fen moves": of these)
# make soak   a run and matches for SOAK_MINUTES (120), with engines that crash and kills at random; prints figures
# make libtorch  finds or installs libtorch (the other targets do this themselves)
.PHONY: run build test wheel bench bench-pgx oracles faults kills fuzz soak libtorch
CONFIG ?= configs/wangqi-smoke.toml
# Seconds of self-play for each row of the throughput table.
BENCH_SECONDS ?= 20
export FUZZ_SECONDS ?= 60
export SOAK_MINUTES ?= 120

run: build
	target/release/kirin run $(CONFIG)

build: libtorch
	cargo build --release --workspace
	@scripts/checksum

# Everything is built with one profile, so that the heavy crates compile once. Clippy and rustdoc share a pass of their own.
test: libtorch
	cargo fmt --all --check
	cargo build --release --workspace
	@scripts/checksum
	cargo test --release --workspace
	cargo clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps

wheel: libtorch
	@scripts/wheel

# Rivals that cannot be installed are skipped, and the bench says so.
bench:
	-@scripts/oracles bench
	cargo bench -p rules
	cargo bench -p peers --bench side_by_side
	cargo run --release -p search --example overhead
	cargo run --release -p search --example profile
	cargo run --release -p cli -- bench selfplay --variant xiangqi,shogi,koshogi --net 4x64,6x96 --visits 16,64,400 --seconds $(BENCH_SECONDS)
	cargo run --release -p cli -- bench selfplay --variant xiangqi --precision fp32,bf16 --seconds $(BENCH_SECONDS)
	@$(MAKE) --no-print-directory bench-pgx

bench-pgx: build
	-@scripts/oracles pgx
	@python3 dev/pgx/bench.py

faults: libtorch
	cargo test --release -p lab --test runs faults:: -- --ignored --nocapture

kills: libtorch
	cargo test --release -p cli --test program kills:: -- --ignored --nocapture

fuzz: libtorch
	scripts/fuzz

soak: build
	scripts/soak

oracles: libtorch
	@scripts/oracles

libtorch:
	@scripts/libtorch
