// SPDX-License-Identifier: MIT
/// The systems of bench_bodies in the Open Dynamics Engine, where it is installed: each returns
/// what was observed at `until`, and the CPU time of its steps.
#ifndef CAROM_BENCH_ODE_BODIES_H
#define CAROM_BENCH_ODE_BODIES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef CAROM_BENCH_ODE
#define ode_is_here true
double ode_ball_rolls(double until, double step, double *seconds);
double ode_block_slides(double until, double step, double *seconds);
double ode_stack_rests(double until, double step, double *seconds);
double ode_cradle(double until, double step, double *seconds);
double ode_coin_turns(double until, double step, double *seconds);
#else
#define ode_is_here false
#define ode_ball_rolls NULL
#define ode_block_slides NULL
#define ode_stack_rests NULL
#define ode_cradle NULL
#define ode_coin_turns NULL
#endif

#endif
