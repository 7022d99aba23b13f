# %% [markdown]
# # A windscreen wiper, and the motions nobody sees
#
# An arm leans on a moving belt. With little friction it slides at a constant angle; with more it hops. Between the two it may do
# either, depending on what it did before. This notebook finds the jumps, and then the unstable motion between them that
# explains why there must be two.

# %%
import carom
import matplotlib.pyplot as plt
import numpy as np

short = {"run.until": 30, "measure.after": 20}
wiper = carom.load("scenarios/frictional_impact_oscillator.yaml", set=short)

# %% [markdown]
# ## Up and down again
#
# The friction coefficient is raised in small steps and lowered again, each run going on from the state of the last.

# %%
diagram = wiper.bifurcate({"mu": (0.380, 0.420, 21)}, section="turn", observe="phi", keep=4, both=True)
axes = diagram.plot()
axes.figure.savefig("wiper-diagram.png", dpi=110)
for change in diagram.changes:
    print("up" if change.direction > 0 else "down", f"{change.value:.3f}: {change.near_text} -> {change.far_text}")

# the hopping motion survives at friction where, on the way up, the arm still slides
leaves = max(change.value for change in diagram.changes if change.direction > 0)
returns = min(change.value for change in diagram.changes if change.direction < 0)
assert returns < 0.39 < 0.41 < leaves

# %% [markdown]
# ## The sliding arm
#
# Its equilibrium can be followed as far as one likes. It loses its stability where the friction angle meets the angle of the
# arm, tan(phi) = mu: a Hopf point.

# %%
sliding = wiper.follow({"mu": (0.380, 0.420)}, equilibrium=True, mode="+")
hopf = next(point for point in sliding.special if point.label == "hopf")
phi = hopf.state[1]
print(f"the sliding arm begins to swing at mu = {hopf.value:.9f}; tan(phi) = {np.tan(phi):.9f}")
assert np.isclose(hopf.value, np.tan(phi), rtol=1e-8)

# %% [markdown]
# ## The hopping arm, stable and not
#
# The hopping motion at mu = 0.42 is followed downwards. At 0.389569 it meets an unstable hopping motion (a fold), which leads
# back up to 0.409828; there the hops shrink to nothing (a graze) and what is left is the oscillation in slip, the one that
# begins at the Hopf point. So the two branches are one.

# %%
hopping = carom.load("scenarios/frictional_impact_oscillator.yaml", mu=0.42, set=short)
branch = hopping.follow({"mu": (0.42, 0.385)})
for point in branch.special:
    print(f"{point.value:.9f}  {point.label:6s} {point.kind:9s} {point.word}")

axes = branch.plot("phi'")
stable = [point.kind == "stable" for point in sliding.points]
axes.plot(sliding["mu"], np.where(stable, 0.0, np.nan), "-", color="#1b4f72")
axes.plot(sliding["mu"], np.where(stable, np.nan, 0.0), "--", color="#ca6f1e")
axes.set_title("fastest turn of the arm: sliding, swinging, hopping")
axes.figure.savefig("wiper-branches.png", dpi=110)

fold = next(point for point in branch.special if point.label == "fold")
graze = next(point for point in branch.special if point.label == "graze")
assert np.isclose(fold.value, 0.389569110, atol=1e-7)  # where the slope of the exact return map jumps to 1.2127
assert np.isclose(graze.value, 0.409827960, atol=2e-7)  # where the normal force of the slip cycle touches zero
assert any(point.kind == "unstable" for point in branch.points)
assert any(point.word == "+" and point.kind == "stable" for point in branch.points)  # the oscillation in slip is met
plt.close("all")
