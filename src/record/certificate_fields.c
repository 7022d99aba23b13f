// SPDX-License-Identifier: MIT
/// The certificate as a list of named numbers: for files, tables and JSON alike.
#include "carom/record.h"

#include <math.h>

int carom_certificate_fields(const carom_certificate *c,
                             carom_field fields[CAROM_CERTIFICATE_FIELDS]) {
  int count = 0;
#define FLAG(name) fields[count++] = (carom_field){#name, CAROM_FIELD_FLAG, 0.0, c->name}
#define COUNT(name)                                                                                \
  fields[count++] = (carom_field) { #name, CAROM_FIELD_COUNT, 0.0, c->counts.name }
#define NUMBER(name)                                                                               \
  fields[count++] = (carom_field) { #name, CAROM_FIELD_NUMBER, c->name, 0 }
#define WORST(name)                                                                                \
  fields[count++] = (carom_field) { #name, CAROM_FIELD_NUMBER, c->worst.name, 0 }
#define ENERGY(name)                                                                               \
  fields[count++] = (carom_field) {                                                                \
#name, CAROM_FIELD_NUMBER, c->has_energy ? c->energy.name : NAN, 0                             \
  }
  FLAG(passed);
  NUMBER(t_start);
  NUMBER(t_end);
  FLAG(has_energy);
  ENERGY(kinetic_start);
  ENERGY(potential_start);
  ENERGY(kinetic);
  ENERGY(potential);
  ENERGY(work_drives);
  ENERGY(work_forces);
  ENERGY(work_events);
  ENERGY(lost_dampers);
  ENERGY(lost_friction);
  ENERGY(lost_impacts);
  ENERGY(lost_impact_friction);
  ENERGY(impact_gain);
  ENERGY(residual);
  ENERGY(residual_relative);
  NUMBER(tolerance);
  ENERGY(corrected);
  WORST(constraint_error);
  WORST(constraint_rate_error);
  WORST(penetration);
  WORST(cone_violation);
  WORST(complementarity);
  WORST(impact_error);
  WORST(reset_error);
  COUNT(steps);
  COUNT(rejected);
  COUNT(evaluations);
  COUNT(events);
  COUNT(instants);
  COUNT(grazes);
  COUNT(switches);
  COUNT(impacts);
  COUNT(closings);
  COUNT(openings);
  COUNT(non_unique);
  COUNT(painleve);
  for (int k = 0; k < CAROM_UNCOMMON_COUNT; k++)
    if (c->counts.uncommon[k] > 0)
      fields[count++] = (carom_field){carom_uncommon_text((carom_uncommon)k), CAROM_FIELD_COUNT,
                                      0.0, c->counts.uncommon[k]};
  for (int k = 0; k < c->energy.work_count; k++)
    fields[count++] =
        (carom_field){c->energy.works[k].name, CAROM_FIELD_NUMBER, c->energy.works[k].done, 0};
#undef FLAG
#undef COUNT
#undef NUMBER
#undef WORST
#undef ENERGY
  return count;
}
