// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE // prctl
#include "shield.h"

#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// the address sanitizer looks for lost memory at the exit of a process
#if defined(__SANITIZE_ADDRESS__)
#define LEAVE exit
#else
#define LEAVE _exit
#endif

// the one thing the handler touches
static volatile sig_atomic_t child;

static void pass_on(int signal_number) {
  int kept = errno;
  if (child > 0) (void)kill((pid_t)child, signal_number);
  errno = kept;
}

// a process started by mpirun stays the one that mpirun knows
static bool is_wanted(const carom_call *call) {
  static const char *const READERS[] = {"info", "plot", "report", "movie", "diff"};
  if (getenv("OMPI_COMM_WORLD_SIZE")) return false;
  for (int k = 0; k < CAROM_COUNT(READERS); k++)
    if (strcmp(call->command->name, READERS[k]) == 0) return true;
  return carom_call_value(call, "out") || carom_call_value(call, "picture");
}

static int run_shielded(const carom_call *call) {
  int exit_code = call->command->run(call);
  // output that did not arrive is a failure
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "carom: cannot write to standard output\n");
    if (exit_code == CAROM_EXIT_DONE) exit_code = CAROM_EXIT_FAILED;
  }
  return exit_code;
}

// the child ends with its parent, and leaves at once: what HDF5 does at exit may crash too
static void work_apart(const carom_call *call, pid_t parent, const sigset_t *before) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != parent) _exit(CAROM_EXIT_FAILED);
  (void)signal(SIGINT, SIG_DFL);
  (void)signal(SIGTERM, SIG_DFL);
  (void)sigprocmask(SIG_SETMASK, before, NULL);
  int exit_code = run_shielded(call);
  (void)fflush(stderr);
  LEAVE(exit_code);
}

// as a shell would see a program that was told to end
static void end_alike(int signal_number) {
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

static int answer_for_child(const carom_call *call, int status) {
  // HDF5 may also end the process by itself, with a code that is none of ours
  if (WIFEXITED(status) && WEXITSTATUS(status) <= CAROM_EXIT_NOT_PASSED) return WEXITSTATUS(status);
  int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGINT || by == SIGTERM || by == SIGKILL || by == SIGPIPE || by == SIGQUIT)
    end_alike(by);
  carom_error error = {.status = CAROM_ERR_IO};
  (void)snprintf(error.text, sizeof error.text,
                 "the work was ended by signal %d (%.60s), perhaps inside HDF5: is a file damaged, "
                 "or memory short? Nothing was written under its final name",
                 by, by ? strsignal(by) : "none");
  return carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
}

int carom_shield_run(const carom_call *call) {
  if (!is_wanted(call)) return call->command->run(call);
  struct sigaction action = {.sa_handler = pass_on};
  sigset_t held, before;
  (void)sigemptyset(&action.sa_mask);
  (void)sigemptyset(&held);
  (void)sigaddset(&held, SIGINT);
  (void)sigaddset(&held, SIGTERM);
  (void)fflush(stdout);
  // no signal is lost between the birth of the child and the moment its number is known
  (void)sigprocmask(SIG_BLOCK, &held, &before);
  pid_t parent = getpid(), born = fork();
  if (born == 0) work_apart(call, parent, &before);
  if (born > 0) {
    child = (sig_atomic_t)born;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
  }
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  if (born < 0) return call->command->run(call);
  int status = 0;
  while (waitpid(born, &status, 0) < 0 && errno == EINTR)
    continue;
  child = 0;
  return answer_for_child(call, status);
}
