// SPDX-License-Identifier: MIT
// YAML to a tree with places, and back; includes and settings in temporary folders.
#define _XOPEN_SOURCE 700
#include "check.h"
#include "document/document.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
  carom_arena *arena;
  carom_document *document;
  carom_error error;
  char folder[64];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->arena = carom_arena_create(NULL);
  (void)snprintf(f->folder, sizeof f->folder, "/tmp/carom_document_XXXXXX");
  *state = f;
  return f->arena && mkdtemp(f->folder) ? 0 : -1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
  int failed = system(command);
  carom_arena_destroy(f->arena);
  free(f);
  return failed;
}

static void write_file(const fixture *f, const char *name, const char *text) {
  char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", f->folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(text, file);
  (void)fclose(file);
}

static carom_status read_file(fixture *f, const char *name) {
  char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", f->folder, name);
  return carom_document_read(f->arena, path, NULL, &f->document, &f->error);
}

static carom_status read_text(fixture *f, const char *text) {
  return carom_document_read(f->arena, NULL, text, &f->document, &f->error);
}

static void expect_error(const fixture *f, int line, int column, const char *phrase) {
  if (f->error.line == line && f->error.column == column && strstr(f->error.text, phrase)) return;
  fail_msg("found %d:%d '%s', expected %d:%d '%s'", f->error.line, f->error.column, f->error.text,
           line, column, phrase);
}

static const char *text_at(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_yaml_get(map, key);
  assert_non_null(value);
  return value->text;
}

static void test_tree_and_places(void **state) {
  fixture *f = *state;
  assert_int_equal(
      read_text(f, "a: 1\nb: {c: 'it''s', d: [x, \"y\"]}\ne:\n  f: &k {g: 2}\n  h: *k\n"),
      CAROM_OK);
  const carom_yaml *root = f->document->root, *b = carom_yaml_get(root, "b");
  assert_string_equal(text_at(root, "a"), "1");
  assert_string_equal(text_at(b, "c"), "it's");
  const carom_yaml *d = carom_yaml_get(b, "d");
  assert_int_equal(d->kind, CAROM_YAML_LIST);
  assert_int_equal(d->count, 2);
  CHECK(d->values[1]->quoted && !d->values[0]->quoted);
  assert_int_equal(d->values[1]->place.line, 2);
  assert_int_equal(d->values[1]->place.column, 24);
  // an alias is a copy: changing one leaves the other
  carom_yaml *e = carom_yaml_get(root, "e");
  assert_int_equal(carom_document_set(f->document, "e.h.g", "3", &f->error), CAROM_OK);
  assert_string_equal(text_at(carom_yaml_get(e, "f"), "g"), "2");
  assert_string_equal(text_at(carom_yaml_get(e, "h"), "g"), "3");
}

// characters of folded text are found again in the source
static void test_places_in_folded_text(void **state) {
  fixture *f = *state;
  assert_int_equal(
      read_text(f, "plain: a +\n   bad + c\nblock: >\n  a\n  + bad\nquoted: 'a''b bad'\n"),
      CAROM_OK);
  const struct {
    const char *key;
    int line, column;
  } cases[] = {{"plain", 2, 4}, {"block", 5, 5}, {"quoted", 6, 15}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const carom_yaml *v = carom_yaml_get(f->document->root, cases[k].key);
    const char *bad = strstr(v->text, "bad");
    assert_non_null(bad);
    carom_place place = carom_yaml_place(v, (size_t)(bad - v->text));
    assert_int_equal(place.line, cases[k].line);
    assert_int_equal(place.column, cases[k].column);
  }
}

