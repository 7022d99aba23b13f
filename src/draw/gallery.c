// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "draw/gallery.h"

#include "base/platform.h"
#include "carom/version.h"
#include "draw/script.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

extern const unsigned char carom_file_gallery_css[];

// text that stands for itself
static void put_escaped(FILE *out, const char *text) {
  for (; *text; text++)
    switch (*text) {
    case '<': (void)fputs("&lt;", out); break;
    case '>': (void)fputs("&gt;", out); break;
    case '&': (void)fputs("&amp;", out); break;
    case '"': (void)fputs("&quot;", out); break;
    default: (void)fputc(*text, out);
    }
}

static carom_status open_page(const carom_gallery *it, const char *name, const char *title,
                              carom_out_file *file, carom_error *error) {
  char path[CAROM_GALLERY_PATH + 160];
  (void)snprintf(path, sizeof path, "%s/%s.html", it->folder, name);
  carom_status status = carom_out_open(file, path, error);
  if (status != CAROM_OK) return status;
  FILE *out = file->stream;
  (void)fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
              out);
  put_escaped(out, title);
  (void)fprintf(out, "</title>\n<style>\n%s</style></head><body>\n",
                (const char *)carom_file_gallery_css);
  return CAROM_OK;
}

static void put_made(const carom_gallery *it, FILE *out) {
  carom_build build = carom_build_info();
  char date[32];
  (void)carom_date(date, sizeof date, "%Y-%m-%d %H:%M UTC");
  (void)fprintf(out, "<p class=\"made\">Carom %s (%s), %s, %s</p>\n", build.version, build.revision,
                it->full ? "full resolution" : "quick run", date);
}

carom_status carom_gallery_open(carom_gallery *it, const char *folder, bool full,
                                carom_error *error) {
  *it = (carom_gallery){.full = full};
  if (strlen(folder) >= sizeof it->folder)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "the name of the folder is too long");
  (void)snprintf(it->folder, sizeof it->folder, "%s", folder);
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return CAROM_OK;
  return carom_draw_fail(error, CAROM_ERR_IO, "cannot make the folder %.300s: %s", folder,
                         strerror(errno));
}

carom_status carom_gallery_begin(carom_gallery *it, const char *name, const carom_study *study,
                                 carom_error *error) {
  for (it->at = 0; it->at < it->count; it->at++)
    if (strcmp(it->entries[it->at].name, name) == 0) break;
  if (it->at == CAROM_GALLERY_MOST)
    return carom_draw_fail(error, CAROM_ERR_LIMIT, "more than %d studies", CAROM_GALLERY_MOST);
  if (it->at == it->count) it->count++;
  carom_gallery_entry *entry = &it->entries[it->at];
  *entry = (carom_gallery_entry){0};
  (void)snprintf(entry->name, sizeof entry->name, "%s", name);
  (void)snprintf(entry->title, sizeof entry->title, "%s", carom_study_title(study));
  (void)snprintf(entry->paper, sizeof entry->paper, "%s", carom_study_paper(study));
  carom_status status = open_page(it, name, entry->title, &it->page_out, error);
  if (status != CAROM_OK) return status;
  FILE *out = it->page = it->page_out.stream;
  (void)fputs("<p><a href=\"index.html\">all studies</a></p>\n<h1>", out);
  put_escaped(out, entry->title);
  (void)fputs("</h1>\n<p class=\"paper\">", out);
  put_escaped(out, entry->paper);
  (void)fputs("</p>\n", out);
  put_made(it, out);
  if (carom_study_about(study)[0]) {
    (void)fputs("<p>", out);
    put_escaped(out, carom_study_about(study));
    (void)fputs("</p>\n", out);
  }
  (void)fputs(
      "<h2>Numbers</h2>\n<p>The verdict is computed from the numbers beside it. <span "
      "class=\"verdict match\">match</span> Carom agrees with the paper; <span class=\"verdict "
      "explained\">explained</span> the printed value cannot follow from the paper's own data, the "
      "derived one is met, and the reason is given; <span class=\"verdict open\">open</span> two "
      "methods agree with each other, not with the paper; <span class=\"verdict "
      "fail\">fail</span> everything else. Motions are written as words of what the contacts do: F "
      "flight, I impact, K stick, + and - slip.</p>\n<table><thead><tr><th>line</th><th>what</th>"
      "<th>published or "
      "derived</th><th>Carom</th><th>difference</th><th>tolerance</th><th>within</th>"
      "<th>verdict</th></tr></thead><tbody>\n",
      out);
  return CAROM_OK;
}

