// SPDX-License-Identifier: MIT
#include "run_summary.h"

#include "event_log.h"

#include "carom/record.h"
#include "record/sink.h"

#include <string.h>

// the value of an observable, NaN where its window was not reached
enum { LONGEST_WORD = 4000 };

// the word of a motion with contacts; false when there is none, or it has no cycle
static bool word_of(const carom_run_summary *it, char *word) {
  return carom_simulation_word(it->simulation, word, LONGEST_WORD, NULL) == CAROM_OK && word[0];
}

static const char *regime_of(const carom_run_summary *it) {
  const char *name = NULL;
  return carom_simulation_regime(it->simulation, &name, NULL) == CAROM_OK ? name : NULL;
}

static double observable_value(const carom_run_summary *it, const char *name) {
  double value;
  carom_status status = carom_simulation_get(it->simulation, name, &value, NULL);
  return status == CAROM_OK ? value : (double)NAN;
}

// ---- JSON ----

static void json_field(carom_json *json, const carom_field *field) {
  switch (field->kind) {
  case CAROM_FIELD_NUMBER: carom_json_number(json, field->name, field->number); break;
  case CAROM_FIELD_COUNT: carom_json_count(json, field->name, field->count); break;
  case CAROM_FIELD_FLAG: carom_json_flag(json, field->name, field->count != 0); break;
  }
}

static void json_certificate(carom_json *json, const carom_certificate *certificate) {
  carom_field fields[CAROM_CERTIFICATE_FIELDS];
  int count = carom_certificate_fields(certificate, fields);
  carom_json_object(json, "certificate");
  for (int k = 0; k < count; k++)
    json_field(json, &fields[k]);
  carom_json_end(json);
}

static void json_events(carom_json *json, const carom_run_tally *tally, long instants) {
  carom_json_object(json, "events");
  carom_json_count(json, "total", tally->total);
  carom_json_count(json, "instants", instants);
  carom_json_object(json, "by_kind");
  for (int k = 0; k < tally->count; k++)
    if (carom_run_tally_first(tally, k))
      carom_json_count(json, carom_event_kind_text(tally->entries[k].kind),
                       carom_run_tally_kind(tally, tally->entries[k].kind));
  carom_json_end(json);
  carom_json_array(json, "by_name");
  for (int k = 0; k < tally->count; k++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "kind", carom_event_kind_text(tally->entries[k].kind));
    carom_json_text(json, "name", tally->entries[k].name);
    carom_json_count(json, "count", tally->entries[k].count);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_end(json);
}

// what differs from one run of the same scenario to the next stands here and nowhere else
static void json_provenance(carom_json *json, const carom_run_summary *it) {
  carom_provenance made;
  carom_provenance_now(&made);
  carom_json_object(json, "provenance");
  carom_json_text(json, "version", made.version);
  carom_json_text(json, "revision", made.revision);
  carom_json_text(json, "compiler", made.compiler);
  carom_json_text(json, "flags", made.flags);
  carom_json_text(json, "host", made.host);
  carom_json_text(json, "date", made.date);
  carom_json_object(json, "timing");
  carom_json_number(json, "load", it->load_time);
  carom_json_number(json, "run", it->run_time);
  carom_json_end(json);
  carom_json_end(json);
}

