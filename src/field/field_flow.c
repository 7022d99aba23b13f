// SPDX-License-Identifier: MIT
// The running loop: step by Runge-Kutta, or by Radau where damping makes the motion stiff; look for
// crossings along the step; hand out samples.
#include "base/elementary.h"
#include "field/field.h"
#include "field/matrix3.h"

#include <math.h>
#include <string.h>

// how often stiffness is looked at, and what counts: explicit steps are stable up to about 6 over
// an eigenvalue, but shorter ones already when they are long beside what only decays
enum { CHECK_FIRST = 6, CHECK_EVERY = 40, PATIENCE = 10, ENERGY_EVERY = 32 };
static const double SHRUNK =
    0.3; // a step so much shorter than when last looked is a reason to look
static const double STIFF = 4.0, DECAYED = 1.5;
static const double SHORTEST_PART = 1e-12; // of a step that ends at a crossing
static const double PARTS_OF_STEP = 4.0, MOST_SAMPLES = 20000.0; // where samples follow the motion

// ---- the two steppers as one

typedef struct tried {
  double t, h, t1;
  const double *y1;
} tried;

static tried step_of(const carom_field *it) {
  const carom_stepper *e = &it->steppers.plain;
  const carom_implicit *i = &it->steppers.stiff;
  if (it->now.implicit) return (tried){i->t, i->h, i->t1, i->y1};
  return (tried){e->t, e->h, e->t1, e->y1};
}

static carom_status try_step(carom_field *it, double t_end, carom_error *error) {
  // a step's share of what the ledger may leave
  it->steppers.stiff.beside = 10.0 * it->numbers.rtol * it->now.energy_scale;
  return it->now.implicit ? carom_implicit_try(&it->steppers.stiff, t_end, error)
                          : carom_stepper_try(&it->steppers.plain, t_end, error);
}

static carom_status shorten_step(carom_field *it, double h, carom_error *error) {
  if (it->now.implicit) return carom_implicit_shorten(&it->steppers.stiff, h, error);
  return carom_stepper_shorten(&it->steppers.plain, h, error);
}

// what is looked at between the ends is not counted: counts belong to the motion
static carom_status make_dense(carom_field *it, carom_error *error) {
  carom_stepper *e = &it->steppers.plain;
  if (it->now.implicit) return CAROM_OK;
  long counted = e->counts.evaluations;
  carom_status status = carom_stepper_dense(e, error);
  e->counts.evaluations = counted;
  return status;
}

// between steps too, a soft body keeps its volume
static void evaluate_dense(carom_field *it, double theta, double *y, double *rate) {
  double det_error = 0.0;
  if (it->now.implicit)
    carom_implicit_dense(&it->steppers.stiff, theta, y, rate);
  else
    carom_dense_eval(&it->steppers.plain, theta, y, rate, NULL);
  (void)carom_field_project(it, y, &det_error);
}

double carom_field_along(carom_field *it, double theta, double *y, double *rate) {
  tried step = step_of(it);
  evaluate_dense(it, theta, y, rate);
  return step.t + theta * step.h;
}

void carom_field_note_counts(carom_field *it) {
  carom_certificate *c = &it->now.certificate;
  carom_stepper *e = &it->steppers.plain;
  carom_implicit *i = &it->steppers.stiff;
  c->counts.steps += e->counts.steps + i->steps;
  c->counts.rejected += e->counts.rejected + i->rejected;
  c->counts.evaluations += e->counts.evaluations + i->evaluations;
  e->counts.steps = e->counts.rejected = e->counts.evaluations = 0;
  i->steps = i->rejected = i->evaluations = 0;
}

void carom_field_take_tolerances(carom_field *it) {
  carom_stepper_options *options = &it->steppers.plain.options;
  options->rtol = it->numbers.rtol;
  options->atol = it->numbers.atol;
  options->h_max = it->numbers.h_max;
  it->steppers.stiff.options.rtol = options->rtol;
  it->steppers.stiff.options.atol = options->atol;
  it->steppers.stiff.options.h_max = options->h_max;
}