// ---- the table ----

static void put_answer(FILE *out, const carom_answer *answer, const char *before) {
  (void)fprintf(out, "<td class=\"%s\">%s", answer->given && !answer->is_text ? "number" : "text",
                before);
  if (!answer->given)
    (void)fputs("–", out);
  else if (answer->is_text)
    put_escaped(out, answer->text);
  else
    (void)fprintf(out, "%.9g", answer->number);
  (void)fputs("</td>", out);
}

static void put_number(FILE *out, const char *format, double value) {
  (void)fputs("<td class=\"number\">", out);
  if (isfinite(value)) (void)fprintf(out, format, value);
  (void)fputs("</td>", out);
}

// where the difference lies in the tolerance: the middle is zero, the ends are the tolerance
static void put_within(FILE *out, double difference, double tolerance) {
  (void)fputs("<td>", out);
  if (isfinite(difference) && tolerance > 0.0) {
    double part = difference / tolerance, shown = part < -1.0 ? -1.0 : part > 1.0 ? 1.0 : part;
    (void)fprintf(
        out,
        "<span class=\"within\" title=\"%.3g tolerances\"><i style=\"left:%.1f%%\"></i></span>",
        part, 50.0 + 48.0 * shown - 1.5);
  }
  (void)fputs("</td>", out);
}

static void put_remarks(FILE *out, const carom_study_line *line, const carom_study_result *result) {
  (void)fputs("<small>", out);
  put_escaped(out, line->paper);
  (void)fputs("</small>", out);
  if (result && result->verdict != CAROM_VERDICT_MATCH && line->reason[0]) {
    (void)fputs("<small>why it differs: ", out);
    put_escaped(out, line->reason);
    (void)fputs("</small>", out);
  }
  if (result && line->converged.given && !line->converged.is_text)
    (void)fprintf(out, "<small>derived or converged elsewhere: %.10g ± %.2g</small>",
                  line->converged.number, line->converged_tolerance);
  if (result && isfinite(result->spread))
    (void)fprintf(out, "<small>mean over runs, standard error %.2g</small>", result->spread);
  if (result && result->second.given && !result->second.is_text)
    (void)fprintf(out, "<small>second method: %.9g</small>", result->second.number);
  if (result && result->trouble[0]) {
    (void)fputs("<small>", out);
    put_escaped(out, result->trouble);
    (void)fputs("</small>", out);
  }
  if (result && !result->passed)
    (void)fputs("<small>a deciding run did not pass its certificate</small>", out);
}

void carom_gallery_line(carom_gallery *it, const carom_study_line *line,
                        const carom_study_result *result) {
  FILE *out = it->page;
  carom_gallery_entry *entry = &it->entries[it->at];
  (void)fputs("<tr><td>", out);
  put_escaped(out, line->id);
  (void)fputs("</td><td>", out);
  put_escaped(out, line->what);
  put_remarks(out, line, result);
  (void)fputs("</td>", out);
  put_answer(out, &line->expected, line->above ? "&gt; " : line->at_least ? "≥ " : "");
  if (result) {
    const char *verdict = carom_verdict_text(result->verdict);
    put_answer(out, &result->carom, "");
    put_number(out, "%+.2e", result->difference);
    put_number(out, "%.2g", line->expected.is_text ? NAN : result->tolerance);
    bool bound = line->at_least || line->above; // it may be far beyond
    put_within(out, result->difference, bound ? 0.0 : result->tolerance);
    (void)fprintf(out, "<td><span class=\"verdict %s\">%s</span></td>", verdict, verdict);
    entry->verdicts[result->verdict]++;
  } else {
    (void)fputs("<td></td><td></td><td></td><td></td><td><span class=\"verdict left\">full runs "
                "only</span></td>",
                out);
    entry->left_out++;
  }
  (void)fputs("</tr>\n", out);
}

