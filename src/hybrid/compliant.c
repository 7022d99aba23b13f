// SPDX-License-Identifier: MIT
/// The equations of compliant contacts, as expressions.
///
///   normal      N = max(0, K d - c gap'),  d = -gap > 0,  c = 2 zeta(e) sqrt(K m_n)
///   tangential  a bristle of force b in series with a slider: the force on the body is -F,
///               F = b + k_t' slip, k_t' = 4 sqrt(K_t m_t), while |F| <= mu_s N (the slider holds)
///               F = +- mu N                                otherwise (it slides)
///               b' = K_t/k_t' (F - b)
///               in space b, F and slip have two components; it holds while |F| <= mu_s N, and
///               slides with mu N along b + k_t' slip
///
/// m_n and m_t are what the contact has to move along its normal and tangent, bilateral constraints
/// included.
#include "hybrid/compliant.h"

#include "symbolic/kink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// along the tangent, in an impact and in lasting contact: (natural frequency / that of the
// normal)^2, and the damping ratio: a force that overshoots would break stick
static const double IMPACT_RATIO = 3600., LASTING_RATIO = 1.;
static const double IMPACT_DAMPING = 4., LASTING_DAMPING = CAROM_LASTING_DAMPING;
enum { FORCES = 3 }; // of a contact: normal, tangential, and along its second tangent
static const double DEPENDENT = 1e-12; // of a pivot: keeps redundant constraints harmless

// ---- small writing of expressions ----

typedef struct writing {
  carom_arena *arena;
  carom_graph *graph;
  const carom_scenario *scenario;
  carom_mechanics *mechanics;
  carom_compliant *compliant;
  carom_node *z; // of the mechanics, with room for the bristles
  int bristles;
} writing;

static carom_node write_number(writing *it, double x) { return carom_node_constant(it->graph, x); }
static carom_node write_sum(writing *it, carom_node a, carom_node b) {
  return carom_add(it->graph, a, b);
}
static carom_node write_difference(writing *it, carom_node a, carom_node b) {
  return carom_sub(it->graph, a, b);
}
static carom_node write_product(writing *it, carom_node a, carom_node b) {
  return carom_mul(it->graph, a, b);
}
static carom_node write_quotient(writing *it, carom_node a, carom_node b) {
  return carom_div(it->graph, a, b);
}
static carom_node write_call(writing *it, carom_op op, carom_node a) {
  return carom_node_make(it->graph, op, a, 0, 0);
}
static carom_node write_call_of_two(writing *it, carom_op op, carom_node a, carom_node b) {
  return carom_node_make(it->graph, op, a, b, 0);
}
static carom_node if_else(writing *it, carom_node condition, carom_node a, carom_node b) {
  return carom_node_make(it->graph, CAROM_OP_IF, condition, a, b);
}
static carom_node remove_kinks(writing *it, carom_node node) {
  return carom_kink_remove(it->graph, it->arena, node, &it->mechanics->kinks);
}

// ---- what a contact has to move ----

// G with the bilateral constraints held, between rows r and r2: what is left of it after an
// elimination over the constraints
static carom_node held_response(writing *it, int r, int r2) {
  int held = it->scenario->constraint_count, rows = it->mechanics->row_count, n = held + 1;
  const carom_node *G = it->mechanics->delassus;
  carom_node *a = carom_arena_array(it->arena, (size_t)(n * n), sizeof *a);
  if (!a) return 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = G[(i < held ? i : r) * rows + (j < held ? j : r2)];
  for (int p = 0; p < held; p++) {
    carom_node pivot = write_sum(it, a[p * n + p],
                                 write_product(it, write_number(it, DEPENDENT), G[p * rows + p]));
    for (int i = p + 1; i < n; i++) {
      carom_node factor = write_quotient(it, a[i * n + p], pivot);
      for (int j = p + 1; j < n; j++)
        a[i * n + j] = write_difference(it, a[i * n + j], write_product(it, factor, a[p * n + j]));
    }
  }
  if (held == 0 || r != r2) return a[n * n - 1];
  return write_sum(it, a[n * n - 1],
                   write_product(it, write_number(it, DEPENDENT), G[r * rows + r]));
}

