//! `kirin cluster kubernetes`: manifests for Kubernetes.

use super::{Deployed, write};
use crate::failure::input;
use clap::Args;
use distributed::deployment::Memory;
use distributed::deployment::kubernetes::{Options, files};

/// Write manifests for Kubernetes: a Job for the trainer and for the referee, an Indexed Job for the workers, the
/// configuration, and a Containerfile for the image.
///
/// A pod that was evicted or has drained is replaced, and does not count as a failure. Wrong input and refused credentials
/// end the job at once. Other failures are counted for each worker. Kubernetes 1.31 or newer is needed. docs/how-to/cluster.md
/// explains each step.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    deployed: Deployed,
    /// The image as the cluster pulls it, with a tag or a digest; required.
    #[arg(long, default_value = "", hide_default_value = true)]
    image: String,
    /// The namespace. The default is that of your context.
    #[arg(long, default_value = "", hide_default_value = true)]
    namespace: String,
    /// The Secret with the credentials of the store; its entries become environment variables.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    secret: String,
    /// The service account of the pods, where it gives access to the store.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    service_account: String,
    /// Disk space for the folders of the trainer and of the referee.
    #[arg(long, value_name = "SIZE", default_value = "20G")]
    work_size: Memory,
    /// How often a worker, the trainer or the referee may fail and get a new pod.
    #[arg(long, value_name = "N", default_value_t = 6)]
    back_off: u32,
}

/// Runs the command.
///
/// # Errors
/// The config or an option is wrong, or the files cannot be written.
pub fn main(arguments: &Arguments) -> anyhow::Result<()> {
    let deployment = arguments.deployed.deployment()?;
    let options = Options {
        image: arguments.image.clone(),
        namespace: arguments.namespace.clone(),
        secret: arguments.secret.clone(),
        service_account: arguments.service_account.clone(),
        work: arguments.work_size,
        back_off: arguments.back_off,
    };
    let files = files(&deployment, &options).map_err(|complaints| input(complaints.to_string()))?;
    let folder = arguments.deployed.out("kubernetes")?;
    write(&folder, &files)?;
    let folder = folder.display();
    println!(
        "to begin: push the image of {folder}/Containerfile to a registry that the cluster pulls from, then run kubectl apply -f {folder}"
    );
    Ok(())
}
