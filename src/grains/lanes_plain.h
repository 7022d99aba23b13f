// SPDX-License-Identifier: MIT
/// What compilers' own vectors do alike for any number of lanes. Included by lanes_two.h and
/// lanes_four.h once they have said what carom_vec and carom_mask are.
#ifndef CAROM_GRAINS_LANES_PLAIN_H
#define CAROM_GRAINS_LANES_PLAIN_H

CAROM_INLINE carom_mask v_more(carom_vec a, carom_vec b) { return (carom_mask)(a > b); }
CAROM_INLINE carom_mask v_less(carom_vec a, carom_vec b) { return (carom_mask)(a < b); }
CAROM_INLINE carom_mask v_most(carom_vec a, carom_vec b) { return (carom_mask)(a <= b); }
CAROM_INLINE carom_mask m_not(carom_mask m) { return ~m; }
CAROM_INLINE carom_mask m_and(carom_mask a, carom_mask b) { return a & b; }
CAROM_INLINE carom_mask m_or(carom_mask a, carom_mask b) { return a | b; }
CAROM_INLINE bool m_lane(carom_mask m, int l) { return m[l] != 0; }

CAROM_INLINE carom_vec v_if(carom_mask mask, carom_vec yes, carom_vec no) {
  return (carom_vec)((mask & (carom_mask)yes) | (~mask & (carom_mask)no));
}
/// What is not a number comes out of both as the second argument.
CAROM_INLINE carom_vec v_max(carom_vec a, carom_vec b) { return v_if(v_more(a, b), a, b); }
CAROM_INLINE carom_vec v_min(carom_vec a, carom_vec b) { return v_if(v_less(a, b), a, b); }

#endif
