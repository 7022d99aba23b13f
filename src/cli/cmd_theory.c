// SPDX-License-Identifier: MIT
/// carom theory: closed formulas, evaluated and tabulated.
#include "commands.h"
#include "json.h"
#include "report.h"
#include "study/rod_theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEG = 0.017453292519943295;

/// What the formulas are asked for.
typedef struct rods_question {
  double mu, eps, ratio; // ratio: -c_z/c_x before the collision
  double V0;             // largest plate velocity
  double from, to, step; // tilts [deg]
} rods_question;

static carom_status read_number(const carom_call *call, const char *name, double lo, double hi,
                                double *value, carom_error *error) {
  const char *text = carom_call_value(call, name);
  if (!text) return CAROM_OK;
  char *end = NULL;
  double number = strtod(text, &end);
  if (end != text && !*end && number >= lo && number <= hi) {
    *value = number;
    return CAROM_OK;
  }
  error->status = CAROM_ERR_INPUT;
  (void)snprintf(error->text, sizeof error->text, "--%s takes a number from %g to %g, not '%.80s'",
                 name, lo, hi, text);
  return CAROM_ERR_INPUT;
}

static carom_status read_question(const carom_call *call, rods_question *q, carom_error *error) {
  carom_status status = read_number(call, "mu", 0.0, 1e6, &q->mu, error);
  if (!status) status = read_number(call, "eps", 0.0, 1.0, &q->eps, error);
  if (!status) status = read_number(call, "ratio", 1e-6, 1e6, &q->ratio, error);
  if (!status) status = read_number(call, "speed", 1e-12, 1e12, &q->V0, error);
  if (!status) status = read_number(call, "from", 0.0, 90.0, &q->from, error);
  if (!status) status = read_number(call, "to", q->from, 90.0, &q->to, error);
  return status ? status : read_number(call, "step", 1e-3, 90.0, &q->step, error);
}

/// One tilt: the collision of a rod with c_x = 1, c_z = -ratio, and the drift of many rods.
typedef struct rods_row {
  double tilt;
  carom_rod_collision collision;
  double drift, rise; // with the mean plate speed V0/2
} rods_row;

static rods_row row_at(const rods_question *q, double tilt) {
  rods_row row = {.tilt = tilt};
  carom_rod_place place = carom_rod_thin(1.0, tilt * DEG);
  carom_rod_motion before = {1.0, -q->ratio, 0.0};
  (void)carom_rod_collide(&place, &before, 0.0, q->mu, q->eps, &row.collision, NULL);
  double V = carom_rod_plate_speed(q->V0);
  row.drift = carom_rod_drift(tilt * DEG, q->mu, q->eps) * V;
  row.rise = carom_rod_rise(tilt * DEG, q->eps) * V;
  return row;
}

static int rows_of(const rods_question *q) { return (int)((q->to - q->from) / q->step + 1e-9) + 1; }

// ---- as a table

static void print_text(const rods_question *q) {
  double angles[2];
  int count = carom_rod_critical_angles(q->mu, angles);
  printf("friction %g, restitution %g, c_z/c_x = -%g, plate speed %g\n", q->mu, q->eps, q->ratio,
         q->V0);
  if (count)
    printf("slip that comes to rest reverses from %.5f to %.5f deg, sticks outside\n",
           angles[0] / DEG, angles[count - 1] / DEG);
  else
    printf("slip never reverses: friction is %s\n", q->mu > 0.0 ? "above 3/4" : "zero");
  printf("%8s  %-14s %10s %10s %10s %10s %10s\n", "tilt", "collision", "c_x'", "c_z'", "omega' l",
         "drift", "rise");
  for (int k = 0; k < rows_of(q); k++) {
    rods_row row = row_at(q, q->from + k * q->step);
    const carom_rod_motion *after = &row.collision.after;
    printf("%8.3f  %-14s %10.6f %10.6f %10.6f %10.5f %10.5f\n", row.tilt,
           carom_rod_regime_text(row.collision.regime), after->cx, after->cz, after->omega,
           row.drift, row.rise);
  }
}

