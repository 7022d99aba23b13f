# SPDX-License-Identifier: MIT
"""Runs as functions that PyTorch and JAX differentiate, where these are installed:

    ends = carom.frameworks.for_torch(ball, of=["y", "y'"], by=["e", "h"])
    inputs = torch.tensor([0.8, 1.0], dtype=torch.float64, requires_grad=True)
    ends(inputs)[0].backward()          # inputs.grad: d y/d e, d y/d h

Inputs are the numbers of ``by`` along the last axis, whatever lies before it is many runs. Derivatives are the exact ones of
``Model.sensitivity``; where there is none, as where the motion jumps, they are NaN. There are no second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Array


def _solver(model: Model, of: Sequence[str], by: Sequence[str], adjoint: bool) -> Callable[[Any], tuple[Array, Array]]:
    def solve(inputs: Any) -> tuple[Array, Array]:
        rows = np.asarray(inputs, dtype=np.float64)
        if rows.ndim < 1 or rows.shape[-1] != len(by):
            raise ValueError(f"inputs have the shape {rows.shape}: the last axis is that of {len(by)} numbers, {', '.join(by)}")
        runs = [
            model.sensitivity(of, by, values=dict(zip(by, map(float, row))), adjoint=adjoint, sides=False)
            for row in rows.reshape(-1, len(by))
        ]
        values = np.array([run.values for run in runs]).reshape(*rows.shape[:-1], len(of))
        slopes = np.array([run.slopes for run in runs]).reshape(*rows.shape[:-1], len(of), len(by))
        return values, slopes

    return solve


def for_torch(model: Model, of: Sequence[str], by: Sequence[str], *, adjoint: bool = False) -> Callable[[Any], Any]:
    """What runs end with as a function of a tensor, which PyTorch differentiates; ``adjoint`` for many inputs."""
    import torch

    solve = _solver(model, list(of), list(by), adjoint)

    class Ends(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, inputs: Any) -> Any:
            values, slopes = solve(inputs.detach().cpu().numpy())
            ctx.save_for_backward(torch.as_tensor(slopes, dtype=inputs.dtype, device=inputs.device))
            return torch.as_tensor(values, dtype=inputs.dtype, device=inputs.device)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[misc,untyped-decorator,unused-ignore]
        def backward(ctx: Any, weights: Any) -> Any:
            (slopes,) = ctx.saved_tensors
            return (weights[..., None, :] @ slopes)[..., 0, :]

    return Ends.apply  # type: ignore[no-any-return]


def for_jax(model: Model, of: Sequence[str], by: Sequence[str], *, adjoint: bool = False) -> Callable[[Any], Any]:
    """What runs end with as a function of an array, which JAX differentiates forwards and backwards, also under ``jit``.
    Numbers are those of the array: double ones ask for ``jax_enable_x64``."""
    import jax

    solve = _solver(model, list(of), list(by), adjoint)

    def call(inputs: Any) -> Any:
        lead = tuple(inputs.shape[:-1])
        shapes = (
            jax.ShapeDtypeStruct((*lead, len(of)), inputs.dtype),
            jax.ShapeDtypeStruct((*lead, len(of), len(by)), inputs.dtype),
        )
        return jax.pure_callback(lambda x: tuple(part.astype(inputs.dtype) for part in solve(x)), shapes, inputs)

    @jax.custom_jvp  # type: ignore[misc,untyped-decorator,unused-ignore]
    def ends(inputs: Any) -> Any:
        return call(inputs)[0]

    @ends.defjvp  # type: ignore[misc,untyped-decorator,unused-ignore]
    def forward(primals: Any, tangents: Any) -> Any:
        values, slopes = call(primals[0])
        return values, (slopes @ tangents[0][..., :, None])[..., 0]

    return ends  # type: ignore[no-any-return]
