// SPDX-License-Identifier: MIT
/// The judgement of a line: pure data in, verdict out.
#ifndef CAROM_STUDY_VERDICT_H
#define CAROM_STUDY_VERDICT_H

#include "carom/study.h"

/// Do a claim and an answer agree? Numbers within the tolerance, texts letter by letter.
bool carom_answers_agree(const carom_answer *claim, const carom_answer *answer, double tolerance);

/// Judges `carom` against the line; `second` (not given unless the line is open) is the answer of
/// another method.
carom_verdict carom_study_judge(const carom_study_line *line, const carom_answer *carom,
                                const carom_answer *second);

#endif