carom_status carom_field_restart(carom_field *it, double h, carom_error *error) {
  carom_field_take_tolerances(it);
  carom_status status = it->now.implicit
                            ? carom_implicit_start(&it->steppers.stiff, it->now.t, it->y, h, error)
                            : carom_stepper_start(&it->steppers.plain, it->now.t, it->y, h, error);
  if (status == CAROM_ERR_NONFINITE)
    return carom_fail(error, status, "at t = %.15g the body is not wholly above its supports",
                      it->now.t);
  return status;
}

static double next_length(const carom_field *it) {
  return it->now.implicit ? it->steppers.stiff.h_next : it->steppers.plain.h_next;
}

// ---- which method

static const char *method_word(const carom_field *it) {
  const char *word = it->model->scenario->run.method;
  return word ? word : "automatic";
}

// is a step of this length held up, or freed, by what the motion has long forgotten?
static bool is_stiff(const carom_field *it, double h) {
  const carom_implicit *i = &it->steppers.stiff;
  return i->stiffness * h > STIFF || i->decay * h > DECAYED;
}

static carom_status choose_method(carom_field *it, carom_error *error) {
  if (method_word(it)[0] != 'a') return CAROM_OK;
  it->now.since_check++;
  double h = next_length(it);
  if (it->now.implicit) {
    // leave when an explicit step could be as long
    if (it->now.since_check < PATIENCE) return CAROM_OK;
    it->now.since_check = 0;
    carom_implicit_spectrum(&it->steppers.stiff);
    if (is_stiff(it, h)) return CAROM_OK;
    it->now.implicit = false;
    return carom_field_restart(it, h, error);
  }
  bool shrunk = !(h > SHRUNK * it->now.h_checked) || it->now.h_checked == 0.0;
  if (it->now.since_check < (shrunk ? CHECK_FIRST : CHECK_EVERY)) return CAROM_OK;
  it->now.h_checked = h;
  it->now.since_check = 0;
  const carom_stepper *e = &it->steppers.plain;
  double known = carom_implicit_stiffness(&it->steppers.stiff, e->t, e->y, e->f);
  double length = e->h > 0.0 ? e->h : h; // 0: the state was put right since the step
  if (isnan(known) || !is_stiff(it, length)) return CAROM_OK;
  it->now.implicit = true;
  return carom_field_restart(it, h, error);
}

// ---- samples

static double sample_time(const carom_field *it) {
  return it->numbers.start + (double)it->now.next_sample * it->numbers.sample;
}

static void hand_out(carom_field *it, double t, const double *y) {
  const carom_observer *observer = &it->simulation->observer;
  carom_field_fill_sample(it, t, y);
  if (observer->sample(observer->ctx, it->simulation, t, it->model->column_count,
                       it->sample_values))
    it->now.asked = true;
}

// the state of the step at a time, put right
static void sample_along(carom_field *it, const tried *step, double t) {
  double det_error = 0.0;
  if (t == step->t1)
    memcpy(it->scratch, step->y1, (size_t)it->size * sizeof *it->scratch);
  else
    evaluate_dense(it, (t - step->t) / step->h, it->scratch, NULL);
  (void)carom_field_project(it, it->scratch, &det_error); // the end of a step is not yet put right
  hand_out(it, t, it->scratch);
}

// Steps are as long as the motion is simple, so samples that follow it are parts of steps: a few
// of each, but none oftener or rarer than belongs to a run.
static void follow_motion(carom_field *it, double until) {
  tried step = step_of(it);
  double length = it->numbers.until - it->numbers.start, least = length / MOST_SAMPLES;
  int parts = (int)fmin(1e6, fmax(PARTS_OF_STEP, ceil(step.h / it->numbers.sample)));
  for (int k = 1; k <= parts && it->simulation->observer.sample; k++) {
    double t = k == parts ? step.t1 : step.t + (double)k / parts * step.h;
    if (t > until) return;
    if (t <= it->now.sampled_at || (t - it->now.sampled_at < least && t < it->numbers.until))
      continue;
    it->now.sampled_at = t;
    sample_along(it, &step, t);
  }
}

