// SPDX-License-Identifier: MIT
/// What the parts of continuation share.
#ifndef CAROM_ANALYSIS_FOLLOWER_H
#define CAROM_ANALYSIS_FOLLOWER_H

#include "analysis/orbit_map.h"
#include "carom/continuation.h"
#include "spread/spread.h"

enum { CAROM_MOST_BRANCHES = 64 };

/// A place on a branch and what the motion is like there.
typedef struct carom_station {
  carom_branch_point at;
  carom_orbit_data orbit;
  double
      rate[CAROM_ORBIT_STATES]; // of the states that must close, at the start of the turn, scaled
  uint64_t course;              // of its turn, see orbit_map.h
  bool course_told;             // all of it
} carom_station;

/// A branch that is still to be followed: where it begins and which way it goes.
typedef struct carom_beginning {
  carom_orbit_map map;
  carom_branch_point at;
  int depth;    // flips it has come through
  double flips; // the sign that prod(mu + 1) begins with; 0: not known
} carom_beginning;

/// A special point that a curve in two parameters goes through.
typedef struct carom_curve_start {
  carom_beginning at;
  carom_branch_label label;
  carom_leg_margin margin; // the inequality that breaks there, where a word ends
} carom_curve_start;

/// Points of one branch, or of all, and branches that leave them.
struct carom_continuation {
  carom_continuation_point *points;
  long count, room, turns;
  int states;
  carom_beginning *promised[CAROM_MOST_BRANCHES];
  int promises;
  carom_curve_start **special; // for an atlas, where it is asked for
  long specials, special_room;
};

struct carom_safe_place;

/// How a branch is written down, so that it can be taken up again.
typedef struct carom_branch_keeping {
  carom_journal *journal;        // of branches; NULL: nothing is kept
  struct carom_safe_place *safe; // where it can be taken up again; NULL: nowhere
  double began, kept;            // on the clock: when it began, when it was last written down
} carom_branch_keeping;

/// A place that was marked, to see whether the branch is closed.
typedef struct carom_landmark {
  long steps; // after so many it was marked
  double value, phase, state[CAROM_ORBIT_STATES];
  char word[CAROM_ORBIT_WORD];
} carom_landmark;

/// Ends of words, kinks and jumps that are being crossed.
typedef struct carom_word_ends {
  double kink;     // the parameter at the last kink
  bool other_word; // at the end being crossed: what leads on must have another word
  bool came_back;  // a way on from there led to motions that the branch has had
  bool covers;     // or to a motion of a shorter period that goes round several times
  bool turned;     // after the last kink the way led back, and the other one was taken
  int kinks;       // crossed without a long step between them
  int creeping;    // short steps that failed without a long one between them: near a jump
} carom_word_ends;

/// Derivatives along the branch.
typedef struct carom_follower_slopes {
  double long_step[CAROM_BRANCH_MOST],
      found[CAROM_BRANCH_MOST]; // dF/dp: at the last long step, and last
  // at `here`, which the next step begins with, at `next`, and the last ones found
  carom_branch_slopes here, next, last;
} carom_follower_slopes;

/// One branch being followed.
typedef struct carom_follower {
  const carom_continuation_options *options;
  carom_continuation *result;
  carom_orbit_map *map;
  carom_branch_problem problem;
  carom_branch_keeping keeping;
  carom_landmark landmark;
  double first_value, low, high;     // of the parameter: where the branch began, and its range
  double widest;                     // way of a turn so far
  double origin[CAROM_ORBIT_STATES]; // where the branch began
  int branch, depth;
  double step; // the next one
  long steps;  // tried so far
  bool done;   // the parameter has left its range, or the branch has come to an end
  bool ended;  // the periodic motion has shrunk to an equilibrium
  carom_word_ends ends;
  char why[CAROM_ERROR_TEXT]; // the last place was not found; told where the branch is lost
  carom_station here, next, special;
  carom_follower_slopes slopes;
  carom_error *error;
} carom_follower;

/// Which test function of a place is meant.
typedef enum carom_test {
  CAROM_TEST_FOLD,
  CAROM_TEST_FLIP,
  CAROM_TEST_TORUS,
  CAROM_TEST_ONE,
  CAROM_TEST_FLUTTER, // of an equilibrium without losses: two frequencies meet
  CAROM_TEST_MARGIN   // of a fixed word: the inequality nearest to its end
} carom_test;

