// SPDX-License-Identifier: MIT
/// When an impact of several contacts is given up: what is stored must fade as impulse passes. A
/// round is over when an impulse has passed that could stop every contact and throw it back with
/// all that is stored, or after many steps. A compression has ended in it, or what is stored has
/// stood still: else the impact goes on as it should, of a body that sticks, say, and is far
/// heavier than its contact alone tells. What is stored must halve within a number of rounds.
#ifndef CAROM_IMPACT_FADING_H
#define CAROM_IMPACT_FADING_H

#include <stdbool.h>

/// How what is stored fades. All zero at the beginning.
typedef struct carom_fading {
  int rounds;             // in a row in which it has not halved
  int steps;              // of the present round
  double passed;          // normal impulses in it, each times the root of its response
  double largest, before; // most that was stored in it, and before
  double least;           // that was stored in it
  bool turned;            // a compression has ended in it
} carom_fading;

#define CAROM_FADING_SLOW 1e-9 // of the speed: left of an impact with late rounds
#define CAROM_FADING_OPEN 1e-6 // of it: more is left by contacts that hold each other
// Tuned on 4000 random impacts in the plane: those that end in less than 30000 steps need 5 rounds
// at most, contacts that hold each other or swing without loss take hundreds in vain.
enum { CAROM_FADING_ROUNDS = 10 };

/// Notes what is stored after a step, in units of mass times velocity squared; `passed` is added to
/// by the caller. True: a round is over, and `late` says whether it was for its many steps.
bool carom_fading_note(carom_fading *fading, int contacts, double stored, bool *late);

#endif
