// SPDX-License-Identifier: MIT
/// Periodic motions as they are handed out and written down: everything in as much room as it
/// needs.
#include "analysis/orbit_data.h"
#include "base/arena.h"
#include "base/error.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct carom_orbit {
  carom_orbit_view view;
  carom_arena *arena;
};

// ---- what a view points to ----

typedef enum extent {
  OF_STATES,
  OF_MULTIPLIERS,
  OF_OTHERS,
  OF_ORDERS,
  OF_LEGS,
  OF_EVENTS,
  OF_EVENT_STATES
} extent;

static const struct {
  size_t offset, width;
  extent count;
} ARRAYS[] = {
    {offsetof(carom_orbit_view, state), sizeof(double), OF_STATES},
    {offsetof(carom_orbit_view, shift), sizeof(double), OF_STATES},
    {offsetof(carom_orbit_view, sizes), sizeof(double), OF_STATES},
    {offsetof(carom_orbit_view, mirrored.state), sizeof(double), OF_STATES},
    {offsetof(carom_orbit_view, floquet.re), sizeof(double), OF_MULTIPLIERS},
    {offsetof(carom_orbit_view, floquet.im), sizeof(double), OF_MULTIPLIERS},
    {offsetof(carom_orbit_view, sides.re), sizeof(double), OF_OTHERS},
    {offsetof(carom_orbit_view, sides.im), sizeof(double), OF_OTHERS},
    {offsetof(carom_orbit_view, sides.order_modulus), sizeof(double), OF_ORDERS},
    {offsetof(carom_orbit_view, fixed_word.legs), sizeof(carom_leg), OF_LEGS},
    {offsetof(carom_orbit_view, fixed_word.time), sizeof(double), OF_EVENTS},
    {offsetof(carom_orbit_view, fixed_word.state), sizeof(double), OF_EVENT_STATES},
};
static const size_t TEXTS[] = {
    offsetof(carom_orbit_view, word), offsetof(carom_orbit_view, fixed_word.why_not),
    offsetof(carom_orbit_view, fixed_word.fault), offsetof(carom_orbit_view, mirrored.mirror),
    offsetof(carom_orbit_view, mirrored.word)};
enum { ARRAY_COUNT = sizeof ARRAYS / sizeof *ARRAYS, TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

static long count_of(const carom_orbit_view *view, extent of) {
  switch (of) {
  case OF_STATES: return view->size;
  case OF_MULTIPLIERS: return view->floquet.count;
  case OF_OTHERS: return view->sides.multipliers;
  case OF_ORDERS: return view->sides.orders;
  case OF_LEGS: return view->fixed_word.held ? view->fixed_word.events + 1L : 0;
  case OF_EVENTS: return view->fixed_word.events;
  case OF_EVENT_STATES: return (long)view->fixed_word.events * view->size;
  }
  return 0;
}

static size_t bytes_of(const carom_orbit_view *view, int k) {
  assert(k >= 0 && k < ARRAY_COUNT);
  return (size_t)count_of(view, ARRAYS[k].count) * ARRAYS[k].width;
}

// the pointer at an offset of a view, whatever it points to
static const void *get_pointer(const carom_orbit_view *view, size_t offset) {
  const void *pointer;
  memcpy(&pointer, (const char *)view + offset, sizeof pointer);
  return pointer;
}

static void set_pointer(carom_orbit_view *view, size_t offset, const void *pointer) {
  memcpy((char *)view + offset, &pointer, sizeof pointer);
}

// ---- made ----

carom_orbit_view carom_orbit_data_view(const carom_orbit_data *d) {
  carom_orbit_view view = d->is;
  view.state = d->state;
  view.shift = d->shift;
  view.sizes = d->sizes;
  view.word = d->word;
  view.fixed_word.why_not = d->unfixed;
  view.fixed_word.fault = d->fault;
  view.floquet.re = d->re;
  view.floquet.im = d->im;
  view.sides.order_modulus = d->order_modulus;
  view.sides.re = d->other_re;
  view.sides.im = d->other_im;
  view.mirrored.mirror = d->mirror;
  view.mirrored.word = d->image_word;
  view.mirrored.state = d->image_state;
  view.fixed_word.legs = d->legs;
  view.fixed_word.time = d->event_time;
  view.fixed_word.state = d->event_state;
  return view;
}

static carom_orbit *new_orbit(const carom_orbit_view *view) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_orbit *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (made) *made = (carom_orbit){*view, arena};
  if (!made) carom_arena_destroy(arena);
  return made;
}

