// SPDX-License-Identifier: MIT
#include "robot/robot_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- texts and notes

static char *say_text(carom_arena *arena, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : carom_arena_take(arena, (size_t)length + 1);
  if (text) (void)vsnprintf(text, (size_t)length + 1, format, list);
  return text;
}

char *carom_robot_say(carom_robot *robot, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = say_text(robot->arena, format, list);
  va_end(list);
  return text;
}

void carom_robot_note(carom_robot *robot, carom_place place, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = say_text(robot->arena, format, list);
  va_end(list);
  for (int k = 0; text && k < robot->note_count; k++)
    if (strcmp(robot->notes[k].text, text) == 0) {
      robot->notes[k].count++;
      return;
    }
  if (!text || !carom_arena_grow(robot->arena, (void **)&robot->notes, robot->note_count,
                                 &robot->note_room, sizeof *robot->notes))
    return;                     // the arena has counted it
  for (char *c = text; *c; c++) // of names: they stand in comments and on terminals
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  robot->notes[robot->note_count++] = (carom_robot_remark){place, text, 1};
}

carom_status carom_robot_fail(const carom_robot *robot, carom_place place, const char *format,
                              ...) {
  va_list list;
  va_start(list, format);
  char *text = say_text(robot->arena, format, list);
  va_end(list);
  return text ? carom_fail_at(robot->error, CAROM_ERR_INPUT, place, "%s", text)
              : carom_fail_memory(robot->error);
}

bool carom_robot_is_in(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; length > 0 && (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

void carom_robot_note_rest(carom_robot *robot, const carom_xml *element, const char *attributes,
                           const char *children) {
  const carom_xml_attribute *name = carom_xml_attribute_of(element, "name");
  const char *label = name ? carom_robot_say(robot, " '%s'", name->value) : "";
  for (int k = 0; k < element->attribute_count; k++) {
    const carom_xml_attribute *one = &element->attributes[k];
    if (!carom_robot_is_in(attributes, one->name) && strncmp(one->name, "xmlns", 5) != 0)
      carom_robot_note(robot, one->place, "<%s>: %s", element->name, one->name);
  }
  for (const carom_xml *one = element->first; one; one = one->next) {
    const carom_xml_attribute *own = carom_xml_attribute_of(one, "name");
    if (carom_robot_is_in(children, one->name)) continue;
    carom_robot_note(robot, one->place, "<%s%s%s%s>%s%s", one->name, own ? " '" : "",
                     own ? own->value : "", own ? "'" : "", element->parent ? " in " : "",
                     element->parent ? carom_robot_say(robot, "<%s%s>", element->name, label) : "");
  }
}

// ---- numbers

carom_status carom_robot_numbers(carom_robot *robot, const carom_xml_attribute *value, int least,
                                 int most, double *numbers, int *count) {
  const char *at = value->value;
  int n = 0;
  for (;; n++) {
    at += strspn(at, " \t\r\n");
    if (!*at) break;
    char *end;
    double number = strtod(at, &end);
    if (end == at || (*end && !strchr(" \t\r\n", *end)) || !isfinite(number))
      return carom_fail_at(robot->error, CAROM_ERR_INPUT, value->place,
                           "%s: a finite number is expected instead of '%.40s'", value->name, at);
    if (n >= most) break;
    numbers[n] = number;
    at = end;
  }
  if (n < least || *at)
    return carom_fail_at(
        robot->error, CAROM_ERR_INPUT, value->place, "%s needs %d%s number%s", value->name, least,
        least == most ? "" : carom_robot_say(robot, " to %d", most), most == 1 ? "" : "s");
  if (count) *count = n;
  return CAROM_OK;
}

carom_status carom_robot_vector(carom_robot *robot, const carom_xml *element, const char *name,
                                int count, double *numbers) {
  const carom_xml_attribute *value = element ? carom_xml_attribute_of(element, name) : NULL;
  return value ? carom_robot_numbers(robot, value, count, count, numbers, NULL) : CAROM_OK;
}

carom_status carom_robot_need(carom_robot *robot, const carom_xml *element, const char *name,
                              const carom_xml_attribute **value) {
  *value = carom_xml_attribute_of(element, name);
  if (*value) return CAROM_OK;
  return carom_fail_at(robot->error, CAROM_ERR_INPUT, element->place, "<%s> needs %s=\"...\"",
                       element->name, name);
}

// ---- lists

carom_robot_link *carom_robot_add_link(carom_robot *robot) {
  if (!carom_arena_grow(robot->arena, (void **)&robot->links, robot->link_count, &robot->link_room,
                        sizeof *robot->links))
    return NULL;
  carom_robot_link *link = &robot->links[robot->link_count];
  *link = (carom_robot_link){.parent = -1, .whole = robot->link_count, .frame = carom_frame_none};
  robot->link_count++;
  return link;
}

carom_robot_shape *carom_robot_add_shape(carom_robot *robot, carom_robot_link *link) {
  if (!carom_arena_grow(robot->arena, (void **)&link->shapes, link->shape_count, &link->shape_room,
                        sizeof *link->shapes))
    return NULL;
  carom_robot_shape *shape = &link->shapes[link->shape_count++];
  *shape = (carom_robot_shape){.frame = carom_frame_none,
                               .scale = 1.0,
                               .mass = -1.0,
                               .density = -1.0,
                               .friction = 1.0,
                               .groups = 1,
                               .meets = 1};
  return shape;
}

carom_status carom_robot_add_point(carom_robot *robot, carom_robot_link *link, const char *name,
                                   const double at[3]) {
  if (!carom_arena_grow(robot->arena, (void **)&link->points, link->point_count, &link->point_room,
                        sizeof *link->points))
    return carom_fail_memory(robot->error);
  link->points[link->point_count++] = (carom_robot_point){name, {at[0], at[1], at[2]}};
  return CAROM_OK;
}

carom_robot_tie *carom_robot_add_tie(carom_robot *robot) {
  if (!carom_arena_grow(robot->arena, (void **)&robot->ties, robot->tie_count, &robot->tie_room,
                        sizeof *robot->ties))
    return NULL;
  carom_robot_tie *tie = &robot->ties[robot->tie_count++];
  *tie = (carom_robot_tie){.first = "", .second = "", .ratio = 1.0};
  return tie;
}