// a node at the start of the motion: an expression of parameters
static carom_node at_start(writing *it, carom_node node) {
  const carom_scenario *s = it->scenario;
  int rates = carom_scenario_rates(s);
  int room = 1 + 2 * rates + s->state_count + it->mechanics->kinks.count, count = 0;
  carom_node *from = carom_arena_array(it->arena, (size_t)room, sizeof *from);
  carom_node *to = carom_arena_array(it->arena, (size_t)room, sizeof *to);
  if (!from || !to) return 0;
  carom_node zero = write_number(it, 0.0);
  from[count] = s->time;
  to[count++] = s->run.start ? s->run.start : zero;
  for (int i = 0; i < rates; i++) {
    const carom_coordinate *c = &s->coordinates[i];
    if (c->symbol) {
      from[count] = c->symbol;
      to[count++] = c->start ? c->start : zero;
    }
    from[count] = c->rate;
    to[count++] = c->start_rate ? c->start_rate : zero;
  }
  for (int k = 0; k < s->state_count; k++) {
    from[count] = s->states[k].symbol;
    to[count++] = s->states[k].start ? s->states[k].start : zero;
  }
  for (int k = 0; k < it->mechanics->kinks.count; k++) {
    from[count] = it->mechanics->kinks.items[k].mode;
    to[count++] = write_number(it, 1.0);
  }
  return carom_node_substitute(it->graph, node, count, from, to);
}

// ---- branches ----

// the mode that a smoothed comparison u > 0 follows, and with which sign
static int branch_of(const writing *it, carom_node u, double *sign) {
  const carom_kink_list *list = &it->mechanics->kinks;
  carom_node minus = carom_neg(it->graph, u);
  for (int k = 0; k < list->count; k++) {
    *sign = list->items[k].argument == u ? 1.0 : -1.0;
    if (list->items[k].argument == u || list->items[k].argument == minus) return k;
  }
  return -1;
}

// a branch with a memory of its own: its argument is written once its mode exists
static int new_branch(writing *it, const char *what, const char *contact) {
  carom_kink_list *list = &it->mechanics->kinks;
  void *items = list->items;
  if (!carom_arena_grow(it->arena, &items, list->count, &list->capacity, sizeof *list->items))
    return -1;
  list->items = items;
  char name[120];
  (void)snprintf(name, sizeof name, "%s[%.80s]", what, contact);
  carom_node mode = carom_node_symbol(it->graph, name, CAROM_SYMBOL_MODE);
  list->items[list->count] = (carom_kink){.mode = mode};
  return mode ? list->count++ : -1;
}

// a number that events set
static carom_node new_number(writing *it, int k, carom_compliant_number which) {
  static const char *const names[] = {"damping", "give", "push", "lift", "until", "mu_s", "mu"};
  carom_compliant_contact *made = &it->compliant->contacts[k];
  int index = made->number[which] = new_branch(it, names[which], made->name);
  if (index < 0) return 0;
  carom_kink *fixed = &it->mechanics->kinks.items[index];
  fixed->argument = fixed->origin = write_number(it, 1.0);
  return fixed->mode;
}

// ---- one contact ----

/// The expressions of one contact.
typedef struct contact_law {
  carom_node gap_rate, slip;     // slip 0: frictionless
  carom_node stiffness, press;   // K and K d - c gap'
  carom_node touching, pressing; // conditions on modes
  carom_node striking;           // an impact goes on
  carom_node normal, tangential; // forces on the rows
  carom_node cross;              // and along the second tangent, in space
  carom_node stored, lost;       // energy of the springs, power of what is lost
} contact_law;

static carom_node while_pressing(writing *it, const contact_law *law, carom_node value) {
  carom_node zero = write_number(it, 0.0);
  return if_else(it, law->touching, if_else(it, law->pressing, value, zero), zero);
}

