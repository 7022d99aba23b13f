// SPDX-License-Identifier: MIT
/// The course of a motion, gathered from its events instant by instant.
#include "study/course.h"

#include <stdio.h>
#include <string.h>

void carom_course_begin(carom_course *course) { *course = (carom_course){0}; }

// contacts stand in the order in which they are first heard of; letters list them by name
static carom_course_contact *contact_named(carom_course *course, const char *name) {
  for (int k = 0; k < course->count; k++)
    if (strncmp(course->contacts[k].name, name, CAROM_COURSE_NAME - 1) == 0)
      return &course->contacts[k];
  if (course->count == CAROM_COURSE_CONTACTS) {
    course->full = true;
    return NULL;
  }
  int at = course->count++;
  while (at > 0 && strcmp(course->contacts[at - 1].name, name) > 0) {
    course->contacts[at] = course->contacts[at - 1];
    at--;
  }
  carom_course_contact *contact = &course->contacts[at];
  *contact = (carom_course_contact){.mode = 'F'};
  (void)snprintf(contact->name, sizeof contact->name, "%s", name);
  return contact;
}

static void append_text(carom_course *course, char *text, size_t room, const char *more) {
  size_t used = strlen(text);
  int length = snprintf(text + used, room - used, "%s", more);
  if (length < 0 || (size_t)length >= room - used) course->full = true;
}

static void add_letter(carom_course *course, const char *letter) {
  if (course->text[0]) append_text(course, course->text, sizeof course->text, " ");
  append_text(course, course->text, sizeof course->text, letter);
}

// "I(A,B)", or "" when nothing struck
static void impact_letter(carom_course *course, char *letter, size_t room) {
  letter[0] = '\0';
  for (int k = 0; k < course->count; k++) {
    carom_course_contact *contact = &course->contacts[k];
    if (!contact->struck) continue;
    append_text(course, letter, room, letter[0] ? "," : "I(");
    append_text(course, letter, room, contact->name);
    contact->struck = false;
  }
  if (letter[0]) append_text(course, letter, room, ")");
}

// "A:+,B:K", or "" in flight
static void phase_letter(carom_course *course, char *letter, size_t room) {
  letter[0] = '\0';
  for (int k = 0; k < course->count; k++) {
    const carom_course_contact *contact = &course->contacts[k];
    if (contact->mode == 'F') continue;
    const char mode[] = {':', contact->mode, '\0'};
    if (letter[0]) append_text(course, letter, room, ",");
    append_text(course, letter, room, contact->name);
    append_text(course, letter, room, mode);
  }
}

static void write_impact(carom_course *course, const char *letter) {
  bool again = strcmp(letter, course->last_impact) == 0;
  if (!again) add_letter(course, letter);
  if (again && !course->star) append_text(course, course->text, sizeof course->text, "*");
  course->star = again;
  (void)snprintf(course->last_impact, sizeof course->last_impact, "%s", letter);
  course->last_phase[0] = '\0';
}

static void close_instant(carom_course *course) {
  char letter[CAROM_COURSE_LETTER];
  impact_letter(course, letter, sizeof letter);
  if (letter[0]) write_impact(course, letter);
  phase_letter(course, letter, sizeof letter);
  bool news = letter[0] && strcmp(letter, course->last_phase) != 0;
  (void)snprintf(course->last_phase, sizeof course->last_phase, "%s", letter);
  if (!news) return;
  add_letter(course, letter);
  course->last_impact[0] = '\0';
  course->star = false;
}

static char mode_after(const carom_event *event) {
  if (event->kind == CAROM_EVENT_OPEN) return 'F';
  if (event->kind == CAROM_EVENT_STICK) return 'K';
  if (event->direction == 0) return 'K';
  return event->direction > 0 ? '+' : '-';
}

int carom_course_event(void *ctx, const carom_event *event) {
  carom_course *course = ctx;
  bool impact = event->kind == CAROM_EVENT_IMPACT;
  bool change = event->kind == CAROM_EVENT_OPEN || event->kind == CAROM_EVENT_CLOSE ||
                event->kind == CAROM_EVENT_STICK || event->kind == CAROM_EVENT_SLIP ||
                event->kind == CAROM_EVENT_REVERSE;
  if (!impact && !change) return 0;
  if (course->gathering && event->instant != course->instant) close_instant(course);
  course->gathering = true;
  course->instant = event->instant;
  carom_course_contact *contact = contact_named(course, event->name);
  if (!contact) return 0;
  if (impact)
    contact->struck = true;
  else
    contact->mode = mode_after(event);
  return 0;
}

void carom_course_end(carom_course *course) {
  if (course->gathering) close_instant(course);
  course->gathering = false;
}
