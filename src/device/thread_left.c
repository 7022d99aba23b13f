// SPDX-License-Identifier: MIT
/// What the engine would do for those whom a thread of a card does not serve: nobody asks there for
/// derivatives, nor for the legs of a word.
#include "hybrid/leg.h"
#include "hybrid/tangent.h"

void carom_leg_before(carom_hybrid *it, int count, const carom_root *roots) {
  (void)it, (void)count, (void)roots;
}
void carom_leg_strikes(carom_hybrid *it, int pushing) { (void)it, (void)pushing; }
void carom_leg_set_off(carom_hybrid *it) { (void)it; }
void carom_leg_comes_out(carom_hybrid *it, const carom_impact_result *result) {
  (void)it, (void)result;
}
void carom_leg_rebounds(carom_hybrid *it) { (void)it; }
void carom_leg_after(carom_hybrid *it) { (void)it; }

bool carom_tangent_lets_series(carom_hybrid *it) { return (void)it, true; }
bool carom_tape_brims(const carom_hybrid *it) { return (void)it, false; }
carom_status carom_tangent_step(carom_hybrid *it, carom_error *error) {
  return (void)it, (void)error, CAROM_OK;
}
carom_status carom_tangent_before(carom_hybrid *it, int count, const carom_root *roots,
                                  carom_error *error) {
  return (void)it, (void)count, (void)roots, (void)error, CAROM_OK;
}
carom_status carom_tangent_after(carom_hybrid *it, carom_error *error) {
  return (void)it, (void)error, CAROM_OK;
}
carom_status carom_tangent_strike(carom_hybrid *it, int pushing, carom_error *error) {
  return (void)it, (void)pushing, (void)error, CAROM_OK;
}
void carom_tangent_rebounds(carom_hybrid *it) { (void)it; }
void carom_tangent_tell(carom_hybrid *it, const char *name) { (void)it, (void)name; }
carom_status carom_tangent_join(carom_hybrid *it, carom_error *error) {
  return (void)it, (void)error, CAROM_OK;
}
carom_status carom_tangent_creep(carom_hybrid *it, carom_error *error) {
  return (void)it, (void)error, CAROM_OK;
}
carom_status carom_tangent_rule(carom_hybrid *it, const carom_watched *watched,
                                carom_error *error) {
  return (void)it, (void)watched, (void)error, CAROM_OK;
}
