//! Tensors between libtorch and the program's own memory.

use crate::error::Result;
use network::HostTensor;
use tch::{Device, Kind, Tensor};

/// A copy on the host, in fp32.
///
/// # Errors
/// libtorch cannot copy it (memory).
pub fn copied(tensor: &Tensor) -> Result<HostTensor> {
    let tensor = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_to_kind(Kind::Float)?.f_contiguous()?;
    let mut values = vec![0f32; tensor.numel()];
    let count = values.len();
    tensor.f_copy_data(&mut values, count)?;
    Ok(HostTensor { shape: tensor.size().iter().map(|&n| n as usize).collect(), values })
}

/// These values as a tensor of libtorch, on the CPU and in fp32.
///
/// # Errors
/// libtorch cannot make it (memory, wrong sizes).
pub fn sent(tensor: &HostTensor) -> Result<Tensor> {
    let shape: Vec<i64> = tensor.shape.iter().map(|&n| n as i64).collect();
    Ok(Tensor::f_from_slice(&tensor.values)?.f_reshape(shape.as_slice())?)
}

/// Adds these values to the gradient of a parameter.
///
/// # Errors
/// libtorch cannot make the tensor (memory, wrong sizes).
pub fn add_gradient(parameter: &Tensor, values: &[f32]) -> Result<()> {
    let _guard = tch::no_grad_guard();
    let values = Tensor::f_from_slice(values)?.f_view(parameter.size().as_slice())?;
    let _ = parameter.f_grad()?.f_add_(&values)?;
    Ok(())
}
