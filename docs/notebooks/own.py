# %% [markdown]
# # A system of your own, from Python functions
#
# Not everything is a formula. Here the force is a measured table, the mass depends on the position through code, and a
# stop throws the system back by a rule of our own. Then the same system is written as a scenario, to see that both agree, and
# what is gained by it.

# %%
import carom
import matplotlib.pyplot as plt
import numpy as np

# %% [markdown]
# ## Functions
#
# `mass` and `force` are asked for M and h in M u' = h; an event function is watched for zeros, and `reset` says what happens
# there. The integrator, the location of events and the energy account are those of every other run.

# %%
# a spring that was measured: force over extension, stiffer when it is compressed
extension = np.linspace(-2.0, 2.0, 81)
measured = -4.0 * extension - 1.5 * extension**3


def force(at):
    return [np.interp(at.q[0], extension, measured) - at.p["drag"] * at.u[0]]


def strike(at, k):
    """A stop at x = -0.5 that gives back 70 % of the velocity."""
    return (at.q, -0.7 * at.u, at.z) if at.u[0] < 0 else None


own = carom.from_functions(
    title="Measured spring with a stop",
    coordinates={"x": (1.5, 0.0)},
    parameters={"drag": 0.05},
    mass=lambda at: [[1.0]],
    force=force,
    events={"stop": lambda at: at.q[0] + 0.5},
    reset=strike,
    until=20.0,
    sample=0.01,
)
run = own.run()
print(run, len(run.events), "events")
axes = run.plot("x", "x'")
axes.figure.savefig("own-run.png", dpi=110)

# a function may use whatever Python has, but kinks are met blindly: ask for the error
speeds = [(event.before[1], event.after[1]) for event in run.events]
assert all(np.isclose(after, -0.7 * before) for before, after in speeds if before < 0)
assert run["x"].min() > -0.5 - 1e-6

# %% [markdown]
# ## The same as a scenario
#
# A dictionary of the shape of a scenario file. Carom derives the equations, knows the contact as a contact, keeps the
# energy ledger and runs machine code instead of Python.

# %%
scenario = carom.parse(
    {
        "title": "Spring with a stop",
        "parameters": {"drag": 0.05, "e": 0.7},
        "coordinates": {"x": {"start": 1.5, "rate": 0}},
        "energy": {"kinetic": "x'^2/2", "potential": "2*x^2 + 1.5*x^4/4", "dissipation": "drag*x'^2/2"},
        "contacts": {"stop": {"gap": "x + 0.5", "impact": {"law": "newton", "e": "e"}}},
        "run": {"until": 20, "sample": 0.01},
        "observe": {"farthest": "max(x)"},
    }
)
exact = scenario.run()
difference = np.abs(run["x"] - exact["x"])
print("largest difference in the first two seconds:", difference[:200].max())
assert difference[:200].max() < 2e-3  # straight lines between 81 measured values, not the cubic itself

# %% [markdown]
# The impacts take what the ledger says, event by event.

# %%
impacts = [event for event in exact.events if event.kind == "impact"]
taken = sum(event.energy_before.kinetic - event.energy_after.kinetic for event in impacts)
print(len(impacts), "impacts took", taken, "of", exact.certificate.kinetic_start + exact.certificate.potential_start)
assert np.isclose(taken, exact.certificate.lost_impacts)

# %% [markdown]
# ## A question that takes many runs
#
# How far does it still swing at the end, over restitution and drag? Points of a sweep run in the library's threads.

# %%
late = carom.parse(scenario.scenario, set={"measure": "{after: 15}"})
sweep = late.sweep({"e": (0.3, 0.9, 13), "drag": [0.0, 0.05, 0.1]})
figure, axes = plt.subplots(layout="constrained")
for drag, line in zip([0.0, 0.05, 0.1], sweep.grid("farthest").T):
    axes.plot(np.unique(sweep["e"]), line, ".-", label=f"drag {drag}")
axes.set(xlabel="restitution", ylabel="largest x after t = 15")
axes.legend()
figure.savefig("own-sweep.png", dpi=110)

assert sweep.passed.all()
assert (np.diff(sweep.grid("farthest"), axis=1) < 0).all()  # more drag, less swing
one = late.run(e=0.3, drag=0.05).observables["farthest"]
assert sweep.grid("farthest")[0, 1] == one  # a point of a sweep is its single run, to the last bit
plt.close("all")
