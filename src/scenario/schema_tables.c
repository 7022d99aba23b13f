// SPDX-License-Identifier: MIT
// The tables of keys: documentation and check in one. One line per key, in the order a person would
// read them.
#include "scenario/schema.h"

#define EXPRESSION CAROM_SCHEMA_EXPRESSION
#define NUMBER CAROM_SCHEMA_NUMBER
#define TEXT CAROM_SCHEMA_TEXT
#define CHOICE CAROM_SCHEMA_CHOICE
#define MAP CAROM_SCHEMA_MAP
#define LIST CAROM_SCHEMA_LIST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// columns: path, types, choices, shorthand, required, unit, default, meaning
// clang-format off
static const carom_schema_key common_keys[] = {
  {"title", TEXT, NULL, NULL, false, "", "none", "What the scenario shows, in one line."},
  {"engine", TEXT, NULL, NULL, false, "", "hybrid", "The engine that computes the motion."},
  {"include", TEXT | LIST, NULL, NULL, false, "", "none", "Other scenario files below the same folder that this one builds on; what is written here overrides them."},
  {"parameters", MAP, NULL, NULL, false, "", "none", "Named numbers, fixed during a run, that sweeps and --set can change."},
  {"parameters.*", NUMBER, NULL, NULL, false, "any", "", "A number, or an expression of parameters above it."},
  {"run", MAP, NULL, NULL, true, "", "", "How long to run and how closely to compute."},
  {"run.until", NUMBER, NULL, NULL, true, "s", "", "The time at which the run ends."},
  {"run.start", NUMBER, NULL, NULL, false, "s", "0", "The time at which the run begins."},
  {"run.sample", NUMBER, NULL, NULL, false, "s", "a thousandth of the run", "The time between recorded samples."},
  {"measure", MAP, NULL, NULL, false, "", "the whole run", "The part of the run that observables are taken over."},
  {"measure.after", NUMBER, NULL, NULL, false, "s", "the start of the run", "The time at which measuring begins."},
  {"measure.over", NUMBER, NULL, NULL, false, "s", "up to the end", "How long measuring lasts."},
  {"observe", MAP, NULL, NULL, false, "", "none", "Named results, each an expression of anything that moves and of the reducers mean, max, min, mean_rate, last, count and at."},
  {"observe.*", EXPRESSION, NULL, NULL, false, "any", "", "A quantity followed in time, or with reducers one number for the measured part of the run."},
  {"regimes", MAP, NULL, NULL, false, "", "none", "Names for motions; the first whose word and condition hold is the motion's name."},
  {"regimes.*", MAP | EXPRESSION, NULL, "when", false, "", "", "The condition, or a map with the word and the condition, for this name."},
  {"regimes.*.word", TEXT, NULL, NULL, false, "", "any word", "The word of the motion, made of F flight, + and - slip, K stick, I impact."},
  {"regimes.*.when", EXPRESSION, NULL, NULL, false, "", "always", "A condition on observables and parameters."},
};

