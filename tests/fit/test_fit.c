// SPDX-License-Identifier: MIT
// Fits of data whose truth is known, and what is said of bad data.
#include "measured.h"

static const carom_fit_range BALL[] = {{"e", 0.3, 0.99}, {"h", 0.1, 3.0}, {"g", 5.0, 15.0}};

// Without noise the fit finds the truth to the precision of the motion.
static void test_exact_clicks(void **unused) {
  (void)unused;
  const carom_setting settings[] = {{"e", "0.6"}, {"h", "1.4"}, {"run.until", "1"}, {0}};
  motion m = motion_load("bouncing_ball", settings);
  measure_clicks("exact.csv", 0.83, 1.7, 9.81, 9, 0.0, 1);
  carom_fit *fit = fit_file(&m, "exact.csv", 2, BALL, NULL, 1);
  const carom_fit_view *v = carom_fit_look(fit);
  CHECK_NEAR(v->values[0], 0.83, 1e-9);
  CHECK_NEAR(v->values[1], 1.7, 1e-8);
  assert_int_equal(v->unknown_count, 0);
  assert_int_equal(v->data_count, 9);
  carom_fit_destroy(fit);
  motion_end(&m);
}

// Times alone tell h/g: the direction in which both grow alike is unknown. A height makes g known.
static void test_unknown(void **unused) {
  (void)unused;
  motion m = motion_load("bouncing_ball", NULL);
  measure_clicks("clicks.csv", 0.75, 1.0, 9.7, 8, 1e-3, 5);
  const carom_value errors[] = {{"floor", 1e-3}};
  carom_fit *fit = fit_file(&m, "clicks.csv", 3, BALL, errors, 1);
  const carom_fit_view *v = carom_fit_look(fit);
  assert_int_equal(v->unknown_count, 1);
  CHECK_NEAR(fabs(v->unknown[0]), 0.0, 1e-6);
  CHECK_NEAR(fabs(v->unknown[1]), sqrt(0.5), 1e-6);
  CHECK_NEAR(v->unknown[1], v->unknown[2], 1e-6);
  assert_true(isfinite(v->errors[0]) && isinf(v->errors[1]) && isinf(v->errors[2]));
  CHECK_NEAR(v->values[1] / v->values[2], 1.0 / 9.7, 1e-3);
  carom_fit_destroy(fit);

  const carom_fit_range known[] = {BALL[0], BALL[2]};
  fit = fit_file(&m, "clicks.csv", 2, known, errors, 1);
  v = carom_fit_look(fit);
  assert_int_equal(v->unknown_count, 0);
  CHECK_NEAR(v->values[1], 9.7, 4.0 * v->errors[1]);
  assert_true(v->errors[1] < 0.05);
  // the covariance of the least squares of a function that is linear nearby: (J'J)^-1 by hand
  double A[3] = {0.0, 0.0, 0.0}, e = v->values[0], g = v->values[1], sum = 1.0, slope = 0.0;
  for (int n = 0; n < 8; n++) {
    double de = sqrt(2.0 / g) * slope, dg = -sqrt(2.0 / g) * sum / (2.0 * g);
    A[0] += de * de / 1e-6;
    A[1] += de * dg / 1e-6;
    A[2] += dg * dg / 1e-6;
    slope += 2.0 * (n + 1) * pow(e, n);
    sum += 2.0 * pow(e, n + 1);
  }
  double det = A[0] * A[2] - A[1] * A[1];
  CHECK_NEAR(v->errors[0] / sqrt(A[2] / det), 1.0, 1e-6);
  CHECK_NEAR(v->errors[1] / sqrt(A[0] / det), 1.0, 1e-6);
  CHECK_NEAR(v->covariance[1] / (-A[1] / det), 1.0, 1e-6);
  carom_fit_destroy(fit);
  motion_end(&m);
}

