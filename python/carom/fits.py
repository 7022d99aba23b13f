# SPDX-License-Identifier: MIT
"""Derivatives of runs by their inputs, and inputs found from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import check, ffi, lib, new_error, text_of
from .simulation import Array

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Touch:
    """A gap that touched zero: where inputs change by dx, signed as ``strikes``, outputs do by coefficients sqrt(abs(dx))."""

    name: str
    t: float
    strikes: Array  # of each input: 1, -1, or 0 where the gap does not depend on it
    coefficients: Array  # outputs x inputs


@dataclass(frozen=True)
class Sensitivity:
    """What a run ends with and how it depends on the inputs."""

    of: list[str]
    by: list[str]
    values: Array  # of the outputs
    slopes: Array  # outputs x inputs
    event_names: list[str]
    event_times: Array
    event_slopes: Array  # events x inputs; NaN where a time has no derivative
    grazes: int  # instants without a derivative, left out
    piecewise: int  # instants at which derivatives hold on one side only
    jumps: list[str]  # inputs by which the motion jumps: contacts that strike at one instant
    orders: dict[str, Array]  # contacts met in the order "a, b": slopes, outputs x inputs
    touches: list[Touch]  # grazes whose neighbours on the other side strike
    second: Array | None  # outputs x inputs x inputs, where they were asked for
    second_errors: Array | None


@dataclass(frozen=True)
class Fit:
    """Inputs found from measurements."""

    names: list[str]
    values: Array
    errors: Array  # standard errors; infinite where the data cannot tell
    covariance: Array
    unknown: Array  # directions of relative changes that the data say nothing about, one a row
    cost: float  # half the sum of squares over errors
    misfit: float  # what is left over the errors, in the mean
    poor: bool  # errors were given, and more is left than they explain
    times: Array
    measured: Array
    fitted: Array
    residuals: Array  # over errors
    starts_converged: int
    starts_best: int
    profiles: Array | None  # limits of 95 %, inputs x 2, where they were asked for
    samples: Array | None  # of the posterior, samples x walkers x inputs, where they were asked for


def _numbers(pointer: Any, *shape: int) -> Array:
    count = int(np.prod(shape))
    return np.array(list(pointer[0:count]) if count else [], dtype=np.float64).reshape(shape)


def _touch(graze: Any, of: int, by: int) -> Touch:
    return Touch(text_of(graze.name), graze.t, _numbers(graze.strikes, by), _numbers(graze.coefficients, of, by))


def run_sensitivity(
    model: Model, of: Sequence[str], by: Sequence[str], second: bool, values: Mapping[str, float], adjoint: bool, sides: bool
) -> Sensitivity:
    texts = [ffi.new("char[]", name.encode()) for name in [*by, *of]]
    names = [ffi.new("char[]", name.encode()) for name in values]
    given = ffi.new("carom_value[]", list(zip(names, map(float, values.values()))))
    options = ffi.new("carom_sensitivity_options *", lib.carom_sensitivity_options_default())
    inputs = ffi.new("char *[]", texts[: len(by)])
    outputs = ffi.new("char *[]", texts[len(by) :] or [ffi.NULL])
    options.model = model._raw
    options.by_count, options.by = len(by), inputs
    options.of_count, options.of = len(of), outputs
    options.sides, options.second, options.adjoint = sides and not adjoint, second, adjoint
    options.value_count, options.values = len(values), given
    error, made = new_error(), ffi.new("carom_sensitivity **")
    check(lib.carom_sensitivity_run(options, made, error), error)
    owner = ffi.gc(made[0], lib.carom_sensitivity_destroy)
    found = lib.carom_sensitivity_look(owner)
    events = [found.events[k] for k in range(found.event_count)]
    return Sensitivity(
        of=list(of),
        by=list(by),
        values=_numbers(found.values, len(of)),
        slopes=_numbers(found.slopes, len(of), len(by)),
        event_names=[text_of(event.name) for event in events],
        event_times=np.array([event.t for event in events]),
        event_slopes=np.array([list(event.slopes[0 : len(by)]) for event in events]).reshape(len(events), len(by)),
        grazes=found.notes.grazes,
        piecewise=found.notes.piecewise,
        jumps=[name for k, name in enumerate(by) if found.sides[k] == lib.CAROM_SENSITIVITY_JUMPS],
        orders={
            text_of(found.orders[k].names): _numbers(found.orders[k].slopes, len(of), len(by)) for k in range(found.order_count)
        },
        touches=[_touch(found.grazes[k], len(of), len(by)) for k in range(found.graze_count)],
        second=_numbers(found.second, len(of), len(by), len(by)) if second else None,
        second_errors=_numbers(found.second_errors, len(of), len(by), len(by)) if second else None,
    )


def run_fit(
    model: Model,
    data: Sequence[str | PathLike[str]],
    free: Mapping[str, tuple[float, float]],
    errors: Mapping[str, float],
    priors: Mapping[str, tuple[float, float]],
    huber: float,
    starts: int,
    seed: int,
    each: Mapping[str, tuple[float, float]],
    sweep: int,
    profiles: bool,
    samples: int,
    walkers: int,
    threads: int,
    parts: int,
) -> Fit:
    kept = []

    def text(name: str) -> object:
        kept.append(ffi.new("char[]", name.encode()))
        return kept[-1]

    def ranges(given: Mapping[str, tuple[float, float]]) -> object:
        return ffi.new("carom_fit_range[]", [(text(name), low, high) for name, (low, high) in given.items()])

    options = ffi.new("carom_fit_options *", lib.carom_fit_options_default())
    files = ffi.new("char *[]", [text(fspath(path)) for path in data])
    limits, known, own = ranges(free), ranges(priors), ranges(each)
    widths = ffi.new("carom_value[]", [(text(name), value) for name, value in errors.items()])
    options.model = model._raw
    options.file_count, options.files = len(data), files
    options.free_count, options.free = len(free), limits
    options.prior_count, options.priors = len(priors), known
    options.error_count, options.errors = len(errors), widths
    options.huber, options.starts, options.seed = huber, starts, seed
    options.each_count, options.each = len(each), own
    options.sweep, options.profiles, options.samples = sweep, profiles, samples
    options.walkers, options.threads, options.parts = walkers, threads, parts
    error, made = new_error(), ffi.new("carom_fit **")
    check(lib.carom_fit_run(options, made, error), error)
    owner = ffi.gc(made[0], lib.carom_fit_destroy)
    found = lib.carom_fit_look(owner)
    n, count = found.free_count, found.data_count
    return Fit(
        names=[text_of(found.names[j]) for j in range(n)],
        values=_numbers(found.values, n),
        errors=_numbers(found.errors, n),
        covariance=_numbers(found.covariance, n, n),
        unknown=_numbers(found.unknown, found.unknown_count, n),
        cost=found.cost,
        misfit=found.misfit,
        poor=bool(found.poor),
        times=_numbers(found.times, count),
        measured=_numbers(found.measured, count),
        fitted=_numbers(found.fitted, count),
        residuals=_numbers(found.residuals, count),
        starts_converged=found.converged,
        starts_best=found.best,
        profiles=np.stack([_numbers(found.profile_low, n), _numbers(found.profile_high, n)], axis=1) if profiles else None,
        samples=_numbers(found.chain.inputs, samples, found.chain.walkers, n) if samples else None,
    )
