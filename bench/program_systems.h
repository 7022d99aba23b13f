// SPDX-License-Identifier: MIT
/// Right-hand sides as a person would write them in C, twice: with Carom's elementary
/// functions and with those of libm. Included with NAME(x), SIN, COS and SINCOS defined.

// the plane double pendulum, arms of length l1, l2, masses m1, m2: y = angles, rates
static NEVER_INLINE void NAME(double_pendulum)(double t, const double *y, const double *p,
                                               double *dy) {
  (void)t;
  double m1 = p[0], m2 = p[1], l1 = p[2], l2 = p[3], g = p[4];
  double s, c, s1, c1, total = m1 + m2;
  SINCOS(y[0] - y[1], &s, &c);
  SINCOS(y[0], &s1, &c1);
  double w1 = y[2] * y[2] * l1, w2 = y[3] * y[3] * l2;
  double under = m1 + m2 * s * s;
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = (m2 * g * SIN(y[1]) * c - m2 * s * (w1 * c + w2) - total * g * s1) / (l1 * under);
  dy[3] = (total * (w1 * s - g * SIN(y[1]) + g * s1 * c) + m2 * w2 * s * c) / (l2 * under);
}

// forced Duffing oscillator
static NEVER_INLINE void NAME(duffing)(double t, const double *y, const double *p, double *dy) {
  dy[0] = y[1];
  dy[1] = p[3] * COS(p[4] * t) - p[0] * y[1] - p[1] * y[0] - p[2] * y[0] * y[0] * y[0];
}

// three coupled pendula, the first one forced
static NEVER_INLINE void NAME(three_pendula)(double t, const double *y, const double *p,
                                             double *dy) {
  (void)p;
  dy[0] = y[3];
  dy[1] = y[4];
  dy[2] = y[5];
  dy[3] = -.1 * y[3] - SIN(y[0]) + .3 * (y[1] - y[0]) + .8 * COS(1.3 * t);
  dy[4] = -.1 * y[4] - SIN(y[1]) + .3 * (y[0] - 2 * y[1] + y[2]);
  dy[5] = -.1 * y[5] - SIN(y[2]) + .3 * (y[1] - y[2]);
}

// the equations of Lorenz (1963): no elementary functions, so copies and dispatch are all there is
static NEVER_INLINE void NAME(lorenz)(double t, const double *y, const double *p, double *dy) {
  (void)t;
  dy[0] = p[0] * (y[1] - y[0]);
  dy[1] = y[0] * (p[1] - y[2]) - y[1];
  dy[2] = y[0] * y[1] - p[2] * y[2];
}

// lift, velocity and pressure of a relief valve: one square root
static NEVER_INLINE void NAME(valve)(double t, const double *y, const double *p, double *dy) {
  (void)t;
  dy[0] = y[1];
  dy[1] = -p[0] * y[1] - (y[0] + p[1]) + y[2];
  dy[2] = p[2] * (p[3] - y[0] * sqrt(y[2]));
}

#undef NAME
#undef SIN
#undef COS
#undef SINCOS
