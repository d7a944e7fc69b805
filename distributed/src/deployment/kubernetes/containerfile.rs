//! The image that the manifests run.

/// The Containerfile. It is built in a checkout of Kirin.
///
/// The program looks for libtorch at its path at build time, so both stages have it in the same place.
pub const TEXT: &str = r#"# Written by `kirin cluster kubernetes`. In a checkout of Kirin, of the version that wrote it:
#   podman build -f Containerfile -t IMAGE .
FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ python3-pip && rm -rf /var/lib/apt/lists/*
ENV XDG_CACHE_HOME=/opt/kirin/cache PIP_BREAK_SYSTEM_PACKAGES=1
WORKDIR /source
COPY . .
RUN make build && mkdir -p /opt/kirin/bin && cp target/release/kirin target/release/libkirin_torch.so /opt/kirin/bin/

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libgomp1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/kirin /opt/kirin
USER 10001:10001
ENTRYPOINT ["/opt/kirin/bin/kirin"]
"#;
