// SPDX-License-Identifier: MIT
/// The systems of bench_bodies in Bullet, where it is installed: each returns what was observed at
/// `until`, and the CPU time of its steps.
#ifndef CAROM_BENCH_BULLET_BODIES_H
#define CAROM_BENCH_BULLET_BODIES_H

#ifdef CAROM_BENCH_BULLET
#define bullet_is_here true
#ifdef __cplusplus
extern "C" {
#endif
double bullet_ball_rolls(double until, double step, double *seconds);
double bullet_block_slides(double until, double step, double *seconds);
double bullet_stack_rests(double until, double step, double *seconds);
double bullet_cradle(double until, double step, double *seconds);
double bullet_coin_turns(double until, double step, double *seconds);
#ifdef __cplusplus
}
#endif
#else
#define bullet_is_here false
#define bullet_ball_rolls NULL
#define bullet_block_slides NULL
#define bullet_stack_rests NULL
#define bullet_cradle NULL
#define bullet_coin_turns NULL
#endif

#endif
