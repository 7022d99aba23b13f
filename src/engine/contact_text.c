// SPDX-License-Identifier: MIT
/// The laws of a contact in words: what of a scenario was understood.
#include "engine/engine.h"
#include "symbolic/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 2000, LIMIT = 400 };

/// A text that grows in a fixed room; what does not fit is left out.
typedef struct growing {
  const carom_scenario *scenario;
  carom_arena *arena;
  char text[ROOM];
  size_t length;
} growing;

static void say_part(growing *it, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(it->text + it->length, ROOM - it->length, format, arguments);
  va_end(arguments);
  it->length += more > 0 ? (size_t)more : 0;
  if (it->length >= ROOM) it->length = ROOM - 1;
}

static const char *node_as_written(growing *it, carom_node node) {
  const char *text = carom_node_text(it->arena, it->scenario->graph, node, LIMIT);
  return text ? text : "?";
}

static void say_friction(growing *it, const carom_contact *c) {
  if (!c->slip.node) return;
  if (c->tangential.node)
    say_part(it, "force %s", node_as_written(it, c->tangential.node));
  else if (c->stick == c->slide)
    say_part(it, "%s", node_as_written(it, c->slide));
  else
    say_part(it, "stick %s, slip %s", node_as_written(it, c->stick), node_as_written(it, c->slide));
  double across;
  if (c->across &&
      !(carom_node_is_constant(it->scenario->graph, c->across, &across) && across == 1.0))
    say_part(it, ", across %s", node_as_written(it, c->across));
  bool own = c->impact_stick != c->stick || c->impact_slide != c->slide;
  if (own && c->impact_slide)
    say_part(it, "; at impacts stick %s, slip %s", node_as_written(it, c->impact_stick),
             node_as_written(it, c->impact_slide));
}

static void say_impact(growing *it, const carom_contact *c) {
  static const char *const LAWS[] = {[CAROM_LAW_NEWTON] = "newton",
                                     [CAROM_LAW_POISSON] = "poisson",
                                     [CAROM_LAW_ENERGETIC] = "energetic"};
  say_part(it, "%s, e = %s", LAWS[c->law], node_as_written(it, c->restitution));
  if (c->give_back) say_part(it, ", et = %s", node_as_written(it, c->give_back));
  if (c->law == CAROM_LAW_ENERGETIC)
    say_part(it, ", stiffness %s, exponent %s", node_as_written(it, c->stiffness),
             node_as_written(it, c->exponent));
  if (c->march.sequential) say_part(it, ", sequential");
}

static void say_item(growing *it, const carom_contact *c, carom_contact_item item) {
  switch (item) {
  case CAROM_CONTACT_GAP:
    if (c->load.node)
      say_part(it, "none, pressed by %s", node_as_written(it, c->load.node));
    else
      say_part(it, "%s", node_as_written(it, c->gap.node));
    if (c->presence.when) say_part(it, ", while %s", node_as_written(it, c->presence.when));
    break;
  case CAROM_CONTACT_SLIP:
    if (c->slip.node) say_part(it, "%s", node_as_written(it, c->slip.node));
    if (c->space.slip.node) say_part(it, ", %s", node_as_written(it, c->space.slip.node));
    break;
  case CAROM_CONTACT_FRICTION: say_friction(it, c); break;
  case CAROM_CONTACT_IMPACT:
    if (!c->load.node) say_impact(it, c);
    break;
  }
}

char *carom_model_contact_text(const carom_model *model, int k, carom_contact_item item) {
  const carom_scenario *s = model->scenario;
  if (!s || k < 0 || k >= s->contact_count) return NULL;
  growing it = {.scenario = s, .arena = carom_arena_create(NULL)};
  if (!it.arena) return NULL;
  say_item(&it, &s->contacts[k], item);
  carom_arena_destroy(it.arena);
  char *copy = it.length > 0 ? malloc(it.length + 1) : NULL;
  if (copy) memcpy(copy, it.text, it.length + 1);
  return copy;
}
