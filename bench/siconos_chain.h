// SPDX-License-Identifier: MIT
/// A ball on a row of touching balls by Siconos' multiple impact solver, where it is installed.
#ifndef CAROM_BENCH_SICONOS_CHAIN_H
#define CAROM_BENCH_SICONOS_CHAIN_H

#ifdef CAROM_BENCH_SICONOS
#ifdef __cplusplus
extern "C"
#endif
    /// Unit balls, Hertz contacts, restitution e, impulse step `step`; velocities after to `u`.
    /// Returns the CPU time of the solver in seconds, < 0 when it failed.
    double
    siconos_chain(int balls, double step, double e, double *u);
#else
static inline double siconos_chain(int balls, double step, double e, double *u) {
  (void)balls, (void)step, (void)e, (void)u;
  return -1.0;
}
#endif

#endif
