// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "gallery_run.h"

#include "base/hash.h"
#include "gallery_lab.h"
#include "record/out_file.h"

#include "draw/script.h"
#include "progress.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WORDS = 160, MOST_TEXTS = 12, LONGEST_COMMAND = 4096, MOST_FILES = 512 };

// ---- keys: hashes of all that a result depends on ----

static uint64_t stir_file(uint64_t hash, const char *path) {
  unsigned char block[65536];
  FILE *in = fopen(path, "rb");
  size_t count;
  hash = carom_hash_text(hash, path);
  if (!in) return hash;
  while ((count = fread(block, 1, sizeof block, in)) > 0)
    hash = carom_hash(hash, block, count);
  (void)fclose(in);
  return hash;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_entry_name(const void *a, const void *b) {
  return strcmp(((const carom_gallery_entry *)a)->name, ((const carom_gallery_entry *)b)->name);
}

// every file of a folder, in the order of their names
static uint64_t stir_folder(uint64_t hash, const char *folder) {
  char *names[MOST_FILES];
  int count = 0;
  DIR *directory = opendir(folder);
  if (!directory) return hash;
  const struct dirent *entry;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream belongs to this function
  while (count < MOST_FILES && (entry = readdir(directory))) {
    if (entry->d_name[0] == '.') continue;
    names[count] = strdup(entry->d_name);
    if (names[count]) count++;
  }
  (void)closedir(directory);
  qsort(names, (size_t)count, sizeof *names, by_name);
  for (int k = 0; k < count; k++) {
    char path[LONGEST_COMMAND];
    (void)snprintf(path, sizeof path, "%.3000s/%.255s", folder, names[k]);
    hash = stir_file(hash, path);
    free(names[k]);
  }
  return hash;
}

// ---- results kept from before ----

typedef struct kept {
  uint64_t key;
  carom_study_result result;
} kept;

static void kept_path(const carom_gallery_run *it, const char *id, char path[LONGEST_COMMAND]) {
  (void)snprintf(path, LONGEST_COMMAND, "%s/kept/%s/%.200s", it->pages.folder, it->name, id);
}

static uint64_t line_key(const carom_gallery_run *it, const carom_study_line *line) {
  uint64_t key = carom_hash_text(it->key, line->id);
  return carom_hash(key, &it->pages.full, sizeof it->pages.full);
}

bool carom_gallery_run_recall(const carom_gallery_run *it, const carom_study_line *line,
                              carom_study_result *result) {
  char path[LONGEST_COMMAND];
  kept found;
  kept_path(it, line->id, path);
  FILE *in = fopen(path, "rb");
  if (!in) return false;
  bool good = fread(&found, sizeof found, 1, in) == 1 && fgetc(in) == EOF;
  (void)fclose(in);
  if (!good || found.key != line_key(it, line)) return false;
  *result = found.result;
  return true;
}

void carom_gallery_run_keep(const carom_gallery_run *it, const carom_study_line *line,
                            const carom_study_result *result) {
  char path[LONGEST_COMMAND];
  kept found;
  memset(&found, 0, sizeof found);
  found.key = line_key(it, line);
  found.result = *result;
  kept_path(it, line->id, path);
  carom_out_file out;
  if (carom_out_open(&out, path, NULL) != CAROM_OK) return; // it will be computed again
  (void)fwrite(&found, sizeof found, 1, out.stream);
  (void)carom_out_close(&out, NULL);
}

// ---- opening ----

static bool make_folder(const char *folder, const char *name) {
  char path[LONGEST_COMMAND];
  (void)snprintf(path, sizeof path, "%.3000s/%.500s", folder, name);
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

// studies that were written before stay in the index
static void recall_entries(carom_gallery_run *it) {
  char folder[LONGEST_COMMAND];
  (void)snprintf(folder, sizeof folder, "%.1000s/kept", it->pages.folder);
  DIR *directory = opendir(folder);
  if (!directory) return;
  const struct dirent *entry;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream belongs to this function
  while (it->pages.count < CAROM_GALLERY_MOST && (entry = readdir(directory))) {
    char path[LONGEST_COMMAND];
    (void)snprintf(path, sizeof path, "%.1000s/kept/%.255s/index entry", it->pages.folder,
                   entry->d_name);
    FILE *in = fopen(path, "rb");
    if (!in) continue;
    carom_gallery_entry *room = &it->pages.entries[it->pages.count];
    if (fread(room, sizeof *room, 1, in) == 1 && fgetc(in) == EOF) it->pages.count++;
    (void)fclose(in);
  }
  (void)closedir(directory);
  qsort(it->pages.entries, (size_t)it->pages.count, sizeof *it->pages.entries, by_entry_name);
}

static void keep_entry(const carom_gallery_run *it) {
  char path[LONGEST_COMMAND];
  kept_path(it, "index entry", path);
  carom_out_file out;
  if (carom_out_open(&out, path, NULL) != CAROM_OK) return;
  (void)fwrite(&it->pages.entries[it->pages.at], sizeof *it->pages.entries, 1, out.stream);
  (void)carom_out_close(&out, NULL);
}

carom_status carom_gallery_run_open(carom_gallery_run *it, const char *folder, bool full,
                                    carom_error *error) {
  carom_status status = carom_gallery_open(&it->pages, folder, full, error);
  if (status != CAROM_OK) return status;
  ssize_t length = readlink("/proc/self/exe", it->program, sizeof it->program - 1);
  it->program[length > 0 ? length : 0] = '\0';
  if (length > 0 && make_folder(folder, "kept")) {
    recall_entries(it);
    return CAROM_OK;
  }
  return carom_draw_fail(error, CAROM_ERR_IO, "cannot write to %.300s: %s", folder,
                         strerror(errno));
}

// studies/fio.yaml is the study fio
static void name_study(carom_gallery_run *it, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  (void)snprintf(it->name, sizeof it->name, "%.*s", dot ? (int)(dot - name) : (int)strlen(name),
                 name);
}

carom_status carom_gallery_run_begin(carom_gallery_run *it, const char *path,
                                     const carom_study *study, carom_error *error) {
  char folder[LONGEST_COMMAND];
  name_study(it, path);
  (void)snprintf(folder, sizeof folder, "kept/%s", it->name);
  if (!make_folder(it->pages.folder, folder) || !make_folder(it->pages.folder, it->name))
    return carom_draw_fail(error, CAROM_ERR_IO, "cannot write to %.300s: %s", it->pages.folder,
                           strerror(errno));
  (void)snprintf(folder, sizeof folder, "%s../scenarios", carom_study_folder(study));
  it->key = stir_file(0, it->program);
  it->key = stir_file(it->key, path);
  it->key = stir_folder(it->key, folder);
  return carom_gallery_begin(&it->pages, it->name, study, error);
}

// ---- figures ----

/// The words of a command and room for those that are made here.
typedef struct command {
  const char *words[MOST_WORDS];
  int count;
  char texts[MOST_TEXTS][LONGEST_COMMAND];
  int text_count;
} command;

static void add_word(command *it, const char *word) {
  if (it->count < MOST_WORDS - 1) it->words[it->count++] = word;
  it->words[it->count] = NULL;
}

// files are named relative to the study
static void add_relative(command *it, const char *folder, const char *word) {
  size_t length = strlen(word);
  bool file = length > 5 && strcmp(word + length - 5, ".yaml") == 0 && word[0] != '/';
  file = file || (length > 4 && strcmp(word + length - 4, ".csv") == 0 && word[0] != '/');
  if (!file || it->text_count == MOST_TEXTS) {
    add_word(it, word);
    return;
  }
  char *text = it->texts[it->text_count++];
  (void)snprintf(text, LONGEST_COMMAND, "%s%s", folder, word);
  add_word(it, text);
}

// as one would type it beside the scenarios, without what the gallery adds
static size_t type_words(char *text, size_t room, size_t used, int count,
                         const char *const *words) {
  for (int k = 0; k < count && used < room; k++) {
    const char *word = strncmp(words[k], "../", 3) == 0 ? words[k] + 3 : words[k];
    bool quote = strpbrk(word, " '\"*<>&;|()") != NULL;
    used += (size_t)snprintf(text + used, room - used, quote ? " \"%s\"" : " %s", word);
  }
  return used < room ? used : room - 1;
}

// the name of what the k-th run of a figure makes: ID.h5, ID-2.h5, ...
static void run_ending(int k, char ending[16]) {
  (void)snprintf(ending, 16, k > 0 ? "-%d.h5" : ".h5", k + 1);
}

static int run_count(const carom_study_figure *figure) {
  return figure->vary_count > 0 ? figure->vary_count : 1;
}

static void type_commands(const carom_study_figure *figure, char *text, size_t room) {
  size_t used = 0;
  char ending[16];
  for (int k = 0; k < run_count(figure) && used < room; k++) {
    used += (size_t)snprintf(text + used, room - used, "carom");
    if (used < room) used = type_words(text, room, used, figure->make_count, figure->make);
    for (const char *at = figure->vary_count > 0 ? figure->vary[k] : ""; *at && used < room;) {
      int length = (int)strcspn(at, " ");
      used += (size_t)snprintf(text + used, room - used, " --set %.*s", length, at);
      at += length + (at[length] == ' ');
    }
    run_ending(k, ending);
    if (used < room)
      used += (size_t)snprintf(text + used, room - used, " --out %s%s\n", figure->id, ending);
  }
  if (used < room)
    used += (size_t)snprintf(text + used, room - used, "carom plot %s.h5", figure->id);
  if (used < room) used = type_words(text, room, used, figure->draw_count, figure->draw);
  for (int k = 1; k < run_count(figure) && used < room; k++) {
    run_ending(k, ending);
    used += (size_t)snprintf(text + used, room - used, " --with %s%s", figure->id, ending);
  }
  if (figure->page && used < room)
    (void)snprintf(text + used, room - used, "\ncarom report %s.h5", figure->id);
}

static void file_of(const carom_gallery_run *it, const carom_study_figure *figure, const char *end,
                    bool relative, char path[LONGEST_COMMAND]) {
  (void)snprintf(path, LONGEST_COMMAND, "%s%s%s/%s%s", relative ? "" : it->pages.folder,
                 relative ? "" : "/", it->name, figure->id, end);
}

static uint64_t figure_key(const carom_gallery_run *it, const carom_study_figure *figure) {
  uint64_t key = carom_hash_text(it->key, figure->id);
  for (int k = 0; k < figure->make_count; k++)
    key = carom_hash_text(key, figure->make[k]);
  for (int k = 0; k < figure->vary_count; k++)
    key = carom_hash_text(key, figure->vary[k]);
  for (int k = 0; k < figure->draw_count; k++)
    key = carom_hash_text(key, figure->draw[k]);
  return key;
}

static bool is_drawn(const carom_gallery_run *it, const carom_study_figure *figure, uint64_t key) {
  char path[LONGEST_COMMAND];
  uint64_t found = 0;
  file_of(it, figure, ".svg", false, path);
  if (access(path, R_OK) != 0) return false;
  file_of(it, figure, ".key", false, path);
  FILE *in = fopen(path, "rb");
  if (!in) return false;
  bool good = fread(&found, sizeof found, 1, in) == 1 && found == key;
  (void)fclose(in);
  return good;
}

static void note_drawn(const carom_gallery_run *it, const carom_study_figure *figure,
                       uint64_t key) {
  char path[LONGEST_COMMAND];
  file_of(it, figure, ".key", false, path);
  carom_out_file out;
  if (carom_out_open(&out, path, NULL) != CAROM_OK) return;
  (void)fwrite(&key, sizeof key, 1, out.stream);
  (void)carom_out_close(&out, NULL);
}

// "nu=3 d0=0.01" as --set nu=3 --set d0=0.01
static void add_settings(command *it, const char *settings) {
  if (it->text_count == MOST_TEXTS) return;
  char *text = it->texts[it->text_count++], *rest = NULL;
  (void)snprintf(text, LONGEST_COMMAND, "%s", settings);
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    add_word(it, "--set");
    add_word(it, word);
  }
}

static void build_run(const carom_gallery_run *it, const carom_study *study,
                      const carom_study_figure *figure, int k, command *step) {
  add_word(step, it->program);
  for (int j = 0; j < figure->make_count; j++)
    add_relative(step, carom_study_folder(study), figure->make[j]);
  if (figure->vary_count > 0) add_settings(step, figure->vary[k]);
}

// what each run is called: its settings
static void add_labels(command *step, const carom_study_figure *figure) {
  char *labels = step->texts[step->text_count++];
  size_t used = 0;
  labels[0] = '\0';
  for (int k = 0; k < figure->vary_count && used < LONGEST_COMMAND; k++)
    used += (size_t)snprintf(labels + used, LONGEST_COMMAND - used, "%s%s", k ? "," : "",
                             figure->vary[k]);
  add_word(step, "--labels");
  add_word(step, labels);
}

// an option stands once in a command: labels of the study's own take the place of the settings
static bool has_labels(const carom_study_figure *figure) {
  for (int k = 0; k < figure->draw_count; k++)
    if (strcmp(figure->draw[k], "--labels") == 0) return true;
  return false;
}

static void build_plot(const carom_gallery_run *it, const carom_study *study,
                       const carom_study_figure *figure, command *step) {
  char *file = step->texts[step->text_count++], ending[16];
  file_of(it, figure, ".h5", false, file);
  add_word(step, it->program);
  add_word(step, "plot");
  add_word(step, file);
  for (int k = 1; k < run_count(figure); k++) {
    file = step->texts[step->text_count++];
    run_ending(k, ending);
    file_of(it, figure, ending, false, file);
    add_word(step, "--with");
    add_word(step, file);
  }
  if (figure->vary_count > 0 && !has_labels(figure)) add_labels(step, figure);
  for (int k = 0; k < figure->draw_count; k++)
    add_relative(step, carom_study_folder(study), figure->draw[k]);
}

static void build_page(const carom_gallery_run *it, const carom_study_figure *figure,
                       command *step) {
  char *file = step->texts[step->text_count++];
  file_of(it, figure, ".h5", false, file);
  add_word(step, it->program);
  add_word(step, "report");
  add_word(step, file);
}

// one command after the other: the runs, the picture, the page
static carom_status make_figure(const carom_gallery_run *it, const carom_study *study,
                                const carom_study_figure *figure, command *step,
                                carom_error *error) {
  int runs = run_count(figure), count = runs + 1 + figure->page;
  carom_status status = CAROM_OK;
  for (int k = 0; k < count && status == CAROM_OK; k++) {
    char made[LONGEST_COMMAND], ending[16] = ".svg";
    const char *what = "draw the figure";
    memset(step, 0, sizeof *step);
    if (k < runs) {
      run_ending(k, ending);
      what = "compute the figure";
      build_run(it, study, figure, k, step);
    } else if (k == runs) {
      build_plot(it, study, figure, step);
    } else {
      (void)snprintf(ending, sizeof ending, ".html");
      what = "make the page";
      build_page(it, figure, step);
    }
    file_of(it, figure, ending, false, made);
    add_word(step, "--out");
    add_word(step, made);
    add_word(step, "--quiet");
    status = carom_start_program(step->words, NULL, false, what, error);
  }
  return status;
}

static carom_status take_figure(carom_gallery_run *it, const carom_study *study,
                                const carom_study_figure *figure, bool *drawn) {
  command *step = calloc(1, sizeof *step);
  char typed[LONGEST_COMMAND] = "", picture[LONGEST_COMMAND], page[LONGEST_COMMAND] = "",
       lab[LONGEST_COMMAND] = "";
  carom_error error = {0};
  if (!step) return CAROM_ERR_MEMORY;
  type_commands(figure, typed, sizeof typed);
  uint64_t key = figure_key(it, figure);
  carom_status status = CAROM_OK;
  if (!is_drawn(it, figure, key)) {
    if (!it->quiet) fprintf(stderr, "figure %s %s\n", it->name, figure->id);
    status = make_figure(it, study, figure, step, &error);
    if (status == CAROM_OK) note_drawn(it, figure, key);
  }
  file_of(it, figure, ".svg", true, picture);
  if (figure->page) file_of(it, figure, ".html", true, page);
  if (it->lab) carom_gallery_lab_link(it->name, figure, lab, sizeof lab);
  if (status != CAROM_OK) picture[0] = page[0] = '\0';
  const carom_gallery_links links = {picture, page, lab};
  carom_gallery_figure(&it->pages, figure, &links, typed, status != CAROM_OK ? error.text : NULL);
  free(step);
  *drawn = status == CAROM_OK;
  return CAROM_OK;
}

carom_status carom_gallery_run_end(carom_gallery_run *it, const carom_study *study,
                                   carom_error *error) {
  carom_gallery_lines_end(&it->pages);
  it->lab = carom_gallery_lab_make(it->program, it->pages.folder, it->name, study);
  bool stopped = false, drawn = true;
  const char *missing = NULL; // the first figure that could not be made
  for (int k = 0; k < carom_study_figure_count(study); k++) {
    const carom_study_figure *figure = carom_study_figure_at(study, k);
    stopped = stopped || carom_interrupted();
    if (stopped || (figure->only_full && !it->pages.full)) continue;
    if (take_figure(it, study, figure, &drawn) != CAROM_OK)
      return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
    if (!drawn && !missing) missing = figure->id;
  }
  keep_entry(it);
  carom_status status = carom_gallery_end(&it->pages, error);
  if (status == CAROM_OK && stopped)
    return carom_draw_fail(error, CAROM_STOP_USER, "interrupted: the same command goes on");
  if (status == CAROM_OK && missing)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "study %s: figure %s is missing, its page says why", it->name, missing);
  return status;
}
