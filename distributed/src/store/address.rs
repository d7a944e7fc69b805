//! From a URL to the objects behind it.

use super::Placed;
use super::bucket::Bucket;
use super::error::{Result, StoreError};
use super::folder::{Folder, Moved};
use super::identity::Identity;
use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, RetryConfig};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Time limit for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Time for a whole request; a large network on a slow line takes a while.
const REQUEST: Duration = Duration::from_secs(120);

/// Variables with the address of a server. `object_store` panics if one is not a URL.
const SERVERS: &[(&str, &[&str])] = &[
    ("s3", &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]),
    ("gs", &["GOOGLE_BASE_URL"]),
    ("az", &["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]),
];

/// The connection to the objects of a store. Each call makes one request and is not repeated here.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub url: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Folder(Arc<Folder>),
    Bucket(Arc<Bucket>),
}

impl Connection {
    /// Opens the connection without creating anything.
    ///
    /// # Errors
    /// The URL is none of a store, or the settings in the environment do not make one.
    pub fn of(url: &str) -> Result<Connection> {
        let address = |reason: &str| StoreError::Address { url: url.to_owned(), reason: reason.to_owned() };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| address("it has no scheme"))?;
        let connection = |kind| Connection { url: url.to_owned(), kind };
        if scheme == "file" {
            if !rest.starts_with('/') {
                return Err(address("the path of a folder begins at the root: file:///shared/run"));
            }
            return Ok(connection(Kind::Folder(Arc::new(Folder::new(url, PathBuf::from(rest))))));
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(address("it names no bucket"));
        }
        let allow_http = match scheme {
            "s3" => "AWS_ALLOW_HTTP",
            "gs" => "GOOGLE_ALLOW_HTTP",
            "az" => "AZURE_ALLOW_HTTP",
            _ => return Err(address(&format!("{scheme} is no kind of store"))),
        };
        check_servers(url, scheme, allow_http)?;
        let settings =
            |source: object_store::Error| StoreError::Settings { url: url.to_owned(), source: source.into() };
        let client = client(allow_http);
        let objects: Arc<dyn object_store::ObjectStore> = match scheme {
            "s3" => {
                let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client).build().map_err(settings)?)
            }
            "gs" => {
                let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client).build().map_err(settings)?)
            }
            _ => {
                let builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client).build().map_err(settings)?)
            }
        };
        Ok(connection(Kind::Bucket(Arc::new(Bucket::new(url, objects, prefix.trim_matches('/'))))))
    }

    /// Creates the store's folder if it is one. A bucket must exist already.
    ///
    /// # Errors
    /// The folder cannot be created or synced.
    pub fn create(&self) -> Result<()> {
        match &self.kind {
            Kind::Folder(folder) => folder.create(),
            Kind::Bucket(_) => Ok(()),
        }
    }

    /// Removes the empty folders, if any, that an examination left.
    pub fn remove_empty(&self, prefix: &str, root: bool) {
        if let Kind::Folder(folder) = &self.kind {
            folder.remove_empty(prefix, root);
        }
    }

    /// Whether it is a folder that is missing.
    pub fn is_missing(&self) -> bool {
        matches!(&self.kind, Kind::Folder(folder) if folder.is_missing())
    }

    /// Creates an object if it does not exist, after checking the store's identity.
    ///
    /// # Errors
    /// The name is invalid, the store is not the one of `identity`, or it cannot be reached or refuses.
    pub async fn put(
        &self,
        key: &str,
        bytes: Bytes,
        identity: Option<Arc<Identity>>,
    ) -> Result<(Placed, Option<Moved>)> {
        let path = path(key)?;
        match &self.kind {
            Kind::Folder(folder) => {
                on_a_thread(folder, move |folder| folder.put(path.as_ref(), &bytes, identity.as_deref())).await
            }
            Kind::Bucket(bucket) => Ok((bucket.put(&path, bytes, identity.as_deref()).await?, None)),
        }
    }

    /// An object of at most `most` bytes.
    ///
    /// # Errors
    /// The name is invalid, the object is larger than `most` or cannot be read, or the store cannot be reached, refuses
    /// or is not the one of `identity`.
    pub async fn get(&self, key: &str, most: u64, identity: Option<Arc<Identity>>) -> Result<Option<Bytes>> {
        let path = path(key)?;
        match &self.kind {
            Kind::Folder(folder) => {
                on_a_thread(folder, move |folder| folder.get(path.as_ref(), most, identity.as_deref())).await
            }
            Kind::Bucket(bucket) => bucket.get(&path, most).await,
        }
    }

    /// Whether there is an object.
    ///
    /// # Errors
    /// The name is invalid, or the store cannot be reached, refuses or is not the one of `identity`.
    pub async fn contains(&self, key: &str, identity: Option<Arc<Identity>>) -> Result<bool> {
        let path = path(key)?;
        match &self.kind {
            Kind::Folder(folder) => {
                on_a_thread(folder, move |folder| folder.contains(path.as_ref(), identity.as_deref())).await
            }
            Kind::Bucket(bucket) => bucket.contains(&path).await,
        }
    }

    /// The names directly under a prefix, sorted.
    ///
    /// # Errors
    /// The prefix is invalid, or the store cannot be reached, refuses or is not the one of `identity`.
    pub async fn names_in(&self, prefix: &str, identity: Option<Arc<Identity>>) -> Result<Vec<String>> {
        let path = path(prefix)?;
        let mut names = match &self.kind {
            Kind::Folder(folder) => {
                on_a_thread(folder, move |folder| folder.names_in(path.as_ref(), identity.as_deref())).await?
            }
            Kind::Bucket(bucket) => bucket.names_in(&path).await?,
        };
        names.sort();
        Ok(names)
    }

    /// Removes an object; it may be missing.
    ///
    /// # Errors
    /// The name is invalid, or the store cannot be reached or refuses.
    pub async fn remove(&self, key: &str) -> Result<()> {
        let path = path(key)?;
        match &self.kind {
            Kind::Folder(folder) => on_a_thread(folder, move |folder| folder.remove(path.as_ref())).await,
            Kind::Bucket(bucket) => bucket.remove(&path).await,
        }
    }
}