// continuation.c
/// Newton's method from `place` in the hyperplane across its tangent (NULL tangent: at a fixed
/// parameter), then the new tangent, multipliers and word.
carom_status carom_follower_settle(carom_follower *it, carom_station *place, bool fixed_parameter);
/// The same place at another parameter, to be settled.
carom_station carom_station_at(const carom_station *from, double p);
/// The place a step s along the tangent of `from`.
carom_status carom_follower_step(carom_follower *it, const carom_station *from, double s,
                                 carom_station *to);
/// Is b the same kind of motion as a: the same word, impacts that come out alike, the same branches
/// of all functions? Where not all of that is known a jump of the leading multiplier tells.
bool carom_station_kindred(const carom_station *a, const carom_station *b);
carom_status carom_follower_record(carom_follower *it, const carom_station *place,
                                   carom_branch_label label);
/// Keeps a branch to follow later.
carom_status carom_continuation_promise(carom_continuation *result,
                                        const carom_beginning *beginning, carom_error *error);
/// Keeps a special point for an atlas, where one is made.
carom_status carom_follower_keep_special(carom_follower *it, const carom_beginning *at,
                                         carom_branch_label label, const carom_leg_margin *margin);
/// Takes over a special point; false: out of memory.
bool carom_continuation_add_special(carom_continuation *result, carom_curve_start *special);
/// Room for one more point.
carom_status carom_continuation_grow(carom_continuation *result, carom_error *error);
/// Multiplies the tangent at a place by a sign.
void carom_follower_face(const carom_follower *it, carom_station *place, double sign);
/// Turns of a motion without drive begin across it at `here` from now on.
void carom_follower_anchor(carom_follower *it);
/// The branch has come to this place, and turns begin across the motion there.
void carom_follower_arrive(carom_follower *it, carom_station *place);
/// The equations of the map, with what the follower learns of them.
void carom_follower_prepare(carom_follower *it);

/// Follows the branch from `here` until it leaves the range, comes to an end, or is long enough.
carom_status carom_follower_follow(carom_follower *it);
/// The branch that begins at the scenario's own motion.
carom_status carom_follower_first(carom_follower *it);
/// The branch that was kept, which leaves another one.
carom_status carom_follower_promised(carom_follower *it, const carom_beginning *beginning);

// continuation_keep.c
/// The branches of these options are written down here; NULL: nowhere.
carom_status carom_branches_open(const carom_continuation_options *options, carom_journal **journal,
                                 carom_error *error);
/// Before a step: from here the branch can be taken up again. Now and then it is written down.
carom_status carom_follower_mark(carom_follower *it);
/// Writes the branch down: whole, or up to the last mark.
carom_status carom_follower_keep(carom_follower *it, bool whole);
/// Takes up what was written down of the branch. *whole: all of it.
carom_status carom_follower_take_up(carom_follower *it, bool *found, bool *whole);
void carom_follower_forget(carom_follower *it); // frees the mark

// continuation_tests.c
double carom_test_value(const carom_station *place, carom_test test);
/// `special` becomes the place between `here` and `next`, which lies s further on, where the test
/// function is zero; s_found: how far that is.
carom_status carom_follower_locate(carom_follower *it, carom_test test, double s, double *s_found);
/// Special points between `here` and `next`, which lies s further on, are located and recorded.
carom_status carom_follower_examine(carom_follower *it, double s);

// continuation_turn.c
/// The branch turns back at about s from `here`, where the zero of its tangent was found if
/// `known`. Where it does so because another branch crosses it there (*apex), which its multipliers
/// tell, `special` becomes that place.
carom_status carom_follower_turn(carom_follower *it, double s, bool known, bool *apex);
/// Does a cycle shrink to nothing between `here` and `next`, and come out half a turn later?
bool carom_follower_vanishes(const carom_follower *it);
/// How far the motion goes in a turn at the rates it begins with, in units of its size.
double carom_follower_way(const carom_follower *it, const carom_station *place);
/// Is the cycle at this place next to nothing?
bool carom_follower_shrunk(const carom_follower *it, const carom_station *place);
/// `special` becomes the equilibrium that it shrinks to.
carom_status carom_follower_birth(carom_follower *it);
/// Where that is not found, it becomes the nearer of `here` and `next`, which lies s further on.
void carom_follower_vanish(carom_follower *it, double s);

