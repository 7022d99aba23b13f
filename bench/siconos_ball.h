// SPDX-License-Identifier: MIT
/// The ball on a vibrating plate by Siconos, where it is installed.
#ifndef CAROM_BENCH_SICONOS_BALL_H
#define CAROM_BENCH_SICONOS_BALL_H

typedef struct siconos_result {
  double seconds, periods, speed; // CPU time of the loop, simulated time, mean speed after impacts
  long impacts;
} siconos_result;

#ifdef CAROM_BENCH_SICONOS
#ifdef __cplusplus
extern "C"
#endif
    /// 1: done, 0: not possible.
    int
    siconos_ball(long impacts, double tolerance, siconos_result *result);
#else
static inline int siconos_ball(long impacts, double tolerance, siconos_result *result) {
  (void)impacts, (void)tolerance, (void)result;
  return 0;
}
#endif

#endif
