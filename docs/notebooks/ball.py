# %% [markdown]
# # A bouncing ball on its way to chaos
#
# A ball on a vibrating table is the simplest machine that knows all the tricks: it bounces once in a period of the
# table, then once high and once low, then four ways, and then it never repeats itself. This notebook follows it there, and
# checks every step against something that does not come from Carom.

# %%
import carom
import matplotlib.pyplot as plt
import numpy as np

ball = carom.load("scenarios/ball_on_table.yaml", set={"run.period": "1/f"})
print(ball.scenario[:420])

# %% [markdown]
# ## One run
#
# `Gamma` is the largest acceleration of the table in units of g. At 0.9 the ball settles on one bounce a period. Each event
# comes with its impulse and with the energy before and after.

# %%
run = ball.run(Gamma=0.9)
print(run)
last = [event for event in run.events if event.kind == "impact"][-1]
print(last.t, last.value, last.energy_before.kinetic, "->", last.energy_after.kinetic)

axes = run.plot("y", "table")
axes.set_xlim(run.t[-1] - 0.3, run.t[-1])
axes.figure.savefig("ball-run.png", dpi=110)

# the impulse is the mass (1 kg) times the jump of the velocity, and the jump is (1 + e) times the velocity of approach
start = ball.simulation(Gamma=0.9)
e, f, omega = start["e"], start["f"], start["omega"]
table_speed = -start["A"] * omega * np.sin(omega * last.t)
assert np.isclose(last.value, last.after[1] - last.before[1])
assert np.isclose(last.value, (1 + e) * (table_speed - last.before[1]), rtol=1e-9)

# %% [markdown]
# ## Where it doubles
#
# Raise `Gamma` slowly, keep the state, and look at the velocity at every impact.

# %%
diagram = ball.bifurcate({"Gamma": (0.95, 1.30, 71)}, section="table_top", observe="y'", keep=24)
axes = diagram.plot()
axes.figure.savefig("ball-diagram.png", dpi=110)
for change in diagram.changes[:3]:
    print(f"{change.value:.4f}: {change.near_text} -> {change.far_text}")

# %% [markdown]
# ## What a diagram does not show
#
# Beyond its first doubling the simple bounce still exists; no run will ever show it, because it is unstable. Following the
# motion itself (Newton's method along a branch) finds it, and where it changed: at the value that Luo and Han derived in 1996.

# %%
branches = ball.follow({"Gamma": (0.9, 1.3)}, switches=2, turns=1)
axes = branches.plot("y")
axes.figure.savefig("ball-branches.png", dpi=110)

flip = next(point for point in branches.special if point.label == "flip")
expected = np.hypot(np.pi * (1 - e) / (1 + e), 2 * (1 + e**2) / (1 + e) ** 2)
print(f"doubles at {flip.value:.10f}, by formula {expected:.10f}")
assert np.isclose(flip.value, expected, rtol=1e-8)
assert any(point.branch == 0 and point.kind == "unstable" for point in branches.points)

# %% [markdown]
# ## Is it chaos?
#
# A positive Lyapunov exponent says so: two balls that start next to each other part like exp(lambda t). At 0.9 it is negative,
# and there it is known: the two multipliers of a bounce have the product e^2, so the exponents add up to f log(e^2). (A little
# higher the ball sometimes comes to rest on the table for a moment and forgets all differences: then the result has
# `extinguished` exponents of minus infinity instead.)

# %%
calm = carom.load("scenarios/ball_on_table.yaml", Gamma=0.9).lyapunov(time=10.0, transient=10.0)
wild = carom.load("scenarios/ball_on_table.yaml", Gamma=1.255).lyapunov(time=20.0, transient=10.0)
print("calm", calm.values, "wild", wild.values, "+-", wild.errors)
assert np.isclose(calm.values.sum(), f * np.log(e**2), rtol=1e-3)
assert calm.values[0] < 0 < wild.values[0] - 3 * wild.errors[0]
plt.close("all")
