// SPDX-License-Identifier: MIT
/// Motions of one model on a card. A host of simulations is lent to it in crews: each thread of the
/// program fills a crew with motions that stand at their starts, has them moved, and takes them
/// back one by one. What comes back has the bits of the motion computed here. A motion that the
/// card gave up comes back as an error: it is computed here, from its start.
#ifndef CAROM_DEVICE_CREW_H
#define CAROM_DEVICE_CREW_H

#include "carom/sweep.h"
#include "device/card.h"

/// A model on a card; serves all threads.
typedef struct carom_shore carom_shore;

/// Opens the card and brings the model there. CAROM_ERR_UNSUPPORTED: there is no card, or the model
/// does not run on one. See carom_card_open() for `place`.
carom_status carom_shore_open(const carom_card_place *place, const carom_model *model,
                              carom_shore **shore, carom_error *error);
void carom_shore_close(carom_shore *shore);
/// What the card did so far; any thread may ask. NULL: there is none.
void carom_shore_report(const carom_shore *shore, carom_card_report *report);
/// A card that failed once is asked for nothing more: its motions are computed here.
bool carom_shore_failed(const carom_shore *shore);

/// One thread's motions.
typedef struct carom_crew carom_crew;

/// Room for `most` motions such as `simulation` is; `kind`: what is noted of them, NULL: nothing.
/// CAROM_ERR_MEMORY: here, or on the card.
carom_status carom_crew_create(carom_shore *shore, const carom_simulation *simulation, int most,
                               const carom_noted_kind *kind, carom_crew **crew, carom_error *error);
void carom_crew_destroy(carom_crew *crew);

void carom_crew_clear(carom_crew *crew);
/// One more motion, to go on to `until`, and its number. False: it has to be computed here.
bool carom_crew_add(carom_crew *crew, carom_simulation *simulation, double until, int *number);
/// From when on the motion added last is noted.
void carom_crew_note_since(carom_crew *crew, double since);
/// What was noted of a motion that came back: see carom_noted_room().
const double *carom_crew_noted(const carom_crew *crew, int number);
/// Sends them all to be moved. The sender does something else until they are back, and waits for
/// them then, also where sending failed. CAROM_ERR_IO: the card failed, and nothing may be taken.
carom_status carom_crew_send(carom_crew *crew, carom_error *error);
bool carom_crew_is_back(const carom_crew *crew);
carom_status carom_crew_await(carom_crew *crew, carom_error *error);
/// All of that.
carom_status carom_crew_move(carom_crew *crew, carom_error *error);
/// Motion `number` becomes that of `simulation`; what carom_simulation_advance() would have
/// returned. An error: it has to be computed here.
carom_status carom_crew_take(carom_crew *crew, int number, carom_simulation *simulation);

#endif
