// SPDX-License-Identifier: MIT
/// Impacts of several contacts at once by complementarity on impulses: Newton's law, and Poisson's
/// in two phases.
///
/// Row velocities (relative to moving surfaces) answer to impulses P as v+ = v- + G P, with rows
/// and contacts as in contact/contact.h; constraint rows keep rate 0.
///
/// NEWTON    0 <= P_N  complementary to  v_N+ + e v_N- >= 0  (v_N+ >= 0 where v_N- >= 0), and
/// Coulomb
///           friction on impulses by the slip after the impact: v_T+ = 0 with |P_T| <= mu_s P_N, or
///           P_T = -sign(v_T+) mu P_N. With a tangential restitution e_T the slip that friction
///           sees is v_T+ + e_T v_T-, so that a contact it can hold leaves with v_T+ = -e_T v_T-
///           (Walton and Braun 1986, Glocker 2001). With friction it can gain energy; the gain is
///           reported.
/// POISSON   compression: 0 <= P_N^C complementary to v_N^C >= 0, friction by v_T^C;
///           expansion: 0 <= P_N^E - e P_N^C complementary to v_N^E >= 0, friction |P_T^E| against
///           P_N^E by v_T^E (so slip may reverse); tangential restitution 0 (Glocker and Pfeiffer
///           1995). Each phase is one complementarity problem.
///
/// In space friction is a vector: v_T+ = 0 with |P_T| <= mu_s P_N, or P_T = -mu P_N v_T+ / |v_T+|.
///
/// A contact that slips when a phase begins is stopped by mu, not by mu_s: friction against that
/// slip is at most mu P_N. What mu_s holds is a contact at rest, or one that has stopped and would
/// be driven back.
///
/// mu_s > mu at several contacts can leave no outcome at all; then the impact is judged by mu
/// alone, failing that by mu_s alone.
///
/// Preference among outcomes is that of carom_contact_choose; undetermined impulses are those of
/// least norm. They move nothing in Newton's law; in Poisson's the expansion gives back e times
/// what each contact took, and where another admissible split of the compression has another
/// outcome, the outcome is reported as not unique.
///
/// Impact without collision. In Painleve's inconsistent state a contact slides with v_N- = 0,
/// v_T- = sigma |v_T|, and A = G_NN - sigma mu G_NT < 0, so pressing on it pulls it further in: no
/// finite force keeps it from penetrating. While an impulse P_N grows with sliding friction,
///   dv_N = A dP_N < 0,   dv_T = (G_TN - sigma mu G_TT) dP_N, and A < 0 makes sigma G_NT > G_NN /
///   mu > 0;
/// then sigma dv_T = (sigma G_NT - mu G_TT) dP_N. Since det G >= 0 gives G_TT >= G_NT^2 / G_NN and
/// A < 0 gives mu > G_NN / (sigma G_NT), it is negative: slip is braked, the normal velocity is
/// pressed in, until slip stops. At v_T = 0 the stick impulse has G_NN - |G_NT^2 / G_TT| >= 0 as
/// its coefficient, so compression can end: v_N = 0, v_T = 0. The end of compression therefore is
/// the stick solution P = G^-1 (0, -v_T-), i.e. P_N = G_NT v_T- / det G > 0, and |P_T| / P_N = G_NN
/// / |G_NT| <= mu exactly when A <= 0: the stick solution is admissible just where it is needed.
/// The complementarity problem of compression with v_N- = 0 thus has two solutions, P = 0 (which
/// acceleration forbids) and this one; `pushing` names the contact that must carry an impulse, so
/// that the second is taken. Poisson's expansion then follows from P_N^C as usual, Newton's law (no
/// approach, so nothing to reflect) leaves v_N+ = 0.
#ifndef CAROM_IMPACT_IMPACT_H
#define CAROM_IMPACT_IMPACT_H

#include "contact/space.h"

typedef enum carom_impact_law { CAROM_IMPACT_NEWTON, CAROM_IMPACT_POISSON } carom_impact_law;

/// The problem; all arrays are the caller's.
typedef struct carom_impact_problem {
  carom_impact_law law;
  // [contacts] where they differ, each contact's own; NULL: all by `law`. Then there are two
  // phases: in the expansion a Newton contact asks for v_N+ >= -e v_N-, a Poisson contact for e
  // P_N^C
  const carom_impact_law *laws;
  int rows, constraints, contacts;
  const int *normal, *tangent; // [contacts] rows; tangent -1: without friction
  const int *cross;     // [contacts] second tangent in space, -1: none; NULL: all in the plane
  const double *G;      // [rows][rows]
  const double *before; // [rows] velocities
  const double *e;      // [contacts] restitution, >= 0
  const double *et;     // [contacts] tangential restitution in Newton's law; NULL: 0
  const double *stick, *slide; // [contacts] friction of impacts, mu_s >= mu >= 0
  int pushing; // contact that must carry an impulse though it does not approach, or -1
  // [contacts] where the outcome is held: the modes of compression and of expansion, whatever
  // inequalities that breaks; NULL: by the law
  const carom_contact_mode *held_compressed, *held_modes;
} carom_impact_problem;

typedef struct carom_impact_workspace carom_impact_workspace;

/// A workspace for problems up to these sizes, from the arena; NULL when out of memory.
carom_impact_workspace *carom_impact_workspace_create(carom_arena *arena, int max_rows,
                                                      int max_contacts);

/// The room of `owner` for contacts in space that are solved together: see contact/space.h.
void carom_impact_share_room(carom_impact_workspace *work, const carom_contact_workspace *owner);

/// The outcome; the arrays live in the workspace until its next use.
typedef struct carom_impact_result {
  double *impulse, *after; // [rows] over the whole impact
  double *compression;     // [rows] impulses of the compression phase (Newton: all)
  // [contacts] at the end: OPEN or PUSHED_...: separates (or carries nothing); STICK, SLIP_...,
  // CLOSED: v_N+ = -e v_N- (Newton) or 0 (Poisson), v_T+ zero or of that sign
  carom_contact_mode *modes, *compressed; // of compression: the same
  // where the outcome is held: the inequality that is nearest to its end, or broken (of impulses)
  carom_contact_margin margin;
  bool unique;
  bool relaxed;        // the law as stated has no outcome, see above; then not unique either
  double *other_after; // [rows] where not unique: velocities of another outcome
  double energy;       // P.(v+ + v-)/2: what the impact adds to the energy relative to the surfaces
  bool gain;           // energy > 0 beyond round-off
  // [contacts] energy that friction took. Laws that know no time: by the mean slip of each phase
  double *rubbed;
  const struct carom_energetic_event *log; // what happened meanwhile; NULL: the law does not tell
  int logged;
} carom_impact_result;

/// Solves the impact. CAROM_ERR_NO_CONVERGENCE: no outcome satisfies the law (reported, not
/// forced). CAROM_ERR_NONFINITE: the input or the outcome is not finite. No allocation.
carom_status carom_impact_solve(const carom_impact_problem *problem, carom_impact_workspace *work,
                                carom_impact_result *result);

#endif
