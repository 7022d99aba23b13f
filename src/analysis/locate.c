// SPDX-License-Identifier: MIT
/// Critical values: texts are bisected, numbers found by bracketing interpolation. A branch is
/// followed by starting each run where the last one on the branch ended.
#include "analysis/location.h"
#include "analysis/probe_run.h"
#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

carom_locate_options carom_locate_options_default(void) {
  return (carom_locate_options){
      .tolerance = 1e-9, .most = 2000, .size = sizeof(carom_locate_options)};
}

typedef struct hunt {
  const carom_locate_options *options;
  carom_probe_run run;
  carom_location_data *found;
  carom_error *error;
} hunt;

// the predicate at one value of the parameter
typedef struct sight {
  double x, value;
  bool passed; // the certificate of the run
  char text[CAROM_LOCATE_TEXT];
} sight;

static bool seeks_text(const hunt *it) {
  return it->options->what == CAROM_LOCATE_WORD || it->options->what == CAROM_LOCATE_REGIME ||
         it->options->what == CAROM_LOCATE_MOTION;
}

static carom_status look_at_value(hunt *it, double x, sight *seen) {
  const carom_locate_options *o = it->options;
  *seen = (sight){.x = x, .passed = true};
  if (it->found->evaluations >= o->most)
    return carom_fail(it->error, CAROM_ERR_LIMIT,
                      "more than %d evaluations between %s = %.12g and "
                      "%.12g",
                      o->most, o->parameter, it->found->near, it->found->far);
  if (o->what == CAROM_LOCATE_HOPF) {
    it->found->evaluations++;
    return carom_probe_hopf(&it->run, x, o->mode, &seen->value, it->error);
  }
  carom_status status = carom_probe_run_at(&it->run, x, it->error);
  it->found->evaluations = it->run.runs;
  seen->passed = it->run.passed;
  if (o->what == CAROM_LOCATE_OBSERVABLE) {
    if (status == CAROM_OK)
      status = carom_probe_observable(&it->run, o->observable, &seen->value, it->error);
    seen->value -= o->value;
    return status;
  }
  // a motion that cannot be followed is different from one that can
  if (status == CAROM_ERR_MEMORY || status == CAROM_ERR_ARGUMENT) return status;
  if (status < 0) {
    (void)snprintf(seen->text, sizeof seen->text, "(%s)", carom_status_text(status));
    return CAROM_OK;
  }
  if (o->what == CAROM_LOCATE_MOTION) {
    (void)snprintf(seen->text, sizeof seen->text, "%s", it->run.text);
    return CAROM_OK;
  }
  return o->what == CAROM_LOCATE_WORD
             ? carom_probe_word(&it->run, seen->text, sizeof seen->text, it->error)
             : carom_probe_regime(&it->run, seen->text, sizeof seen->text, it->error);
}

static void set_near(hunt *it, const sight *seen) {
  it->found->near = seen->x;
  it->found->near_value = seen->value;
  it->found->near_passed = seen->passed;
  memcpy(it->found->near_text, seen->text, sizeof seen->text);
}

// the last run is on the near side: the next ones may start from it
static void stay_near(hunt *it) {
  it->found->solved = it->run.solved;
  if (it->options->follow) carom_probe_keep(&it->run);
}

static void set_far(hunt *it, const sight *seen) {
  it->found->far = seen->x;
  it->found->far_value = seen->value;
  it->found->far_passed = seen->passed;
  memcpy(it->found->far_text, seen->text, sizeof seen->text);
}

// looks at x and moves the end of its kind there
static carom_status look_and_move(hunt *it, double x, bool *same) {
  sight seen;
  carom_status status = look_at_value(it, x, &seen);
  if (status != CAROM_OK) return status;
  *same = strcmp(seen.text, it->found->near_text) == 0;
  if (*same) {
    set_near(it, &seen);
    stay_near(it);
  } else {
    set_far(it, &seen);
  }
  return CAROM_OK;
}

static double bracket_width(const hunt *it) { return fabs(it->found->far - it->found->near); }

// rounding ends a bisection that the tolerance does not
static bool too_close(const hunt *it) {
  double middle = 0.5 * (it->found->near + it->found->far);
  return bracket_width(it) <= it->options->tolerance || middle == it->found->near ||
         middle == it->found->far;
}

