// SPDX-License-Identifier: MIT
#include "device/crew.h"

#include "base/error.h"
#include "device/card.h"
#include "device/image.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct carom_shore {
  carom_card card;
  void *model; // on the card
  size_t root; // where the carom_model is in it
  size_t room; // that a simulation takes
  atomic_long moved, given_back;
  atomic_bool failed;
};

struct carom_crew {
  carom_shore *shore;
  carom_batch batch;
  int most, count;
  char *from, *to; // here, `most` motions
  double *until, *since, *noted;
  int *statuses;
};

// puts the image there, with the functions that the card has made of its programs
static carom_status put_image(carom_shore *it, const carom_image *image, carom_error *error) {
  const carom_card *card = &it->card;
  size_t count = (size_t)image->program_count + 1;
  char *placed = malloc(image->size);
  carom_program_codes *codes = calloc(count, sizeof *codes);
  carom_status status = CAROM_OK;
  it->model = card->take(card->ctx, image->size);
  if (!placed || !codes)
    status = carom_fail_memory(error);
  else if (!it->model)
    status = carom_fail(error, CAROM_ERR_MEMORY, "the card has no room for this model");
  else if (!card->codes(card->ctx, image->program_count, codes))
    status = carom_fail(error, CAROM_ERR_IO, "the card failed: %s", card->fault(card->ctx));
  if (status == CAROM_OK) {
    carom_image_place(image, (uintptr_t)it->model, codes, placed);
    it->root = image->root;
    if (!card->put(card->ctx, it->model, placed, image->size) ||
        !card->settle(card->ctx, (char *)it->model + it->root, &it->room))
      status = carom_fail(error, CAROM_ERR_IO, "the card failed: %s", card->fault(card->ctx));
    else if (it->room == 0)
      status = carom_fail(error, CAROM_ERR_UNSUPPORTED,
                          "simulations of this model are too large for cards");
  }
  free(placed);
  free(codes);
  it->room = carom_card_room(it->room);
  return status;
}

carom_status carom_shore_open(const carom_card_place *place, const carom_model *model,
                              carom_shore **shore, carom_error *error) {
  carom_image image = {0};
  *shore = NULL;
  carom_shore *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  carom_status status = carom_image_make(model, &image, error);
  if (status == CAROM_OK) status = carom_card_open(place, &image.code, &it->card, error);
  if (status == CAROM_OK) status = put_image(it, &image, error);
  carom_image_release(&image);
  if (status == CAROM_OK)
    *shore = it;
  else
    carom_shore_close(it);
  return status;
}

void carom_shore_close(carom_shore *shore) {
  if (!shore) return;
  const carom_card *card = &shore->card;
  if (shore->model) card->give(card->ctx, shore->model);
  if (card->close) card->close(card->ctx);
  free(shore);
}

bool carom_shore_failed(const carom_shore *shore) { return atomic_load(&shore->failed); }

void carom_shore_report(const carom_shore *shore, carom_card_report *report) {
  *report = (carom_card_report){0};
  if (!shore) return;
  const carom_card *card = &shore->card;
  (void)snprintf(report->card, sizeof report->card, "%s", card->name);
  report->moved = atomic_load(&shore->moved);
  report->given_back = atomic_load(&shore->given_back);
  if (carom_shore_failed(shore))
    (void)snprintf(report->fault, sizeof report->fault, "%s", card->fault(card->ctx));
}

// ---- crews ----

static bool make_room(carom_crew *it, size_t size) {
  const carom_card *card = &it->shore->card;
  void *ctx = card->ctx;
  size_t most = (size_t)it->most;
  it->from = card->take_here(ctx, most * size);
  it->to = card->take_here(ctx, most * size);
  it->until = card->take_here(ctx, most * sizeof *it->until);
  it->statuses = card->take_here(ctx, most * sizeof *it->statuses);
  size_t noted = carom_noted_room(&it->batch.there.kind) * sizeof *it->noted;
  it->since = card->take_here(ctx, most * sizeof *it->since);
  it->noted = card->take_here(ctx, most * noted);
  const carom_noted_kind kind = it->batch.there.kind;
  it->batch.queue = card->queue(ctx);
  it->batch.place = card->take(ctx, sizeof *it->batch.place);
  carom_device_work *there = &it->batch.there;
  *there = (carom_device_work){
      .model = (const carom_model *)(void *)((char *)it->shore->model + it->shore->root),
      .size = size,
      .from = card->take(ctx, most * size),
      .until = card->take(ctx, most * sizeof *there->until),
      .to = card->take(ctx, most * size),
      .statuses = card->take(ctx, most * sizeof *there->statuses),
      .kind = kind,
      .since = card->take(ctx, most * sizeof *there->since),
      .noted = card->take(ctx, most * noted)};
  return it->from && it->to && it->until && it->statuses && it->batch.queue && it->batch.place &&
         there->from && there->until && there->to && there->statuses && it->since && it->noted &&
         there->since && there->noted;
}

