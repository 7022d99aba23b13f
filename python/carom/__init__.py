# SPDX-License-Identifier: MIT
"""Carom: mechanical systems that hit, slide, stick and bounce.

    import carom

    ball = carom.load("scenarios/bouncing_ball.yaml")
    run = ball.run(e=0.7, until=3)
    run["y"], run.t            # NumPy arrays over the library's own memory
    run["floor.normal"]        # contact forces by name
    run.events[0]              # when, what, impulses, states and energies before and after
    run.certificate.passed     # may these numbers be trusted?
    run.plot("y"); run.show()  # a picture; the player, in a notebook or a browser

A scenario is a file (``carom.load``; ``carom.example`` for those that come along), a text or a dictionary (``carom.parse``), or Python functions
(``carom.from_functions``). A model answers questions:

    check, derive                   what was understood, the equations of motion
    run, simulation, converge       one motion; which of its digits hold
    equilibria                      where the system can rest
    orbit, follow                   periodic motions, stable or not, and their branches (``carom continue``)
    atlas                           their special points as curves in two parameters (``carom continue --also``)
    sweep, bifurcate, basin, locate many runs; ``basin_course``: basins along a parameter
    manifolds                       of the saddles of a section: the borders of basins
    lyapunov                        exponents
    sensitivity, fit                derivatives of a run by its inputs; inputs from measurements
    frameworks.for_torch, for_jax   runs as functions that PyTorch and JAX differentiate

Answers are objects that can be plotted (``plot``), made tables (``frame``) and pickled. Mistakes raise
``CaromError``; a certificate that does not pass gives a ``CertificateWarning``.
"""

from . import frameworks
from ._library import VERSION as __version__
from ._library import CaromError
from .analysis import Attractor, Basin, Convergence, Diagram, Location, Sweep
from .atlases import Atlas, BasinCourse, Curve, Tip
from .equations import Equations
from .functions import from_functions
from .manifolds import ManifoldBranch, Manifolds, Saddle
from .model import Check, Equilibrium, Model, example, load, parse
from .orbits import Branches, BranchPoint, Exponents, Orbit
from .simulation import Certificate, CertificateWarning, Energy, Event, Run, Simulation

__all__ = [
    "Atlas",
    "Attractor",
    "Basin",
    "BasinCourse",
    "BranchPoint",
    "Branches",
    "CaromError",
    "Certificate",
    "CertificateWarning",
    "Check",
    "Convergence",
    "Curve",
    "Diagram",
    "Energy",
    "Equations",
    "Equilibrium",
    "Event",
    "Exponents",
    "Location",
    "ManifoldBranch",
    "Manifolds",
    "Model",
    "Orbit",
    "Run",
    "Saddle",
    "Simulation",
    "Sweep",
    "Tip",
    "__version__",
    "example",
    "frameworks",
    "from_functions",
    "load",
    "parse",
]
