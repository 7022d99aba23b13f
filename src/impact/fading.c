// SPDX-License-Identifier: MIT
#include "impact/fading.h"

#include <math.h>

// A stiff contact that trembles beside soft ones makes many steps while little impulse passes: a
// round has a number of steps, too (tuned on the same impacts).
enum {
  WINDOW = 1000, // steps of a round at most; of more than
  FEW = 8        // contacts in proportion
};

static const double FADES = 0.5;  // of what is stored may be left
static const double STILL = 1e-9; // of what is stored: far above what rounding changes in a round

bool carom_fading_note(carom_fading *f, int contacts, double stored, bool *late) {
  f->largest = fmax(f->largest, stored);
  f->least = fmin(f->least, stored);
  *late = ++f->steps > WINDOW * (contacts > FEW ? contacts : FEW) / FEW;
  if (!*late && !(f->passed > 2.0 * contacts * sqrt(2.0 * f->largest))) return false;
  bool counts = *late || f->turned || f->largest - f->least <= STILL * f->largest;
  if (counts) {
    f->rounds = f->largest > FADES * f->before ? f->rounds + 1 : 0;
    if (f->rounds == 0 || f->before == 0.0) f->before = f->largest;
    f->steps = 0;
  }
  f->largest = f->passed = 0.0;
  f->least = stored;
  f->turned = false;
  return counts;
}