void carom_run_summary_json(const carom_run_summary *it) {
  const carom_model *model = carom_simulation_model(it->simulation);
  carom_json json = carom_json_answer(it->call);
  carom_json_text(&json, "title", carom_model_title(model));
  carom_json_number(&json, "t_start", it->certificate.t_start);
  carom_json_number(&json, "t_end", carom_simulation_time(it->simulation));
  carom_json_text(&json, "stopped_by", it->stopped_by);
  if (it->stop_name[0]) carom_json_text(&json, "stop", it->stop_name);
  carom_json_object(&json, "observables");
  for (int k = 0; k < carom_model_count(model, CAROM_OBSERVABLES); k++) {
    const char *name = carom_model_name(model, CAROM_OBSERVABLES, k);
    carom_json_number(&json, name, observable_value(it, name));
  }
  carom_json_end(&json);
  char word[LONGEST_WORD];
  if (word_of(it, word)) carom_json_text(&json, "word", word);
  const char *regime = regime_of(it);
  if (regime) carom_json_text(&json, "regime", regime);
  int size;
  const double *state = carom_simulation_state(it->simulation, &size);
  carom_json_object(&json, "final");
  for (int k = 0; k < size && k < carom_simulation_columns(it->simulation); k++)
    carom_json_number(&json, carom_simulation_column(it->simulation, k), state[k]);
  carom_json_end(&json);
  json_events(&json, it->events, it->certificate.counts.instants);
  if (it->log) carom_event_log_json(&json, it->log, it->simulation);
  json_certificate(&json, &it->certificate);
  char told[2000];
  carom_simulation_describe(it->simulation, told, sizeof told);
  if (told[0]) carom_json_text(&json, "told", told);
  char digest[CAROM_DIGEST_TEXT];
  if (it->digest) carom_json_text(&json, "digest", carom_digest_write(it->digest, digest));
  json_provenance(&json, it);
  carom_json_end(&json);
}

// ---- text ----

static void print_row(const char *name, double value) { printf("  %-26s %16.9g\n", name, value); }

// rows that are zero because the system has no such thing are left out
static void print_row_if(const char *name, double value) {
  if (value != 0.0) print_row(name, value);
}

static void print_heading(const char *text) {
  printf("%s%s%s\n", carom_style_text(stdout, CAROM_STYLE_BOLD), text,
         carom_style_text(stdout, CAROM_STYLE_PLAIN));
}

static void print_end(const carom_run_summary *it) {
  const carom_certificate *c = &it->certificate;
  printf("from t = %.9g to %.9g", c->t_start, carom_simulation_time(it->simulation));
  if (it->stop_name[0])
    printf(", stopped by '%s'", it->stop_name);
  else if (strcmp(it->stopped_by, "until") != 0)
    printf(", stopped by %s", it->stopped_by);
  printf("; %ld steps in %.3g s\n", c->counts.steps, it->run_time);
}

// the motion in letters, and its name
static void print_motion(const carom_run_summary *it) {
  char word[LONGEST_WORD];
  const char *regime = regime_of(it);
  bool has_word = word_of(it, word);
  if (!has_word && !regime) return;
  print_heading("motion");
  if (has_word) printf("  %-10s %s\n", "word", word);
  if (regime) printf("  %-10s %s\n", "regime", regime);
}

static void print_observables(const carom_run_summary *it) {
  const carom_model *model = carom_simulation_model(it->simulation);
  int count = carom_model_count(model, CAROM_OBSERVABLES);
  if (count > 0) print_heading("observables");
  for (int k = 0; k < count; k++) {
    const char *name = carom_model_name(model, CAROM_OBSERVABLES, k);
    double value = observable_value(it, name);
    char unit[80] = "";
    bool has_unit = carom_model_unit(model, CAROM_OBSERVABLES, k, unit, sizeof unit);
    if (isnan(value))
      printf("  %-26s %16s\n", name, "not measured");
    else
      printf("  %-26s %16.9g%s%s\n", name, value, has_unit ? " " : "", unit);
  }
}

static void print_events(const carom_run_tally *tally) {
  if (tally->total == 0) return;
  print_heading("events");
  for (int k = 0; k < tally->count; k++) {
    const carom_tally_entry *first = &tally->entries[k];
    if (!carom_run_tally_first(tally, k)) continue;
    printf("  %-26s %16ld  ", carom_event_kind_text(first->kind),
           carom_run_tally_kind(tally, first->kind));
    for (int j = k; j < tally->count; j++) {
      const carom_tally_entry *entry = &tally->entries[j];
      if (entry->kind != first->kind) continue;
      printf("%s%s %ld", j > k ? ", " : "", entry->name, entry->count);
    }
    putchar('\n');
  }
}