// an impact lasts a while; its end is an event
static bool write_impact(writing *it, int k, contact_law *law) {
  carom_compliant_contact *made = &it->compliant->contacts[k];
  carom_node until = new_number(it, k, CAROM_NUMBER_UNTIL);
  made->impact = new_branch(it, "impact", made->name);
  if (!until || made->impact < 0) return false;
  carom_kink *lasts = &it->mechanics->kinks.items[made->impact];
  lasts->argument = lasts->origin = write_difference(it, until, it->scenario->time);
  law->striking = write_call_of_two(it, CAROM_OP_GT, lasts->mode, write_number(it, 0.0));
  return law->striking != 0;
}

static bool write_normal(writing *it, int k, int row, contact_law *law) {
  const carom_contact *contact = &it->scenario->contacts[k];
  carom_compliant_contact *made = &it->compliant->contacts[k];
  carom_graph *g = it->graph;
  carom_node zero = write_number(it, 0.0), gap = it->mechanics->rows[row].position;
  law->gap_rate = it->mechanics->rows[row].velocity;
  law->stiffness = write_product(it, it->scenario->run.compliant, contact->stiffness);
  carom_node response = held_response(it, row, row);
  carom_node damping = new_number(it, k, CAROM_NUMBER_DAMPING);
  carom_node give = new_number(it, k, CAROM_NUMBER_GIVE);
  carom_node push = new_number(it, k, CAROM_NUMBER_PUSH);
  carom_node lift = new_number(it, k, CAROM_NUMBER_LIFT);
  if (!damping || !give || !push || !lift) return false;
  carom_node damper = write_call(it, CAROM_OP_SQRT, write_quotient(it, law->stiffness, response));
  damper = write_product(it, write_product(it, write_number(it, 2.0), damping), damper);
  carom_node spring =
      write_difference(it, push, write_product(it, write_product(it, give, law->stiffness), gap));
  spring = remove_kinks(it, spring);
  law->press =
      remove_kinks(it, write_difference(it, spring, write_product(it, damper, law->gap_rate)));
  carom_node deep = remove_kinks(it, carom_sub(g, lift, gap));
  law->touching = remove_kinks(it, write_call_of_two(it, CAROM_OP_GT, deep, zero));
  law->pressing = remove_kinks(it, write_call_of_two(it, CAROM_OP_GT, law->press, zero));
  made->touch = branch_of(it, deep, &made->touch_sign);
  made->press = branch_of(it, law->press, &made->press_sign);
  law->normal = while_pressing(it, law, law->press);

  // the spring gives back what it took; the rest of the work is lost
  carom_node energy = write_quotient(it, write_product(it, spring, spring),
                                     write_product(it, write_number(it, 2.0), law->stiffness));
  law->stored = if_else(it, law->touching, energy, zero);
  spring = if_else(it, law->touching, spring, zero);
  law->lost = write_product(it, write_difference(it, write_product(it, give, spring), law->normal),
                            law->gap_rate);

  carom_node *wanted = it->compliant->wanted + CAROM_LIMITS * k;
  wanted[CAROM_LIMIT_PUSH] = law->press;
  wanted[CAROM_LIMIT_SPRING] = spring;
  wanted[CAROM_LIMIT_STORED] = law->stored;
  wanted[CAROM_LIMIT_RESTITUTION] = contact->restitution;
  wanted[CAROM_LIMIT_GAP] = gap;
  wanted[CAROM_LIMIT_GAP_RATE] = law->gap_rate;
  wanted[CAROM_LIMIT_NORMAL] = response;
  wanted[CAROM_LIMIT_STIFFNESS] = law->stiffness;
  return law->normal && law->lost && made->touch >= 0 && made->press >= 0;
}