// an event has changed the state: both sides of it are shown
static void sample_jump(carom_field *it) {
  if (!it->numbers.follows || !it->simulation->observer.sample) return;
  it->now.sampled_at = it->now.t;
  hand_out(it, it->now.t, it->y);
}

// those of the step up to a time; one at its end is the state there
static void give_samples(carom_field *it, double until) {
  tried step = step_of(it);
  if (it->numbers.follows) {
    follow_motion(it, until);
    return;
  }
  if (!it->simulation->observer.sample) {
    while (sample_time(it) <= until)
      it->now.next_sample++;
    return;
  }
  // those of a step come together, also after one at which the observer asked to stop
  for (; sample_time(it) <= until; it->now.next_sample++)
    sample_along(it, &step, sample_time(it));
}

// ---- a step

// Where energy is conserved, velocities are scaled back to it: a correction of the size of the
// step's error, so the motion stays as exact as it is and no drift builds up.
static bool hold_energy(carom_field *it) {
  carom_field_energy energy;
  carom_certificate *c = &it->now.certificate;
  if (!it->numbers.hold || carom_field_energy_at(it, it->now.t, it->y, &energy) != CAROM_OK)
    return false;
  double wanted = c->energy.kinetic_start + c->energy.potential_start + c->energy.work_events -
                  energy.potential;
  double missing = wanted - energy.kinetic;
  it->now.energy_scale = fmax(it->now.energy_scale, energy.kinetic);
  // at a turning point there is nothing to scale
  if (!(energy.kinetic > 1e-2 * it->now.energy_scale) || missing == 0.0) return false;
  if (fabs(missing) > 1e-3 * energy.kinetic) return false;
  double factor = sqrt(wanted / energy.kinetic);
  for (int i = it->model->n; i < 2 * it->model->n; i++)
    it->y[i] *= factor;
  c->energy.corrected += fabs(missing);
  return true;
}

static carom_status commit_step(carom_field *it, carom_error *error) {
  double det_error = 0.0;
  if (it->now.implicit)
    carom_implicit_commit(&it->steppers.stiff);
  else
    carom_stepper_commit(&it->steppers.plain);
  const double *y = it->now.implicit ? it->steppers.stiff.y : it->steppers.plain.y;
  it->now.t = it->now.implicit ? it->steppers.stiff.t : it->steppers.plain.t;
  memcpy(it->y, y, (size_t)it->size * sizeof *y);
  it->now.certificate.counts.steps++;
  bool changed = carom_field_project(it, it->y, &det_error);
  (void)carom_field_project(it, it->y, &det_error); // what is left of the error
  it->now.det_error = fmax(it->now.det_error, det_error);
  carom_status status = carom_field_check_shape(it, error);
  if (status != CAROM_OK) return status;
  changed = hold_energy(it) || changed;
  if (!changed) return CAROM_OK;
  if (it->now.implicit) {
    carom_implicit_amend(&it->steppers.stiff, it->y);
    return CAROM_OK;
  }
  return carom_field_restart(it, next_length(it), error);
}

static void note_energy(carom_field *it) {
  carom_field_energy energy;
  if (it->now.certificate.counts.steps % ENERGY_EVERY != 0) return;
  if (carom_field_energy_at(it, it->now.t, it->y, &energy) == CAROM_OK)
    it->now.energy_scale = fmax(it->now.energy_scale, energy.kinetic);
}

static bool needs_dense(const carom_field *it) {
  bool sampled =
      it->simulation->observer.sample && (it->numbers.follows || sample_time(it) < step_of(it).t1);
  return sampled || it->model->watched_count > 0 || it->model->scenario->measure.reducer_count > 0;
}

// the least distance along the step; not positive: something is below a support
static double distance_along(carom_field *it, double theta) {
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  carom_pose pose;
  double factor[2], t = carom_field_along(it, theta, it->scratch, NULL);
  carom_field_pose(it, it->scratch, &pose);
  carom_field_supports(it, t, supports, factor);
  return carom_field_distance(it, &pose, supports);
}

