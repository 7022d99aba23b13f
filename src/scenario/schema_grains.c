// SPDX-License-Identifier: MIT
// The keys of the engine `grains`: many rods with soft contacts.
#include "scenario/schema.h"

#define EXPRESSION CAROM_SCHEMA_EXPRESSION
#define NUMBER CAROM_SCHEMA_NUMBER
#define CHOICE CAROM_SCHEMA_CHOICE
#define MAP CAROM_SCHEMA_MAP
#define LIST CAROM_SCHEMA_LIST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// columns: path, types, choices, shorthand, required, unit, default, meaning
// clang-format off
static const carom_schema_key grains_keys[] = {
  {"rods", MAP | LIST, NULL, NULL, true, "", "", "The rods: spherocylinders of one kind, or a list of kinds. Flat ends are not modelled."},
  {"rods.count", NUMBER, NULL, NULL, false, "", "", "How many of them."},
  {"rods.diameter", NUMBER, NULL, NULL, false, "m", "", "Their diameter."},
  {"rods.length", NUMBER, NULL, NULL, false, "m", "the diameter: spheres", "Their whole length, caps included."},
  {"rods.density", NUMBER, NULL, NULL, false, "kg/m^3", "1000", "Their density; mass and inertia follow unless given."},
  {"rods.mass", NUMBER, NULL, NULL, false, "kg", "from the density", "Their mass."},
  {"rods.inertia", NUMBER, NULL, NULL, false, "kg m^2", "that of a uniform rod of this mass", "The moment of inertia across the axis."},
  {"rods.spin_inertia", NUMBER, NULL, NULL, false, "kg m^2", "that of a uniform rod of this mass", "The moment of inertia about the axis."},
  {"rods.[]", MAP, NULL, NULL, false, "", "", "One kind of rods."},
  {"rods.[].count", NUMBER, NULL, NULL, true, "", "", "How many of them."},
  {"rods.[].diameter", NUMBER, NULL, NULL, true, "m", "", "Their diameter."},
  {"rods.[].length", NUMBER, NULL, NULL, false, "m", "the diameter: spheres", "Their whole length, caps included."},
  {"rods.[].density", NUMBER, NULL, NULL, false, "kg/m^3", "1000", "Their density; mass and inertia follow unless given."},
  {"rods.[].mass", NUMBER, NULL, NULL, false, "kg", "from the density", "Their mass."},
  {"rods.[].inertia", NUMBER, NULL, NULL, false, "kg m^2", "that of a uniform rod of this mass", "The moment of inertia across the axis."},
  {"rods.[].spin_inertia", NUMBER, NULL, NULL, false, "kg m^2", "that of a uniform rod of this mass", "The moment of inertia about the axis."},
  {"gravity", NUMBER | LIST, NULL, NULL, false, "m/s^2", "9.81", "The acceleration of gravity, downwards along -z, or its components."},
  {"gravity.[]", NUMBER, NULL, NULL, false, "m/s^2", "", "A component of the acceleration."},
  {"periodic", MAP, NULL, NULL, false, "", "open", "Directions in which the bed repeats itself."},
  {"periodic.x", NUMBER, NULL, NULL, false, "m", "open", "The length of the period along x."},
  {"periodic.y", NUMBER, NULL, NULL, false, "m", "open", "The length of the period along y."},
  {"periodic.z", NUMBER, NULL, NULL, false, "m", "open", "The length of the period along z."},
  {"walls", MAP, NULL, NULL, false, "", "none", "What bounds the bed, by name."},
  {"walls.*", MAP, NULL, NULL, false, "", "", "A plane or an upright cylinder."},
  {"walls.*.plane", LIST, NULL, NULL, false, "", "", "The normal of a plane, into the bed."},
  {"walls.*.plane.[]", NUMBER, NULL, NULL, false, "", "", "A component of the normal."},
  {"walls.*.at", NUMBER, NULL, NULL, false, "m", "0", "The distance of the plane from the origin, along its normal."},
  {"walls.*.cylinder", NUMBER, NULL, NULL, false, "m", "", "The radius of a cylinder along z."},
  {"walls.*.side", CHOICE, "inside|outside", NULL, false, "", "inside", "On which side of the cylinder the rods are."},
  {"walls.*.centre", LIST, NULL, NULL, false, "m", "the origin", "The place [x, y] of its axis."},
  {"walls.*.centre.[]", NUMBER, NULL, NULL, false, "m", "", "A coordinate of the axis."},
  {"walls.*.driven", CHOICE, "yes|no", NULL, false, "", "no", "Whether it moves with the drive."},
  {"walls.*.contact", MAP, NULL, NULL, false, "", "as between rods", "How its contacts differ from those between rods."},
  {"walls.*.contact.law", CHOICE, "hertz|linear", NULL, false, "", "as between rods", "How the normal force grows: with the overlap to the power 3/2, or with the overlap."},
  {"walls.*.contact.stiffness", NUMBER, NULL, NULL, false, "N/m^(3/2), linear N/m", "as between rods", "The normal force at unit overlap."},
  {"walls.*.contact.tangential_stiffness", NUMBER, NULL, NULL, false, "N/m^(3/2), linear N/m", "as between rods", "The stiffness of the tangential spring; in Hertz contacts it is multiplied by the square root of the overlap."},
  {"walls.*.contact.damping", NUMBER, NULL, NULL, false, "see form", "as between rods", "The normal damping coefficient."},
  {"walls.*.contact.tangential_damping", NUMBER, NULL, NULL, false, "see form", "as between rods", "The tangential damping coefficient."},
  {"walls.*.contact.form", CHOICE, "mass|ratio", NULL, false, "", "as between rods", "Damping by mass, gamma M v sqrt(overlap) as in the paper of Volfson et al., or by ratio, gamma sqrt(M k) overlap^(1/4) v, which gives the same restitution at every speed (linear contacts: without the overlap)."},
  {"walls.*.contact.restitution", NUMBER, NULL, NULL, false, "", "as between rods", "Restitution of a head-on collision; the damping that gives it is found by computing collisions."},
  {"walls.*.contact.speed", NUMBER, NULL, NULL, false, "m/s", "as between rods", "The approach speed at which restitution is asked for."},
  {"walls.*.contact.friction", MAP | NUMBER, NULL, "slip", false, "", "as between rods", "Coulomb friction: one coefficient, or those of stick and slip."},
  {"walls.*.contact.friction.slip", NUMBER, NULL, NULL, true, "", "", "The coefficient while sliding."},
  {"walls.*.contact.friction.stick", NUMBER, NULL, NULL, false, "", "as between rods", "The coefficient that sticking can bear."},
  {"walls.*.contact.at", CHOICE, "point|centres", NULL, false, "", "as between rods", "Where forces act: at the contact point, or at the centres of the virtual spheres."},
  {"walls.*.contact.spring", CHOICE, "safe|plain", NULL, false, "", "as between rods", "What the tangential spring of a Hertz contact does while the contact gets stiffer: keep its force (no collision can gain energy), or keep its length (as printed in the paper)."},
  {"walls.*.contact.pull", CHOICE, "yes|no", NULL, false, "", "as between rods", "Whether damping may make the normal force negative at the end of a collision."},
  {"drive", MAP | EXPRESSION, NULL, "z", false, "", "at rest", "The motion of the driven walls."},
  {"drive.z", EXPRESSION, NULL, NULL, true, "m", "", "Their displacement along z, of parameters and the time t; a table will do."},
  {"drive.period", NUMBER, NULL, NULL, false, "s", "unknown", "The period of the drive, for the phases of collisions and for how often observables look."},
  {"contact", MAP, NULL, NULL, true, "", "", "The contacts between rods, and of walls that say nothing else."},
  {"contact.law", CHOICE, "hertz|linear", NULL, false, "", "hertz", "How the normal force grows: with the overlap to the power 3/2, or with the overlap."},
  {"contact.stiffness", NUMBER, NULL, NULL, true, "N/m^(3/2), linear N/m", "", "The normal force at unit overlap."},
  {"contact.tangential_stiffness", NUMBER, NULL, NULL, false, "N/m^(3/2), linear N/m", "that of the normal direction", "The stiffness of the tangential spring; in Hertz contacts it is multiplied by the square root of the overlap."},
  {"contact.damping", NUMBER, NULL, NULL, false, "see form", "0", "The normal damping coefficient."},
  {"contact.tangential_damping", NUMBER, NULL, NULL, false, "see form", "half the normal one", "The tangential damping coefficient."},
  {"contact.form", CHOICE, "mass|ratio", NULL, false, "", "mass", "Damping by mass, gamma M v sqrt(overlap) as in the paper of Volfson et al., or by ratio, gamma sqrt(M k) overlap^(1/4) v, which gives the same restitution at every speed (linear contacts: without the overlap)."},
  {"contact.restitution", NUMBER, NULL, NULL, false, "", "given by the damping", "Restitution of a head-on collision; the damping that gives it is found by computing collisions."},
  {"contact.speed", NUMBER, NULL, NULL, false, "m/s", "1", "The approach speed at which restitution is asked for."},
  {"contact.friction", MAP | NUMBER, NULL, "slip", false, "", "0", "Coulomb friction: one coefficient, or those of stick and slip."},
  {"contact.friction.slip", NUMBER, NULL, NULL, true, "", "", "The coefficient while sliding."},
  {"contact.friction.stick", NUMBER, NULL, NULL, false, "", "that of slip", "The coefficient that sticking can bear."},
  {"contact.at", CHOICE, "point|centres", NULL, false, "", "point", "Where forces act: at the contact point, or at the centres of the virtual spheres."},
  {"contact.spring", CHOICE, "safe|plain", NULL, false, "", "safe", "What the tangential spring of a Hertz contact does while the contact gets stiffer: keep its force (no collision can gain energy), or keep its length (as printed in the paper)."},
  {"contact.pull", CHOICE, "yes|no", NULL, false, "", "yes", "Whether damping may make the normal force negative at the end of a collision."},
  {"start", MAP, NULL, NULL, false, "", "a row", "How the rods are placed."},
  {"start.as", CHOICE, "row|ring|layers|poured", NULL, false, "", "row", "Side by side along x over one period, in the plane; around an annulus, inner and outer ones in turn; crossed layers; or loose, one above the other, to fall."},
  {"start.tilt", NUMBER, NULL, NULL, false, "rad", "the largest that fits", "The tilt of a row or ring from the vertical, towards +x or the way round."},
  {"start.gap", NUMBER, NULL, NULL, false, "m", "a hundredth of the diameter", "The free space left between rods and to the floor."},
  {"start.spread", NUMBER, NULL, NULL, false, "m/s", "0", "The standard deviation of random velocities at the start."},
  {"start.seed", NUMBER, NULL, NULL, false, "", "1", "The seed of everything random in the start."},
  {"start.size", LIST, NULL, NULL, false, "m", "", "Length and width of the floor that layers or poured rods fill, about the origin."},
  {"start.size.[]", NUMBER, NULL, NULL, false, "m", "", "Length or width."},
  {"run.step", NUMBER, NULL, NULL, true, "s", "", "The constant time step."},
  {"run.skin", NUMBER, NULL, NULL, false, "m", "0.45 diameters", "How far apart rods are still remembered as neighbours; it changes the speed of a run, not its result beyond rounding."},
  {"run.threads", NUMBER, NULL, NULL, false, "", "1", "How many threads share the work of a bed; results are the same to the bit for any number."},
  {"run.integrator", CHOICE, "verlet|leapfrog", NULL, false, "", "verlet", "Velocity Verlet, of second order with damping too; or the leapfrog of the paper, where damping sees velocities half a step old."},
  {"run.freedoms", CHOICE, "all|no spin|plane", NULL, false, "", "all", "All six; without spin about the axis; or motion in the x-z plane."},
};
// clang-format on

const carom_schema carom_schema_grains = {"grains", grains_keys, COUNT(grains_keys)};