// hands it over unless memory has ended on the way
static carom_status hand_over(carom_orbit *made, carom_orbit **orbit, carom_error *error) {
  bool whole = made && carom_arena_failures(made->arena) == 0;
  *orbit = whole ? made : NULL;
  if (!whole) carom_orbit_destroy(made);
  return whole ? CAROM_OK : carom_fail_memory(error);
}

carom_status carom_orbit_keep(const carom_orbit_view *view, carom_orbit **orbit,
                              carom_error *error) {
  carom_orbit *made = new_orbit(view);
  for (int k = 0; k < ARRAY_COUNT && made; k++) {
    void *copy = carom_arena_take(made->arena, bytes_of(view, k));
    size_t bytes = bytes_of(view, k);
    if (copy && bytes > 0) memcpy(copy, get_pointer(view, ARRAYS[k].offset), bytes);
    set_pointer(&made->view, ARRAYS[k].offset, copy);
  }
  for (int k = 0; k < TEXT_COUNT && made; k++) {
    const char *text = get_pointer(view, TEXTS[k]);
    set_pointer(&made->view, TEXTS[k], carom_arena_text(made->arena, text, strlen(text)));
  }
  return hand_over(made, orbit, error);
}

void carom_orbit_destroy(carom_orbit *orbit) {
  if (orbit) carom_arena_destroy(orbit->arena);
}

const carom_orbit_view *carom_orbit_look(const carom_orbit *orbit) { return &orbit->view; }

// ---- written down ----

void carom_orbit_put(carom_parcel *parcel, const carom_orbit *orbit) {
  const carom_orbit_view *view = &orbit->view;
  carom_parcel_put(parcel, view, sizeof *view);
  for (int k = 0; k < ARRAY_COUNT; k++)
    carom_parcel_put(parcel, get_pointer(view, ARRAYS[k].offset), bytes_of(view, k));
  for (int k = 0; k < TEXT_COUNT; k++)
    carom_parcel_text(parcel, get_pointer(view, TEXTS[k]));
}

static bool record_is_sound(const carom_unpack *record, const carom_orbit_view *view) {
  bool good = !record->broken;
  size_t left = (size_t)(record->end - record->at);
  for (int k = 0; k < ARRAY_COUNT && good; k++) {
    long count = count_of(view, ARRAYS[k].count);
    good = count >= 0 && (size_t)count <= left / ARRAYS[k].width;
  }
  return good;
}

carom_status carom_orbit_take(carom_unpack *record, carom_orbit **orbit, carom_error *error) {
  carom_orbit_view view = {0};
  *orbit = NULL;
  carom_unpack_bytes(record, &view, sizeof view);
  record->broken = !record_is_sound(record, &view);
  if (record->broken) return CAROM_OK;
  carom_orbit *made = new_orbit(&view);
  for (int k = 0; k < ARRAY_COUNT && made; k++) {
    void *array = carom_arena_take(made->arena, bytes_of(&view, k));
    if (array) carom_unpack_bytes(record, array, bytes_of(&view, k));
    set_pointer(&made->view, ARRAYS[k].offset, array);
  }
  for (int k = 0; k < TEXT_COUNT && made; k++) {
    const char *text = carom_unpack_text(record);
    set_pointer(&made->view, TEXTS[k], carom_arena_text(made->arena, text, strlen(text)));
  }
  return hand_over(made, orbit, error);
}