// Is the body above its supports between the ends of the step too? Where an end is much nearer to
// one than the places looked at first, nearer places are looked at.
static bool is_above(carom_field *it) {
  enum { PLACES = 8 };
  double at[PLACES + 1];
  for (int k = 0; k <= PLACES; k++)
    if (!((at[k] = distance_along(it, (double)k / PLACES)) > 0.0)) return false;
  for (int end = 0; end < 2; end++) {
    double near = at[end ? PLACES : 0], d = at[end ? PLACES - 1 : 1], part = 1.0 / PLACES;
    while (d > PLACES * near && part > 1e-15) {
      part /= PLACES;
      d = distance_along(it, end ? 1.0 - part : part);
      if (!(d > 0.0)) return false;
    }
  }
  return true;
}

// In free flight far from all supports no step can meet one: none of its places moves by as much as
// the least distance at both ends.
static bool is_far(carom_field *it) {
  tried step = step_of(it);
  const double *ends[2] = {it->y, step.y1}, times[2] = {step.t, step.t1};
  double size = 2.0 * carom_cbrt(it->body.volume);
  for (int end = 0; end < 2; end++) {
    carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
    carom_pose pose;
    double factor[2], fastest = 0.0, turning = 0.0;
    carom_field_pose(it, ends[end], &pose);
    carom_field_supports(it, times[end], supports, factor);
    for (int i = 0; i < 9; i++)
      turning += pose.G[i] * pose.G[i];
    for (int s = 0; s < it->model->field->support_count; s++) {
      double v[3] = {0.0};
      for (int i = 0; i < 3; i++)
        v[i] = pose.velocity[i] - supports[s].velocity[i];
      fastest = fmax(fastest, sqrt(carom_v3_dot(v, v)));
    }
    double way = 2.0 * step.h * (fastest + size * sqrt(turning));
    if (!(carom_field_distance(it, &pose, supports) > way)) return false;
  }
  return true;
}

// A step may leap over a support that it should have met: an implicit one finds a way to its end
// whose few places all lie above. Dense output may dip below a support where the step does not, and
// so may the places that are looked at to make it. A shorter step stays clear. All steps are looked
// at in this way, whether or not anybody wants to see the motion between their ends: nobody who
// looks changes it.
static carom_status keep_above(carom_field *it, carom_error *error) {
  enum { HALVINGS = 40 };
  carom_status status = make_dense(it, error);
  for (int k = 0; k < HALVINGS; k++) {
    if (status == CAROM_OK && is_above(it)) return CAROM_OK;
    bool again = status == CAROM_ERR_NONFINITE || status == CAROM_ERR_NO_CONVERGENCE;
    if (status != CAROM_OK && !again) return status;
    double h = 0.5 * step_of(it).h;
    if (it->now.t + 0.1 * h == it->now.t) break; // time would stand still
    status = shorten_step(it, h, error);
    if (status == CAROM_OK) status = make_dense(it, error);
  }
  return carom_fail(error, CAROM_ERR_STEP, "at t = %.15g no step stays above the supports",
                    it->now.t);
}

/// What a step has met.
typedef struct meeting {
  bool to_event;       // in: stop at whatever is met
  bool happened, stop; // something was met; a rule stops the run
  int events;          // crossings at the end of the step that are still to be dealt with
} meeting;

// What the tried step meets on its way, up to the first event, where it is to end; theta: there, or
// where the run is left.
static carom_status meet_events(carom_field *it, meeting *met, double *theta, carom_error *error) {
  tried step = step_of(it);
  it->watching.from = 0.0;
  for (;;) {
    int count;
    carom_status status = carom_field_cross(it, &count, theta, error);
    if (status != CAROM_OK || count == 0) return status;
    if (*theta == 1.0 || carom_field_meets_event(it, count)) {
      met->events = count;
      return CAROM_OK;
    }
    bool happened = false;
    double t = step.t + fmax(*theta, SHORTEST_PART) * step.h;
    give_samples(it, t);
    status = carom_field_beside(it, t, count, &happened, &met->stop, error);
    met->happened |= happened;
    bool leaves = met->stop || it->now.asked || (happened && met->to_event);
    if (status != CAROM_OK || leaves) return status;
    it->watching.from = *theta;
  }
}

