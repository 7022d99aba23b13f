// SPDX-License-Identifier: MIT
/// The whole public interface of Carom: one small header per room people need.
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/atlas.h"
#include "carom/basin.h"
#include "carom/bifurcation.h"
#include "carom/continuation.h"
#include "carom/converge.h"
#include "carom/design.h"
#include "carom/digest.h"
#include "carom/ensemble.h"
#include "carom/equilibrium.h"
#include "carom/fit.h"
#include "carom/friction.h"
#include "carom/functions.h"
#include "carom/keys.h"
#include "carom/leg.h"
#include "carom/locate.h"
#include "carom/lyapunov.h"
#include "carom/mirror.h"
#include "carom/model.h"
#include "carom/ode.h"
#include "carom/orbit.h"
#include "carom/record.h"
#include "carom/scene.h"
#include "carom/sensitivity.h"
#include "carom/simulation.h"
#include "carom/status.h"
#include "carom/study.h"
#include "carom/survey.h"
#include "carom/sweep.h"
#include "carom/table.h"
#include "carom/tangent.h"
#include "carom/trace.h"
#include "carom/version.h"

#endif