static const carom_schema_key hybrid_keys[] = {
  {"coordinates", MAP, NULL, NULL, false, "", "none", "The generalised coordinates that describe the position."},
  {"coordinates.*", MAP | NUMBER, NULL, "start", false, "any", "", "The start value, or a map of start value and rate."},
  {"coordinates.*.start", NUMBER, NULL, NULL, false, "any", "0", "The value at the start."},
  {"coordinates.*.rate", NUMBER, NULL, NULL, false, "any/s", "0", "The rate of change at the start."},
  {"states", MAP, NULL, NULL, false, "", "none", "Quantities with first-order equations, beside or instead of coordinates."},
  {"states.*", MAP, NULL, NULL, false, "", "", "One state: its start value and its equation."},
  {"states.*.start", NUMBER, NULL, NULL, false, "any", "0", "The value at the start."},
  {"states.*.rate", EXPRESSION, NULL, NULL, false, "any/s", "", "The equation: what the time derivative of the state is."},
  {"states.*.equation", EXPRESSION, NULL, NULL, false, "any/s", "", "Another word for rate."},
  {"define", MAP, NULL, NULL, false, "", "none", "Named expressions, usable everywhere in any order; a prime after the name is the time derivative."},
  {"define.*", EXPRESSION, NULL, NULL, false, "any", "", "An expression of coordinates, rates, states, parameters, time t and other definitions."},
  {"energy", MAP, NULL, NULL, false, "", "none", "The energies from which the equations of motion are derived."},
  {"energy.kinetic", EXPRESSION, NULL, NULL, false, "J", "none", "The kinetic energy, quadratic in the rates (terms linear and constant in them are allowed)."},
  {"energy.potential", EXPRESSION, NULL, NULL, false, "J", "0", "The potential energy, free of rates."},
  {"energy.dissipation", EXPRESSION, NULL, NULL, false, "W", "0", "Rayleigh's dissipation function: its derivatives by the rates are the damping forces."},
  {"forces", MAP, NULL, NULL, false, "", "none", "Generalised forces beside those that follow from the energies."},
  {"forces.*", EXPRESSION, NULL, NULL, false, "J per unit of the coordinate", "0", "The generalised force on the coordinate of this name."},
  {"constraints", MAP, NULL, NULL, false, "", "none", "Bilateral constraints: joints, rods, prescribed motions, rolling."},
  {"constraints.*", EXPRESSION, NULL, NULL, false, "any", "", "An expression that stays zero, or a = b; with rates it must be linear in them."},
  {"contacts", MAP, NULL, NULL, false, "", "none", "Places where bodies can touch."},
  {"contacts.*", MAP, NULL, NULL, false, "", "", "One contact: gap, slip, friction and impact law."},
  {"contacts.*.gap", EXPRESSION, NULL, NULL, true, "m", "", "The distance between the bodies, of coordinates and time; negative would be penetration."},
  {"contacts.*.slip", EXPRESSION, NULL, NULL, false, "m/s", "none", "The sliding speed, linear in the rates."},
  {"contacts.*.friction", MAP | EXPRESSION, NULL, "slip", false, "", "frictionless", "Coulomb friction: one coefficient, or a map of coefficients."},
  {"contacts.*.friction.slip", EXPRESSION, NULL, NULL, false, "", "", "The coefficient while sliding; `slip` inside it is the sliding speed."},
  {"contacts.*.friction.stick", EXPRESSION, NULL, NULL, false, "", "that of slip", "The coefficient that sticking can bear."},
  {"contacts.*.friction.impact", MAP | EXPRESSION, NULL, "slip", false, "", "those above", "The coefficients during impacts: one number, or a map of stick and slip."},
  {"contacts.*.friction.impact.slip", EXPRESSION, NULL, NULL, true, "", "", "The coefficient while sliding during an impact."},
  {"contacts.*.friction.impact.stick", EXPRESSION, NULL, NULL, false, "", "that of slip", "The coefficient that sticking can bear during an impact."},
  {"contacts.*.tangential", EXPRESSION, NULL, NULL, false, "N", "Coulomb friction", "A tangential force law of your own, an expression of `normal` (the normal force) and `slip` (the sliding speed)."},
  {"contacts.*.impact", MAP | EXPRESSION, NULL, "e", false, "", "newton with e = 0", "The impact law: a number is Newton's coefficient of restitution."},
  {"contacts.*.impact.law", CHOICE, "newton|poisson|energetic", NULL, false, "", "newton", "Which law of restitution holds."},
  {"contacts.*.impact.e", EXPRESSION, NULL, NULL, false, "", "0", "The coefficient of restitution, from 0 to 1."},
  {"contacts.*.impact.stiffness", EXPRESSION, NULL, NULL, false, "N/m^exponent", "1", "The contact stiffness, for energetic impacts (relative to other contacts) and compliant runs."},
  {"contacts.*.impact.exponent", EXPRESSION, NULL, NULL, false, "", "3/2", "The exponent of the contact force over the compression; 3/2 is Hertz."},
  {"contacts.*.impact.stop", CHOICE, "energetic|kinetic|kinematic", NULL, false, "", "energetic", "What ends an energetic impact: the work given back (Stronge), the impulse (Poisson), the velocity (Newton). The last two are for a contact that strikes alone."},
  {"contacts.*.impact.sequential", CHOICE, "yes|no", NULL, false, "", "no", "Whether the contact waits, unless it approaches, until the contacts that do have finished their impact."},
  {"contacts.*.impact.hold", CHOICE, "yes|no", NULL, false, "", "no", "Whether an energetic contact with e = 0 is held at rest once compressed, in place of being compressed again and again. Another model."},
  {"shapes", LIST, NULL, NULL, false, "", "none", "What to draw; it has no influence on the motion."},
  {"shapes.[]", MAP, NULL, NULL, false, "", "", "One of circle, segment, polygon, plane."},
  {"shapes.[].circle", LIST, NULL, NULL, false, "m", "", "The centre [x, y] of a circle."},
  {"shapes.[].circle.[]", EXPRESSION, NULL, NULL, false, "m", "", "A coordinate of the centre."},
  {"shapes.[].radius", EXPRESSION, NULL, NULL, false, "m", "", "The radius of the circle."},
  {"shapes.[].segment", LIST, NULL, NULL, false, "m", "", "The two ends [[x, y], [x, y]] of a line."},
  {"shapes.[].segment.[]", LIST, NULL, NULL, false, "m", "", "An end of the line."},
  {"shapes.[].segment.[].[]", EXPRESSION, NULL, NULL, false, "m", "", "A coordinate of the end."},
  {"shapes.[].polygon", LIST, NULL, NULL, false, "m", "", "Three or more corners [x, y]."},
  {"shapes.[].polygon.[]", LIST, NULL, NULL, false, "m", "", "A corner of the polygon."},
  {"shapes.[].polygon.[].[]", EXPRESSION, NULL, NULL, false, "m", "", "A coordinate of the corner."},
  {"shapes.[].plane", EXPRESSION, NULL, NULL, false, "m", "", "The height of a horizontal line."},
  {"shapes.[].label", TEXT, NULL, NULL, false, "", "none", "A name to write beside the shape."},
  {"run.rtol", NUMBER, NULL, NULL, false, "", "1e-10", "The relative error allowed per step."},
  {"run.atol", NUMBER, NULL, NULL, false, "any", "a hundredth of rtol", "The absolute error allowed per step, in the units of the coordinates."},
  {"run.h_max", NUMBER, NULL, NULL, false, "s", "no limit", "The longest step."},
  {"run.period", NUMBER, NULL, NULL, false, "s", "", "The time after which the drive repeats itself: what periodic motions of a driven system are sought with."},
  {"run.event_tolerance", NUMBER, NULL, NULL, false, "", "10", "How near to zero an event function counts as zero, in units of what the integrator can resolve of it."},
  {"run.max_events", NUMBER, NULL, NULL, false, "", "1e7", "More events than this in one run are an error."},
  {"run.compliant", NUMBER, NULL, NULL, false, "N/m", "rigid contacts", "Contacts become springs of this stiffness with dashpots, as a referee for rigid runs."},
  {"run.hold", CHOICE, "energy|none", NULL, false, "", "energy where it is conserved", "What the integrator holds constant beside the equations."},
  {"run.detect", CHOICE, "exact|step ends", NULL, false, "", "exact", "How events are found; `step ends` is deliberately loose, for studies of what others compute."},
  {"run.chatter", MAP | CHOICE, "ratio|accumulation", NULL, false, "", "ratio", "The rule that closes a contact whose bounces pile up: a word, or one of the keys below with its value; `accumulation` closes where flights that shorten by a constant ratio have piled up, a time computed from a few of them."},
  {"run.chatter.ratio", NUMBER, NULL, NULL, false, "", "1e-6", "Close when a flight is shorter than this part of the longest flight of the same series of bounces."},
  {"run.chatter.speed", NUMBER, NULL, NULL, false, "m/s", "", "Close when the speed after an impact is below this."},
  {"run.chatter.time", NUMBER, NULL, NULL, false, "s", "", "Close when the flight between two impacts is shorter than this."},
  {"sections", MAP, NULL, NULL, false, "", "none", "Instants at which the motion is looked at, for return maps and for the reducers count and at."},
  {"sections.*", MAP | EXPRESSION, NULL, "when", false, "", "", "The crossing, or a map that says more about it."},
  {"sections.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true."},
  {"sections.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."},
  {"sections.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing."},
  {"events", MAP, NULL, NULL, false, "", "none", "Instants at which the motion is changed."},
  {"events.*", MAP, NULL, NULL, false, "", "", "One event: when it happens and what it does."},
  {"events.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true."},
  {"events.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."},
  {"events.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing."},
  {"events.*.do", MAP, NULL, NULL, true, "", "", "New values; all are computed from the values before the event."},
  {"events.*.do.*", EXPRESSION, NULL, NULL, false, "any", "", "The new value of a coordinate x, a rate x' or a state."},
  {"stop", MAP | EXPRESSION, NULL, "stop", false, "", "none", "Crossings that end the run early: one expression, or a map of named ones."},
  {"stop.*", MAP | EXPRESSION, NULL, "when", false, "", "", "The crossing, or a map that says more about it."},
  {"stop.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true."},
  {"stop.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."},
  {"stop.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing."},
};
// clang-format on

const carom_schema carom_schema_common = {NULL, common_keys, COUNT(common_keys)};
const carom_schema carom_schema_hybrid = {"hybrid", hybrid_keys, COUNT(hybrid_keys)};
