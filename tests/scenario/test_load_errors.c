// SPDX-License-Identifier: MIT
// Every mistake gets its place, what was expected and the nearest known name. With a folder as
// argument the inputs are written there, as seeds for fuzzing.
#include "check.h"
#include "scenario/scenario.h"

#include <string.h>

// six lines that are right; what a case adds begins in line 7
#define FLOOR                                                                                      \
  "coordinates: {x: 1}\nenergy: {kinetic: x'^2/2}\n"                                               \
  "contacts: {floor: {gap: x}}\nrun: {until: 1}\n"
#define BASE                                                                                       \
  "parameters: {m: 1, g: 9.81, mu: 0.3}\n"                                                         \
  "coordinates: {x: 0, y: 1}\n"                                                                    \
  "energy:\n"                                                                                      \
  "  kinetic: m/2*(x'^2 + y'^2)\n"                                                                 \
  "  potential: m*g*y\n"                                                                           \
  "run: {until: 1}\n"

// a parameter line, a coordinate line, kinetic and potential energy, run; for mistakes in these
#define WITH(parameters, coordinates, kinetic, potential, run)                                     \
  "parameters: " parameters "\ncoordinates: " coordinates "\nenergy:\n  kinetic: " kinetic         \
  "\n  potential: " potential "\nrun: " run "\n"
#define PARAMETERS(text) WITH(text, "{x: 0}", "x'^2", "0", "{until: 1}")
#define COORDINATES(text, kinetic) WITH("{a: 2}", text, kinetic, "0", "{until: 1}")
#define KINETIC(text) COORDINATES("{x: 0, y: 1}", text)
#define POTENTIAL(text) WITH("{a: 2}", "{x: 0, y: 1}", "x'^2 + y'^2", text, "{until: 1}")
#define RUN(text) WITH("{a: 2}", "{x: 0}", "x'^2", "0", text)
#define CONTACT(text) BASE "contacts:\n  left:\n" text

#define SPEEDS(rates, kinetic)                                                                     \
  "coordinates: {x: 0, y: 0}\nspeeds: {v: 1}\nrates: " rates                                       \
  "\nenergy:\n  kinetic: x'^2 + " kinetic "\nrun: {until: 1}\n"

typedef struct mistake {
  const char *name, *text;
  int line, column;
  const char *phrase;
} mistake;

