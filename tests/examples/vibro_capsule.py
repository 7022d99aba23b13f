"""The capsule by small steps in the manner of Moreau: friction decides on the velocity at the end of a step."""
import math


def way(until, h):
    m, M, k, c, k2, G, f, omega, P = 0.1, 0.2, 20, 0.2, 2000, 0.01, 0.6, 14, 0.5
    u = z = du = dz = 0.0
    for step in range(round(until/h)):
        t = (step + 0.5)*h
        u, z = u + h/2*du, z + h/2*dz
        force = P*math.cos(omega*t) - k*z - c*dz - (k2*(z - G) if z > G else 0)
        # (m + M) u'' + m z'' = friction, m (u'' + z'') = force: M u'' = friction - force
        free = du - h*force/M
        new = math.copysign(max(0.0, abs(free) - h*f/M), free)
        dz += h*force/m - (new - du)
        du = new
        u, z = u + h/2*du, z + h/2*dz
    return u


def check(run):
    found = run("run", "FILE", "--until", "2", "--set", "measure=null")["observables"]["way"]
    coarse, fine = way(2, 8e-5), way(2, 4e-5)
    yield f"way {found}, by small steps {coarse}, {fine}", abs(found - (2*fine - coarse)) < 2e-3*abs(found)
