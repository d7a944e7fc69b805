//! Networks and checkpoints on disk.

pub(crate) mod checkpoint;
pub(crate) mod network_file;
pub(crate) mod tensor_file;