static const mistake mistakes[] = {
    // keys and kinds of value
    {"unknown_section", BASE "contcts: {}\n", 7, 1, "did you mean 'contacts'?"},
    {"unknown_far", BASE "zebra: 1\n", 7, 1, "known are title, engine"},
    {"unknown_key", CONTACT("    gap: y\n    frction: 0.3\n"), 10, 5, "did you mean 'friction'?"},
    {"engine_cloth", BASE "engine: cloth\n", 7, 9, "this build has no engine 'cloth'"},
    {"engine_typo", BASE "engine: hybird\n", 7, 9, "did you mean 'hybrid'?"},
    {"engine_map", BASE "engine: {a: 1}\n", 7, 9, "a name expected"},
    {"map_for_expression", CONTACT("    gap: {a: 1}\n"), 9, 10,
     "contacts.left.gap: an expression expected, found a map"},
    {"scalar_for_map", BASE "define: 3\n", 7, 9, "a map of keys expected, found a single value"},
    {"list_for_map", BASE "observe: [a, b]\n", 7, 10, "a map of keys expected, found a list"},
    {"nothing_for_expression", BASE "define:\n  a:\n", 8, 5,
     "an expression expected, found nothing"},
    {"comma_in_flow_map", BASE "define: {a: max(x, y)}\n", 7, 20, "a comma ends a value"},
    {"comma_before_name", BASE "define: {a: if(x > 0, y, 1)}\n", 7, 26, "a comma ends a value"},
    {"equals_for_colon", BASE "define: {r = x^2}\n", 7, 10, "has a colon and a blank"},
    {"brackets_for_number", CONTACT("    gap: y\n    impact: {e: [0.5]}\n"), 10, 17,
     "write it without brackets"},
    {"section_without_name", BASE "sections: x\n", 7, 11, "each entry has a name"},
    {"body_quantity",
     "bodies: {a: {disc: 1, mass: 1}}\nrun: {until: 1}\nobserve: {v: last(a.speed)}\n", 3, 19,
     "of a body there are"},
    {"comma_in_list", BASE "contacts: {a: {gap: x, slip: x', y'}}\n", 7, 34,
     "write a list in brackets"},
    {"comma_before_decimal", BASE "define: {a: if(x > 0, -0.5, y)}\n", 7, 23,
     "a comma ends a value"},
    {"scalar_for_few", BASE "measure: 3\n", 7, 10, "its keys are after or over"},
    {"start_and_rate", COORDINATES("{x: [0, 1]}", "x'^2"), 2, 18, "{start: 0, rate: 1}"},
    {"gap_condition", CONTACT("    gap: y >= 0\n"), 9, 10, "a quantity belongs here"},
    {"constraint_condition", BASE "constraints: {rod: x == 0}\n", 7, 20, "in a constraint a = b"},
    {"contact_as_number", FLOOR "observe: {a: max(floor)}\n", 5, 18, "'floor' is a contact"},
    {"constraint_force", BASE "constraints: {rod: x = 0}\nobserve: {a: max(rod.force)}\n", 8, 18,
     "no expression knows the force of a constraint"},
    {"event_rate", BASE "events: {kick: {when: y, do: {vy: 3}}}\n", 7, 31, "did you mean 'y''?"},
    {"dot_in_key", BASE "define: {a.b: x}\n", 7, 10, "cannot contain a dot"},
    {"duplicate_key", BASE "define: {a: x, a: y}\n", 7, 16, "given twice"},
    {"no_run", "coordinates: {x: 0}\nenergy: {kinetic: x'^2}\n", 1, 1, "needs the key 'run'"},
    {"no_until", RUN("{sample: 0.1}"), 6, 6, "run needs the key 'until'"},
    {"empty_run", RUN(""), 6, 5, "run needs the key 'until'"},
    {"nothing_moves", "run: {until: 1}\n", 1, 1, "nothing moves"},

    // speeds and rates
    {"rate_unknown", SPEEDS("{y: v, z: v}", "y'^2"), 3, 15, "rates: there is no coordinate 'z'"},
    {"rate_not_linear", SPEEDS("{y: v^2}", "y'^2"), 3, 12, "must be linear in speeds"},
    {"rate_with_drift", SPEEDS("{y: v + 1}", "y'^2"), 3, 12, "without a part that is free of them"},
    {"rate_of_time", SPEEDS("{y: v*t}", "y'^2"), 3, 14,
     "can only use parameters, coordinates and speeds"},
    {"rate_of_rate", SPEEDS("{y: y'}", "y'^2"), 3, 12, "cannot depend on the rate y'"},
    {"speed_without_mass", SPEEDS("{y: x'}", "y'^2"), 5, 12, "speed 'v' neither itself nor"},
    {"rate_twice",
     "coordinates: {y: {start: 0, rate: 1}}\nspeeds: {v: 1}\nrates: {y: v}\n"
     "energy: {kinetic: v^2}\nrun: {until: 1}\n",
     1, 35, "follows from rates.y"},
    {"invariant_not_kept", SPEEDS("{y: v}", "y'^2") "invariants: {a: y}\n", 7, 17, "is not kept"},
    {"invariant_of_others", SPEEDS("{y: v}", "y'^2") "invariants: {a: x}\n", 7, 17,
     "'x' is a coordinate"},
    {"speed_twice", SPEEDS("{y: v}", "v^2") "states: {v: {start: 0, rate: 1}}\n", 7, 10,
     "it is a speed in line 2"},

    // names
    {"name_digit", PARAMETERS("{2a: 1}"), 1, 14, "cannot be the name of a parameter"},
    {"name_sign", COORDINATES("{x: 0, a-b: 1}", "x'^2"), 2, 21,
     "cannot be the name of a coordinate"},
    {"name_reserved", PARAMETERS("{sin: 1}"), 1, 14, "'sin' has a meaning of its own"},
    {"name_pi", PARAMETERS("{pi: 3}"), 1, 14, "'pi' has a meaning of its own"},
    {"name_time", PARAMETERS("{t: 1}"), 1, 14, "'t' is the time"},
    {"name_slip", PARAMETERS("{slip: 1}"), 1, 14, "'slip' means the sliding speed"},
    {"name_taken", COORDINATES("{x: 0, a: 1}", "x'^2"), 2, 21,
     "the name 'a' is taken: it is a parameter in line 1"},
    {"name_taken_observe", BASE "observe: {x: x}\n", 7, 11,
     "the name 'x' is taken: it is a coordinate"},
    {"name_contact", BASE "contacts: {1st: {gap: y}}\n", 7, 12, "cannot be the name of a contact"},
    {"name_twice_counted", BASE "contacts: {low: {gap: y}}\nsections: {low: x}\n", 8, 12,
     "the name 'low' is taken: contacts.low stands in line 7"},

    // parameters
    {"parameter_later", PARAMETERS("{a: 2*b, b: 1}"), 1, 19, "the parameter 'b' stands below"},
    {"parameter_itself", PARAMETERS("{a: a + 1}"), 1, 17, "'a' is defined by itself"},
    {"parameter_coordinate", PARAMETERS("{a: 2*x}"), 1, 19,
     "'x' is a coordinate; parameters.a can only use the parameters above it"},
    {"parameter_unknown", PARAMETERS("{gamma: 1, a: gama}"), 1, 27, "did you mean 'gamma'?"},
    {"parameter_infinite", PARAMETERS("{a: 1/0}"), 1, 17, "parameters.a is infinite"},
    {"parameter_nan", PARAMETERS("{a: sqrt(-1)}"), 1, 17, "parameters.a is not a number"},

    // expressions
    {"undefined", BASE "define: {a: x + yy}\n", 7, 17, "unknown name 'yy'; did you mean 'y'?"},
    {"undefined_second_line", BASE "define:\n  a: x +\n    y +\n    zzz\n", 10, 5,
     "unknown name 'zzz'"},
    {"undefined_block", BASE "define:\n  a: >\n    x\n    + qqq\n", 10, 7, "unknown name 'qqq'"},
    {"undefined_quoted", BASE "define: {a: 'x + qqq'}\n", 7, 18, "unknown name 'qqq'"},
    {"arity", BASE "define: {a: sin()}\n", 7, 13, "sin takes 1 argument, 0 given"},
    {"arity_table", BASE "define: {a: table(x)}\n", 7, 13, "table takes 2 arguments, 1 given"},
    {"table_quotes", BASE "define:\n  a: table(x, y)\n", 8, 12, "in double quotes"},
    {"table_no_file", BASE "define:\n  a: table(\"none.csv\", t)\n", 8, 12, "no folder"},
    {"unbalanced", BASE "define: {a: (x + y}\n", 7, 19, "expected ')'"},
    {"function", BASE "define: {a: sine(x)}\n", 7, 13,
     "unknown function 'sine'; did you mean 'sin'?"},
    // what other programs call it
    {"others_ln", BASE "define: {a: ln(x)}\n", 7, 13, "did you mean 'log'?"},
    {"others_maximum", BASE "observe: {a: maximum(x)}\n", 7, 14, "did you mean 'max'?"},
    {"others_pow", BASE "define: {a: pow(x)}\n", 7, 13, "did you mean 'a^b'?"},
    {"others_dx", KINETIC("x'^2 + dy^2"), 4, 19, "the rate of y is written y'"},
    {"others_ydot", KINETIC("x'^2 + y_dot^2"), 4, 19, "the rate of y is written y'"},
    {"others_bars", BASE "define:\n  a: x*|x|\n", 8, 8, "the size of x is written abs(x)"},
    {"others_product", BASE "define: {a: x y}\n", 7, 15, "a product is written with *"},
    {"others_choice", BASE "define: {a: x if x > 0 else y}\n", 7, 15, "if(condition, a, b)"},
    {"others_definitions", BASE "definitions: {a: x}\n", 7, 1, "did you mean 'define'?"},
    {"others_restitution", CONTACT("    gap: y\n    impact: {restitution: 0.5}\n"), 10, 14,
     "did you mean 'e'?"},
    {"others_bounce", CONTACT("    gap: y\n    restitution: 0.5\n"), 10, 5,
     "did you mean 'impact'?"},
    {"others_spring", CONTACT("    gap: y\n    stiffness: 1e5\n"), 10, 5, "min(gap, 0)^2"},
    {"others_stop", RUN("{until: 1, stop: x - 1}"), 6, 17, "beside run: stop: {NAME:"},
    {"others_event_stops", BASE "events:\n  low: {when: y < 0, do: stop}\n", 8, 26,
     "stop: {NAME: EXPRESSION}"},
    {"others_initial", BASE "initial: {x: 1}\n", 7, 1, "coordinates: {x: {start: 1"},
    {"others_final", BASE "observe: {a: final(x)}\n", 7, 14, "is the value at the end"},
    {"others_rms", BASE "observe: {a: rms(x)}\n", 7, 14, "sqrt(mean(sqr(...)))"},
    {"others_question", BASE "define:\n  a: \"x > 0 ? x : y\"\n", 8, 13, "if(condition, a, b)"},
    {"others_rectangle", BASE "shapes: [{rectangle: [0, 0, 1, 1]}]\n", 7, 11, "polygon: [[x, y]"},
    {"others_list", BASE "observe: [max(x, y)]\n", 7, 10, "each entry has a name"},
    {"others_brace", BASE "measure {after: 1}\n", 7, 1, "a colon missing before the brace"},
    {"others_end", RUN("{until: 1, dt: 0.1}"), 6, 17, "did you mean 'sample'?"},
    {"others_decimals", PARAMETERS("{a: 2, g: 9,81}"), 1, 27, "behind a point, 9.81"},
    {"others_colon", "title:base\nrun: {until: 1}\n", 1, 1, "a key needs a colon and a blank"},
    {"others_product_of_units", PARAMETERS("{a: 2, k: 9 Nm}"), 1, 25, "did you mean 'N m'?"},
    {"others_power_of_units", PARAMETERS("{a: 2, g: 9 m/s2}"), 1, 27, "did you mean 's^2'?"},
    {"others_second", RUN("{until: 1 sec}"), 6, 16, "unknown unit 'sec'; did you mean 's'?"},
    {"elsewhere", BASE "dissipation: x'^2\n", 7, 1, "it belongs below 'energy'"},
    {"others_damping", BASE "damping: 1\n", 7, 1, "energy: {dissipation: c/2*x'^2}"},
    {"others_mass", BASE "mass: 1\n", 7, 1, "masses stand in energy.kinetic"},
    {"others_params", "params: {m: 1}\n", 1, 1, "did you mean 'parameters'?"},
    {"others_solver", RUN("{until: 1, solver: rk4}"), 6, 17, "there is one integrator"},
    {"others_mu", CONTACT("    gap: y\n    slip: x'\n    friction: {mu: 0.3}\n"), 11, 16,
     "write friction: 0.4"},
    {"others_true", CONTACT("    gap: y\n    impact: {e: 0, hold: true}\n"), 10, 26,
     "did you mean 'yes'?"},
    {"others_shapes", BASE "shapes: {a: {circle: [x, y], radius: 1}}\n", 7, 9,
     "each entry begins with a dash"},
    {"others_point_power", BASE "define: {a: x.^2}\n", 7, 14, "write '^' instead of '.^'"},
    {"others_pound", PARAMETERS("{a: 2 lb}"), 1, 19, "write 1 lb as 0.45359237 kg"},
    {"rate_of_state", "states: {v: 1}\nrates: {v: -v}\nrun: {until: 1}\n", 2, 9,
     "'v' is a state, and its equation stands with it"},
    {"state_alone", BASE "states: {z: 1}\n", 7, 10, "or an event that sets it"},
    {"cycle_one", BASE "define: {a: a + 1}\n", 7, 10, "a -> a"},
    {"cycle_two", BASE "define: {c: x, a: b + c, b: a'}\n", 7, 16,
     "a is defined by itself: a -> b -> a"},
    {"cycle_observe", BASE "observe: {a: mean(b), b: a}\n", 7, 11, "a -> b -> a"},
    {"third_derivative", BASE "define: {a: x'''}\n", 7, 16, "third time derivative"},
    {"state_second", "states: {z: {rate: -z}}\nrun: {until: 1}\nobserve: {a: z''}\n", 3, 16,
     "second time derivative of a state"},
    {"reducer_in_define", BASE "define: {a: mean(x)}\n", 7, 13,
     "reducers stand in observe and regimes"},
    {"max_of_one", BASE "define: {a: max(x)}\n", 7, 13, "max(x) is a reducer"},
    {"observable_in_define", BASE "define: {a: o}\nobserve: {o: x}\n", 7, 13,
     "'o' is an observable"},
    {"force_in_stop", FLOOR "stop: floor.normal - 1\n", 5, 7,
     "'floor.normal' is a contact force; it can be used in observe and inside reducers, not in"},
    {"force_in_regime", FLOOR "regimes: {hard: floor.normal > 1}\n", 5, 17, "inside reducers"},
    {"force_prime", FLOOR "observe: {a: floor.normal'}\n", 5, 26, "has no time derivative"},
    {"force_mixed", FLOOR "observe: {a: floor.normal + max(x)}\n", 5, 14, "mixes what changes"},
    {"force_without_slip", FLOOR "observe: {a: floor.tangential}\n", 5, 14, "has no slip"},
    {"force_misspelt", FLOOR "observe: {a: floor.norml}\n", 5, 14,
     "floor.tangential and floor.friction"},
    {"contact_misspelt", FLOOR "observe: {a: flor.normal}\n", 5, 14,
     "there is no contact 'flor'; did you mean 'floor'?"},
    {"contact_of_gap", FLOOR "observe: {a: flor.gap}\n", 5, 14, "did you mean 'floor'?"},
    {"force_elsewhere",
     "engine: field\nbody: {square: 1}\nrun: {until: 1}\nobserve: {a: floor.normal}\n", 4, 14,
     "the engine field has no contacts by name"},
    {"calls_too_deep",
     BASE
     "observe:\n  a: mean(mean(mean(mean(mean(mean(mean(mean(mean(mean(mean(mean(mean(mean(mean("
     "mean(mean(mean(mean(mean(mean(mean(x))))))))))))))))))))))\n",
     8, 106, "calls nested deeper than 20"},

    // start values
    {"start_coordinate", COORDINATES("{x: 0, y: x + 1}", "x'^2 + y'^2"), 2, 24,
     "'x' is a coordinate; coordinates.y.start can only use parameters"},
    {"start_time", COORDINATES("{x: t}", "x'^2"), 2, 18, "can only use parameters"},
    {"start_definition", COORDINATES("{x: d}", "x'^2") "define: {d: 2*x}\n", 2, 18,
     "coordinates.x.start cannot depend on the coordinate x"},
    {"start_infinite", COORDINATES("{x: a/0}", "x'^2"), 2, 15,
     "the start of the coordinate x is infinite"},
    {"start_rate_nan", COORDINATES("{x: {rate: log(-a)}}", "x'^2"), 2, 15,
     "the rate at the start of the coordinate x is not a number"},
    {"start_unknown_key", COORDINATES("{x: {begin: 1}}", "x'^2"), 2, 19, "unknown key 'begin'"},

    // states
    {"state_no_equation", "states:\n  z: {start: 1}\nrun: {until: 1}\n", 2, 3,
     "needs its equation"},
    {"state_two_equations", "states:\n  z: {rate: 1, equation: 2}\nrun: {until: 1}\n", 2, 26,
     "both 'rate' and 'equation'"},
    {"state_own_rate", "states: {z: {rate: z'}}\nrun: {until: 1}\n", 1, 20,
     "states.z.rate cannot depend on the rate z'"},
    {"state_nan", "states: {z: {rate: log(z - 1)}}\nrun: {until: 1}\n", 1, 10,
     "states.z.rate is not a number"},

    // energies
    {"kinetic_missing", "coordinates: {x: 0}\nrun: {until: 1}\n", 1, 15,
     "'x' needs a kinetic energy"},
    {"kinetic_cubic", KINETIC("x'^2 + y'^2 + x'^3"), 4, 12,
     "must be quadratic in the rates, but it is not in x'"},
    {"kinetic_root", KINETIC("sqrt(1 + x'^2) + y'^2"), 4, 12, "must be quadratic"},
    {"kinetic_acceleration", KINETIC("x'^2 + y'^2 + x''"), 4, 12,
     "cannot depend on the acceleration x''"},
    {"mass_absent", KINETIC("x'^2"), 4, 12,
     "does not contain y', so the coordinate 'y' has no mass"},
    {"mass_zero", KINETIC("x'^2 + x*y'^2"), 4, 12,
     "the mass of the coordinate 'y' is zero at the start"},
    {"mass_singular", KINETIC("(x' + y')^2"), 4, 12, "singular at the start: the coordinate 'y'"},
    {"mass_negative", KINETIC("x'^2 - y'^2"), 4, 12,
     "negative for some motions of the coordinate 'y'"},
    {"mass_nan", KINETIC("x'^2/x + y'^2"), 4, 12, "not finite at the start (row of 'x')"},
    {"potential_rate", POTENTIAL("x*y'"), 5, 14,
     "cannot depend on the rate y'; what depends on rates belongs into forces or "
     "energy.dissipation"},
    {"potential_define_rate", POTENTIAL("v^2") "define: {v: x' + y'}\n", 5, 14,
     "cannot depend on the rate x'"},
    {"potential_infinite", POTENTIAL("1/x"), 5, 14, "energy.potential is infinite at the start"},
    {"energy_key", BASE "forces: {x: 1}\nenergie: {}\n", 8, 1, "did you mean 'energy'?"},
    {"force_unknown", BASE "forces: {xx: 1}\n", 7, 10, "did you mean 'x'?"},
    {"force_acceleration", BASE "forces: {x: y''}\n", 7, 13,
     "cannot depend on the acceleration y''"},
    {"constraint_constant", BASE "constraints: {c: t}\n", 7, 18, "depends on no coordinate"},
    {"constraint_nonlinear", BASE "constraints: {c: x'^2 + y'^2 = 1}\n", 7, 18,
     "must be linear in the rates"},
    {"constraint_right_side", BASE "constraints: {c: x = yyy}\n", 7, 22, "unknown name 'yyy'"},

    // contacts
    {"gap_missing", CONTACT("    slip: x'\n"), 9, 5, "contacts.left needs the key 'gap'"},
    {"contact_empty", BASE "contacts:\n  left:\n", 8, 3, "needs the key 'gap'"},
    {"load_and_gap", CONTACT("    gap: y\n    normal: 2\n    slip: x'\n    friction: 1\n"), 9, 10,
     "has 'normal', a given load, which leaves no room for 'gap'"},
    {"load_and_impact", CONTACT("    normal: 2\n    slip: x'\n    friction: 1\n    impact: 0.5\n"),
     12, 13, "leaves no room for 'impact'"},
    {"load_no_friction", CONTACT("    normal: 2\n    slip: x'\n"), 9, 13, "needs 'friction'"},
    {"load_no_slip", CONTACT("    normal: 2\n"), 9, 13, "needs 'slip'"},
    {"load_acceleration", CONTACT("    normal: y''\n    slip: x'\n    friction: 1\n"), 9, 13,
     "cannot depend on the acceleration y''"},
    {"load_infinite", CONTACT("    normal: 1/x\n    slip: x'\n    friction: 1\n"), 9, 13,
     "contacts.left.normal is infinite at the start"},
    {"when_rate", CONTACT("    gap: y\n    when: y' < 0\n"), 10, 11,
     "cannot depend on the rate y'; where rates decide, an event may set a state"},
    {"appear_alone", CONTACT("    gap: y\n    appear: push\n"), 10, 13, "it needs 'when'"},
    {"constraint_when", BASE "constraints: {c: {when: t > 1}}\n", 7, 18,
     "constraints.c needs the key 'hold'"},
    {"gap_rate", CONTACT("    gap: y + y'\n"), 9, 10,
     "cannot depend on the rate y'; a gap is a distance; did you mean slip?"},
    {"gap_constant", CONTACT("    gap: sin(t)\n"), 9, 10, "depends on no coordinate"},
    {"gap_nan", CONTACT("    gap: sqrt(y - 2)\n"), 9, 10,
     "contacts.left.gap is not a number at the start"},
    {"slip_position", CONTACT("    gap: y\n    slip: x\n"), 10, 11, "depends on no rate"},
    {"slip_square", CONTACT("    gap: y\n    slip: x'^2\n"), 10, 11, "must be linear in the rates"},
    {"friction_no_slip", CONTACT("    gap: y\n    friction: 0.3\n"), 10, 15,
     "has 'friction' but no 'slip'"},
    {"friction_no_coefficient", CONTACT("    gap: y\n    slip: x'\n    friction: {stick: 0.3}\n"),
     11, 15, "needs 'slip', the coefficient while sliding"},
    {"friction_negative", CONTACT("    gap: y\n    slip: x'\n    friction: -mu\n"), 11, 15,
     "it must be 0 or more"},
    {"friction_stick_small",
     CONTACT("    gap: y\n    slip: x'\n    friction: {stick: 0.1, slip: mu}\n"), 11, 23,
     "stick (0.1) must not be below that of slip (0.3)"},
    {"friction_impact_small",
     CONTACT(
         "    gap: y\n    slip: x'\n    friction: {slip: mu, impact: {slip: 0.2, stick: 0.1}}\n"),
     11, 53, "stick (0.1) must not be below"},
    {"friction_key", CONTACT("    gap: y\n    slip: x'\n    friction: {slide: 0.3}\n"), 11, 16,
     "unknown key 'slide'"},
    {"friction_normal", CONTACT("    gap: y\n    slip: x'\n    friction: mu*normal\n"), 11, 18,
     "unknown name 'normal'"},
    {"tangential_no_slip", CONTACT("    gap: y\n    tangential: -normal\n"), 10, 17,
     "has 'tangential' but no 'slip'"},
    {"tangential_and_friction",
     CONTACT("    gap: y\n    slip: x'\n    tangential: -normal*slip\n    friction: 0.3\n"), 12, 15,
     "leaves no room for friction"},
    {"slip_name_elsewhere", BASE "define: {a: 2*slip}\n", 7, 15, "unknown name 'slip'"},
    {"restitution_negative", CONTACT("    gap: y\n    impact: -0.1\n"), 10, 13,
     "lies between 0 and 1"},
    {"restitution_large", CONTACT("    gap: y\n    impact: {law: poisson, e: 1.5}\n"), 10, 31,
     "restitution is 1.5; it lies between 0 and 1"},
    {"impact_law", CONTACT("    gap: y\n    impact: {law: newtn}\n"), 10, 19,
     "none of newton, poisson or energetic; did you mean 'newton'?"},
    {"impact_stiffness", CONTACT("    gap: y\n    impact: {law: energetic, stiffness: 0}\n"), 10,
     41, "it must be positive"},
    {"impact_exponent", CONTACT("    gap: y\n    impact: {exponent: 1/2}\n"), 10, 24,
     "it must be 1 or more"},

    // run and measure
    {"until_negative", RUN("{until: -3}"), 6, 14,
     "run.until is -3; it must be after the start of the run"},
    {"until_before_start", RUN("{until: 3, start: 4}"), 6, 14, "after the start"},
    {"until_coordinate", RUN("{until: 2*x}"), 6, 16, "run.until can only use parameters"},
    {"until_list", RUN("{until: [1]}"), 6, 14, "a number expected, found a list"},
    {"sample_zero", RUN("{until: 1, sample: 0}"), 6, 25, "run.sample is 0; it must be positive"},
    {"rtol_large", RUN("{until: 1, rtol: 2}"), 6, 23, "between 1e-16"},
    {"rtol_small", RUN("{until: 1, rtol: 1e-30}"), 6, 23, "between 1e-16"},
    {"sample_small", RUN("{until: 1, sample: 1e-12}"), 6, 25, "asks for 1e+12 samples"},
    {"not_a_number", RUN("{until: nan}"), 6, 14, "no number"},
    {"function", RUN("{until: qqqqqq(3)}"), 6, 14, "there are sqrt"},
    {"unit", RUN("{until: 3 kg}"), 6, 14, "run.until is in kg; expected is s"},
    {"detect_word", RUN("{until: 1, detect: fast}"), 6, 25, "none of exact or step ends"},
    {"chatter_word", RUN("{until: 1, chatter: speed}"), 6, 26, "none of ratio or accumulation"},
    {"chatter_two", RUN("{until: 1, chatter: {speed: 1, time: 2}}"), 6, 26, "takes one rule"},
    {"chatter_ratio", RUN("{until: 1, chatter: {ratio: 2}}"), 6, 34, "between 0 and 1"},
    {"measure_late", BASE "measure: {after: 0.5, over: 0.6}\n", 7, 10,
     "measuring would end at 1.1"},
    {"measure_early", RUN("{until: 3, start: 1}") "measure: {after: 0.5}\n", 7, 18,
     "measure.after is 0.5; it must be in the run"},
    {"measure_after_end", BASE "measure: {after: 1}\n", 7, 10, "measuring would begin at 1"},
    {"measure_negative", BASE "measure: {over: -1}\n", 7, 17,
     "measure.over is -1; it must be positive"},

    // what YAML makes of expressions inside { }
    {"comma_first", BASE "events:\n  k: {when: max(x, 1) - y, do: {x: 1}}\n", 8, 20,
     "inside { } a comma ends a value"},
    {"comma_open", BASE "sections:\n  k: {when: x, if: max(x, min(1, 2)) > 1}\n", 8, 27,
     "inside { } a comma ends a value"},
    {"minus_blank", BASE "events:\n  k: {when: - 1*x, do: {x: 1}}\n", 8, 13,
     "minus sign with a blank behind it"},

    // events, sections, stop
    {"event_no_when", BASE "events:\n  k: {do: {x: 1}}\n", 8, 6, "events.k needs the key 'when'"},
    {"event_no_do", BASE "events:\n  k: {when: x}\n", 8, 6, "events.k needs the key 'do'"},
    {"event_empty_do", BASE "events:\n  k: {when: x, do: {}}\n", 8, 3, "does nothing"},
    {"event_parameter", BASE "events:\n  k: {when: x, do: {m: 1}}\n", 8, 21, "'m' is none of them"},
    {"event_typo", BASE "events:\n  k: {when: x, do: {xx': 1}}\n", 8, 21, "did you mean 'x''?"},
    {"event_acceleration", BASE "events:\n  k: {when: x'', do: {x: 1}}\n", 8, 13,
     "accelerations may be used in sections"},
    {"event_and", BASE "events:\n  k: {when: x > 1 and y > 1, do: {x: 1}}\n", 8, 13,
     "further conditions go to 'if'"},
    {"section_constant", BASE "sections: {s: m}\n", 7, 15, "never changes"},
    {"section_direction", BASE "sections: {s: {when: x, direction: up}}\n", 7, 36,
     "none of rising, falling or both"},
    {"stop_chained", BASE "stop: 0 < x < 1\n", 7, 13, "comparisons cannot be chained"},

    // observables and regimes
    {"count_unknown", BASE "contacts: {left: {gap: y}}\nobserve: {n: count(lft)}\n", 8, 20,
     "did you mean 'left'?"},
    {"at_unknown", BASE "observe:\n  a: at(s, x)\n", 8, 9,
     "there is no section, event, stop or contact 's'"},
    {"at_one", BASE "observe: {a: at(x)}\n", 7, 14, "at(name, x) takes 2 arguments, 1 given"},
    {"reducer_nested", BASE "observe: {a: mean(max(x))}\n", 7, 19, "known only after it"},
    {"observe_mixed", BASE "observe: {a: x - mean(x)}\n", 7, 14,
     "mixes what changes during the run"},
    {"regime_course", BASE "regimes: {r: x > 1}\n", 7, 14,
     "'x' is a coordinate; regimes.r can only use observables"},
    {"regime_observable", BASE "observe: {o: x}\nregimes: {r: o > 1}\n", 8, 14,
     "use a reducer, like last(x)"},
    {"regime_empty", BASE "regimes: {r: {}}\n", 7, 11, "needs a word, a condition, or both"},

    // shapes
    {"shape_none", BASE "shapes:\n  - {radius: 1}\n", 8, 5, "needs one of circle, segment"},
    {"shape_two", BASE "shapes:\n  - {circle: [x, y], radius: 1, plane: 0}\n", 8, 5,
     "both a circle and a plane"},
    {"shape_radius", BASE "shapes:\n  - {circle: [x, y]}\n", 8, 5, "needs a radius"},
    {"shape_point", BASE "shapes:\n  - {circle: [x, y, 0], radius: 1}\n", 8, 14,
     "a point is written [x, y]"},
    {"shape_segment", BASE "shapes:\n  - {segment: [[x, y]]}\n", 8, 15,
     "two ends [[x, y], [x, y]], found 1"},
    {"shape_polygon", BASE "shapes:\n  - {polygon: [[x, y], [0, 0]]}\n", 8, 15,
     "three or more corners"},
    {"shape_scalar", BASE "shapes: [circle]\n", 7, 10, "a map of keys expected"},
    {"shape_rate", BASE "shapes:\n  - {plane: x'}\n", 8, 13, "cannot depend on the rate x'"},
};