static void test_bad_yaml(void **state) {
  fixture *f = *state;
  const struct {
    const char *text;
    int line, column;
    const char *phrase;
  } cases[] = {
      {"a: 1\nb: 2\na: 3\n", 3, 1, "given twice; it stands already in line 1"},
      {"a:\n\tb: 1\n", 2, 1, "tabs"},
      {"a: [1, 2\nb: 3\n", 2, 2, "a comma or a closing bracket is missing"},
      {"a: b: c\n", 1, 5, "a text with a colon stands in quotes"},
      {"a: {b: 1; c: 2}\n", 1, 12, "the bracket that is open stands in line 1"},
      {"a:\n  b 1\n\n  c: 2\n", 2, 3, "a key needs a colon and a blank"},
      {"a: 1\nb\n  c: 2\n", 2, 1, "a key needs a colon and a blank"},
      {"a: 1\nb: 'c''\nd: 2\n", 2, 4, "the quote that begins here has no end"},
      {"a:\n   b: 1\n  c: 2\n", 3, 3, "the indentation fits no key above"},
      {"a: @b\n", 1, 4, "lets no text begin with this character"},
      {"a: *none\n", 1, 4, "no anchor &none"},
      {"a: &k [1, *k]\n", 1, 11, "contains itself"},
      {"a: 1\n---\nb: 2\n", 2, 1, "second YAML document"},
      {"", 1, 1, "empty"},
      {"# only a comment\n", 1, 1, "empty"},
      {"- 1\n- 2\n", 1, 1, "map of sections"},
      {"a: !!python/object x\n", 1, 4, "tag"},
      {"[a, b]: 1\n", 1, 1, "plain name"},
      {"a: \"x\\0y\"\n", 1, 4, "character 0"},
      {"a: \xff\n", 1, 4, "not text"},
      {"include: other.yaml\n", 1, 10, "no folder"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    CHECK(read_text(f, cases[k].text) < 0);
    expect_error(f, cases[k].line, cases[k].column, cases[k].phrase);
  }
}

static void test_limits(void **state) {
  fixture *f = *state;
  // a billion laughs: ten levels of ten aliases each
  char text[2048];
  size_t used = (size_t)snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int k = 1; k < 10; k++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [*a%d", k, k, k - 1);
    for (int j = 1; j < 10; j++)
      used += (size_t)snprintf(text + used, sizeof text - used, ", *a%d", k - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "]\n");
  }
  assert_int_equal(read_text(f, text), CAROM_ERR_LIMIT);
  // depth
  memset(text, '[', sizeof text);
  memcpy(text, "a: ", 3);
  text[103] = 0;
  assert_int_equal(read_text(f, text), CAROM_ERR_LIMIT);
  CHECK(strstr(f->error.text, "deeper than 64"));
}

static void test_include(void **state) {
  fixture *f = *state;
  char sub[128];
  (void)snprintf(sub, sizeof sub, "%s/sub", f->folder);
  assert_int_equal(mkdir(sub, 0700), 0);
  write_file(f, "base.yaml",
             "parameters: {L: 1, g: 9.81}\nrun: {until: 3, rtol: 1e-6}\nlist: [1, 2]\n");
  write_file(f, "sub/more.yaml", "include: deep.yaml\nextra: {a: 1}\n");
  write_file(f, "sub/deep.yaml", "extra: {b: 2}\n");
  write_file(f, "main.yaml",
             "include: [base.yaml, sub/more.yaml]\nparameters: {H: 2, L: 2*H}\nrun: {until: "
             "7}\nlist: [9]\n");
  assert_int_equal(read_file(f, "main.yaml"), CAROM_OK);
  const carom_yaml *root = f->document->root, *p = carom_yaml_get(root, "parameters");
  assert_null(carom_yaml_get(root, "include"));
  // a new parameter comes before the overridden one that follows it in the including file
  assert_int_equal(p->count, 3);
  assert_string_equal(p->keys[0], "H");
  assert_string_equal(p->keys[1], "L");
  assert_string_equal(p->keys[2], "g");
  assert_string_equal(text_at(p, "L"), "2*H");
  assert_string_equal(text_at(carom_yaml_get(root, "run"), "until"), "7");
  assert_string_equal(text_at(carom_yaml_get(root, "run"), "rtol"), "1e-6");
  assert_int_equal(carom_yaml_get(root, "list")->count, 1);
  assert_string_equal(text_at(carom_yaml_get(root, "extra"), "a"), "1");
  assert_string_equal(text_at(carom_yaml_get(root, "extra"), "b"), "2");
  // places name the file a value comes from
  CHECK(strstr(carom_yaml_get(p, "g")->place.file, "base.yaml"));
}

static void test_include_refused(void **state) {
  fixture *f = *state;
  write_file(f, "a.yaml", "include: b.yaml\nx: 1\n");
  write_file(f, "b.yaml", "y: 1\ninclude: c.yaml\n");
  write_file(f, "c.yaml", "include: a.yaml\n");
  CHECK(read_file(f, "a.yaml") < 0);
  expect_error(f, 1, 10, "circle");
  CHECK(strstr(f->error.file, "c.yaml"));
  CHECK(strstr(f->error.text, "a.yaml -> ") && strstr(f->error.text, "b.yaml -> "));

  const struct {
    const char *text, *phrase;
  } cases[] = {{"include: /etc/passwd\n", "leads out"},
               {"include: ../x.yaml\n", "leads out"},
               {"include: sub/../../x.yaml\n", "leads out"},
               {"include: none.yaml\n", "there is no file 'none.yaml'"},
               {"include: link.yaml\n", "leads out"},
               {"include: pipe\n", "is not a file"},
               {"include: {a: 1}\n", "name of a file"},
               {"include: []\ny: [\n", "or a closing bracket is missing before"}};
  char path[128];
  (void)snprintf(path, sizeof path, "%s/link.yaml", f->folder);
  assert_int_equal(symlink("/etc/hostname", path), 0);
  (void)snprintf(path, sizeof path, "%s/pipe", f->folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    write_file(f, "main.yaml", cases[k].text);
    CHECK(read_file(f, "main.yaml") < 0);
    if (!strstr(f->error.text, cases[k].phrase)) fail_msg("%s: %s", cases[k].text, f->error.text);
  }
  // two includes per file would double at every level: the number of files is bounded
  for (int k = 0; k < 12; k++) {
    char name[32], text[64];
    (void)snprintf(name, sizeof name, "d%d.yaml", k);
    (void)snprintf(text, sizeof text, k < 11 ? "include: [d%d.yaml, d%d.yaml]\n" : "x: %d\ny: %d\n",
                   k + 1, k + 1);
    write_file(f, name, text);
  }
  assert_int_equal(read_file(f, "d0.yaml"), CAROM_ERR_LIMIT);
  assert_int_equal(read_file(f, "absent.yaml"), CAROM_ERR_IO);
  assert_int_equal(carom_document_read(f->arena, f->folder, NULL, &f->document, &f->error),
                   CAROM_ERR_IO);
  CHECK(strstr(f->error.text, "folder"));
}

static void test_set(void **state) {
  fixture *f = *state;
  assert_int_equal(read_text(f, "a: {b: 1}\nl: [x, {y: 2}]\nempty:\n"), CAROM_OK);
  const carom_yaml *root = f->document->root;
  assert_int_equal(carom_document_set(f->document, "a.b", "{c: 3}", &f->error), CAROM_OK);
  assert_string_equal(text_at(carom_yaml_get(carom_yaml_get(root, "a"), "b"), "c"), "3");
  assert_int_equal(carom_document_set(f->document, "new.deep.path", "4", &f->error), CAROM_OK);
  assert_int_equal(carom_document_set(f->document, "l.1.y", "5", &f->error), CAROM_OK);
  assert_string_equal(text_at(carom_yaml_get(root, "l")->values[1], "y"), "5");
  assert_int_equal(carom_document_set(f->document, "empty.k", "6", &f->error), CAROM_OK);
  assert_int_equal(carom_document_set(f->document, "empty.none", "", &f->error), CAROM_OK);
  CHECK(carom_document_set(f->document, "l.7.y", "5", &f->error) < 0);
  CHECK(carom_document_set(f->document, "l.0.y", "5", &f->error) < 0);
  CHECK(strstr(f->error.text, "'l.0' is a single value"));
  CHECK(carom_document_set(f->document, "a..b", "5", &f->error) < 0);
  CHECK(carom_document_set(f->document, "a.b", "[1, 2", &f->error) < 0);
  CHECK(strstr(f->error.file, "--set a.b"));
}

static void check_same(const carom_yaml *a, const carom_yaml *b) {
  assert_int_equal(a->kind, b->kind);
  if (a->kind == CAROM_YAML_SCALAR) {
    assert_string_equal(a->text, b->text);
    return;
  }
  assert_int_equal(a->count, b->count);
  for (int k = 0; k < a->count; k++) {
    if (a->kind == CAROM_YAML_MAP) assert_string_equal(a->keys[k], b->keys[k]);
    check_same(a->values[k], b->values[k]);
  }
}

// the text of a document reads back as the same document
static void test_text_round_trip(void **state) {
  fixture *f = *state;
  const char *text =
      "title: 'a: b # c'\nneg: -x + 1\nprime: x' + theta'\nempty:\nquoted: \"\"\n"
      "block: |\n  one\n  two\nodd: \"tab\\there \\\\ \\\" \\x07\"\nlist: [[a, b], [], {}]\n"
      "map: {drift+: drift > 1e-4, 'k ey': '[x'}\ngreek: \xcf\x86\nstar: '*x'\n";
  assert_int_equal(read_text(f, text), CAROM_OK);
  const carom_document *first = f->document;
  char *written = carom_document_text(f->arena, first);
  assert_non_null(written);
  assert_int_equal(read_text(f, written), CAROM_OK);
  check_same(first->root, f->document->root);
  assert_string_equal(carom_document_text(f->arena, f->document), written);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(test_tree_and_places),
      TEST(test_places_in_folded_text),
      TEST(test_bad_yaml),
      TEST(test_limits),
      TEST(test_include),
      TEST(test_include_refused),
      TEST(test_set),
      TEST(test_text_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
