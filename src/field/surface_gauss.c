// SPDX-License-Identifier: MIT
// Gauss rules and their graded use: distances span many powers of ten within one face, and a rule
// in the logarithm of the distance does not notice.
#include "field/surface.h"

#include "base/elementary.h"

#include <math.h>

// nodes and weights on [0, 1]: zeros of the Legendre polynomials, computed to 40 digits
static const double NODE_6[] = {0.0337652428984239860938, 0.1693953067668677431693,
                                0.3806904069584015456847, 0.6193095930415984543152,
                                0.8306046932331322568306, 0.9662347571015760139061};
static const double WEIGHT_6[] = {0.0856622461895851725201, 0.1803807865240693037849,
                                  0.2339569672863455236949, 0.2339569672863455236949,
                                  0.1803807865240693037849, 0.0856622461895851725201};
static const double NODE_10[] = {0.0130467357414141399610, 0.0674683166555077446339,
                                 0.1602952158504877968828, 0.2833023029353764046003,
                                 0.4255628305091843945575, 0.5744371694908156054424,
                                 0.7166976970646235953996, 0.8397047841495122031171,
                                 0.9325316833444922553660, 0.9869532642585858600389};
static const double WEIGHT_10[] = {0.0333356721543440687967, 0.0747256745752902965728,
                                   0.1095431812579910219977, 0.1346333596549981775456,
                                   0.1477621123573764350869, 0.1477621123573764350869,
                                   0.1346333596549981775456, 0.1095431812579910219977,
                                   0.0747256745752902965728, 0.0333356721543440687967};
static const double NODE_16[] = {
    0.0052995325041750337019, 0.0277124884633837119610, 0.0671843988060841280597,
    0.1222977958224984830524, 0.1910618777986781257766, 0.2709916111713863068287,
    0.3591982246103705433847, 0.4524937450811812799073, 0.5475062549188187200926,
    0.6408017753896294566152, 0.7290083888286136931712, 0.8089381222013218742233,
    0.8777022041775015169475, 0.9328156011939158719402, 0.9722875115366162880389,
    0.9947004674958249662980};
static const double WEIGHT_16[] = {
    0.0135762297058770474258, 0.0311267619693239464314, 0.0475792558412463924049,
    0.0623144856277669360262, 0.0747979944082883660407, 0.0845782596975012690946,
    0.0913017075224617944333, 0.0947253052275342481426, 0.0947253052275342481426,
    0.0913017075224617944333, 0.0845782596975012690946, 0.0747979944082883660407,
    0.0623144856277669360262, 0.0475792558412463924049, 0.0311267619693239464314,
    0.0135762297058770474258};

carom_gauss carom_gauss_rule(int least) {
  if (least <= 6) return (carom_gauss){6, NODE_6, WEIGHT_6};
  if (least <= 10) return (carom_gauss){10, NODE_10, WEIGHT_10};
  return (carom_gauss){16, NODE_16, WEIGHT_16};
}

// Gauss-Lobatto, (n - 2) roots of the derivative of a Legendre polynomial and the ends
static const double LOBATTO_NODE_9[] = {
    0.0, 0.05012100229426992134383, 0.1614068602446311232771, 0.3184412680869109206446,
    0.5, 0.6815587319130890793554,  0.8385931397553688767229, 0.9498789977057300786562,
    1.0};
static const double LOBATTO_WEIGHT_9[] = {
    0.01388888888888888888889, 0.08274768078040276252317, 0.1372693562500808676404,
    0.1732142554865231725576,  0.18575963718820861678,    0.1732142554865231725576,
    0.1372693562500808676404,  0.08274768078040276252317, 0.01388888888888888888889};
static const double LOBATTO_NODE_13[] = {0.0,
                                         0.02334507667891804405155,
                                         0.07682621767406384156704,
                                         0.1569057654591212869636,
                                         0.2585450894543318991265,
                                         0.3753565349468800037157,
                                         0.5,
                                         0.6246434650531199962843,
                                         0.7414549105456681008735,
                                         0.8430942345408787130364,
                                         0.923173782325936158433,
                                         0.9766549233210819559485,
                                         1.0};
static const double LOBATTO_WEIGHT_13[] = {
    0.00641025641025641025641, 0.03890084337340946389679, 0.06749096334480417455996,
    0.09182343260177504600375, 0.1103838967830550430428,  0.1220078951533381782293,
    0.1259654246667233680221,  0.1220078951533381782293,  0.1103838967830550430428,
    0.09182343260177504600375, 0.06749096334480417455996, 0.03890084337340946389679,
    0.00641025641025641025641};

carom_gauss carom_lobatto_rule(int least) {
  if (least <= 9) return (carom_gauss){9, LOBATTO_NODE_9, LOBATTO_WEIGHT_9};
  return (carom_gauss){13, LOBATTO_NODE_13, LOBATTO_WEIGHT_13};
}

static void add_node(double nu, double b, double d, double weight, int count, double *J) {
  double term = weight * carom_any_power(d, nu);
  for (int k = 0; k < count; k++) {
    J[k] += term;
    term *= b;
  }
}

