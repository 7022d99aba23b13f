// SPDX-License-Identifier: MIT
/// Recorded runs: an observer that writes a run to an HDF5 file or to tables as it goes, and a
/// reader of such files. These functions live in the library carom_record, which needs HDF5, so
/// that libcarom itself does not. The layout of the files is described in docs/recording.md.
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where to record. Start from carom_record_options_default().
typedef struct carom_record_options {
  const char *file;   // the HDF5 file; NULL: none
  const char *folder; // the folder of tables (CSV), made when it is missing; NULL: none
  const char *vtk;    // the folder of ParaView files, made when it is missing; NULL: none
  bool provenance;    // true: say by whom, where and when it was made; false: two runs give
                      // identical bytes
  long most_numbers;  // of very many bodies in all their instants; more are thinned out [60e6]
  size_t size;        // set by the default function; proves that it was used
} carom_record_options;

CAROM_API carom_record_options carom_record_options_default(void);

typedef struct carom_recorder carom_recorder;

/// Opens a record of `simulation`, which should stand at its start. Everything is written under
/// temporary names (FILE.tmp-XXXXXX) until the recorder is closed. CAROM_ERR_IO when a file cannot
/// be made, CAROM_ERR_INPUT when two recorded quantities have one name.
CAROM_API carom_status carom_recorder_open(const carom_simulation *simulation,
                                           const carom_record_options *options,
                                           carom_recorder **recorder, carom_error *error);

/// The observer to hand to carom_simulation_observe, or to call from one's own observer, which then
/// should ask for `energies` too. It is
/// valid until the recorder is closed. When writing fails it asks the simulation to stop;
/// carom_recorder_close then gives the reason.
CAROM_API carom_observer carom_recorder_observer(carom_recorder *recorder);

/// Writes observables, certificate and provenance, closes the files, gives them their names and
/// frees the recorder, also after an error. `outcome` says in a word how the run ended:
/// "complete", "interrupted", "failed".
CAROM_API carom_status carom_recorder_close(carom_recorder *recorder, carom_simulation *simulation,
                                            const char *outcome, carom_error *error);

/// Frees the recorder and removes its temporary files. NULL is legal.
CAROM_API void carom_recorder_discard(carom_recorder *recorder);

/// Writes the whole state of a simulation to a file; the file of before stays good until the new
/// one is whole. CAROM_ERR_IO when it cannot be written.
CAROM_API carom_status carom_checkpoint_write(const carom_simulation *simulation, const char *path,
                                              carom_error *error);
/// Puts a simulation into a saved state, from which it goes on bit for bit. CAROM_ERR_INPUT when
/// the file is not whole, or belongs to another version, scenario or settings; run.until,
/// run.sample and run.threads may differ. The simulation is then as before.
CAROM_API carom_status carom_checkpoint_read(carom_simulation *simulation, const char *path,
                                             carom_error *error);

/// One entry of a certificate, by name.
typedef enum carom_field_kind {
  CAROM_FIELD_NUMBER,
  CAROM_FIELD_COUNT,
  CAROM_FIELD_FLAG
} carom_field_kind;
typedef struct carom_field {
  const char *name;
  carom_field_kind kind;
  double number; // of CAROM_FIELD_NUMBER; NaN: does not apply to this run
  long count;    // of CAROM_FIELD_COUNT; of CAROM_FIELD_FLAG 0 or 1
} carom_field;

enum { CAROM_CERTIFICATE_FIELDS = 49 + CAROM_UNCOMMON_COUNT + CAROM_WORKS_MOST };
/// The entries of a certificate in the order of reading; returns how many. Energies of a run
/// without an energy are NaN.
CAROM_API int carom_certificate_fields(const carom_certificate *certificate,
                                       carom_field fields[CAROM_CERTIFICATE_FIELDS]);

/// A recorded file, opened for reading.
typedef struct carom_recording carom_recording;

/// CAROM_ERR_IO when the file cannot be read, CAROM_ERR_INPUT when it is no recording.
CAROM_API carom_status carom_recording_open(const char *file, carom_recording **recording,
                                            carom_error *error);
CAROM_API void carom_recording_close(carom_recording *recording); // NULL is legal

/// The groups of a recording whose members can be listed.
typedef enum carom_recording_group {
  CAROM_RECORDED_SERIES,
  CAROM_RECORDED_OBSERVABLES,
  CAROM_RECORDED_CERTIFICATE,
  CAROM_RECORDED_PROVENANCE
} carom_recording_group;

/// Members of a group in the order they were written; names are valid until the recording is
/// closed, NULL when `k` is out of range.
CAROM_API int carom_recording_count(const carom_recording *recording, carom_recording_group group);
CAROM_API const char *carom_recording_name(const carom_recording *recording,
                                           carom_recording_group group, int k);
/// How many samples and events there are.
CAROM_API long carom_recording_samples(const carom_recording *recording);
CAROM_API long carom_recording_events(const carom_recording *recording);

/// `count` numbers of /series/<name> (or of `t`), beginning with sample `first`.
CAROM_API carom_status carom_recording_series(const carom_recording *recording, const char *name,
                                              long first, long count, double *values,
                                              carom_error *error);
/// The scalar number at a path such as "/certificate/residual"; whole numbers and flags are
/// converted. CAROM_ERR_INPUT when there is none.
CAROM_API carom_status carom_recording_number(const carom_recording *recording, const char *path,
                                              double *value, carom_error *error);
/// The scalar text at a path such as "/scenario", or a text attribute of the file such as "title".
/// The caller frees it with carom_text_destroy.
CAROM_API carom_status carom_recording_text(const carom_recording *recording, const char *path,
                                            char **text, carom_error *error);
/// The kinds of the recorded events (texts as carom_event_kind_text gives them) and how many there
/// are of kind number `k`; the text is valid until the recording is closed, NULL when `k` is out of
/// range.
CAROM_API const char *carom_recording_event_kind(const carom_recording *recording, int k,
                                                 long *count);

#ifdef __cplusplus
}
#endif
#endif
