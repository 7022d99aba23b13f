// SPDX-License-Identifier: MIT
/// Interval arithmetic and elementary functions (contract in interval.h).
#ifndef CAROM_BASE_INTERVAL_FUNCTIONS_H
#define CAROM_BASE_INTERVAL_FUNCTIONS_H

#include "base/interval.h"

carom_interval carom_interval_add(carom_interval a, carom_interval b);
carom_interval carom_interval_sub(carom_interval a, carom_interval b);
carom_interval carom_interval_mul(carom_interval a, carom_interval b);
carom_interval carom_interval_div(carom_interval a, carom_interval b);
carom_interval carom_interval_neg(carom_interval a);
carom_interval carom_interval_square(carom_interval a);
carom_interval carom_interval_pow(carom_interval a, carom_interval b); // integer exponents exact
carom_interval carom_interval_sqrt(carom_interval a);
carom_interval carom_interval_cbrt(carom_interval a);
carom_interval carom_interval_exp(carom_interval a);
carom_interval carom_interval_log(carom_interval a);
carom_interval carom_interval_sin(carom_interval a);
carom_interval carom_interval_cos(carom_interval a);
carom_interval carom_interval_tan(carom_interval a);
carom_interval carom_interval_asin(carom_interval a);
carom_interval carom_interval_acos(carom_interval a);
carom_interval carom_interval_atan(carom_interval a);
carom_interval carom_interval_atan2(carom_interval y, carom_interval x);
carom_interval carom_interval_sinh(carom_interval a);
carom_interval carom_interval_cosh(carom_interval a);
carom_interval carom_interval_tanh(carom_interval a);
carom_interval carom_interval_abs(carom_interval a);
carom_interval carom_interval_sign(carom_interval a);
carom_interval carom_interval_min(carom_interval a, carom_interval b);
carom_interval carom_interval_max(carom_interval a, carom_interval b);
carom_interval carom_interval_hypot(carom_interval a, carom_interval b);
carom_interval carom_interval_hypot_slope(carom_interval a, carom_interval b);
carom_interval carom_interval_floor(carom_interval a);
carom_interval carom_interval_mod(carom_interval a, carom_interval b);
carom_interval carom_interval_parity(carom_interval a);
carom_interval carom_interval_held(carom_interval a, carom_interval side);
carom_interval carom_interval_fraction(carom_interval a, carom_interval side);
carom_interval carom_interval_hull(carom_interval a, carom_interval b);

#endif
