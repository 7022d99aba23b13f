// SPDX-License-Identifier: MIT
/// XML, as far as descriptions of robots need it: elements, attributes, texts and where everything
/// was written. Strict: what is not well-formed is an error with line and column. Nothing is
/// fetched and no entity is defined, so a file cannot ask for more than it has.
#ifndef CAROM_ROBOT_XML_H
#define CAROM_ROBOT_XML_H

#include "base/arena.h"
#include "base/error.h"

typedef struct carom_xml_attribute {
  const char *name, *value; // references resolved
  carom_place place;        // of the value
} carom_xml_attribute;

typedef struct carom_xml carom_xml;
struct carom_xml {
  const char *name;
  carom_place place;
  int attribute_count;
  carom_xml_attribute *attributes;
  const char *text;        // the first piece of text in it, without blanks at its ends; "": none
  const carom_xml *parent; // NULL: the root
  carom_xml *first, *next; // its children, and those of its parent
};

/// Reads `length` bytes (followed by a zero) of the file called `file`, which is borrowed.
carom_status carom_xml_read(carom_arena *arena, const char *file, const char *text, size_t length,
                            carom_xml **root, carom_error *error);

/// NULL where there is none.
const carom_xml_attribute *carom_xml_attribute_of(const carom_xml *element, const char *name);
/// The first child of this name, or NULL; the next sibling of this name, or NULL.
const carom_xml *carom_xml_child(const carom_xml *element, const char *name);
const carom_xml *carom_xml_next(const carom_xml *element, const char *name);

#endif
