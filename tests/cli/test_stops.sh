#!/bin/bash
# A run that cannot go on says so, and one that goes on hears Ctrl-C at once. usage: test_stops.sh CAROM
set -uo pipefail
# shellcheck source=tests/cli/expect.sh
. tests/cli/expect.sh

# poles: an error with the time, never a run without end
ends() { # ends NAME TIME: carom run NAME.yaml fails soon, at that time
  timeout -s KILL 10 "$carom" run "$1.yaml" --json >out 2>err
  local got=$?
  [ $got = 1 ] || { fail "$1: exit $got" && cat err; }
  json "abs(d['error']['t'] - $2) < 1e-6 and d['error']['status'] in ('CAROM_ERR_STEP', 'CAROM_ERR_NONFINITE')"
}
pole() { printf 'coordinates: {y: 1}\nenergy: {kinetic: "%s", potential: "%s"}\nrun: {until: 2, start: %s}\n' "$2" "$3" "$4" >"$1.yaml"; }
pole log "y'^2/2" "log(y)" 0 && ends log 1.2533141373155
pole late "y'^2/2" "log(y)" -1.2533141373155 && ends late 0
pole inverse "y'^2/2" "-1/y" 0 && ends inverse 1.1107207345396
pole light "y*y'^2/2" "9.81*y" 0
ends light 0.354625838360
printf 'states: {x: {start: 1, rate: x^2}}\nrun: {until: 2}\n' >blow.yaml && ends blow 1
printf 'states: {x: {start: 1, rate: tan(t)}}\nrun: {until: 5}\n' >tan.yaml && ends tan 1.5707963267949

# the shortest step
expect 2 run "$root/scenarios/pendulum.yaml" --set run.h_max=1e-300
contains err "run.h_max is 1e-300; it must be at least"
expect 2 run "$root/scenarios/rods_pile.yaml" --set run.step=1e-300
contains err "run.step is 1e-300; it must be at least"

# Ctrl-C and SIGTERM: heard between any two steps, and never waited for
cat >stiff.yaml <<'YAML'
parameters: {a: 1}
coordinates: {y: 0}
energy: {kinetic: y'^2/2, potential: y^2/2}
states: {x: {start: 1, rate: 0-1e12*(x-cos(t))}}
sections: {up: {when: y}}
run: {until: 3}
YAML
heard() { # heard SIGNAL ARGUMENT...: ends within 0.2 s of the signal (five times that on a busy machine) with exit 1
  python3 - "$carom" "$@" <<'PYTHON' || fail "carom ${*:2}: $1 not heard"
import signal, subprocess, sys, time
run = subprocess.Popen([sys.argv[1], *sys.argv[3:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
# on its way: the signal is caught (the program has its hands on it), and then steps are made
mask = 1 << getattr(signal, sys.argv[2]) - 1
deadline = time.monotonic() + 20
def caught():
    lines = open(f"/proc/{run.pid}/status").read().splitlines()
    return int(dict(line.split(":", 1) for line in lines)["SigCgt"], 16) & mask
while run.poll() is None and time.monotonic() < deadline and not caught():
    time.sleep(0.01)
time.sleep(0.4)
if run.poll() is not None:
    sys.exit(f"ended before: {run.returncode} {run.stderr.read().decode()}")
began = time.monotonic()
run.send_signal(getattr(signal, sys.argv[2]))
try:
    run.wait(20)
except subprocess.TimeoutExpired:
    run.kill()
    sys.exit("never")
took, said = time.monotonic() - began, run.stderr.read().decode()
if took > 1.0 or run.returncode != 1 or "interrupted" not in said:
    sys.exit(f"after {took:.2f} s, exit {run.returncode}: {said}")
PYTHON
}
heard SIGINT run stiff.yaml
heard SIGTERM run stiff.yaml --out stiff.h5 --save stiff.state
[ -s stiff.h5 ] && [ -s stiff.state ] || fail "nothing was kept"
expect 0 info stiff.h5
heard SIGINT run "$root/scenarios/pendulum.yaml" --set run.h_max=1e-12
heard SIGTERM run "$root/scenarios/rods_pile.yaml" --set run.step=1e-12
heard SIGINT sweep stiff.yaml --over a=1,2 --threads 2 --csv stiff.csv
heard SIGTERM bifurcate stiff.yaml --over a=1,2 --csv bifurcation.csv
heard SIGINT orbit stiff.yaml
heard SIGTERM lyapunov stiff.yaml
heard SIGINT continue stiff.yaml --over a=1:2
[ $failures = 0 ]