// regimes over tilt (across) and friction (down)
enum { DIAGRAM_ROWS = 20, DIAGRAM_COLUMNS = 60 };
static const double DIAGRAM_FIRST = 1.0, DIAGRAM_APART = 1.5, DIAGRAM_MU = 0.05; // deg, deg, -

// one letter a tilt
static void write_regimes(const rods_question *q, double mu, char letters[DIAGRAM_COLUMNS + 1]) {
  static const char LETTER[] = {' ', '.', '#', 'o'};
  rods_question at = *q;
  at.mu = mu;
  for (int k = 0; k < DIAGRAM_COLUMNS; k++)
    letters[k] = LETTER[row_at(&at, DIAGRAM_FIRST + DIAGRAM_APART * k).collision.regime];
  letters[DIAGRAM_COLUMNS] = 0;
}

static void print_diagram(const rods_question *q) {
  char letters[DIAGRAM_COLUMNS + 1];
  printf("regimes for eps = %g, -c_z/c_x = %g:  . slide  # slip-stick  o slip reversal\n", q->eps,
         q->ratio);
  for (int m = DIAGRAM_ROWS; m >= 1; m--) {
    write_regimes(q, DIAGRAM_MU * m, letters);
    printf("%5.2f %s\n", DIAGRAM_MU * m, letters);
  }
  printf("  mu   tilt from 1 to 89.5 deg\n");
}

