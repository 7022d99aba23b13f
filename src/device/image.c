// SPDX-License-Identifier: MIT
#include "device/image.h"

#include "base/error.h"
#include "base/platform.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAGE = 4096,
  PIECE = 64
}; // what is taken begins at a multiple of this; its size lies before it
static const size_t FIRST_ROOM = (size_t)32 << 20, MOST_ROOM = (size_t)2 << 30;

/// Memory that is taken from its beginning and never given back.
typedef struct place {
  char *whole, *base; // the second at a multiple of a page: arenas ask where their memory begins
  size_t used, room;
  bool full;
} place;

static void *take_memory(void *ctx, void *pointer, size_t size) {
  place *it = ctx;
  size_t whole = (size + PIECE - 1) / PIECE * PIECE + PIECE, before = 0;
  it->full = it->full || size > it->room || whole > it->room - it->used;
  if (it->full) return NULL;
  char *taken = it->base + it->used + PIECE;
  it->used += whole;
  memcpy(taken - sizeof size, &size, sizeof size);
  if (pointer) memcpy(&before, (char *)pointer - sizeof before, sizeof before);
  if (pointer) memcpy(taken, pointer, before < size ? before : size);
  return taken;
}

static void leave_memory(void *ctx, void *pointer) { (void)ctx, (void)pointer; }

/// A model that was made once more.
typedef struct twin {
  place place;
  carom_model *model;
} twin;

static carom_status make_twin(twin *it, const char *text, const char *name, size_t room,
                              carom_error *error) {
  *it = (twin){.place.room = room};
  it->place.whole = calloc(1, room + PAGE); // which is not there before it is written to
  if (!it->place.whole) return carom_fail_memory(error);
  it->place.base = it->place.whole + (PAGE - (uintptr_t)it->place.whole % PAGE);
  const carom_allocator allocator = {take_memory, leave_memory, &it->place};
  carom_status status = carom_model_load_with(&allocator, name, text, 0, NULL, &it->model, error);
  if (status == CAROM_OK) status = it->model->engine->lent.ready(it->model, error);
  return status;
}

// what it holds beside its memory, such as machine code
static void release_twin(twin *it) {
  carom_model_destroy(it->model);
  free(it->place.whole);
}

static uintptr_t word_at(const char *base, size_t at) {
  uintptr_t word;
  memcpy(&word, base + at, sizeof word);
  return word;
}

// As programs are loaded: no number that a model holds looks like that, as a double it would be
// below 1e-309, and as two whole numbers one of them would have to be very large.
static bool looks_like_address(uintptr_t word) {
  return (uint64_t)word >> 44 != 0 && (uint64_t)word >> 48 == 0;
}

static bool is_none_or_address(uintptr_t word) { return word == 0 || looks_like_address(word); }

// A word that differs and is no address: one half of it lies between the members of a structure,
// where nothing was ever written; what is the same may be a member. False: both halves differ.
static bool clear_gap(char *bytes, uintptr_t one, uintptr_t other) {
  const uintptr_t low = 0xffffffffu;
  char a[sizeof one], b[sizeof other];
  memcpy(a, &one, sizeof a);
  memcpy(b, &other, sizeof b);
  for (size_t k = 0; k < sizeof a; k++)
    if (a[k] != b[k]) a[k] = 0;
  memcpy(bytes, a, sizeof a);
  return ((one ^ other) & low) == 0 || ((one ^ other) & ~low) == 0;
}

// false: something differs that is no address
static bool note_word(carom_image *image, const place *a, const place *b, size_t at) {
  uintptr_t one = word_at(a->base, at), other = word_at(b->base, at), clear = 0;
  uintptr_t from = one - (uintptr_t)a->base;
  bool inside = one != other && from == other - (uintptr_t)b->base && from <= a->used;
  if (inside) image->words[image->count++] = at;
  if (inside) memcpy(image->bytes + at, &from, sizeof from);
  if (inside) return true;
  if (one != other && !(is_none_or_address(one) && is_none_or_address(other)))
    return clear_gap(image->bytes + at, one, other);
  if (one != other || (looks_like_address(one) && carom_address_of_program((const void *)one)))
    memcpy(image->bytes + at, &clear, sizeof clear);
  return true;
}

// ---- programs ----

/// Programs of a model as they are visited.
typedef struct listing {
  carom_image *image;
  const place *where;
  carom_ptx_functions *functions;
  long room, function_room;
  bool failed;
} listing;