// a law of the user's own is a function of normal force and slip
static bool write_user_law(writing *it, const carom_contact *contact, contact_law *law) {
  carom_node from[2] = {contact->normal_force, contact->slip_speed};
  carom_node to[2] = {law->normal, law->slip};
  carom_node force = carom_node_substitute(it->graph, contact->tangential.node, 2, from, to);
  law->tangential = while_pressing(it, law, remove_kinks(it, force));
  law->lost = write_difference(it, law->lost, write_product(it, law->tangential, law->slip));
  return law->tangential != 0;
}

// friction at the present slip
static carom_node friction_coefficient(writing *it, const carom_contact *contact, carom_node mu,
                                       const contact_law *law) {
  carom_node from[2] = {contact->normal_force, contact->slip_speed};
  carom_node to[2] = {law->normal, law->slip};
  int count = contact->slip_speed ? 2 : 0;
  return remove_kinks(it, count ? carom_node_substitute(it->graph, mu, count, from, to) : mu);
}

// does friction in an impact differ from that of the present slip?
static bool friction_changes(writing *it, const carom_contact *contact) {
  if (contact->impact_stick != contact->stick || contact->impact_slide != contact->slide)
    return true;
  unsigned velocities = 1u << CAROM_SYMBOL_RATE;
  return carom_node_depends_kind(it->graph, contact->slide, velocities) ||
         (contact->slip_speed &&
          carom_node_depends(it->graph, contact->slide, contact->slip_speed));
}

// Coefficients of friction: those of the present slip, but within an impact the ones that an impact
// law takes, of the slip at its beginning.
static bool write_coefficients(writing *it, int k, const contact_law *law, carom_node *mu_stick,
                               carom_node *mu_slide) {
  const carom_contact *contact = &it->scenario->contacts[k];
  carom_compliant_contact *made = &it->compliant->contacts[k];
  carom_node *wanted = it->compliant->wanted + CAROM_LIMITS * k;
  made->first_own = it->mechanics->kinks.count;
  wanted[CAROM_LIMIT_MU_STICK] = friction_coefficient(it, contact, contact->impact_stick, law);
  wanted[CAROM_LIMIT_MU_SLIDE] = friction_coefficient(it, contact, contact->impact_slide, law);
  *mu_stick = friction_coefficient(it, contact, contact->stick, law);
  *mu_slide = friction_coefficient(it, contact, contact->slide, law);
  made->own = it->mechanics->kinks.count - made->first_own;
  if (!friction_changes(it, contact)) return *mu_stick && *mu_slide;
  carom_node stick = new_number(it, k, CAROM_NUMBER_MU_STICK);
  carom_node slide = new_number(it, k, CAROM_NUMBER_MU_SLIDE);
  *mu_stick = if_else(it, law->striking, stick, *mu_stick);
  *mu_slide = if_else(it, law->striking, slide, *mu_slide);
  return stick && slide && *mu_stick && *mu_slide;
}

static carom_node bristle_symbol(writing *it, const char *contact, const char *what) {
  char name[120];
  (void)snprintf(name, sizeof name, "%.80s.%s", contact, what);
  return carom_node_symbol(it->graph, name, CAROM_SYMBOL_STATE);
}

/// Spring and dashpot along a tangent.
typedef struct bristle_law {
  carom_node stiffness, damper;
} bristle_law;

// stiffness once and for all from the start of the motion, damping from the present position
static bristle_law write_bristle(writing *it, const contact_law *law, carom_node normal,
                                 carom_node tangent) {
  carom_node along = write_sum(it, at_start(it, tangent),
                               write_product(it, write_number(it, 1e-9), at_start(it, normal)));
  carom_node ratio = write_quotient(it, at_start(it, normal), along);
  carom_node square =
      if_else(it, law->striking, write_number(it, IMPACT_RATIO), write_number(it, LASTING_RATIO));
  carom_node stiffness = write_product(it, write_product(it, square, law->stiffness), ratio);
  carom_node damper = write_call(it, CAROM_OP_SQRT, write_quotient(it, stiffness, tangent));
  damper = write_product(it, damper,
                         if_else(it, law->striking, write_number(it, 2.0 * IMPACT_DAMPING),
                                 write_number(it, 2.0 * LASTING_DAMPING)));
  return (bristle_law){stiffness, damper};
}

