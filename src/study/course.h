// SPDX-License-Identifier: MIT
/// The course of a motion: its impacts and phases of contact in order, as a text. For motions that
/// do not repeat themselves, which have no word.
///
/// Letters are those of words: I(A,B) an impact of A and B, A:+ slip, A:K stick, A:- slip back,
/// A:K,B:+ two at once. Flights are not written. An impact that repeats itself with nothing but
/// flight between is written once with a star, I(A)*: how often it does is a matter of the rule
/// that ends it.
#ifndef CAROM_STUDY_COURSE_H
#define CAROM_STUDY_COURSE_H

#include "carom/simulation.h"

enum {
  CAROM_COURSE_CONTACTS = 21,
  CAROM_COURSE_NAME = 40,
  CAROM_COURSE_LETTER = 256,
  CAROM_COURSE_TEXT = 512
};

typedef struct carom_course_contact {
  char name[CAROM_COURSE_NAME];
  char mode; // F, K, +, -, C
  bool struck;
} carom_course_contact;

typedef struct carom_course {
  carom_course_contact contacts[CAROM_COURSE_CONTACTS];
  int count;
  long instant; // whose events are being gathered
  bool gathering, star;
  char last_impact[CAROM_COURSE_LETTER]; // "" when a phase has followed it
  char last_phase[CAROM_COURSE_LETTER];
  char text[CAROM_COURSE_TEXT];
  bool full; // something did not fit
} carom_course;

void carom_course_begin(carom_course *course);
/// To be given every event; `ctx` is the course. Returns 0.
int carom_course_event(void *ctx, const carom_event *event);
/// After the last event: the course is in `text`.
void carom_course_end(carom_course *course);

#endif