// a system is measured at its own values and found again from others
static void find_motion(motion m, motion guess, const char *column, int count, double step,
                        double noise, int free_count, const carom_fit_range *free, int starts) {
  double known[4];
  for (int j = 0; j < free_count; j++)
    known[j] = value_of(&m, free[j].name);
  measure_samples(&m, "samples.csv", column, count, step, noise, 77);
  motion_end(&m);
  m = guess;
  const carom_value errors[] = {{column, noise}};
  carom_fit *fit = fit_file(&m, "samples.csv", free_count, free, errors, starts);
  const carom_fit_view *v = carom_fit_look(fit);
  double freedom = (double)(count - free_count);
  for (int j = 0; j < free_count; j++) {
    CHECK_NEAR(v->values[j], known[j], 4.0 * v->errors[j]);
    assert_true(v->errors[j] < 0.2 * known[j]);
  }
  CHECK_NEAR(2.0 * v->cost, freedom, 5.0 * sqrt(2.0 * freedom)); // chi squared
  carom_fit_destroy(fit);
  motion_end(&m);
}

static void find_again(const char *name, const carom_setting *truth, const carom_setting *guess,
                       const char *column, int count, double step, double noise, int free_count,
                       const carom_fit_range *free) {
  find_motion(motion_load(name, truth), motion_load(name, guess), column, count, step, noise,
              free_count, free, 4);
}

// Friction that falls with the speed of slip: all three numbers of the curve, from stick-slip.
static motion stribeck(double least, double most, double speed) {
  char text[600];
  (void)snprintf(text, sizeof text,
                 "title: belt\nparameters: {least: %g, most: %g, speed: %g}\n"
                 "coordinates: {x: 0}\n"
                 "energy: {kinetic: x'^2/2, potential: 4*x^2}\n"
                 "contacts: {belt: {slip: x' - 0.4, normal: 10,\n"
                 "  friction: least + (most - least)*exp(-abs(slip)/speed)}}\n"
                 "run: {until: 20}\n",
                 least, most, speed);
  return motion_parse(text);
}

static void test_stribeck(void **unused) {
  (void)unused;
  const carom_fit_range free[] = {{"least", 0.1, 0.35}, {"most", 0.36, 0.8}, {"speed", 0.1, 2}};
  find_motion(stribeck(0.2, 0.5, 0.5), stribeck(0.3, 0.4, 0.8), "x", 200, 0.1, 0.005, 3, free, 4);
}

// Sixty seconds of a driven oscillator, with a stiffness that is off by an eighth: all at once
// comes to no end, since no impact is where it should be.
static motion oscillator(double k, double c, double e, double gap) {
  char text[500];
  (void)snprintf(text, sizeof text,
                 "title: oscillator\nparameters: {k: %g, c: %g, e: %g, gap: %g}\n"
                 "coordinates: {x: 0.1}\n"
                 "energy: {kinetic: x'^2/2, potential: k*x^2/2, dissipation: c*x'^2/2}\n"
                 "forces: {x: 1.1*cos(1.3*t)}\n"
                 "contacts: {stop: {gap: gap - x, impact: e}}\nrun: {until: 60}\n",
                 k, c, e, gap);
  return motion_parse(text);
}

static void test_long_data(void **unused) {
  (void)unused;
  const carom_fit_range free[] = {{"k", 2, 6}, {"c", 0.01, 0.3}, {"e", 0.4, 1}, {"gap", 0.3, 1}};
  find_motion(oscillator(3.7, 0.06, 0.8, 0.6), oscillator(3.2, 0.1, 0.6, 0.5), "x", 400, 0.15, 0.01,
              4, free, 1);
}

static void test_stick_slip(void **unused) {
  (void)unused;
  const carom_setting truth[] = {
      {"v1", "0"}, {"v0", "1"}, {"run.until", "20"}, {"measure.after", "0"}, {0}};
  const carom_setting guess[] = {{"v1", "0"},
                                 {"v0", "1"},
                                 {"run.until", "20"},
                                 {"mu", "0.25"},
                                 {"mu_s", "0.42"},
                                 {"measure.after", "0"},
                                 {0}};
  const carom_fit_range free[] = {{"mu", 0.05, 0.38}, {"mu_s", 0.385, 0.6}};
  find_again("belt_block", truth, guess, "x", 80, 0.25, 0.02, 2, free);
}

static void test_rocking_block(void **unused) {
  (void)unused;
  const carom_setting truth[] = {{"run.until", "2"}, {0}};
  const carom_setting guess[] = {{"run.until", "2"}, {"b", "0.102"}, {0}};
  const carom_fit_range free[] = {{"b", 0.09, 0.12}};
  find_again("rocking_block", truth, guess, "theta", 60, 0.03, 0.002, 1, free);
}

