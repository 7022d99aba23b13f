// SPDX-License-Identifier: MIT
// The ball on a vibrating plate by Siconos' event-driven scheme. Its event-driven integrator knows
// no moving surfaces, so the frame is that of the plate and its acceleration acts as a force.
#include "siconos_ball.h"

#include <SiconosException.hpp>
#include <SiconosKernel.hpp>

#include <cmath>
#include <cstdio>
#include <ctime>

namespace {

const double two_pi = 6.283185307179586476925, gamma_of_plate = 2.0, restitution = 0.9;
const double longest_time = 1e6, period = 1.0;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

void weight_in_plate_frame(double t, unsigned, double *force, unsigned, double *) {
  force[0] = gamma_of_plate * std::sin(two_pi * t) - 1.0;
}

siconos_result simulate(long impacts, double tolerance) {
  auto mass = std::make_shared<SimpleMatrix>(1, 1);
  auto position = std::make_shared<SiconosVector>(1), rate = std::make_shared<SiconosVector>(1);
  mass->setValue(0, 0, 1.0);
  position->setValue(0, 0.5);
  auto ball = std::make_shared<LagrangianLinearTIDS>(position, rate, mass);
  ball->setComputeFExtFunction(weight_in_plate_frame);

  auto direction = std::make_shared<SimpleMatrix>(1, 1);
  direction->setValue(0, 0, 1.0);
  auto contact = std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(restitution),
                                               std::make_shared<LagrangianLinearTIR>(direction));
  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, longest_time);
  system->insertDynamicalSystem(ball);
  system->link(contact, ball);

  // one event of the time grid per period of the plate: the fewest it allows
  auto grid = std::make_shared<TimeDiscretisation>(0.0, period);
  auto integrator = std::make_shared<LsodarOSI>();
  auto simulation = std::make_shared<EventDriven>(system, grid);
  simulation->insertIntegrator(integrator);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_IMPACT);
  simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
  simulation->setPrintStat(false);
  simulation->initialize();
  integrator->setTol(1, tolerance, tolerance);
  simulation->setToleranceED(1e-9); // with the default the run ends in an exception

  siconos_result result = {};
  const int non_smooth = 2; // the type of an impact event
  double began = cpu_seconds();
  while (result.impacts < impacts && simulation->hasNextEvent()) {
    simulation->advanceToEvent();
    bool strikes = simulation->eventsManager()->nextEvent()->getType() == non_smooth;
    simulation->processEvents();
    if (!strikes) continue;
    result.impacts++;
    result.speed += std::fabs(ball->velocity()->getValue(0));
  }
  result.seconds = cpu_seconds() - began;
  result.periods = simulation->startingTime();
  result.speed /= double(result.impacts);
  return result;
}

} // namespace

extern "C" int siconos_ball(long impacts, double tolerance, siconos_result *result) {
  try {
    *result = simulate(impacts, tolerance);
    return 1;
  } catch (...) {
    Siconos::exception::process();
    return 0;
  }
}
