// SPDX-License-Identifier: MIT
// Open MPI by its binary interface (version 4, Debian's libmpi.so.40): the handles are addresses of
// objects that the library exports. Nothing of it is needed to compile or to run without mpirun.
#include "spread/ranks.h"

#include "base/error.h"
#include "base/platform.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char LIBRARY[] = "libmpi.so.40";
enum { TAG_HEAD = 1, TAG_BYTES = 2 };

// what is used of the library; a handle is the address of an exported object
typedef struct mpi {
  void *library;
  int (*initialized)(int *);
  int (*init)(int *, char ***);
  int (*finalize)(void);
  int (*rank)(void *, int *);
  int (*size)(void *, int *);
  int (*all_reduce)(const void *, void *, int, void *, void *, void *);
  int (*send)(const void *, int, void *, int, int, void *);
  int (*receive)(void *, int, void *, int, int, void *, void *);
  void *world, *integer, *byte, *least, *largest;
} mpi;

struct carom_ranks {
  int rank, count, here, place;
  bool mine; // the library was started here and is to be ended here
  mpi mpi;
};

static int number_in_environment(const char *name) {
  const char *text = getenv(name);
  long value = text ? strtol(text, NULL, 10) : 0;
  return value > 0 && value < INT_MAX ? (int)value : 0;
}

// ISO C knows no way from an object to a function; POSIX promises that they look alike
static bool find_entry(const mpi *it, const char *name, void *entry) {
  void *found = carom_library_find(it->library, name);
  memcpy(entry, &found, sizeof found);
  return found != NULL;
}

static bool load_library(mpi *it) {
  // its own plugins look for its symbols among those of the whole process
  it->library = carom_library_open(LIBRARY);
  return it->library && find_entry(it, "MPI_Initialized", &it->initialized) &&
         find_entry(it, "MPI_Init", &it->init) && find_entry(it, "MPI_Finalize", &it->finalize) &&
         find_entry(it, "MPI_Comm_rank", &it->rank) && find_entry(it, "MPI_Comm_size", &it->size) &&
         find_entry(it, "MPI_Allreduce", &it->all_reduce) &&
         find_entry(it, "MPI_Send", &it->send) && find_entry(it, "MPI_Recv", &it->receive) &&
         find_entry(it, "ompi_mpi_comm_world", &it->world) &&
         find_entry(it, "ompi_mpi_int", &it->integer) &&
         find_entry(it, "ompi_mpi_byte", &it->byte) &&
         find_entry(it, "ompi_mpi_op_min", &it->least) &&
         find_entry(it, "ompi_mpi_op_max", &it->largest);
}

static bool start_ranks(carom_ranks *it) {
  int running = 0;
  if (it->mpi.initialized(&running) != 0) return false;
  if (!running && it->mpi.init(NULL, NULL) != 0) return false;
  it->mine = !running;
  return it->mpi.rank(it->mpi.world, &it->rank) == 0 &&
         it->mpi.size(it->mpi.world, &it->count) == 0;
}

int carom_ranks_of_process(void) {
  bool alone = number_in_environment("OMPI_COMM_WORLD_SIZE") <= 1;
  return alone ? 0 : number_in_environment("OMPI_COMM_WORLD_RANK");
}

carom_status carom_ranks_join(carom_ranks **ranks, carom_error *error) {
  carom_ranks *it = *ranks = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->count = it->here = 1;
  if (number_in_environment("OMPI_COMM_WORLD_SIZE") <= 1) return CAROM_OK;
  if (!load_library(&it->mpi) || !start_ranks(it)) {
    it->rank = 0, it->count = 1;
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "started by mpirun, but %s cannot be used (Debian: libopenmpi3)", LIBRARY);
  }
  int here = number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE");
  it->here = here > 0 ? here : 1;
  it->place = number_in_environment("OMPI_COMM_WORLD_LOCAL_RANK");
  return CAROM_OK;
}

// the library is not unloaded: it leaves threads and exit handlers behind
void carom_ranks_leave(carom_ranks *it) {
  if (!it) return;
  if (it->mine) (void)it->mpi.finalize();
  free(it);
}

int carom_ranks_rank(const carom_ranks *it) { return it->rank; }
int carom_ranks_count(const carom_ranks *it) { return it->count; }
int carom_ranks_here(const carom_ranks *it) { return it ? it->here : 1; }
int carom_ranks_place(const carom_ranks *it) { return it ? it->place : 0; }