// a step that ends at the first event, if there is one
static carom_status one_step(carom_field *it, double t_end, meeting *met, carom_error *error) {
  double theta = 1.0;
  carom_status status = try_step(it, t_end, error);
  if (status == CAROM_OK && !is_far(it)) status = keep_above(it, error);
  if (status == CAROM_OK && needs_dense(it)) status = make_dense(it, error);
  if (status == CAROM_OK) status = meet_events(it, met, &theta, error);
  if (status == CAROM_OK && theta < 1.0) {
    status = shorten_step(it, fmax(theta, SHORTEST_PART) * step_of(it).h, error);
    if (status == CAROM_OK) status = make_dense(it, error);
  }
  if (status != CAROM_OK) return status;
  tried step = step_of(it);
  if (it->model->scenario->measure.reducer_count > 0)
    carom_field_tally_step(it, step.t, step.h, evaluate_dense);
  give_samples(it, step.t1);
  status = commit_step(it, error);
  if (status == CAROM_OK) carom_field_watch_step(it);
  return status;
}

// why no step could be made, where that is known better than by the stepper
static carom_status explain_failure(carom_field *it, carom_status status, carom_error *error) {
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double factor[2], ahead = it->now.t + 1e-9 * (1.0 + fabs(it->now.t));
  carom_field_supports(it, ahead, supports, factor);
  bool stuck = status == CAROM_ERR_NONFINITE || status == CAROM_ERR_STEP;
  if (stuck && factor[0] > 1e-6) return carom_field_explain_through(it, status, error);
  if (status >= 0 || status == CAROM_ERR_MEMORY || factor[0] > 1e-6) return status;
  return carom_fail_at(error, status, it->model->field->mass_place,
                       "at t = %.15g body.mass_factor comes to %.3g: nothing moves without mass",
                       it->now.t, fmax(factor[0], 0.0));
}

carom_status carom_field_advance(carom_field *it, double t_end, bool to_event, carom_error *error) {
  // a motion that goes on is not started anew: the stepper knows more than time and state
  carom_status status = it->now.going ? CAROM_OK : carom_field_restart(it, it->now.h, error);
  if (status != CAROM_OK) return status;
  carom_field_note_counts(it);
  it->now.going = true;
  it->now.asked = false;
  if (it->now.next_sample == 0 && it->simulation->observer.sample) hand_out(it, it->now.t, it->y);
  if (it->now.next_sample == 0) it->now.sampled_at = it->now.t;
  if (it->now.next_sample == 0) it->now.next_sample = 1;
  if (it->now.t < t_end && carom_field_stops_at_start(it)) return CAROM_STOP_EVENT;
  while (it->now.t < t_end && !it->now.asked) {
    meeting met = {.to_event = to_event};
    it->now.asked = carom_simulation_asked(it->simulation);
    if (it->now.asked) break;
    long before = it->now.certificate.counts.steps;
    status = one_step(it, t_end, &met, error);
    if (status != CAROM_OK) return explain_failure(it, status, error);
    note_energy(it);
    if (met.events > 0)
      status = carom_field_instant(it, met.events, &met.happened, &met.stop, error);
    if (met.events > 0 && status == CAROM_OK) sample_jump(it);
    it->now.h = next_length(it);
    if (status == CAROM_OK && it->now.t < t_end) status = choose_method(it, error);
    it->now.certificate.counts.steps = before;
    carom_field_note_counts(it);
    if (status != CAROM_OK) return status;
    if (met.stop || (met.happened && to_event)) return CAROM_STOP_EVENT;
  }
  it->now.h = next_length(it);
  return it->now.asked ? CAROM_STOP_USER : CAROM_OK;
}