static carom_status bisect_bracket(hunt *it) {
  while (!too_close(it)) {
    bool same;
    carom_status status = look_and_move(it, 0.5 * (it->found->near + it->found->far), &same);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

// A long jump may have fallen off a branch that goes on. The far end is therefore looked at again
// from next to it; if the branch is still there it is followed further, with growing steps.
static carom_status confirm_jump(hunt *it, bool *moved) {
  double stride = it->found->far - it->found->near, far = it->found->far;
  *moved = false;
  if (!it->options->follow) return CAROM_OK;
  for (;;) {
    bool same;
    carom_status status = look_and_move(it, far, &same);
    if (status != CAROM_OK || !same) return status;
    *moved = true;
    if (far == it->options->to)
      return carom_fail(it->error, CAROM_ERR_INPUT,
                        "followed from %s = %.12g the motion is still "
                        "the same at %.12g",
                        it->options->parameter, it->options->from, far);
    stride *= 2.0;
    far = it->found->near + stride;
    if ((far - it->options->to) * stride > 0.0) far = it->options->to;
  }
}

static carom_status locate_text(hunt *it) {
  const carom_locate_options *o = it->options;
  sight seen;
  carom_status status = look_at_value(it, o->from, &seen);
  if (status != CAROM_OK) return status;
  set_near(it, &seen);
  stay_near(it);
  bool same = false, moved = true;
  status = look_and_move(it, o->to, &same);
  if (status == CAROM_OK && same)
    return carom_fail(it->error, CAROM_ERR_INPUT,
                      "nothing changes: at %s = %.12g and %.12g the %s is '%s'", o->parameter,
                      o->from, o->to, o->what == CAROM_LOCATE_WORD ? "word" : "regime", seen.text);
  while (status == CAROM_OK && moved) {
    status = bisect_bracket(it);
    if (status == CAROM_OK) status = confirm_jump(it, &moved);
  }
  it->found->value = 0.5 * (it->found->near + it->found->far);
  return status;
}

// Where between two ends (as a fraction) to look next: inverse quadratic interpolation through the
// last three points where that is safe, else the middle (Chandrupatla 1997).
static double next_fraction(const sight *a, const sight *b, const sight *c) {
  double xi = (a->x - b->x) / (c->x - b->x), phi = (a->value - b->value) / (c->value - b->value);
  if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)) return 0.5;
  return a->value / (b->value - a->value) * (c->value / (b->value - c->value)) +
         (c->x - a->x) / (b->x - a->x) * (a->value / (c->value - a->value)) *
             (b->value / (c->value - b->value));
}

static carom_status locate_number(hunt *it) {
  const carom_locate_options *o = it->options;
  sight a, b, c, next;
  carom_status status = look_at_value(it, o->from, &a);
  if (status != CAROM_OK) return status;
  stay_near(it);
  double sign = copysign(1.0, a.value);
  status = look_at_value(it, o->to, &b);
  if (status != CAROM_OK) return status;
  if (!((a.value <= 0.0 && b.value >= 0.0) || (a.value >= 0.0 && b.value <= 0.0)))
    return carom_fail(it->error, CAROM_ERR_INPUT,
                      "no change of sign: at %s = %.12g it is %.9g, at %.12g it is %.9g",
                      o->parameter, a.x, a.value, b.x, b.value);
  double fraction = 0.5;
  bool near_a = true; // a is the end that has the first one's sign; a zero has not
  for (;;) {
    set_near(it, near_a ? &a : &b);
    set_far(it, near_a ? &b : &a);
    const sight *best = fabs(a.value) < fabs(b.value) ? &a : &b;
    it->found->value = best->x;
    double room = fabs(b.x - a.x), reach = 2.0 * DBL_EPSILON * fabs(best->x) + 0.5 * o->tolerance;
    if (best->value == 0.0 || room <= 2.0 * reach) return CAROM_OK;
    double margin = reach / room;
    fraction = fmin(fmax(fraction, margin), 1.0 - margin);
    status = look_at_value(it, a.x + fraction * (b.x - a.x), &next);
    if (status != CAROM_OK) return status;
    bool near_next = next.value * sign > 0.0;
    if (near_next) stay_near(it);
    if (near_next == near_a) {
      c = a;
    } else {
      c = b;
      b = a;
    }
    a = next;
    near_a = near_next;
    fraction = next_fraction(&a, &b, &c);
  }
}

static carom_status check_options(const carom_locate_options *o, carom_error *error) {
  carom_status status = carom_check_options(o->size, sizeof *o, "carom_locate_options", error);
  if (status != CAROM_OK) return status;
  if (!o->parameter || !isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "locate needs a parameter and two different ends");
  if (!(o->tolerance > 0.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the tolerance of locate must be positive");
  if (o->what == CAROM_LOCATE_OBSERVABLE && !o->observable)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "locate needs the name of the observable");
  if (!o->solve != !o->closure)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a parameter to solve for needs the observable that it makes zero");
  return CAROM_OK;
}

carom_status carom_locate_data(const carom_simulation *simulation,
                               const carom_locate_options *options, carom_location_data *location,
                               carom_error *error) {
  *location = (carom_location_data){0};
  carom_status status = check_options(options, error);
  if (status != CAROM_OK) return status;
  hunt it = {.options = options, .found = location, .error = error};
  status = carom_probe_run_create(&it.run, simulation, options, error);
  if (status == CAROM_OK) status = seeks_text(&it) ? locate_text(&it) : locate_number(&it);
  carom_probe_run_destroy(&it.run);
  return status;
}

struct carom_location {
  carom_location_view view;
  carom_location_data data;
};

carom_status carom_locate_run(const carom_simulation *simulation,
                              const carom_locate_options *options, carom_location **location,
                              carom_error *error) {
  *location = NULL;
  carom_location *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  const carom_location_data *d = &made->data;
  carom_status status = carom_locate_data(simulation, options, &made->data, error);
  if (status != CAROM_OK) {
    free(made);
    return status;
  }
  made->view = (carom_location_view){.value = d->value,
                                     .near = d->near,
                                     .far = d->far,
                                     .near_text = d->near_text,
                                     .far_text = d->far_text,
                                     .near_value = d->near_value,
                                     .far_value = d->far_value,
                                     .solved = d->solved,
                                     .evaluations = d->evaluations,
                                     .near_passed = d->near_passed,
                                     .far_passed = d->far_passed};
  *location = made;
  return CAROM_OK;
}

void carom_location_destroy(carom_location *location) { free(location); }

const carom_location_view *carom_location_look(const carom_location *location) {
  return &location->view;
}