// the coefficient of friction of impacts from the dimer's way, over eight cycles of its plate
static void test_dimer(void **unused) {
  (void)unused;
  const carom_setting truth[] = {{"settle", "0"}, {"cycles", "1"}, {0}};
  const carom_setting guess[] = {{"settle", "0"}, {"cycles", "1"}, {"mu_impact", "0.11"}, {0}};
  const carom_fit_range free[] = {{"mu_impact", 0.08, 0.2}};
  find_again("dimer", truth, guess, "x", 80, 0.004, 2e-6, 1, free);
}

// a click that was something else: its weight is taken away
static void test_outlier(void **unused) {
  (void)unused;
  motion m = motion_load("bouncing_ball", NULL);
  FILE *file = fopen("outlier.csv", "w");
  assert_non_null(file);
  (void)fprintf(file, "t,y\n");
  for (int k = 0; k < 40; k++) {
    motion_advance(&m, 0.01 * (k + 1));
    (void)fprintf(file, "%.17g,%.17g\n", 0.01 * (k + 1), value_of(&m, "y") + (k == 20 ? 0.5 : 0.0));
  }
  (void)fclose(file);
  const carom_fit_range free[] = {{"g", 5.0, 15.0}};
  const char *path = "outlier.csv";
  const carom_value errors[] = {{"y", 1e-3}};
  carom_fit_options options = carom_fit_options_default();
  carom_error error = {0};
  double off[2];
  options.model = m.model;
  options.file_count = options.free_count = options.error_count = 1;
  options.files = &path;
  options.free = free;
  options.errors = errors;
  for (int k = 0; k < 2; k++) {
    carom_fit *fit;
    options.huber = k == 0 ? 0.0 : 1.5;
    MUST(carom_fit_run(&options, &fit, &error), error);
    off[k] = fabs(carom_fit_look(fit)->values[0] - 9.81);
    assert_true(k == 1 || carom_fit_look(fit)->poor);
    assert_true(k == 1 || carom_fit_look(fit)->misfit > 20.0);
    carom_fit_destroy(fit);
  }
  assert_true(off[0] > 0.1 && off[1] < 0.01);
  motion_end(&m);
}