static bool write_friction(writing *it, int k, int row, contact_law *law) {
  const carom_contact *contact = &it->scenario->contacts[k];
  carom_compliant_contact *made = &it->compliant->contacts[k];
  carom_mechanics *m = it->mechanics;
  carom_graph *g = it->graph;

  carom_node normal = held_response(it, row, row), tangent = held_response(it, row + 1, row + 1);
  bristle_law bristle = write_bristle(it, law, normal, tangent);
  carom_node stiffness = bristle.stiffness, damper = bristle.damper;
  carom_node b = bristle_symbol(it, contact->name, "bristle");
  carom_node trial = remove_kinks(it, write_sum(it, b, write_product(it, damper, law->slip)));
  carom_node mu_stick, mu_slide;
  if (!write_coefficients(it, k, law, &mu_stick, &mu_slide)) return false;
  carom_node stick = write_product(it, mu_stick, law->press),
             slide = write_product(it, mu_slide, law->press);

  // the branch of friction: where its argument falls through zero it ends
  carom_node size = remove_kinks(it, write_call(it, CAROM_OP_ABS, trial));
  made->side = branch_of(it, trial, &made->side_sign);
  made->friction = new_branch(it, "friction", contact->name);
  if (made->friction < 0) return false;
  carom_kink *branch = &m->kinks.items[made->friction];
  carom_node s = branch->mode;
  carom_node slides =
      write_call_of_two(it, CAROM_OP_GT, write_product(it, s, s), write_number(it, 0.5));
  branch->argument = if_else(it, slides, write_difference(it, write_product(it, s, trial), slide),
                             write_difference(it, stick, size));
  branch->origin = law->slip;

  carom_node force =
      while_pressing(it, law, if_else(it, slides, write_product(it, s, slide), trial));
  carom_node rate =
      write_product(it, write_quotient(it, stiffness, damper), write_difference(it, force, b));
  rate = if_else(it, law->touching, rate, write_number(it, 0.0));
  law->tangential = carom_neg(g, force);
  carom_node stored = write_quotient(it, write_product(it, b, b),
                                     write_product(it, write_number(it, 2.0), stiffness));
  law->stored = write_sum(it, law->stored, stored);
  carom_node gained = write_quotient(it, write_product(it, b, rate), stiffness);
  law->lost =
      write_sum(it, law->lost, write_difference(it, write_product(it, force, law->slip), gained));

  int z = m->m + it->bristles++;
  made->bristle = m->nq + m->n + z;
  it->z[z] = b;
  m->equation[z] = rate;
  carom_node *wanted = it->compliant->wanted + CAROM_LIMITS * k;
  wanted[CAROM_LIMIT_TRIAL] = trial;
  wanted[CAROM_LIMIT_STICK] = stick;
  wanted[CAROM_LIMIT_SLIDE] = slide;
  wanted[CAROM_LIMIT_STORED] = law->stored;
  wanted[CAROM_LIMIT_SLIP] = law->slip;
  wanted[CAROM_LIMIT_COUPLING] = held_response(it, row, row + 1);
  wanted[CAROM_LIMIT_TANGENT] = tangent;
  return rate && branch->argument && stored && law->lost && made->side >= 0;
}

// the length of a vector, smooth where it is zero
static carom_node length_of(writing *it, const carom_node v[2]) {
  const double tiny = 1e-60;
  carom_node sum = write_sum(it, write_product(it, v[0], v[0]), write_product(it, v[1], v[1]));
  return write_call(it, CAROM_OP_SQRT, write_sum(it, sum, write_number(it, tiny)));
}