static void print_ledger(const carom_certificate *c) {
  print_row("energy at the start", c->energy.kinetic_start + c->energy.potential_start);
  print_row_if("work of drives", c->energy.work_drives);
  print_row_if("work of forces", c->energy.work_forces);
  print_row_if("changed by events", c->energy.work_events);
  print_row_if("lost to dampers", -c->energy.lost_dampers);
  print_row_if("lost to friction", -c->energy.lost_friction);
  print_row_if("lost to impacts", -c->energy.lost_impacts);
  print_row_if("  of it to friction", -c->energy.lost_impact_friction);
  print_row("energy at the end", c->energy.kinetic + c->energy.potential);
  print_row("residual", c->energy.residual);
  print_row_if("put right (hold: energy)", c->energy.corrected);
}

// "work.lower pad" and "work_gravity" without their first word
static const char *worker_name(const carom_work *work) { return work->name + strlen("work."); }

// what every field has done to the body
static void print_works(const carom_certificate *c) {
  double sum = 0.0;
  if (c->energy.work_count == 0) return;
  print_heading("work on the body");
  for (int k = 0; k < c->energy.work_count; k++) {
    print_row(worker_name(&c->energy.works[k]), c->energy.works[k].done);
    sum += c->energy.works[k].done;
  }
  print_row_if("events", c->energy.work_events);
  print_row("together", sum + c->energy.work_events);
  print_row("change of kinetic energy", c->energy.kinetic - c->energy.kinetic_start);
}

static void print_certificate(const carom_certificate *c) {
  print_works(c);
  print_heading("certificate");
  if (c->has_energy) print_ledger(c);
  print_row_if("constraints, worst error", c->worst.constraint_error);
  print_row_if("constraints, worst rate", c->worst.constraint_rate_error);
  print_row_if("deepest penetration", c->worst.penetration);
  print_row_if("friction beyond its cone", c->worst.cone_violation);
  print_row_if("contact forces that pull", c->worst.complementarity);
  print_row_if("impacts beyond their law", c->worst.impact_error);
  print_row_if("energy that impacts gave", c->energy.impact_gain);
  print_row_if("events beyond their rule", c->worst.reset_error);
  for (int k = 0; k < CAROM_UNCOMMON_COUNT; k++)
    if (c->counts.uncommon[k] > 0)
      printf("  rare rule, used %ld time%s: %s\n", c->counts.uncommon[k],
             c->counts.uncommon[k] == 1 ? "" : "s", carom_uncommon_text((carom_uncommon)k));
  if (c->has_energy)
    printf("  relative residual %.2g, tolerance %.2g: ", c->energy.residual_relative, c->tolerance);
  else
    printf("  no energy given, nothing to balance: ");
  printf("%s%s%s\n", carom_style_text(stdout, c->passed ? CAROM_STYLE_GOOD : CAROM_STYLE_ERROR),
         c->passed ? "passed" : "NOT PASSED", carom_style_text(stdout, CAROM_STYLE_PLAIN));
}

// what an engine of many bodies did: of steps how they were solved, and what slept
static void print_description(const carom_run_summary *it) {
  char text[2000];
  carom_simulation_describe(it->simulation, text, sizeof text);
  if (strcmp(carom_model_engine(carom_simulation_model(it->simulation)), "stepping") != 0) return;
  print_heading("steps");
  for (const char *line = text; *line;) {
    int length = (int)strcspn(line, "\n");
    printf("  %.*s\n", length, line);
    line += length + (line[length] == '\n');
  }
}

void carom_run_summary_text(const carom_run_summary *it) {
  const carom_model *model = carom_simulation_model(it->simulation);
  printf("%s", carom_style_text(stdout, CAROM_STYLE_BOLD));
  carom_print_safely(stdout, carom_model_title(model));
  printf("%s\n", carom_style_text(stdout, CAROM_STYLE_PLAIN));
  print_end(it);
  if (it->log) carom_event_log_text(it->log);
  print_observables(it);
  print_motion(it);
  print_events(it->events);
  print_description(it);
  print_certificate(&it->certificate);
  char digest[CAROM_DIGEST_TEXT];
  if (it->digest) printf("digest %s\n", carom_digest_write(it->digest, digest));
}