carom_status carom_ranks_agree(carom_ranks *it, carom_status status) {
  if (it->count == 1) return status;
  const mpi *m = &it->mpi;
  int mine = (int)status, low = mine, high = mine;
  if (m->all_reduce(&mine, &low, 1, m->integer, m->least, m->world) != 0 ||
      m->all_reduce(&mine, &high, 1, m->integer, m->largest, m->world) != 0)
    return CAROM_ERR_IO;
  return (carom_status)(low < 0 ? low : high);
}

// ---- records ----

// what goes ahead of the bytes of a record; an index of -1 ends them
typedef struct announcement {
  int64_t index, size;
} announcement;

static bool send_bytes(const mpi *m, const void *bytes, size_t size, int to, int tag) {
  return size <= INT_MAX && m->send(bytes, (int)size, m->byte, to, tag, m->world) == 0;
}

static bool receive_bytes(const mpi *m, void *bytes, size_t size, int from, int tag) {
  return size <= INT_MAX && m->receive(bytes, (int)size, m->byte, from, tag, m->world, NULL) == 0;
}

static carom_status fail_lost(carom_error *error) {
  return carom_fail(error, CAROM_ERR_IO, "a record was lost on its way between processes");
}

static carom_status give_records(carom_ranks *it, int to, carom_journal *journal,
                                 carom_error *error) {
  const mpi *m = &it->mpi;
  void *bytes = NULL;
  size_t room = 0;
  carom_status status = CAROM_OK;
  long count = carom_journal_about(journal).count;
  for (long index = 0; index < count && status == CAROM_OK; index++) {
    long size = -1;
    if (!carom_journal_has(journal, index)) continue;
    status = carom_journal_fetch(journal, index, &bytes, &room, &size, error);
    announcement ahead = {index, size};
    if (status == CAROM_OK && (!send_bytes(m, &ahead, sizeof ahead, to, TAG_HEAD) ||
                               !send_bytes(m, bytes, (size_t)size, to, TAG_BYTES)))
      status = fail_lost(error);
  }
  free(bytes);
  // the other side waits for the end even where reading failed
  announcement end = {-1, 0};
  if (!send_bytes(m, &end, sizeof end, to, TAG_HEAD) && status == CAROM_OK)
    status = fail_lost(error);
  return status;
}

// All records of one rank. After a failure to keep one, the others are still received.
static carom_status take_from(carom_ranks *it, int from, carom_journal *journal,
                              carom_error *error) {
  char *bytes = NULL;
  size_t room = 0;
  carom_status status = CAROM_OK;
  for (;;) {
    announcement ahead;
    if (!receive_bytes(&it->mpi, &ahead, sizeof ahead, from, TAG_HEAD)) status = fail_lost(error);
    if (status == CAROM_ERR_IO || ahead.index < 0) break;
    size_t size = (size_t)ahead.size;
    char *wider = size > room ? realloc(bytes, size) : bytes;
    if (!wider && size > 0) {
      status = carom_fail_memory(error);
      break;
    }
    if (size > room) bytes = wider, room = size;
    if (!receive_bytes(&it->mpi, bytes, size, from, TAG_BYTES)) {
      status = fail_lost(error);
      break;
    }
    if (status == CAROM_OK && !carom_journal_has(journal, (long)ahead.index))
      status = carom_journal_append(journal, (long)ahead.index, bytes, size, error);
  }
  free(bytes);
  return status;
}

// what rank 0 does with one other, the others with rank 0: the first failure counts
typedef carom_status (*passing)(carom_ranks *it, int other, carom_journal *journal,
                                carom_error *error);

static carom_status with_all_others(carom_ranks *it, passing pass, carom_journal *journal,
                                    carom_error *error) {
  carom_status status = CAROM_OK;
  for (int other = 1; other < it->count; other++) {
    carom_error mine = {0};
    carom_status passed = pass(it, other, journal, &mine);
    if (passed == CAROM_OK || status != CAROM_OK) continue;
    status = passed;
    if (error) *error = mine;
  }
  return status;
}

carom_status carom_ranks_collect(carom_ranks *it, carom_journal *journal, bool everyone,
                                 carom_error *error) {
  bool first = it->rank == 0;
  carom_error later = {0};
  carom_status status =
      first ? with_all_others(it, take_from, journal, error) : give_records(it, 0, journal, error);
  if (!everyone) return status;
  // also after a failure: the others wait
  carom_status back = first ? with_all_others(it, give_records, journal, &later)
                            : take_from(it, 0, journal, &later);
  if (status != CAROM_OK || back == CAROM_OK) return status;
  if (error) *error = later;
  return back;
}
