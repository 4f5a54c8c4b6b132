"""Tensors and their rows on the host, where NumPy takes a fraction of torch's time for few worlds."""

import numpy as np
import torch


def on_host(values: "torch.Tensor | np.ndarray") -> np.ndarray:
    """Return a tensor or an array as an array."""
    return values if isinstance(values, np.ndarray) else values.numpy() if values.is_cpu else values.cpu().numpy()


def set_rows(tensor: torch.Tensor, worlds: "torch.Tensor | np.ndarray", values: "np.ndarray | float") -> None:
    """Set rows of a tensor, (W, …), in worlds: NumPy takes a fraction of torch's time for few worlds."""
    if tensor.is_cpu:
        tensor.numpy()[on_host(worlds)] = values
    else:
        tensor[worlds] = torch.as_tensor(values, dtype=tensor.dtype, device=tensor.device)


def take_columns(tensor: torch.Tensor, worlds: torch.Tensor) -> np.ndarray:
    """Return columns of a tensor, (…, W), of worlds (indices) as an array."""
    return tensor.numpy()[..., worlds.numpy()] if tensor.is_cpu else tensor[..., worlds].cpu().numpy()
