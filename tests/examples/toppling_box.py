"""The box that is struck straight on: its angle, from when on it topples."""
import math

G, B, H, A = 9.81, 0.1, 0.4, 4.0
R, ALPHA = math.hypot(B, H), math.atan2(B, H)
RATE = 3/(4*R)  # m R over the inertia about the edge, 4/3 m R^2


def energy_after(T):
    """Seen from the table, tipping by q: q'' = RATE (A cos(ALPHA - q) - g sin(ALPHA - q)). What is left at the end of the blow, less than
    what it takes to come over the edge, as q'^2/2 per RATE."""
    def rate(q):
        return RATE*(A*math.cos(ALPHA - q) - G*math.sin(ALPHA - q))
    n = 400
    h, q, w = T/n, 0.0, 0.0
    for _ in range(n):
        k1, l1 = w, rate(q)
        k2, l2 = w + h/2*l1, rate(q + h/2*k1)
        k3, l3 = w + h/2*l2, rate(q + h/2*k2)
        k4, l4 = w + h*l3, rate(q + h*k3)
        q, w = q + h/6*(k1 + 2*k2 + 2*k3 + k4), w + h/6*(l1 + 2*l2 + 2*l3 + l4)
    return w*w/2 - RATE*G*(1 - math.cos(ALPHA - q))


def check(run):
    low, high = 0.05, 1.0
    for _ in range(50):
        middle = (low + high)/2
        low, high = (middle, high) if energy_after(middle) < 0 else (low, middle)
    for share, falls in ((0.999, False), (1.001, True)):
        told = run("run", "FILE", "--set", "yaw=0", "--set", f"T={share*low:.12g}", "--until", "3")["observables"]["fell"]
        yield f"a blow of {share} of {low:.6f} s topples it: {falls}", (told == 1) == falls
