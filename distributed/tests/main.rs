//! The store under faults, and the files for SLURM and Kubernetes under their own programs.

mod faults;
mod kubernetes;
mod slurm;
