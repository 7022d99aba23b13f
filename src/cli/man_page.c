// SPDX-License-Identifier: MIT
#include "man_page.h"

#include "carom/version.h"

// Text in troff: backslashes and dashes keep their form, and no line begins with a request.
static void write_text(FILE *out, const char *text) {
  bool at_start = true;
  for (; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (*text == '\\')
      fputs("\\e", out);
    else if (*text == '-')
      fputs("\\-", out);
    else
      fputc(*text, out);
    at_start = *text == '\n';
  }
}

static void write_option(FILE *out, const carom_option *option) {
  fprintf(out, ".TP\n.B \\-\\-");
  write_text(out, option->name);
  if (option->value) {
    bool needed = carom_option_needs_value(option);
    fprintf(out, needed ? " \\fI" : "[=\\fI");
    write_text(out, option->value + !needed);
    fprintf(out, "\\fR");
  }
  fputc('\n', out);
  write_text(out, option->help);
  if (option->unit[0]) {
    fprintf(out, " [");
    write_text(out, option->unit);
    fputc(']', out);
  }
  if (option->fallback[0]) {
    fprintf(out, ". Default: ");
    write_text(out, option->fallback);
  }
  fprintf(out, ".\n");
}

static void write_command(FILE *out, const carom_command *command) {
  fprintf(out, ".SS carom %s %s\n", command->name, command->arguments);
  write_text(out, command->summary);
  fprintf(out, ".\n");
  write_text(out, command->details);
  for (int k = 0; k < command->option_count; k++)
    write_option(out, &command->options[k]);
  fprintf(out, ".PP\nExamples:\n.PP\n.nf\n");
  write_text(out, command->examples);
  fprintf(out, ".fi\n");
}

void carom_man_page(int count, const carom_command *const *commands, FILE *out) {
  fprintf(out, ".TH CAROM 1 \"\" \"carom %s\" \"User commands\"\n", carom_build_info().version);
  fprintf(out,
          ".SH NAME\n"
          "carom \\- mechanical systems that hit, slide, stick and bounce\n"
          ".SH SYNOPSIS\n"
          ".B carom\n"
          "\\fICOMMAND\\fR \\fIFILE\\fR [\\-\\-set \\fINAME\\fR=\\fIVALUE\\fR]... [\\-\\-json]\n"
          ".SH DESCRIPTION\n"
          "From the energies, gaps and contact laws of a system, written in a text file, carom "
          "derives the\nequations of motion, finds every impact and every change between "
          "sticking and slipping, and\nanswers questions about the motion.\n"
          ".SH COMMANDS\n");
  for (int k = 0; k < count; k++)
    write_command(out, commands[k]);
  fprintf(out,
          ".SH EXIT STATUS\n"
          "0: done. 1: the run failed; with \\-\\-json the object says why, when and where. "
          "2: the input is\nwrong, with file, line and what was expected. 3: done, but a "
          "certificate did not "
          "pass.\n"
          ".SH ENVIRONMENT\n"
          ".TP\n.B NO_COLOR\nwhen set, messages have no colours.\n"
          ".TP\n.B CAROM_STUDIES\nwhere carom reproduce looks for studies first.\n"
          ".SH FILES\n"
          ".TP\n.I NAME.yaml\na scenario; carom keys tells its language.\n"
          ".TP\n.I NAME.h5\na recorded run or table, in HDF5; carom info tells what is inside.\n"
          ".TP\n.I NAME.journal\nthe finished part of many runs, for \\-\\-resume.\n"
          ".SH SEE ALSO\n"
          ".BR gnuplot (1),\n.BR ffmpeg (1),\n.BR h5dump (1)\n");
}
