//! Networks, their files, their training and their evaluation, also compared with PyTorch.

mod evaluator;
mod features;
mod files;
mod gpu;
mod native;
mod python;
mod pytorch;
mod synthetic;
mod training;
