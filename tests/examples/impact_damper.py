"""Two equal impacts a period: for each phase of the drive four linear equations, the last condition by halving."""
import cmath
import math

M, m, k, c, F, w, d, e = 1.0, 0.1, 1.0, 0.02, 0.01, 1.0, 0.2, 0.6


def solve(a, b):
    """Gauss with pivots."""
    a, n = [row[:] + [x] for row, x in zip(a, b)], len(b)
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        for r in range(n):
            if r != i:
                a[r] = [x - a[r][i]/a[i][i]*y for x, y in zip(a[r], a[i])]
    return [a[i][n]/a[i][i] for i in range(n)]


def half_period(phase):
    """State after the right impact at this phase, if half a period later everything is mirrored; what is left of the ball's way."""
    z, wd = c/(2*M), math.sqrt(k/M - (c/(2*M))**2)
    drive = F/(k - M*w*w + 1j*c*w)
    half = math.pi/w

    def steady(t):
        q = drive*cmath.exp(1j*(w*t + phase))
        return q.real, (1j*w*q).real

    # x = steady + exp(-z t)(B cos + C sin); unknown: B, C, y' = V, and the velocity x' just before the impact
    decay, cos, sin = math.exp(-z*half), math.cos(wd*half), math.sin(wd*half)
    (s0, v0), (s1, v1) = steady(0), steady(half)
    x1 = [decay*cos, decay*sin]
    dx1 = [decay*(-z*cos - wd*sin), decay*(-z*sin + wd*cos)]
    # rows: x(half) = -x(0); velocity before the left impact is minus the one before the right one (u); the ball keeps V till then,
    # so before the right impact it has -V: momentum M u - m V = M x'(0) + m V, restitution (V - x'(0)) = -e (-V - u)
    rows = [[x1[0] + 1, x1[1], 0, 0], [dx1[0], dx1[1], 0, 1], [M*z, -M*wd, -2*m, M], [z, -wd, 1 - e, -e]]
    right = [-s1 - s0, -v1, M*v0, v0]
    B, C, V, u = solve(rows, right)
    x0, way = s0 + B, V*half
    # from the right wall x0 + d/2 the ball goes to the left wall -x0 - d/2
    return (x0 + d/2 + way) - (-x0 - d/2), (B, C, z, wd, steady, half, V)


def amplitude(parts):
    B, C, z, wd, steady, half, _ = parts
    return max(abs(steady(t)[0] + math.exp(-z*t)*(B*math.cos(wd*t) + C*math.sin(wd*t))) for t in (half*i/40000 for i in range(40001)))


def check(run):
    found = run("run", "FILE")["observables"]["amplitude"]
    expected, grid = [], [2*math.pi*i/720 for i in range(721)]
    for a, b in zip(grid, grid[1:]):
        fa, fb = half_period(a)[0], half_period(b)[0]
        if fa*fb > 0 or abs(fa - fb) > 1:
            continue
        for _ in range(60):
            middle = (a + b)/2
            a, b = (middle, b) if half_period(middle)[0]*fa > 0 else (a, middle)
        parts = half_period(a)[1]
        if parts[-1] < 0:
            expected.append(amplitude(parts))
    yield f"amplitude {found}, by the equations {expected}", any(abs(found - x) < 1e-8 for x in expected)
