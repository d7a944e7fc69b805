//! From a URL to the objects behind it.

use crate::error::{Result, StoreError};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Time for a connection to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// Time for a whole request; a large network on a slow line takes a while.
const REQUEST: Duration = Duration::from_secs(120);

/// Where the objects are.
#[derive(Debug)]
pub(crate) struct Place {
    pub url: String,
    pub objects: Arc<dyn ObjectStore>,
    /// What comes before each key, without slashes at its ends.
    prefix: String,
    /// The folder, if it is one.
    folder: Option<PathBuf>,
}

impl Place {
    pub fn of(url: &str) -> Result<Place> {
        let address = |reason: &str| StoreError::Address { url: url.to_owned(), reason: reason.to_owned() };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| address("it has no scheme"))?;
        if scheme == "file" {
            return Place::of_folder(url, rest);
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(address("it names no bucket"));
        }
        let settings =
            |source: object_store::Error| StoreError::Settings { url: url.to_owned(), source: Box::new(source) };
        let objects: Arc<dyn ObjectStore> = match scheme {
            "s3" => {
                let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client("AWS_ALLOW_HTTP")).build().map_err(settings)?)
            }
            "gs" => {
                let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client("GOOGLE_ALLOW_HTTP")).build().map_err(settings)?)
            }
            "az" => {
                let builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(once());
                Arc::new(builder.with_client_options(client("AZURE_ALLOW_HTTP")).build().map_err(settings)?)
            }
            _ => return Err(address(&format!("{scheme} is no kind of store"))),
        };
        Ok(Place { url: url.to_owned(), objects, prefix: prefix.trim_matches('/').to_owned(), folder: None })
    }

    fn of_folder(url: &str, folder: &str) -> Result<Place> {
        if !folder.starts_with('/') {
            let reason = "the path of a folder begins at the root: file:///shared/run".to_owned();
            return Err(StoreError::Address { url: url.to_owned(), reason });
        }
        let folder = PathBuf::from(folder);
        let failed = |source| StoreError::Folder { folder: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let folder = folder.canonicalize().map_err(failed)?;
        let objects = LocalFileSystem::new_with_prefix(&folder)
            .map_err(|source| StoreError::Settings { url: url.to_owned(), source: Box::new(source) })?;
        Ok(Place { url: url.to_owned(), objects: Arc::new(objects), prefix: String::new(), folder: Some(folder) })
    }

    /// The object of a key.
    pub fn path(&self, key: &str) -> Result<Path> {
        let whole = if self.prefix.is_empty() { key.to_owned() } else { format!("{}/{key}", self.prefix) };
        Path::parse(&whole).map_err(|error| StoreError::Key { key: key.to_owned(), reason: error.to_string() })
    }

    /// In a folder: makes an object that was put survive a power cut. A bucket does that by itself.
    pub fn sync(&self, key: &str) -> Result<()> {
        let Some(root) = &self.folder else { return Ok(()) };
        let file = root.join(key);
        let failed = |source| StoreError::Folder { folder: root.clone(), source };
        File::open(&file).and_then(|file| file.sync_all()).map_err(failed)?;
        // The folders between may be new as well.
        for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        }
        Ok(())
    }
}

/// No repetition down there: whoever asks repeats, and counts.
fn once() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// Time limits, and unencrypted connections where the environment allows them: these options replace all of the builder's.
fn client(allow_http: &str) -> ClientOptions {
    let allowed = std::env::var(allow_http).is_ok_and(|value| ["1", "true"].contains(&value.to_lowercase().as_str()));
    ClientOptions::new().with_connect_timeout(CONNECT).with_timeout(REQUEST).with_allow_http(allowed)
}