// every mistake is told with line and column
static void refuse(const char *text, size_t length, int line, int column, const char *says) {
  motion m = motion_load("bouncing_ball", NULL);
  FILE *file = fopen("bad.csv", "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  (void)fclose(file);
  const char *path = "bad.csv";
  carom_fit_options options = carom_fit_options_default();
  carom_fit *fit;
  carom_error error = {0};
  options.model = m.model;
  options.file_count = options.free_count = 1;
  options.files = &path;
  options.free = BALL;
  assert_true(carom_fit_run(&options, &fit, &error) < 0);
  assert_null(fit);
  char told[1500];
  (void)carom_error_format(&error, told, sizeof told);
  if (!strstr(told, says)) fail_msg("'%s' does not say '%s'", told, says);
  if (line > 0) {
    char where[60];
    (void)snprintf(where, sizeof where, "bad.csv:%d:%d", line, column);
    if (!strstr(told, where)) fail_msg("'%s' does not say '%s'", told, where);
  }
  motion_end(&m);
}

static void test_bad_data(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    int line, column;
    const char *says;
  } BAD[] = {
      {"", 0, 0, "the file is empty"},
      {"\n\n", 0, 0, "the file is empty"},
      {"t,y\n", 1, 1, "there are no data"},
      {"t\n0.1\n", 1, 1, "no column beside the time"},
      {"t,y\n0.1,1\n0.2,nan\n", 3, 5, "not finite"},
      {"t,y\nNaN,1\n", 2, 1, "not finite"},
      {"t,y\n0.1,1\n0.2,1e999\n", 3, 5, "not finite"},
      {"t,y\n0.1,1\n0.2,\n", 3, 5, "empty"},
      {"t,y\n0.1,1\n0.2\n0.3,1\n", 3, 1, "1 cells"},
      {"t,y\n0.1,one\n", 2, 5, "'one' is no number"},
      {"t,y\n0.1,0.9 m\n", 2, 5, "'0.9 m' is no number"},
      {"t,y\n0.1,1\n0.2,1,2\n", 3, 1, "3 cells"},
      {"t,y\n0,1,0,9\n", 2, 1, "4 cells"},
      {"t,y\n0.2,1\n0.2,1\n", 3, 1, "times must rise"},
      {"y,t\n0.2,1\n", 1, 1, "not the time 't'"},
      {"t;y\n0.2;1\n", 2, 1, "is no number"},
      {"t,y,y\n0.2,1,1\n", 1, 5, "twice"},
      {"t,t,y\n0.2,0.2,1\n", 1, 3, "twice"},
      {"t,y,\n0.2,1,\n", 1, 5, "a name of a column"},
      {"0.1,0.2\n0.2,1\n", 1, 1, "not the time"},
      {"# set h\nt,y\n0.2,1\n", 1, 7, "NAME=VALUE"},
      {"# set h=1, e=x\nt,y\n0.2,1\n", 1, 12, "NAME=VALUE"},
      {"# a note\n# set g=9, height_of=1\nt,y\n0.2,1\n", 2, 1, "height_of"},
      {"# note\n\nt,y\n0.2,1\n0.1,1\n", 5, 1, "times must rise"},
      {"t,z\n0.2,1\n", 1, 3, "'z' is no observable"},
      {"t,y,g\n0.2,1,9\n", 1, 5, "'g' is a parameter"},
      {"t,y\n-1,1\n", 2, 1, "begin at t = -1"},
      {"# mm\nt, y, y' [mm/s]\n0.1,1,2\n", 2, 7, "'y' [mm/s]': names stand without units"},
      {"t,y\n0,1\n300,0.9\n1200,0.5\n", 4, 1, "far beyond the end of the run"},
      {"wall\n0.4\n", 1, 1, "'wall' is no contact, event or section"},
      {"floor\n0.4\n0.4\n", 3, 1, "times must rise"},
      {"floor\n-0.4\n", 2, 1, "begin at t = -0.4"},
      {"\xff\xfet,y\n0.2,1\n", 1, 1, "not the time"},
  };
  for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++)
    refuse(BAD[k].text, strlen(BAD[k].text), BAD[k].line, BAD[k].column, BAD[k].says);
  static const char ZERO[] = "t,y\n0.1,0.9\0005\n"; // as of two bytes a letter
  refuse(ZERO, sizeof ZERO - 1, 2, 8, "a byte is zero");
  // a mark before the text and lines that end in two bytes are no mistakes
  motion m = motion_load("bouncing_ball", NULL);
  FILE *file = fopen("good.csv", "wb");
  assert_non_null(file);
  (void)fputs("\xef\xbb\xbft,y\r\n0.1,0.95\r\n0.2,0.8\r\n", file);
  (void)fclose(file);
  carom_fit_destroy(fit_file(&m, "good.csv", 2, BALL, NULL, 1));
  (void)remove("good.csv");
  motion_end(&m);
}

// Two balls from heights of their own, by clocks that began at times of their own.
static void test_own_inputs(void **unused) {
  (void)unused;
  static const char *const files[] = {"one.csv", "two.csv"};
  static const carom_fit_range free[] = {{"e", 0.3, 0.99}};
  static const carom_fit_range each[] = {{"h", 0.1, 3.0}, {"t", -0.3, 0.3}};
  static const double heights[] = {1.0, 0.6}, late[] = {0.05, -0.1};
  const carom_setting settings[] = {{"run.until", "1"}, {"e", "0.7"}, {0}};
  motion m = motion_load("bouncing_ball", settings);
  for (int f = 0; f < 2; f++) {
    FILE *file = fopen(files[f], "w");
    assert_non_null(file);
    (void)fprintf(file, "# height unknown\nfloor\n");
    double sum = 1.0, part = 2.0;
    for (int k = 0; k < 7; k++, part *= 0.8, sum += part)
      (void)fprintf(file, "%.17g\n", sqrt(2.0 * heights[f] / 9.81) * sum + late[f]);
    (void)fclose(file);
  }
  carom_fit_options o = carom_fit_options_default();
  carom_fit *fit;
  carom_error error = {0};
  o.model = m.model;
  o.file_count = 2;
  o.files = files;
  o.free_count = 1;
  o.free = free;
  o.each_count = 2;
  o.each = each;
  MUST(carom_fit_run(&o, &fit, &error), error);
  const carom_fit_view *v = carom_fit_look(fit);
  assert_int_equal(v->free_count, 5);
  assert_string_equal(v->names[3], "h@2");
  CHECK_NEAR(v->values[0], 0.8, 1e-8);
  for (int f = 0; f < 2; f++) {
    CHECK_NEAR(v->values[1 + 2 * f], heights[f], 1e-7);
    CHECK_NEAR(v->values[2 + 2 * f], late[f], 1e-8);
  }
  carom_fit_destroy(fit);
  motion_end(&m);
}