static void list_program(void *ctx, const carom_program *program) {
  listing *it = ctx;
  carom_image *image = it->image;
  char name[32];
  void *offsets = image->programs, *functions = it->functions;
  size_t at = (size_t)((const char *)program - it->where->base);
  int k = image->program_count;
  it->failed = it->failed || at >= it->where->used ||
               !carom_grow(&offsets, k, &it->room, sizeof *image->programs) ||
               !carom_grow(&functions, k, &it->function_room, sizeof *it->functions);
  image->programs = offsets;
  it->functions = functions;
  if (it->failed) return;
  (void)snprintf(name, sizeof name, "code_%d", k);
  image->programs[image->program_count++] = at;
  it->functions[k] = carom_program_ptx(program, name, &image->code);
}

// addresses of all functions, as carom_program_codes
static void write_codes(const listing *it, carom_ptx *code) {
  int count = it->image->program_count;
  carom_ptx_put(code, ".visible .global .align 8 .u64 " CAROM_IMAGE_CODES "[%d] = {\n",
                2 * count + 1);
  for (int k = 0; k < count; k++) {
    carom_ptx_put(code, it->functions[k].run ? "code_%d_run, " : "0, ", k);
    carom_ptx_put(code, it->functions[k].evaluate ? "code_%d_evaluate,\n" : "0,\n", k);
  }
  carom_ptx_put(code, "0};\n");
}

static carom_status list_programs(const twin *one, carom_image *image, carom_error *error) {
  listing it = {.image = image, .where = &one->place};
  image->code.arena = carom_arena_create(NULL);
  if (!image->code.arena) return carom_fail_memory(error);
  carom_ptx_begin(&image->code);
  one->model->engine->lent.programs(one->model, &it, list_program);
  write_codes(&it, &image->code);
  free(it.functions);
  return it.failed || image->code.broken ? carom_fail_memory(error) : CAROM_OK;
}

// ---- the whole ----

static carom_status compare_twins(const twin *one, const twin *other, carom_image *image,
                                  carom_error *error) {
  const place *a = &one->place, *b = &other->place;
  image->size = a->used;
  image->root = (size_t)((const char *)one->model - a->base);
  image->bytes = malloc(a->used + 1);
  image->words = calloc(a->used / sizeof(uintptr_t) + 1, sizeof *image->words);
  if (!image->bytes || !image->words) return carom_fail_memory(error);
  memcpy(image->bytes, a->base, a->used);
  bool same = a->used == b->used;
  for (size_t at = 0; same && at < a->used; at += sizeof(uintptr_t))
    same = note_word(image, a, b, at);
  return same ? CAROM_OK
              : carom_fail(error, CAROM_ERR_UNSUPPORTED,
                           "this model is not the same when it is made twice");
}

carom_status carom_image_make(const carom_model *model, carom_image *image, carom_error *error) {
  *image = (carom_image){0};
  if (!model->scenario || !model->engine->lent.ready)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the engine '%s' does not run on cards: 'hybrid' does, with scenarios",
                      model->engine->name);
  const char *name = carom_model_file(model, 0);
  char *text = carom_model_scenario_text(model);
  if (!text) return carom_fail_memory(error);
  carom_status status = CAROM_ERR_MEMORY;
  bool full = true;
  for (size_t room = FIRST_ROOM; full && room <= MOST_ROOM; room *= 4) {
    twin one = {0}, other = {0};
    status = make_twin(&one, text, name, room, error);
    if (status == CAROM_OK) status = make_twin(&other, text, name, room, error);
    full = one.place.full || other.place.full;
    if (status == CAROM_OK) status = compare_twins(&one, &other, image, error);
    if (status == CAROM_OK) status = list_programs(&one, image, error);
    release_twin(&one);
    release_twin(&other);
  }
  free(text);
  if (status != CAROM_OK) carom_image_release(image);
  return status;
}

void carom_image_release(carom_image *image) {
  free(image->bytes);
  free(image->words);
  free(image->programs);
  carom_arena_destroy(image->code.arena);
  *image = (carom_image){0};
}

void carom_image_place(const carom_image *image, uintptr_t address,
                       const carom_program_codes *codes, char *bytes) {
  memcpy(bytes, image->bytes, image->size);
  for (size_t k = 0; k < image->count; k++) {
    uintptr_t word = word_at(image->bytes, image->words[k]) + address;
    memcpy(bytes + image->words[k], &word, sizeof word);
  }
  for (int k = 0; k < image->program_count; k++)
    carom_program_adopt((carom_program *)(void *)(bytes + image->programs[k]), &codes[k]);
}
