// SPDX-License-Identifier: MIT
/// A model as bytes that can lie anywhere. It is made twice, in memory at two places: words that
/// differ by the distance of the places point into the model, and are noted; others that differ
/// point at what belongs to this process, as do those that point into its program, and are cleared.
/// Nothing is known here of what a model is made of, but for its programs, which the engine tells:
/// they are written as PTX, and what a card makes of that takes the place of machine code.
#ifndef CAROM_DEVICE_IMAGE_H
#define CAROM_DEVICE_IMAGE_H

#include "engine/engine.h"
#include "symbolic/native_ptx.h"

#include <stdint.h>

typedef struct carom_image {
  char *bytes;
  size_t size;
  size_t root;   // where the carom_model lies
  size_t *words; // where pointers lie: they count from the beginning of the image
  size_t count;
  size_t *programs; // where they lie
  int program_count;
  carom_ptx code; // a module with their functions, see CAROM_IMAGE_CODES
} carom_image;

/// The array of carom_program_codes in the module: of each program, in the order of the image.
#define CAROM_IMAGE_CODES "carom_codes"

/// CAROM_ERR_UNSUPPORTED: this model does not run on cards, and why.
carom_status carom_image_make(const carom_model *model, carom_image *image, carom_error *error);
void carom_image_release(carom_image *image);

/// The image as it is to lie at `address`, with these functions of its programs: `bytes` [size] is
/// overwritten with it.
void carom_image_place(const carom_image *image, uintptr_t address,
                       const carom_program_codes *codes, char *bytes);

#endif
