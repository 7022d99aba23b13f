// SPDX-License-Identifier: MIT
/// A model as bytes that can lie anywhere. It is made twice, in memory at two places: words that
/// differ by the distance of the places point into the model, and are noted; others that differ
/// point at what belongs to this process, as do those that point into its program, and are cleared.
/// Nothing is known here of what a model is made of.
#ifndef CAROM_DEVICE_IMAGE_H
#define CAROM_DEVICE_IMAGE_H

#include "engine/engine.h"

#include <stdint.h>

typedef struct carom_image {
  char *bytes;
  size_t size;
  size_t root;   // where the carom_model lies
  size_t *words; // where pointers lie: they count from the beginning of the image
  size_t count;
} carom_image;

/// CAROM_ERR_UNSUPPORTED: this model does not run on cards, and why.
carom_status carom_image_make(const carom_model *model, carom_image *image, carom_error *error);
void carom_image_release(carom_image *image);

/// The image as it is to lie at `address`: `bytes` [size] is overwritten with it.
void carom_image_place(const carom_image *image, uintptr_t address, char *bytes);

#endif
