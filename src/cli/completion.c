// SPDX-License-Identifier: MIT
#include "completion.h"

#include <string.h>

// what a command works on, by its usage line
static bool takes_recordings(const carom_command *command) {
  return strstr(command->arguments, ".h5") != NULL;
}
static bool takes_scenarios(const carom_command *command) {
  return strncmp(command->arguments, "FILE", 4) == 0 && !takes_recordings(command);
}
static const char *file_ending(const carom_command *command) {
  return takes_recordings(command) ? "h5" : takes_scenarios(command) ? "yaml" : "";
}

// text inside single quotes of a shell: a quote ends them, stands by itself, and begins them anew
static void put_quoted(FILE *out, const char *text, const char *quote) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'')
      fputs(quote, out);
    else
      fputc(*text == '\n' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

// ---- bash ----

static void write_bash(int count, const carom_command *const *commands, FILE *out) {
  fprintf(out, "# completion of carom for bash\n"
               "_carom() {\n"
               "  local word=${COMP_WORDS[COMP_CWORD]} options='' ending='' file\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
               "    mapfile -t COMPREPLY < <(compgen -W '");
  for (int k = 0; k < count; k++)
    fprintf(out, "%s ", commands[k]->name);
  fprintf(out, "help --help --version' -- \"$word\")\n"
               "    return\n"
               "  fi\n"
               "  case ${COMP_WORDS[1]} in\n");
  for (int k = 0; k < count; k++) {
    fprintf(out, "  %s) ending='%s' options='", commands[k]->name, file_ending(commands[k]));
    for (int j = 0; j < commands[k]->option_count; j++)
      fprintf(out, "--%s ", commands[k]->options[j].name);
    fprintf(out, "--help' ;;\n");
  }
  fprintf(out,
          "  esac\n"
          "  if [[ $word == -* ]]; then\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "  elif [[ $ending && ${COMP_WORDS[COMP_CWORD - 1]} != -* ]]; then\n"
          "    while IFS= read -r file; do\n"
          "      if [[ -d $file || $file == *.\"$ending\" ]]; then COMPREPLY+=(\"$file\"); fi\n"
          "    done < <(compgen -f -- \"$word\")\n"
          "  fi\n"
          "}\n"
          "complete -o filenames -o bashdefault -o default -F _carom carom\n");
}

// ---- zsh ----

static void write_zsh(int count, const carom_command *const *commands, FILE *out) {
  fprintf(out, "#compdef carom\n"
               "local -a commands options\n"
               "if (( CURRENT == 2 )); then\n"
               "  commands=(\n");
  for (int k = 0; k < count; k++) {
    fprintf(out, "    %s:", commands[k]->name);
    put_quoted(out, commands[k]->summary, "'\\''");
    fputc('\n', out);
  }
  fprintf(out, "    help:'Explains a command'\n"
               "  )\n"
               "  _describe command commands\n"
               "  return\n"
               "fi\n"
               "case $words[2] in\n");
  for (int k = 0; k < count; k++) {
    fprintf(out, "%s)\n  options=(\n", commands[k]->name);
    for (int j = 0; j < commands[k]->option_count; j++) {
      const carom_option *option = &commands[k]->options[j];
      fprintf(out, "    --%s%s:", option->name, carom_option_needs_value(option) ? "=" : "");
      put_quoted(out, option->help, "'\\''");
      fputc('\n', out);
    }
    const char *ending = file_ending(commands[k]);
    fprintf(out, "    --help:'every option with examples'\n  )\n  _describe -o option options\n");
    fprintf(out, ending[0] ? "  _files -g '*.%s(-.)'\n  ;;\n" : "  _files%s\n  ;;\n", ending);
  }
  fprintf(out, "esac\n");
}

// ---- fish ----

static void write_fish(int count, const carom_command *const *commands, FILE *out) {
  fprintf(out, "# completion of carom for fish\n"
               "complete -c carom -n __fish_use_subcommand -f -a help -d 'Explains a command'\n");
  for (int k = 0; k < count; k++) {
    const char *name = commands[k]->name, *ending = file_ending(commands[k]);
    fprintf(out, "complete -c carom -n __fish_use_subcommand -f -a %s -d ", name);
    put_quoted(out, commands[k]->summary, "\\'");
    fputc('\n', out);
    if (ending[0])
      fprintf(out,
              "complete -c carom -n '__fish_seen_subcommand_from %s' -k -f -a "
              "'(__fish_complete_suffix .%s)'\n",
              name, ending);
    for (int j = 0; j < commands[k]->option_count; j++) {
      const carom_option *option = &commands[k]->options[j];
      fprintf(out, "complete -c carom -n '__fish_seen_subcommand_from %s' -l %s%s -d ", name,
              option->name, carom_option_needs_value(option) ? " -r" : "");
      put_quoted(out, option->help, "\\'");
      fputc('\n', out);
    }
  }
}

bool carom_completion(const char *shell, int count, const carom_command *const *commands,
                      FILE *out) {
  if (strcmp(shell, "bash") == 0)
    write_bash(count, commands, out);
  else if (strcmp(shell, "zsh") == 0)
    write_zsh(count, commands, out);
  else if (strcmp(shell, "fish") == 0)
    write_fish(count, commands, out);
  else
    return false;
  return true;
}