// the same rows, from small friction to large
static void json_diagram(carom_json *json, const rods_question *q) {
  char letters[DIAGRAM_COLUMNS + 1];
  carom_json_object(json, "diagram");
  carom_json_number(json, "first_tilt", DIAGRAM_FIRST);
  carom_json_number(json, "tilts_apart", DIAGRAM_APART);
  carom_json_array(json, "rows");
  for (int m = 1; m <= DIAGRAM_ROWS; m++) {
    write_regimes(q, DIAGRAM_MU * m, letters);
    carom_json_object(json, NULL);
    carom_json_number(json, "mu", DIAGRAM_MU * m);
    carom_json_text(json, "regimes", letters);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_end(json);
}

// H(theta) at the middles of the twelfths in which runs count phases, and the share of each
enum { TWELFTHS = 12 };

static double middle_of(int k) { return 360.0 / TWELFTHS * (k + 0.5); }

// the integral of H over the twelfth: theta/(2 pi) + sin(theta)/(2 pi) between its ends
static double share_of(int k) {
  // half the root of 3, rounded; sines of multiples of 30 degrees need no function
  const double r = 0.86602540378443864676;
  const double sine[TWELFTHS + 1] = {0, 0.5, r, 1, r, 0.5, 0, -0.5, -r, -1, -r, -0.5, 0};
  return 1.0 / TWELFTHS + (sine[k + 1] - sine[k]) / (360.0 * DEG);
}

static void print_phases(const rods_question *q) {
  printf("collisions over the phase theta of the plate velocity %g cos(theta): H = (1 + cos "
         "theta)/2 pi\nmean plate velocity %g\n",
         q->V0, carom_rod_plate_speed(q->V0));
  printf("%8s %10s %14s\n", "theta", "H", "share of 30 deg");
  for (int k = 0; k < TWELFTHS; k++)
    printf("%8.1f %10.6f %14.6f\n", middle_of(k), carom_rod_phase_density(middle_of(k) * DEG),
           share_of(k));
}

static void json_phases(carom_json *json, const rods_question *q) {
  carom_json_number(json, "plate_speed", carom_rod_plate_speed(q->V0));
  carom_json_array(json, "phases");
  for (int k = 0; k < TWELFTHS; k++) {
    carom_json_object(json, NULL);
    carom_json_number(json, "theta", middle_of(k));
    carom_json_number(json, "density", carom_rod_phase_density(middle_of(k) * DEG));
    carom_json_number(json, "share", share_of(k));
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const rods_question *q) {
  double angles[2];
  int count = carom_rod_critical_angles(q->mu, angles);
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "command", call->command->name);
  carom_json_text(&json, "theory", "rods");
  carom_json_number(&json, "mu", q->mu);
  carom_json_number(&json, "eps", q->eps);
  carom_json_number(&json, "ratio", q->ratio);
  carom_json_number(&json, "speed", q->V0);
  carom_json_array(&json, "critical_angles");
  for (int k = 0; k < count; k++)
    carom_json_number(&json, NULL, angles[k] / DEG);
  carom_json_end(&json);
  carom_json_array(&json, "rows");
  for (int k = 0; k < rows_of(q); k++) {
    rods_row row = row_at(q, q->from + k * q->step);
    carom_json_object(&json, NULL);
    carom_json_number(&json, "tilt", row.tilt);
    carom_json_text(&json, "collision", carom_rod_regime_text(row.collision.regime));
    carom_json_number(&json, "cx", row.collision.after.cx);
    carom_json_number(&json, "cz", row.collision.after.cz);
    carom_json_number(&json, "omega", row.collision.after.omega);
    carom_json_number(&json, "energy_gain", row.collision.gain);
    carom_json_number(&json, "drift", row.drift);
    carom_json_number(&json, "rise", row.rise);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  json_phases(&json, q);
  if (carom_call_has(call, "diagram")) json_diagram(&json, q);
  carom_json_end(&json);
}

static int run_theory(const carom_call *call) {
  carom_error error = {0};
  if (strcmp(call->arguments[0], "rods") != 0) {
    error.status = CAROM_ERR_INPUT;
    (void)snprintf(error.text, sizeof error.text, "there is no theory '%.80s'; there is: rods",
                   call->arguments[0]);
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  }
  rods_question q = {
      .mu = 0.3, .eps = 0.65, .ratio = 2.0, .V0 = 1.0, .from = 0.0, .to = 90.0, .step = 5.0};
  if (read_question(call, &q, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  if (carom_call_has(call, "json"))
    print_json(call, &q);
  else if (carom_call_has(call, "diagram"))
    print_diagram(&q);
  else if (carom_call_has(call, "phases"))
    print_phases(&q);
  else
    print_text(&q);
  return CAROM_EXIT_DONE;
}

static const carom_option OPTIONS[] = {
    {"mu", "MU", "", "0.3", "friction between rod and plate", NULL},
    {"eps", "EPS", "", "0.65", "kinematic restitution", NULL},
    {"ratio", "R", "", "2", "-c_z/c_x before the collision", NULL},
    {"speed", "V0", "any", "1", "largest plate velocity; drift and rise are in its units", NULL},
    {"from", "TILT", "deg", "0", "first tilt of the table", NULL},
    {"to", "TILT", "deg", "90", "last tilt of the table", NULL},
    {"step", "TILT", "deg", "5", "between the rows of the table", NULL},
    {"diagram", NULL, "", "", "draw the regimes over tilt and friction instead", NULL},
    {"phases", NULL, "", "", "tabulate when rods collide, H(theta), instead", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_theory = {
    .name = "theory",
    .arguments = "rods",
    .summary = "Evaluates closed formulas: the rod that strikes a vibrated plate",
    .details = "For each tilt: how a thin rod with c_x = 1 collides with the plate at rest, its\n"
               "velocities afterwards, and the drift and vertical speed of many rods.\n",
    .examples = "  carom theory rods\n"
                "  carom theory rods --mu 0.4 --ratio 2 --step 1 --json\n"
                "  carom theory rods --diagram --eps 0.8 --ratio 10\n"
                "  carom theory rods --phases --speed 8.587\n",
    CAROM_TAKES(OPTIONS),
    .run = run_theory,
};