enum { MISTAKE_COUNT = sizeof mistakes / sizeof *mistakes };

static void test_mistakes(void **state) {
  (void)state;
  int wrong = 0;
  for (int k = 0; k < MISTAKE_COUNT; k++) {
    const mistake *m = &mistakes[k];
    carom_error error = {0};
    carom_scenario *s = NULL;
    carom_status status = carom_scenario_read(NULL, m->text, 0, NULL, NULL, &s, &error);
    bool right = status < 0 && !s && error.line == m->line && error.column == m->column &&
                 strstr(error.text, m->phrase) && strcmp(error.file, "text") == 0;
    if (!right) {
      wrong++;
      print_error("%s: %d:%d '%s'\n    expected %d:%d '%s'\n", m->name, error.line, error.column,
                  error.text, m->line, m->column, m->phrase);
    }
    carom_scenario_free(s);
  }
  assert_int_equal(wrong, 0);
}

// the text that all mistakes are made in is itself right
static void test_base(void **state) {
  (void)state;
  static const char *const texts[] = {
      BASE,
      PARAMETERS("{a: 1}"),
      KINETIC("x'^2 + y'^2"),
      POTENTIAL("x"),
      RUN("{until: 1}"),
      CONTACT("    gap: y\n    slip: x'\n    tangential: -normal*slip\n"
              "    friction: {impact: 0.2}\n")};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    carom_error error = {0};
    carom_scenario *s = NULL;
    if (carom_scenario_read(NULL, texts[k], 0, NULL, NULL, &s, &error)) fail_msg("%s", error.text);
    carom_scenario_free(s);
  }
}

static int write_seeds(const char *folder) {
  for (int k = 0; k < MISTAKE_COUNT; k++) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/bad_%s.yaml", folder, mistakes[k].name);
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    (void)fputs(mistakes[k].text, file);
    (void)fclose(file);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return write_seeds(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_base), cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
