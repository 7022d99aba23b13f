// SPDX-License-Identifier: MIT
/// Studies: published numbers as data, computed anew and judged at every run. A verdict is never
/// stored. The format of study files is described in docs/studies.md.
#ifndef CAROM_STUDY_H
#define CAROM_STUDY_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_verdict {
  CAROM_VERDICT_MATCH,     // Carom agrees with the paper
  CAROM_VERDICT_EXPLAINED, // the paper's value cannot follow from its data; Carom agrees with the
                           // derived one, and the study says why
  CAROM_VERDICT_OPEN,      // two methods agree with each other, not with the paper; cause unknown
  CAROM_VERDICT_FAIL
} carom_verdict;
enum { CAROM_VERDICTS = 4 };
/// "match", "explained", "open", "fail".
CAROM_API const char *carom_verdict_text(carom_verdict verdict);

enum { CAROM_ANSWER_TEXT = 512 };
/// A number, or a text such as a word.
typedef struct carom_answer {
  bool given;
  bool is_text;
  double number;
  char text[CAROM_ANSWER_TEXT];
} carom_answer;

/// One line of a study as written. Texts belong to the study; "" where not given.
typedef struct carom_study_line {
  const char *id, *paper, *what, *reason;
  carom_answer expected; // what is printed in the paper
  bool at_least;         // the paper's claim is a lower bound
  bool above; // a lower bound that a mean over runs exceeds by three of its standard errors
  double tolerance;
  double error; // standard error of the expected value; > 0: the tolerance follows from it
  carom_answer converged; // the value derived or converged elsewhere
  double converged_tolerance;
  bool only_full; // left out of quick runs
} carom_study_line;

/// What became of a line.
typedef struct carom_study_result {
  carom_answer carom;  // computed now
  carom_answer second; // by the second method of an open line
  double difference;   // from the paper; NaN between texts
  double spread;       // standard error of a mean over two runs or more; else NaN
  double tolerance;    // that of the line, or three standard errors of the difference or mean
  carom_verdict verdict;
  int evaluations;                // runs and equilibria
  bool passed;                    // certificates of the deciding runs
  char trouble[CAROM_ERROR_TEXT]; // why nothing could be computed; ""
} carom_study_result;

enum { CAROM_FIGURE_RUNS = 8 }; // that a figure may compare

/// A figure of a study: two commands of the program, word by word.
typedef struct carom_study_figure {
  const char *id, *paper, *caption;
  int make_count, draw_count;
  const char *const *make; // a command that computes: run, scenario.yaml, --set, a=1
  int vary_count;          // 0: one run
  const char *const *vary; // settings of the runs that are compared: "nu=3 d0=0.01"
  const char *const *draw; // what comes after `carom plot FILE`: phase, --of, x,y
  bool page;               // also as a page that plays the motion
  bool only_full;          // left out of quick runs
} carom_study_figure;

typedef struct carom_study carom_study;

/// Reads a study file. CAROM_ERR_INPUT with the place where it is wrong. The caller closes it.
CAROM_API carom_status carom_study_open(const char *path, carom_study **study, carom_error *error);
CAROM_API void carom_study_destroy(carom_study *study); // NULL is legal

CAROM_API const char *carom_study_title(const carom_study *study);
CAROM_API const char *carom_study_paper(const carom_study *study);
CAROM_API int carom_study_count(const carom_study *study);
/// NULL when `k` is out of range.
CAROM_API const carom_study_line *carom_study_line_at(const carom_study *study, int k);

/// Some sentences about the study; "". And the folder of its file, with its last slash; "".
CAROM_API const char *carom_study_about(const carom_study *study);
CAROM_API const char *carom_study_folder(const carom_study *study);
CAROM_API int carom_study_figure_count(const carom_study *study);
/// NULL when `k` is out of range.
CAROM_API const carom_study_figure *carom_study_figure_at(const carom_study *study, int k);

/// Computes line k and judges it; `full` asks for all digits. A computation that fails is a verdict
/// (fail, with result->trouble); CAROM_ERR_INPUT is a study that is wrong.
CAROM_API carom_status carom_study_compute(const carom_study *study, int k, bool full,
                                           carom_study_result *result, carom_error *error);

/// How a study is computed as a whole. Start from carom_study_options_default().
typedef struct carom_study_options {
  bool full;   // all lines, to all digits; else those of quick runs
  int abreast; // lines at a time; 0: as suits the machine. Results do not depend on it
  void *ctx;
  /// A result that is known already: true, and nothing is computed. NULL: none is.
  bool (*known)(void *ctx, int k, carom_study_result *result);
  /// Takes line k (result NULL: left out of quick runs), in the order of the study, all from the
  /// calling thread; `seconds` is what its computation took, 0 where it was known.
  void (*take)(void *ctx, int k, const carom_study_result *result, double seconds);
  /// True: stop. Asked by several threads, also between the runs of a mean. NULL: never.
  bool (*stopped)(void *ctx);
  size_t size; // set by the default function; proves that it was used
} carom_study_options;
CAROM_API carom_study_options carom_study_options_default(void);

/// Computes all lines, several at a time. CAROM_STOP_USER when it was stopped: lines up to the
/// first that is missing were taken. CAROM_ERR_INPUT is a study that is wrong.
CAROM_API carom_status carom_study_compute_all(const carom_study *study,
                                               const carom_study_options *options,
                                               carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