/// Runs on its own thread: a file system may hang, and the time limit of a request must still hold.
async fn on_a_thread<T: Send + 'static>(
    folder: &Arc<Folder>,
    work: impl FnOnce(&Folder) -> Result<T> + Send + 'static,
) -> Result<T> {
    let folder = Arc::clone(folder);
    match tokio::task::spawn_blocking(move || work(&folder)).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(StoreError::Runtime { source: std::io::Error::other(error) }),
        },
    }
}

/// A valid object name as a path.
fn path(key: &str) -> Result<Path> {
    Path::parse(key).map_err(|error| StoreError::Key { key: key.to_owned(), reason: error.to_string() })
}

/// Checks the addresses of servers in the environment.
fn check_servers(url: &str, scheme: &str, allow_http: &str) -> Result<()> {
    let variables = SERVERS.iter().filter(|(of, _)| *of == scheme).flat_map(|(_, variables)| *variables);
    for variable in variables {
        let Some(value) = std::env::var_os(variable) else { continue };
        let value = value.to_string_lossy().into_owned();
        let wrong = |reason: String| StoreError::Server {
            url: url.to_owned(),
            variable: (*variable).to_owned(),
            value: value.clone(),
            reason,
        };
        let server = Url::parse(&value).map_err(|error| wrong(error.to_string()))?;
        if !["http", "https"].contains(&server.scheme()) || !server.has_host() {
            return Err(wrong("write https://HOST or http://HOST:PORT".to_owned()));
        }
        if server.scheme() == "http" && !is_true(allow_http) {
            return Err(wrong(format!("it has no TLS; set {allow_http}=true if that is intended")));
        }
    }
    Ok(())
}

fn is_true(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| ["1", "true"].contains(&value.to_lowercase().as_str()))
}

/// No retries in the library: the caller retries, and counts.
fn once() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// Time limits, and unencrypted connections where the environment allows them: these options replace all of the builder's.
fn client(allow_http: &str) -> ClientOptions {
    ClientOptions::new().with_connect_timeout(CONNECT).with_timeout(REQUEST).with_allow_http(is_true(allow_http))
}