// What a touch is judged by: the slip, and the responses along it.
static void write_along_slip(writing *it, int k, int row, const carom_node slip[2],
                             carom_node speed) {
  carom_node *wanted = it->compliant->wanted + CAROM_LIMITS * k, sum = write_number(it, 0.0);
  carom_node coupling = sum;
  for (int i = 0; i < 2; i++) {
    carom_node along = write_quotient(it, slip[i], speed);
    coupling =
        write_sum(it, coupling, write_product(it, held_response(it, row, row + 1 + i), along));
    for (int j = 0; j < 2; j++)
      sum =
          write_sum(it, sum,
                    write_product(it, write_product(it, along, write_quotient(it, slip[j], speed)),
                                  held_response(it, row + 1 + i, row + 1 + j)));
  }
  wanted[CAROM_LIMIT_SLIP] = speed;
  wanted[CAROM_LIMIT_COUPLING] = coupling;
  wanted[CAROM_LIMIT_TANGENT] = sum;
}

// The same with two tangents: one spring for both, whichever they are.
static bool write_friction_in_space(writing *it, int k, int row, contact_law *law) {
  const carom_contact *contact = &it->scenario->contacts[k];
  carom_compliant_contact *made = &it->compliant->contacts[k];
  carom_mechanics *m = it->mechanics;
  carom_node slip[2] = {m->rows[row + 1].velocity, m->rows[row + 2].velocity};
  carom_node both =
      write_sum(it, held_response(it, row + 1, row + 1), held_response(it, row + 2, row + 2));
  bristle_law bristle = write_bristle(it, law, held_response(it, row, row),
                                      write_product(it, write_number(it, 0.5), both));
  carom_node b[2] = {bristle_symbol(it, contact->name, "bristle1"),
                     bristle_symbol(it, contact->name, "bristle2")};
  carom_node trial[2];
  for (int j = 0; j < 2; j++)
    trial[j] = remove_kinks(it, write_sum(it, b[j], write_product(it, bristle.damper, slip[j])));
  law->slip = length_of(it, slip);
  carom_node mu_stick, mu_slide, size = length_of(it, trial);
  if (!write_coefficients(it, k, law, &mu_stick, &mu_slide)) return false;
  carom_node stick = write_product(it, mu_stick, law->press),
             slide = write_product(it, mu_slide, law->press);
  made->friction = new_branch(it, "friction", contact->name);
  if (made->friction < 0) return false;
  carom_kink *branch = &m->kinks.items[made->friction];
  carom_node slides = write_call_of_two(
      it, CAROM_OP_GT, write_product(it, branch->mode, branch->mode), write_number(it, 0.5));
  branch->argument =
      if_else(it, slides, write_difference(it, size, slide), write_difference(it, stick, size));
  branch->origin = law->slip;
  carom_node force[2], stored = length_of(it, b);
  stored = write_quotient(it, write_product(it, stored, stored),
                          write_product(it, write_number(it, 2.0), bristle.stiffness));
  law->stored = write_sum(it, law->stored, stored);
  made->bristle = m->nq + m->n + m->m + it->bristles;
  for (int j = 0; j < 2; j++) {
    carom_node rubs = write_product(it, slide, write_quotient(it, trial[j], size));
    force[j] = while_pressing(it, law, if_else(it, slides, rubs, trial[j]));
    carom_node rate = write_product(it, write_quotient(it, bristle.stiffness, bristle.damper),
                                    write_difference(it, force[j], b[j]));
    rate = if_else(it, law->touching, rate, write_number(it, 0.0));
    carom_node gained = write_quotient(it, write_product(it, b[j], rate), bristle.stiffness);
    law->lost = write_sum(it, law->lost,
                          write_difference(it, write_product(it, force[j], slip[j]), gained));
    int z = m->m + it->bristles++;
    it->z[z] = b[j];
    m->equation[z] = rate;
    if (!rate) return false;
  }
  law->tangential = carom_neg(it->graph, force[0]);
  law->cross = carom_neg(it->graph, force[1]);
  carom_node *wanted = it->compliant->wanted + CAROM_LIMITS * k;
  wanted[CAROM_LIMIT_TRIAL] = size;
  wanted[CAROM_LIMIT_STICK] = stick;
  wanted[CAROM_LIMIT_SLIDE] = slide;
  wanted[CAROM_LIMIT_STORED] = law->stored;
  write_along_slip(it, k, row, slip, law->slip);
  return branch->argument && law->stored && law->lost && law->cross;
}