// Samples of a fall by a late clock, in a file that says from where: y = h - g (t - t0)^2/2.
static void test_set_by_file(void **unused) {
  (void)unused;
  static const char *const file = "set.csv";
  static const carom_fit_range free[] = {{"g", 5.0, 15.0}}, each[] = {{"t", -0.2, 0.05}};
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  (void)fprintf(out, "# set h = 2, e=0.5\nt,y\n");
  for (int k = 1; k < 9; k++)
    (void)fprintf(out, "%.17g,%.17g\n", k * 0.06, 2.0 - 4.9 * (k * 0.06 + 0.1) * (k * 0.06 + 0.1));
  (void)fclose(out);
  motion m = motion_load("bouncing_ball", NULL);
  carom_fit_options o = carom_fit_options_default();
  carom_fit *fit;
  carom_error error = {0};
  o.model = m.model;
  o.file_count = o.free_count = o.each_count = 1;
  o.files = &file;
  o.free = free;
  o.each = each;
  MUST(carom_fit_run(&o, &fit, &error), error);
  CHECK_NEAR(carom_fit_look(fit)->values[0], 9.8, 1e-8);
  CHECK_NEAR(carom_fit_look(fit)->values[1], -0.1, 1e-9);
  carom_fit_destroy(fit);
  motion_end(&m);
}

static carom_fit *fit_ball(const motion *m, int threads, int starts) {
  static const char *const file = "clicks.csv";
  static const carom_value errors[] = {{"floor", 2e-3}};
  carom_fit_options o = carom_fit_options_default();
  carom_fit *fit;
  carom_error error = {0};
  o.model = m->model;
  o.file_count = 1;
  o.files = &file;
  o.free_count = 2;
  o.free = BALL;
  o.error_count = 1;
  o.errors = errors;
  o.profiles = true;
  o.samples = 300;
  o.walkers = 20;
  o.sweep = 30;
  o.starts = starts;
  o.threads = threads;
  MUST(carom_fit_run(&o, &fit, &error), error);
  return fit;
}

// Where the function is nearly linear the covariance, the profiles and the samples say the same,
// with any number of threads.
static void test_three_ways(void **unused) {
  (void)unused;
  measure_clicks("clicks.csv", 0.8, 1.0, 9.81, 8, 2e-3, 7);
  motion m = motion_load("bouncing_ball", NULL);
  carom_fit *one = fit_ball(&m, 1, 3), *three = fit_ball(&m, 3, 3);
  const carom_fit_view *v = carom_fit_look(one), *w = carom_fit_look(three);
  size_t count = (size_t)v->chain.samples * (size_t)v->chain.walkers;
  assert_memory_equal(v->chain.inputs, w->chain.inputs, 2 * count * sizeof(double));
  assert_memory_equal(v->chain.costs, w->chain.costs, count * sizeof(double));
  assert_int_equal(v->best, 3);
  assert_true(v->chain.accepted > 0.2 && v->chain.accepted < 0.9);
  for (int j = 0; j < 2; j++) {
    double error = v->errors[j];
    CHECK_NEAR((v->profile_high[j] - v->values[j]) / error, 1.96, 0.02);
    CHECK_NEAR((v->values[j] - v->profile_low[j]) / error, 1.96, 0.02);
    // of 6000 samples, correlated over some 20
    CHECK_NEAR(v->chain.mean[j], v->values[j], 0.2 * error);
    CHECK_NEAR(v->chain.deviation[j] / error, 1.0, 0.15);
    CHECK_NEAR((v->chain.high[j] - v->chain.low[j]) / (2 * 1.96 * error), 1.0, 0.15);
    assert_true(v->chain.time[j] > 1.0 && v->chain.time[j] < 60.0);
  }
  carom_fit_destroy(one);
  carom_fit_destroy(three);
  motion_end(&m);
}

