# SPDX-License-Identifier: MIT
"""Carom: mechanical systems that hit, slide, stick and bounce.

    import carom

    ball = carom.load("scenarios/bouncing_ball.yaml")
    run = ball.run(e=0.7)
    run["y"], run.t            # NumPy arrays over the library's own memory
    run.events[0]              # when, what, impulses, states and energies before and after
    run.certificate.passed     # may these numbers be trusted?

A scenario is a file, a text or a dictionary (``carom.parse``), or Python functions
(``carom.from_functions``). A model answers questions: ``run``, ``sweep``, ``bifurcate``,
``basin``, ``orbit``, ``follow``, ``lyapunov``, ``locate``, ``equilibria``.
"""

from ._library import CaromError
from .analysis import Attractor, Basin, Branches, BranchPoint, Diagram, Exponents, Location, Orbit, Sweep
from .functions import from_functions
from .model import Equilibrium, Model, load, parse
from .simulation import Certificate, Energy, Event, Run, Simulation

__all__ = [
    "Attractor",
    "Basin",
    "BranchPoint",
    "Branches",
    "CaromError",
    "Certificate",
    "Diagram",
    "Energy",
    "Equilibrium",
    "Event",
    "Exponents",
    "Location",
    "Model",
    "Orbit",
    "Run",
    "Simulation",
    "Sweep",
    "from_functions",
    "load",
    "parse",
]