// ---- into the equations ----

// the force along a row moves the system, and the system's surfaces do work
static bool apply_force(writing *it, int row, carom_node force) {
  carom_mechanics *m = it->mechanics;
  const carom_row *r = &m->rows[row];
  bool whole = true;
  for (int i = 0; i < m->n; i++) {
    m->bias[i] = write_sum(it, m->bias[i], write_product(it, r->jacobian[i], force));
    m->acceleration[i] =
        write_sum(it, m->acceleration[i], write_product(it, r->response[i], force));
    whole = whole && m->bias[i] && m->acceleration[i];
  }
  for (int k = 0; k < it->scenario->constraint_count; k++) {
    carom_node push = write_product(it, m->delassus[k * m->row_count + row], force);
    m->rows[k].free_rate = write_sum(it, m->rows[k].free_rate, push);
    whole = whole && m->rows[k].free_rate;
  }
  m->power.drive = write_difference(it, m->power.drive, write_product(it, force, r->offset));
  return whole && m->power.drive;
}

static bool apply_contact(writing *it, int k, int row) {
  const carom_contact *contact = &it->scenario->contacts[k];
  carom_mechanics *m = it->mechanics;
  contact_law law = {0};
  it->compliant->contacts[k] =
      (carom_compliant_contact){.name = contact->name, .friction = -1, .side = -1};
  for (int j = 0; j < CAROM_NUMBERS; j++)
    it->compliant->contacts[k].number[j] = -1;
  if (!write_impact(it, k, &law) || !write_normal(it, k, row, &law)) return false;
  bool tangential = contact->slip.node != 0;
  if (tangential) {
    law.slip = m->rows[row + 1].velocity;
    bool written = contact->tangential.node   ? write_user_law(it, contact, &law)
                   : contact->space.slip.node ? write_friction_in_space(it, k, row, &law)
                                              : write_friction(it, k, row, &law);
    if (!written) return false;
  }
  carom_node none = write_number(it, 0.0), *forces = it->compliant->forces + FORCES * k;
  forces[0] = law.normal;
  forces[1] = tangential ? law.tangential : none;
  forces[2] = law.cross ? law.cross : none;
  m->potential = write_sum(it, m->potential, law.stored);
  m->power.damper = write_sum(it, m->power.damper, law.lost);
  return apply_force(it, row, law.normal) &&
         (!tangential || apply_force(it, row + 1, law.tangential)) &&
         (!law.cross || apply_force(it, row + 2, law.cross)) && m->potential && m->power.damper;
}

// room for the bristles behind the scenario's own states
static bool make_room(writing *it) {
  carom_mechanics *m = it->mechanics;
  size_t count = (size_t)it->scenario->contact_count, all = (size_t)m->m + 2 * count;
  long failures = carom_arena_failures(it->arena);
  carom_node *z = carom_arena_array(it->arena, all, sizeof *z);
  carom_node *z_rate = carom_arena_array(it->arena, all, sizeof *z_rate);
  carom_node *equation = carom_arena_array(it->arena, all, sizeof *equation);
  it->compliant->contacts = carom_arena_array(it->arena, count, sizeof *it->compliant->contacts);
  it->compliant->wanted = carom_arena_array(it->arena, CAROM_LIMITS * count, sizeof(carom_node));
  it->compliant->forces = carom_arena_array(it->arena, FORCES * count, sizeof(carom_node));
  if (carom_arena_failures(it->arena) != failures) return false;
  size_t old = (size_t)m->m * sizeof *z;
  if (m->m > 0) {
    memcpy(z, m->z, old);
    memcpy(z_rate, m->z_rate, old);
    memcpy(equation, m->equation, old);
  }
  m->z = it->z = z;
  m->z_rate = z_rate;
  m->equation = equation;
  for (size_t k = 0; k < CAROM_LIMITS * count; k++)
    it->compliant->wanted[k] = write_number(it, 0.0);
  return true;
}

