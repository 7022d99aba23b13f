// SPDX-License-Identifier: MIT
#include "study/verdict.h"

#include <math.h>
#include <string.h>

const char *carom_verdict_text(carom_verdict verdict) {
  switch (verdict) {
  case CAROM_VERDICT_MATCH: return "match";
  case CAROM_VERDICT_EXPLAINED: return "explained";
  case CAROM_VERDICT_OPEN: return "open";
  case CAROM_VERDICT_FAIL: return "fail";
  }
  return "fail";
}

bool carom_answers_agree(const carom_answer *claim, const carom_answer *answer, double tolerance) {
  if (!claim->given || !answer->given || claim->is_text != answer->is_text) return false;
  if (claim->is_text) return strcmp(claim->text, answer->text) == 0;
  return fabs(claim->number - answer->number) <= tolerance;
}

static bool agrees_with_paper(const carom_study_line *line, const carom_answer *carom) {
  if (!line->at_least && !line->above)
    return carom_answers_agree(&line->expected, carom, line->tolerance);
  if (!carom->given || carom->is_text) return false;
  double beyond = carom->number - line->expected.number;
  return line->above ? beyond > line->tolerance : beyond >= -line->tolerance;
}

carom_verdict carom_study_judge(const carom_study_line *line, const carom_answer *carom,
                                const carom_answer *second) {
  if (!carom->given) return CAROM_VERDICT_FAIL;

  // digits beyond the paper's are held to as well
  bool converged = carom_answers_agree(&line->converged, carom, line->converged_tolerance);
  if (line->converged.given && !converged) return CAROM_VERDICT_FAIL;
  if (agrees_with_paper(line, carom)) return CAROM_VERDICT_MATCH;

  // not the paper's value: a derived one with its reason, or another method, must stand behind it
  if (converged && line->reason[0]) return CAROM_VERDICT_EXPLAINED;
  if (carom_answers_agree(second, carom, line->tolerance)) return CAROM_VERDICT_OPEN;
  return CAROM_VERDICT_FAIL;
}