// Starts of bodies and numbers of contacts are found as parameters are; files set others of them.
static void test_opened(void **unused) {
  (void)unused;
  motion m = motion_parse("title: throw\n"
                          "gravity: 9.81\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 1]}\n"
                          "  ball: {disc: 0.1, mass: 1, at: [0, 1], velocity: [1, 1.2]}\n"
                          "contacts: {ground: {between: [ball, floor], impact: 0.5}}\n"
                          "run: {until: 1}\n");
  double g = 9.81, v = 2.0, e = 0.7, u = sqrt(v * v + 1.8 * g);
  FILE *file = fopen("set.csv", "w");
  assert_non_null(file);
  (void)fprintf(file, "# set ball.vx=3\nt,ball.x,ball.y\n");
  for (int k = 1; k <= 20; k++) {
    double t = 0.045 * k, s = t - (v + u) / g;
    double y = s < 0.0 ? 1.0 + v * t - g * t * t / 2.0 : 0.1 + e * u * s - g * s * s / 2.0;
    (void)fprintf(file, "%.17g,%.17g,%.17g\n", t, 3.0 * t, y);
  }
  (void)fclose(file);
  const carom_fit_range free[] = {{"ball.vy", 0.0, 5.0}, {"contacts.ground.impact.e", 0.1, 1.0}};
  carom_fit *fit = fit_file(&m, "set.csv", 2, free, NULL, 1);
  const carom_fit_view *view = carom_fit_look(fit);
  CHECK_NEAR(view->values[0], v, 1e-9);
  CHECK_NEAR(view->values[1], e, 1e-9);
  assert_string_equal(view->names[0], "ball.vy");
  carom_fit_destroy(fit);
  motion_end(&m);
}

// Times at which a section is passed, of x = sin(w t) at 2 pi n/w, off by 0.01 in turn: the fit is
// the mean of both, and as good as the errors say.
static void test_section(void **unused) {
  (void)unused;
  motion m = motion_parse("title: wave\nparameters: {w: 1.9}\n"
                          "coordinates: {x: {start: 0, rate: w}}\n"
                          "energy: {kinetic: x'^2/2, potential: w^2*x^2/2}\n"
                          "sections: {up: {when: x, direction: rising}}\nrun: {until: 30}\n");
  const carom_fit_range free[] = {{"w", 1.5, 2.5}};
  const carom_value errors[] = {{"up", 0.01}};
  double weighted = 0.0, squares = 0.0;
  FILE *file = fopen("up.csv", "w");
  assert_non_null(file);
  (void)fprintf(file, "up\n");
  for (int n = 1; n <= 6; n++) {
    double t = n * PI + (n % 2 ? 0.01 : -0.01);
    weighted += n * t;
    squares += (double)(n * n);
    (void)fprintf(file, "%.17g\n", t);
  }
  (void)fclose(file);
  carom_fit *fit = fit_file(&m, "up.csv", 1, free, errors, 1);
  const carom_fit_view *view = carom_fit_look(fit);
  double period = weighted / squares;
  CHECK_NEAR(view->values[0], 2.0 * PI / period, 1e-8);
  CHECK_NEAR(view->errors[0], 2.0 * PI / (period * period) * 0.01 / sqrt(squares), 1e-7);
  assert_false(view->poor);
  assert_true(view->misfit > 0.9 && view->misfit < 1.2);
  carom_fit_destroy(fit);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_clicks), cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_stick_slip),   cmocka_unit_test(test_rocking_block),
      cmocka_unit_test(test_dimer),        cmocka_unit_test(test_outlier),
      cmocka_unit_test(test_bad_data),     cmocka_unit_test(test_own_inputs),
      cmocka_unit_test(test_set_by_file),  cmocka_unit_test(test_stribeck),
      cmocka_unit_test(test_long_data),    cmocka_unit_test(test_three_ways),
      cmocka_unit_test(test_opened),       cmocka_unit_test(test_section),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  static const char *const MADE[] = {"exact.csv",   "clicks.csv", "samples.csv",
                                     "outlier.csv", "bad.csv",    "one.csv",
                                     "two.csv",     "set.csv",    "up.csv"};
  for (size_t k = 0; k < sizeof MADE / sizeof *MADE; k++)
    (void)remove(MADE[k]);
  return failed;
}