// only the bilateral rows stay
static bool drop_rows(writing *it) {
  carom_mechanics *m = it->mechanics;
  int held = it->scenario->constraint_count, rows = m->row_count;
  for (int i = 0; i < held; i++)
    for (int j = 0; j < held; j++)
      m->delassus[i * held + j] = m->delassus[i * rows + j];
  m->row_count = held;
  m->friction = false;
  return true;
}

carom_status carom_compliant_apply(carom_compliant *compliant, carom_arena *arena,
                                   carom_graph *graph, const carom_scenario *scenario,
                                   carom_mechanics *mechanics, carom_error *error) {
  writing it = {.arena = arena,
                .graph = graph,
                .scenario = scenario,
                .mechanics = mechanics,
                .compliant = compliant};
  for (int k = 0; k < scenario->contact_count; k++)
    if (scenario->contacts[k].give_back)
      return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, scenario->contacts[k].impact_place,
                           "contacts.%s has a tangential restitution, which no compliant contact "
                           "has; leave et out",
                           scenario->contacts[k].name);
  compliant->count = scenario->contact_count;
  bool good = make_room(&it);
  int row = scenario->constraint_count;
  for (int k = 0; good && k < scenario->contact_count; k++) {
    good = apply_contact(&it, k, row);
    row +=
        1 + (scenario->contacts[k].slip.node != 0) + (scenario->contacts[k].space.slip.node != 0);
  }
  mechanics->m += it.bristles;
  if (good) good = drop_rows(&it);
  if (good) return CAROM_OK;
  carom_status why = carom_graph_status(graph);
  return carom_fail(error, why == CAROM_OK ? CAROM_ERR_MEMORY : why,
                    "the equations of compliant contacts do not fit");
}

carom_node carom_compliant_observed(const carom_compliant *compliant, carom_graph *graph,
                                    const carom_scenario *scenario, carom_node node) {
  for (int k = 0; node && k < compliant->count; k++) {
    const carom_contact *contact = &scenario->contacts[k];
    const carom_node from[FORCES] = {contact->normal_force, contact->tangential_force,
                                     contact->space.force};
    int count = contact->space.force ? FORCES : FORCES - 1;
    node = carom_node_substitute(graph, node, count, from, compliant->forces + FORCES * k);
  }
  return node;
}

carom_status carom_compliant_compile(carom_compliant *compliant, carom_arena *arena,
                                     const carom_dynamics *dynamics, carom_error *error) {
  return carom_program_compile(arena, dynamics->graph, dynamics->input_count, dynamics->inputs,
                               CAROM_LIMITS * compliant->count, compliant->wanted,
                               &compliant->limits, error);
}

carom_compliant_role carom_compliant_role_of(const carom_compliant *compliant, int mode,
                                             int *contact) {
  for (int k = 0; compliant && k < compliant->count; k++) {
    const carom_compliant_contact *c = &compliant->contacts[k];
    if (contact) *contact = k;
    if (c->touch == mode) return CAROM_ROLE_TOUCH;
    if (c->press == mode) return CAROM_ROLE_PRESS;
    for (int j = 0; j < CAROM_NUMBERS; j++)
      if (c->number[j] == mode) return CAROM_ROLE_NUMBER;
    if (c->impact == mode) return CAROM_ROLE_IMPACT;
    if (mode >= c->first_own && mode < c->first_own + c->own) return CAROM_ROLE_COEFFICIENT;
    if (c->side == mode) return CAROM_ROLE_SIDE;
    if (c->friction == mode) return CAROM_ROLE_FRICTION;
  }
  return CAROM_ROLE_NONE;
}