carom_status carom_crew_create(carom_shore *shore, const carom_simulation *simulation, int most,
                               const carom_noted_kind *kind, carom_crew **crew,
                               carom_error *error) {
  *crew = NULL;
  size_t size = 0;
  // the room does not depend on where the motion is; it is not changed
  carom_status status =
      simulation->model->engine->lent.lend((carom_simulation *)simulation, NULL, &size, error);
  if (status != CAROM_OK) return status;
  carom_crew *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->shore = shore;
  it->most = most;
  if (kind) it->batch.there.kind = *kind;
  if (!make_room(it, size)) {
    carom_crew_destroy(it);
    return carom_fail(error, CAROM_ERR_MEMORY,
                      "%d motions of %zu bytes find no room on the card or beside it", most, size);
  }
  it->batch.from = it->from;
  it->batch.to = it->to;
  it->batch.until = it->until;
  it->batch.statuses = it->statuses;
  it->batch.since = it->since;
  it->batch.noted = it->noted;
  it->batch.room = shore->room;
  *crew = it;
  return CAROM_OK;
}

void carom_crew_destroy(carom_crew *crew) {
  if (!crew) return;
  const carom_card *card = &crew->shore->card;
  const carom_device_work *there = &crew->batch.there;
  card->give_here(card->ctx, crew->from);
  card->give_here(card->ctx, crew->to);
  card->give_here(card->ctx, crew->until);
  card->give_here(card->ctx, crew->statuses);
  card->give_here(card->ctx, crew->since);
  card->give_here(card->ctx, crew->noted);
  card->end_queue(card->ctx, crew->batch.queue);
  card->give(card->ctx, crew->batch.place);
  card->give(card->ctx, (void *)there->from);
  card->give(card->ctx, (void *)there->until);
  card->give(card->ctx, there->to);
  card->give(card->ctx, there->statuses);
  card->give(card->ctx, (void *)there->since);
  card->give(card->ctx, there->noted);
  free(crew);
}

void carom_crew_clear(carom_crew *crew) { crew->count = 0; }

bool carom_crew_add(carom_crew *crew, carom_simulation *simulation, double until, int *number) {
  assert(crew->count < crew->most);
  const carom_engine *engine = simulation->model->engine;
  size_t size = crew->batch.there.size;
  char *room = crew->from + (size_t)crew->count * size;
  if (engine->lent.lend(simulation, room, &size, NULL) != CAROM_OK) return false;
  crew->until[crew->count] = until;
  *number = crew->count++;
  return true;
}

void carom_crew_note_since(carom_crew *crew, double since) {
  assert(crew->count > 0);
  crew->since[crew->count - 1] = since;
}

const double *carom_crew_noted(const carom_crew *crew, int number) {
  return crew->noted + (size_t)number * carom_noted_room(&crew->batch.there.kind);
}

static carom_status tell_fault(const carom_crew *crew, bool done, carom_error *error) {
  const carom_card *card = &crew->shore->card;
  if (done) return CAROM_OK;
  atomic_store(&crew->shore->failed, true);
  return carom_fail(error, CAROM_ERR_IO, "the card failed: %s", card->fault(card->ctx));
}

carom_status carom_crew_send(carom_crew *crew, carom_error *error) {
  const carom_card *card = &crew->shore->card;
  crew->batch.there.count = crew->count;
  return tell_fault(crew, crew->count == 0 || card->start(card->ctx, &crew->batch), error);
}

bool carom_crew_is_back(const carom_crew *crew) {
  const carom_card *card = &crew->shore->card;
  return crew->count == 0 || card->is_back(card->ctx, &crew->batch);
}

carom_status carom_crew_await(carom_crew *crew, carom_error *error) {
  const carom_card *card = &crew->shore->card;
  return tell_fault(crew, crew->count == 0 || card->finish(card->ctx, &crew->batch), error);
}

carom_status carom_crew_move(carom_crew *crew, carom_error *error) {
  carom_status status = carom_crew_send(crew, error), after = carom_crew_await(crew, NULL);
  if (status == CAROM_OK && after != CAROM_OK) return tell_fault(crew, false, error);
  return status;
}

carom_status carom_crew_take(carom_crew *crew, int number, carom_simulation *simulation) {
  assert(number < crew->count);
  carom_shore *shore = crew->shore;
  carom_status moved = (carom_status)crew->statuses[number];
  size_t size = crew->batch.there.size;
  carom_status status = moved < 0 ? moved
                                  : simulation->model->engine->lent.take(
                                        simulation, crew->to + (size_t)number * size, size, NULL);
  atomic_fetch_add(status < 0 ? &shore->given_back : &shore->moved, 1);
  return status < 0 ? status : moved;
}
