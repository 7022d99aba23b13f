// SPDX-License-Identifier: MIT
// A ball on a row of touching balls by Siconos: event-driven up to the impact, which its multiple
// impact solver (explicit march in the impulse, fixed step) resolves.
#include "siconos_chain.h"

#include <LinearOSNS.hpp>
#include <MultipleImpact.hpp>
#include <SiconosConst.hpp>
#include <SiconosException.hpp>
#include <SiconosKernel.hpp>

#include <ctime>
#include <vector>

namespace {

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// the solver with a clock
class timed_impact : public MultipleImpact {
public:
  double seconds = 0.0;
  int solved = 0;
  timed_impact(const std::string &law, double step) : MultipleImpact(law, step) {}
  int compute(double time) override {
    double begin = cpu_seconds();
    int outcome = MultipleImpact::compute(time);
    seconds += cpu_seconds() - begin;
    solved++;
    return outcome;
  }
};

double simulate(int balls, double step, double e, double *u) {
  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, 10.0);
  std::vector<std::shared_ptr<LagrangianLinearTIDS>> row;
  for (int i = 0; i < balls; i++) {
    auto mass = std::make_shared<SimpleMatrix>(1, 1);
    auto position = std::make_shared<SiconosVector>(1), rate = std::make_shared<SiconosVector>(1);
    mass->setValue(0, 0, 1.0);
    position->setValue(0, i + (i ? 0.1 : 0.0));
    rate->setValue(0, i ? 0.0 : 1.0);
    row.push_back(std::make_shared<LagrangianLinearTIDS>(position, rate, mass));
    system->insertDynamicalSystem(row.back());
  }
  auto difference = std::make_shared<SimpleMatrix>(1, 2);
  difference->setValue(0, 0, -1.0);
  difference->setValue(0, 1, 1.0);
  auto apart = std::make_shared<SiconosVector>(1);
  apart->setValue(0, -1.0);
  for (int i = 0; i + 1 < balls; i++) {
    auto contact =
        std::make_shared<Interaction>(std::make_shared<MultipleImpactNSL>(e, 1.0, 1.5),
                                      std::make_shared<LagrangianLinearTIR>(difference, apart));
    system->link(contact, row[i], row[i + 1]);
  }
  auto impact = std::make_shared<timed_impact>("BiStiffness", step);
  impact->SetNstepMax(2000000000u);
  impact->SetSaveData(false);
  auto clock = std::make_shared<TimeDiscretisation>(0.0, 0.05);
  auto simulation = std::make_shared<EventDriven>(system, clock);
  simulation->insertIntegrator(std::make_shared<LsodarOSI>());
  simulation->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
  simulation->setToleranceED(1e-9);
  simulation->setPrintStat(false);
  while (simulation->hasNextEvent() && impact->solved == 0) {
    simulation->advanceToEvent();
    simulation->processEvents();
  }
  for (int i = 0; i < balls; i++)
    u[i] = row[i]->velocity()->getValue(0);
  return impact->seconds / impact->solved;
}

} // namespace

extern "C" double siconos_chain(int balls, double step, double e, double *u) {
  try {
    return simulate(balls, step, e, u);
  } catch (...) {
    Siconos::exception::process();
    return -1.0;
  }
}
