#!/bin/bash
# `carom import`: what it writes runs; damaged files, files that exist and meshes elsewhere leave nothing behind.
set -u
source "$(dirname "$0")/expect.sh"
cp "$root"/tests/fuzz/robot/* .

expect 0 import many.xml
contains out "wrote many.yaml"
contains err "many.xml:28: not taken over: <spatial 'rope'> in <tendon>"
contains many.yaml "#   line 28: <spatial 'rope'> in <tendon>"
expect 0 check many.yaml
# a capsule of density 700 and an ellipsoid that only weighs; a brick of 0.4, 0.6, 0.2
printf 'observe: {whole: hopper.mass, brick: mesh.mass}\n' >>many.yaml
expect 0 run many.yaml --set run.until=0.001 --json
json "abs(d['observables']['whole']/(700*(math.pi*0.0025*(math.sqrt(0.26) + 0.2/3) + math.pi*0.008)) - 1) < 1e-13"
json "abs(d['observables']['brick']/33.6 - 1) < 1e-6"

expect 2 import many.xml
contains err "exists already"
sed 's/<geometry>/<geometry/' cart.urdf >broken.urdf
expect 2 import broken.urdf
contains err "broken.urdf:4:37: a blank, '>' or '/>' is expected here"
[ ! -e broken.yaml ] || fail "a damaged file left something"

mkdir -p robot/urdf robot/meshes
cp brick.stl robot/meshes
sed 's/<box size="0.04 0.08 0.1"\/>/<mesh filename="package:\/\/robot\/meshes\/brick.stl" scale="0.0005 0.0005 0.0005"\/>/' \
  arm.urdf >robot/urdf/arm.urdf
expect 2 import robot/urdf/arm.urdf
contains err "is not below"
[ ! -e robot/urdf/arm.yaml ] || fail "a mesh elsewhere left something"
expect 0 import robot/urdf/arm.urdf --out robot/arm.yaml --joint pitch=0.4 --json
json "d['scenario'] == 'robot/arm.yaml' and d['not_taken_over'][0]['line'] == 23"
contains robot/arm.yaml 'hull: "meshes/brick.stl"'
contains robot/arm.yaml 'limits: [-1.9, 1.1]'
expect 0 run robot/arm.yaml --set run.until=0.01

expect 2 import arm.urdf --joint pitch=2 --out other.yaml
contains err "beyond its limits"
expect 2 import arm.urdf --joint none=2 --out other.yaml
contains err "no joint 'none'"
expect 2 import arm.urdf --base elsewhere --out other.yaml
contains err "fixed or floating"
expect 2 import missing.urdf
contains err "cannot read"
[ ! -e other.yaml ] || fail "a refused call left something"
expect 0 import double_pendulum.urdf --out -
contains out 'title: "double pendulum"'
[ ! -e double_pendulum.yaml ] || fail "standard output left a file"
[ $failures = 0 ]