// x^e for a small whole exponent of either sign
static double whole_power(double x, int e) {
  return e >= 0 ? carom_inverse_power(1.0 / x, e) : carom_inverse_power(x, -e);
}

// Expanded in powers of d: b = (d - p)/(q - p). With q/p far from 1 the terms differ enough that
// little is lost.
static void closed_powers(int nu, double p, double q, int count, double *J) {
  static const double binomial[4][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};
  double span = q - p, I[4], shrink = 1.0;
  for (int m = 0; m < count; m++) {
    int e = m - nu + 1;
    I[m] = e == 0 ? carom_log(q / p) / span : (whole_power(q, e) - whole_power(p, e)) / (e * span);
  }
  for (int k = 0; k < count; k++) {
    double sum = 0.0, power_of_p = 1.0;
    for (int m = k; m >= 0; m--) {
      sum += binomial[k][m] * power_of_p * I[m];
      power_of_p *= -p;
    }
    J[k] = shrink * sum;
    shrink /= span;
  }
}

// d = p e^(y), b = (e^y - 1)/(ratio - 1): exponentials of y, in panels a rule can follow
static void logarithmic_powers(double nu, double p, double q, int count, double *J) {
  carom_gauss rule = carom_gauss_rule(16);
  double length = carom_log(q / p);
  double reach = 20.0 / (fabs(nu - 1.0) + count);
  int panels = (int)(fabs(length) / fmin(reach, 5.0)) + 1;
  double panel = length / panels, scale = p / (q - p);
  for (int j = 0; j < panels; j++)
    for (int i = 0; i < rule.count; i++) {
      double d = p * carom_exp((j + rule.node[i]) * panel);
      add_node(nu, (d - p) / (q - p), d, rule.weight[i] * panel * d / p * scale, count, J);
    }
}

// low whole exponents on a plain rule, all four moments: what most faces take
static void plain_powers(int nu, double p, double q, carom_gauss rule, double J[4]) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < rule.count; i++) {
    double b = rule.node[i], u = 1.0 / (p + b * (q - p)), square = u * u;
    double power = nu == 2   ? square
                   : nu == 1 ? u
                   : nu == 3 ? u * square
                   : nu      ? square * square
                             : 1.0;
    double term = rule.weight[i] * power;
    sum[0] += term;
    term *= b;
    sum[1] += term;
    term *= b;
    sum[2] += term;
    sum[3] += term * b;
  }
  for (int k = 0; k < 4; k++)
    J[k] = sum[k];
}

void carom_graded_powers(double nu, double p, double q, int count, double *J) {
  int whole = (int)nu;
  double ratio = q / p, away = fabs(ratio - 1.0) / fmin(1.0, ratio);
  bool low = (double)whole == nu && whole >= 0 && whole <= 4 && count <= 4;
  if (low && away > 3.0) {
    closed_powers(whole, p, q, count, J);
    return;
  }
  for (int k = 0; k < count; k++)
    J[k] = 0.0;
  // the function is analytic around [0, 1] up to b = -p/(q - p): a plain rule where that is far
  if (away <= 1.0 || low) {
    int points = away < 0.08 ? 6 : away < 1.0 && low ? 10 : 16;
    carom_gauss rule = carom_gauss_rule(points);
    if (low && count == 4) {
      plain_powers(whole, p, q, rule, J);
      return;
    }
    for (int i = 0; i < rule.count; i++)
      add_node(nu, rule.node[i], p + rule.node[i] * (q - p), rule.weight[i], count, J);
    return;
  }
  logarithmic_powers(nu, p, q, count, J);
}

double carom_smooth_within(double even, double s) {
  double x = even / s;
  return carom_log(x + sqrt(x * x + 1.0));
}

int carom_graded_panels(double width, double smooth, double edge[CAROM_GRADED_PANELS + 1]) {
  const double pi = 3.14159265358979323846;
  const double widest = fmin(0.8, 1.5 * fmax(smooth, 0.04));
  double size = fmin(fmax(width, 1e-9), widest);
  int count = 0;
  edge[0] = 0.0;
  while (edge[count] < pi) {
    double b = edge[count] + size;
    if (b > pi - 0.3 * size || count + 2 > CAROM_GRADED_PANELS) b = pi;
    edge[++count] = b;
    size = fmin(fmax(size, b), widest);
  }
  return count;
}

int carom_graded_angles(double width, double smooth, double *node, double *weight) {
  carom_gauss rule = carom_gauss_rule(16);
  double edge[CAROM_GRADED_PANELS + 1];
  int panels = carom_graded_panels(width, smooth, edge), count = 0;
  for (int k = 0; k < panels; k++)
    for (int i = 0; i < rule.count; i++, count++) {
      node[count] = edge[k] + rule.node[i] * (edge[k + 1] - edge[k]);
      weight[count] = rule.weight[i] * (edge[k + 1] - edge[k]);
    }
  return count;
}
