//! Networks, their files, their training and their evaluation, also compared with PyTorch.

mod evaluator;
mod features;
mod files;
mod gpu;
mod oracle;
mod python;
mod python_package;
mod synthetic;
mod training;