void carom_gallery_lines_end(carom_gallery *it) {
  const carom_gallery_entry *entry = &it->entries[it->at];
  (void)fputs("</tbody></table>\n<p>", it->page);
  for (int v = 0; v < CAROM_VERDICTS; v++)
    (void)fprintf(it->page, "%s%d %s", v ? ", " : "", entry->verdicts[v],
                  carom_verdict_text((carom_verdict)v));
  if (entry->left_out > 0) (void)fprintf(it->page, ", %d left to full runs", entry->left_out);
  (void)fputs(".</p>\n<h2>Figures</h2>\n", it->page);
}

// ---- figures ----

static void put_link(FILE *out, const char *to, const char *text) {
  if (!to[0]) return;
  (void)fputs(" <a href=\"", out);
  put_escaped(out, to);
  (void)fprintf(out, "\">%s</a>", text);
}

void carom_gallery_figure(carom_gallery *it, const carom_study_figure *figure,
                          const carom_gallery_links *links, const char *commands,
                          const char *trouble) {
  const char *picture = links->picture;
  FILE *out = it->page;
  carom_gallery_entry *entry = &it->entries[it->at];
  (void)fprintf(out, "<figure id=\"%s\">\n", figure->id);
  if (picture[0]) {
    (void)fputs("<img src=\"", out);
    put_escaped(out, picture);
    (void)fputs("\" alt=\"", out);
    put_escaped(out, figure->caption);
    (void)fputs("\">\n", out);
    if (!entry->picture[0]) (void)snprintf(entry->picture, sizeof entry->picture, "%s", picture);
    entry->figures++;
  }
  (void)fputs("<figcaption><b>", out);
  put_escaped(out, figure->paper);
  (void)fputs("</b> ", out);
  put_escaped(out, figure->caption);
  put_link(out, links->page, "Play the motion.");
  put_link(out, links->lab, "Run it yourself.");
  if (trouble) {
    (void)fputs(" <span class=\"verdict fail\">", out);
    put_escaped(out, trouble);
    (void)fputs("</span>", out);
  }
  (void)fputs("<code>", out);
  put_escaped(out, commands);
  (void)fputs("</code></figcaption>\n</figure>\n", out);
}

// ---- the index ----

static carom_status write_index(const carom_gallery *it, carom_error *error) {
  carom_out_file file;
  carom_status status =
      open_page(it, "index", "Carom: published results, computed anew", &file, error);
  if (status != CAROM_OK) return status;
  FILE *out = file.stream;
  (void)fputs("<h1>Published results, computed anew</h1>\n", out);
  put_made(it, out);
  (void)fputs("<p>Each study holds the numbers and figures of one paper; every number was computed "
              "by this build, and judged by the same rule.</p>\n<ul class=\"studies\">\n",
              out);
  for (int k = 0; k < it->count; k++) {
    const carom_gallery_entry *entry = &it->entries[k];
    (void)fprintf(out, "<li><a href=\"%s.html\">", entry->name);
    if (entry->picture[0]) {
      (void)fputs("<img src=\"", out);
      put_escaped(out, entry->picture);
      (void)fputs("\" alt=\"\"><br>", out);
    }
    (void)fputs("<b>", out);
    put_escaped(out, entry->title);
    (void)fputs("</b></a><p class=\"paper\">", out);
    put_escaped(out, entry->paper);
    (void)fputs("</p>", out);
    for (int v = 0; v < CAROM_VERDICTS; v++)
      if (entry->verdicts[v] > 0)
        (void)fprintf(out, "<span class=\"verdict %s\">%d %s</span> ",
                      carom_verdict_text((carom_verdict)v), entry->verdicts[v],
                      carom_verdict_text((carom_verdict)v));
    (void)fprintf(out, "<span class=\"verdict left\">%d figures</span></li>\n", entry->figures);
  }
  (void)fputs("</ul>\n</body></html>\n", out);
  return carom_out_close(&file, error);
}

carom_status carom_gallery_end(carom_gallery *it, carom_error *error) {
  (void)fputs("</body></html>\n", it->page);
  it->page = NULL;
  carom_status status = carom_out_close(&it->page_out, error);
  return status == CAROM_OK ? write_index(it, error) : status;
}