// continuation_rest.c
/// A time short enough for the fastest motion about the equilibrium at `place`, and long enough for
/// the others; the map has one to begin with.
carom_status carom_follower_choose_time(carom_follower *it, carom_station *place);
/// The branch begins at an equilibrium of the scenario.
carom_status carom_follower_begin_rest(carom_follower *it, carom_station *place);
/// The sizes of its unknowns, once it has a tangent.
void carom_follower_measure_rest(carom_follower *it);
/// `next` becomes an equilibrium in another mode that meets `end`, leading away from it, and the
/// map that of its contacts.
carom_status carom_follower_rest_beyond(carom_follower *it, const carom_station *end,
                                        carom_station *next, bool *passed);

// continuation_saddle.c
/// Does the period grow without end towards `next`, because the motion comes to a saddle? *end: the
/// parameter where it does.
bool carom_follower_takes_ever(carom_follower *it, double *end);
/// Does `here`, from where no step leads on, come near a saddle, and the motion that leaves this
/// come back to it at a value (*end) as near as the periods so far tell?
bool carom_follower_nears_loop(carom_follower *it, double *end);

// curve_loop.c
/// The value of the parameter, of such a range, near that of a cycle where it is homoclinic to a
/// saddle that it comes near, and the slower one of the saddle's rates.
bool carom_loop_near(carom_orbit_map *map, const carom_branch_point *cycle, double range,
                     double *value, double *rate);

// continuation_leave.c
/// Branches that leave at `special`, which is a flip, a place where another branch crosses, or a
/// Hopf point, are kept to be followed later.
carom_status carom_promise_flip(carom_follower *it);
/// `apex`: the other branch is crossed from its side.
carom_status carom_promise_crossing(carom_follower *it, bool apex);
carom_status carom_promise_hopf(carom_follower *it);
/// How far the tangent at `here` leads away from where the branch leaves the other one.
double carom_follower_leads_along(const carom_follower *it, const carom_branch_point *from);
/// Does a flip or a fold lie between there and `here`? It would not be told.
bool carom_follower_passes_over(const carom_follower *it, const carom_beginning *beginning);
/// Do motions of all sizes beside `here` close as well? Then the branch is one of many, as the map
/// knows from then on. *looked: `here` is to be settled anew.
carom_status carom_follower_find_family(carom_follower *it, bool *looked);
/// How many times the motion at a place, where the last turn was, goes round in its turn.
int carom_follower_covers(carom_follower *it, const carom_station *place);

// continuation_fixed.c
/// With its word held fixed the branch is followed from `here` until an inequality breaks, in steps
/// of about s: `special` becomes that end. *end is the same with the fixed word, leading on beyond,
/// and is the caller's; NULL: the word cannot be held fixed, or nothing breaks. With `moved` not
/// NULL what lies on the way is recorded, and where nothing breaks `here` becomes a place farther
/// on
/// (*moved).
carom_status carom_follower_fixed_end(carom_follower *it, double s, carom_beginning **end,
                                      bool *moved);

/// The place of the motion itself that lies s before the end of its word, which was found with the
/// word held fixed; its tangent leads towards the end.
carom_status carom_follower_come_closer(carom_follower *it, const carom_beginning *end, double s,
                                        carom_station *place);

// continuation_words.c
/// Between `here` and a step of s the word changes or the branch ends: the end of the present word
/// is located and recorded. *passed: `here` is on the other word's side and the branch goes on.
/// *crossed: false where the end was none, and `here` is just farther on.
carom_status carom_follower_cross(carom_follower *it, double s, bool *passed, bool *crossed);
/// May a motion whose largest multiplier has the modulus `now` lie between two neighbours on a
/// branch that have these? With room for what multipliers change by along a step.
bool carom_multiplier_between(double first, double last, double now);
/// Do two matrices of `count` numbers differ by far more than a small distance explains?
bool carom_slopes_differ(int count, const double *a, const double *b);

#endif
