# SPDX-License-Identifier: MIT
"""Runs as functions of PyTorch and JAX: with these where they are installed, with stand-ins of what is asked of them everywhere."""

import sys
from types import SimpleNamespace

import carom
import numpy as np
import pytest


CARTS = """
title: exchange
coordinates: {a: {start: 0, rate: 1}, b: {start: 1, rate: 0}}
energy: {kinetic: a'^2/2 + b'^2/2, potential: 0}
contacts: {touch: {gap: b - a, impact: {law: newton, e: 1}}}
run: {until: 3}
"""
BY, OF = ["a", "b", "a'", "b'"], ["a", "b", "a'", "b'"]
START, END = [0.0, 1.0, 1.0, 0.0], [1.0, 3.0, 0.0, 1.0]
# equal carts exchange their velocities: each ends where the other one would have come to
SLOPES = np.array([[0, 1, 0, 3], [1, 0, 3, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)


def check_torch(torch, adjoint):
    ends = carom.frameworks.for_torch(carom.parse(CARTS), OF, BY, adjoint=adjoint)
    inputs = torch.tensor([START, [0.1, 1.0, 2.0, 0.0]], dtype=torch.float64, requires_grad=True)
    found = ends(inputs)
    assert np.allclose(found.detach().numpy()[0], END, atol=1e-12)
    weights = torch.tensor([[1.0, 10.0, 100.0, 1000.0], [0.0, 1.0, 0.0, 0.0]], dtype=torch.float64)
    (found * weights).sum().backward()
    assert np.allclose(inputs.grad.numpy()[0], np.array([1, 10, 100, 1000]) @ SLOPES, atol=1e-9)
    assert np.allclose(inputs.grad.numpy()[1], SLOPES[1], atol=1e-9)


def test_torch():
    torch = pytest.importorskip("torch")
    check_torch(torch, False)
    check_torch(torch, True)
    model = carom.parse(CARTS)
    assert torch.autograd.gradcheck(
        carom.frameworks.for_torch(model, ["a", "b"], BY), torch.tensor(START, dtype=torch.float64, requires_grad=True)
    )
    inputs = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad((carom.frameworks.for_torch(model, ["a"], BY)(inputs) ** 2).sum(), inputs, create_graph=True)
    with pytest.raises(RuntimeError):
        slope.sum().backward()


def test_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    ends = carom.frameworks.for_jax(carom.parse(CARTS), OF, BY)
    for jacobian in (jax.jacfwd(ends), jax.jit(jax.jacrev(ends))):
        assert np.allclose(jacobian(jax.numpy.array(START)), SLOPES, atol=1e-9)


def test_what_pytorch_is_told(monkeypatch):
    class Tensor(np.ndarray):
        dtype_of = device = None
        detach = cpu = numpy = lambda self: self

    class Function:
        apply = None

        def __init_subclass__(cls):
            cls.apply = cls.forward

    def as_tensor(numbers, dtype, device):
        return np.asarray(numbers, dtype=dtype).view(Tensor)

    once = []
    function = SimpleNamespace(once_differentiable=lambda rule: once.append(rule.__name__) or rule)
    fake = SimpleNamespace(autograd=SimpleNamespace(Function=Function, function=function), as_tensor=as_tensor)
    monkeypatch.setitem(sys.modules, "torch", fake)
    ends = carom.frameworks.for_torch(carom.parse(CARTS), OF, BY)
    context = SimpleNamespace(save_for_backward=lambda slopes: setattr(context, "saved_tensors", (slopes,)))
    assert once == ["backward"]  # slopes are numbers to it: a second derivative would be zero
    found = ends(context, as_tensor([START, START], np.float64, None))
    assert found.shape == (2, 4) and np.allclose(found, [END, END], atol=1e-12)
    (cls,) = Function.__subclasses__()
    back = cls.backward(context, np.array([[1.0, 10.0, 100.0, 1000.0], [0.0, 1.0, 0.0, 0.0]]))
    assert np.allclose(back, [np.array([1, 10, 100, 1000]) @ SLOPES, SLOPES[1]], atol=1e-9)
    with pytest.raises(ValueError, match="last axis"):
        ends(context, as_tensor([1.0, 2.0], np.float64, None))


def test_what_jax_is_told(monkeypatch):
    def custom_jvp(function):
        function.defjvp = lambda rule: setattr(function, "rule", rule)
        return function

    def pure_callback(function, shapes, *args):
        found = function(*args)
        assert [part.shape for part in found] == [shape.shape for shape in shapes]
        return found

    fake = SimpleNamespace(
        custom_jvp=custom_jvp, pure_callback=pure_callback, ShapeDtypeStruct=lambda shape, dtype: SimpleNamespace(shape=shape)
    )
    monkeypatch.setitem(sys.modules, "jax", fake)
    ends = carom.frameworks.for_jax(carom.parse(CARTS), OF, BY, adjoint=True)
    assert np.allclose(ends(np.array(START)), END, atol=1e-12)
    values, changes = ends.rule((np.array(START),), (np.array([1.0, 10.0, 100.0, 1000.0]),))
    assert np.allclose(values, END, atol=1e-12) and np.allclose(changes, SLOPES @ [1, 10, 100, 1000], atol=1e-9)
