// SPDX-License-Identifier: MIT
/// The commands of the program, one file each.
#ifndef CAROM_CLI_COMMANDS_H
#define CAROM_CLI_COMMANDS_H

#include "options.h"

extern const carom_command carom_command_orbit, carom_command_continue;
extern const carom_command carom_command_run, carom_command_check, carom_command_derive,
    carom_command_new, carom_command_info, carom_command_keys, carom_command_theory,
    carom_command_equilibrium, carom_command_locate, carom_command_converge,
    carom_command_reproduce, carom_command_sweep, carom_command_merge, carom_command_bifurcate,
    carom_command_ensemble, carom_command_map, carom_command_basin, carom_command_lyapunov,
    carom_command_plot, carom_command_report, carom_command_movie, carom_command_diff,
    carom_command_examples, carom_command_lab, carom_command_sensitivity, carom_command_fit,
    carom_command_design, carom_command_import;

#endif
