/* Threads of a launch side by side, in an order by chance that $FAKE_CUDA_ORDER seeds. One of them runs until some access
   to memory, another one goes on there. A race ends the process: a word that one thread writes and another one reads
   without having written it, or overwrites with another value. So does an access outside the device's memory. */

#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>

#pragma GCC push_options
#pragma GCC optimize("O2", "no-strict-aliasing") /* each access calls it; the kernel is compiled for once */

enum { AT_ONCE = 256, STACK = 1 << 22, LONGEST = 12, NOBODY = 0, SEVERAL = -1 };

typedef struct { ucontext_t place; char *stack; unsigned number; int ended; } Thread;
typedef struct { uint32_t value; int writer, reader; } Word; /* number of a thread + 1, NOBODY or SEVERAL */
typedef struct { uint64_t first, size; Word *words; } Block;

static Thread threads[AT_ONCE], *current;
static ucontext_t launcher;
static Block seen[64], *last = seen;
static unsigned left; /* accesses before another thread goes on */
static Job *job;
static void **given;
void *(*where)(const void *, unsigned long *); /* set by the driver */

static unsigned chance(unsigned below) {
  static uint64_t state;
  if (!state) state = 2 * strtoull(getenv("FAKE_CUDA_ORDER"), NULL, 10) + 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static void stop_race(const char *does, uint64_t address, int other) {
  char whose[32] = "other threads";
  if (other != SEVERAL) sprintf(whose, "thread %d", other - 1);
  fprintf(stderr, "kernel: thread %u %s byte %lu of %lu at %#lx beside %s: a race\n", current->number, does,
          address - last->first, last->size, last->first, whose);
  exit(1);
}

/* Whether an address is of the device's memory, whose block is `last` then. */
static int finds(uint64_t address) {
  if (address - last->first < last->size) return 1;
  for (int i = 0; i < 64 && seen[i].size; i++)
    if (address - seen[i].first < seen[i].size) return last = seen + i, 1;
  unsigned long bytes = 0;
  void *first = where((void *)address, &bytes);
  if (!first) return 0;
  for (last = seen; last->size; last++) if (last == seen + 63) stop("more than 63 blocks of memory");
  *last = (Block){(uint64_t)first, bytes, calloc(bytes / 4 + 1, sizeof(Word))};
  return 1;
}

static void watch(uint64_t address, int store) {
  int me = current->number + 1;
  uint32_t value = AT(uint32_t, address & ~3ull);
  Word *word = last->words + (address - last->first) / 4;
  int foreign = word->writer != NOBODY && word->writer != me;
  if (!store && foreign && word->writer != SEVERAL) stop_race("reads", address, word->writer);
  if (store && value != word->value) {
    if (foreign) stop_race("overwrites", address, word->writer);
    if (word->reader != NOBODY && word->reader != me) stop_race("overwrites", address, word->reader);
  }
  int *who = store ? &word->writer : &word->reader;
  *who = *who == NOBODY || *who == me ? me : SEVERAL;
  word->value = value;
}

/* Whether an address is of a variable of the kernel's own library: its constants and shared memory. */
static int owns(uint64_t address) {
  Dl_info whose, mine;
  return dladdr((void *)address, &whose) && dladdr(&threads, &mine) && whose.dli_fbase == mine.dli_fbase;
}

/* Before an access. */
static void touch(uint64_t address, int size, int store) {
  if (finds(address)) {
    for (int i = 0; i < size && !store; i += 4) watch(address + i, 0);
  } else if (address - (uint64_t)current->stack >= STACK && !owns(address)) {
    fprintf(stderr, "kernel: thread %u touches %#lx, which is not in the device's memory\n", current->number, address);
    exit(1);
  }
  if (!--left) swapcontext(&current->place, &launcher);
}

/* After a store: its numbers are there. */
static void wrote(uint64_t address, int size) {
  for (int i = 0; i < size && finds(address); i += 4) watch(address + i, 1);
}

static void begin(void) { job(given); current->ended = 1; }

static void start(Thread *thread, unsigned number) {
  if (!thread->stack)
    thread->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  getcontext(&thread->place);
  thread->place.uc_stack.ss_sp = thread->stack, thread->place.uc_stack.ss_size = STACK;
  thread->place.uc_link = &launcher;
  thread->number = number, thread->ended = 0;
  makecontext(&thread->place, begin, 0);
}

static void run_threads(Job *run, void **arguments) {
  Thread *alive[AT_ONCE];
  unsigned next = 0, running = 0, count = here.nctaid * here.ntid;
  job = run, given = arguments;
  for (unsigned i = 0; i < AT_ONCE; i++) alive[i] = threads + i;
  while (next < count || running) {
    while (running < AT_ONCE && next < count) start(alive[running++], next++);
    unsigned which = chance(running);
    current = alive[which];
    here.ctaid = current->number / here.ntid, here.tid = current->number % here.ntid;
    left = 1 + chance(1u << chance(LONGEST));
    swapcontext(&launcher, &current->place);
    if (current->ended) alive[which] = alive[--running], alive[running] = current;
  }
  for (int i = 0; i < 64 && seen[i].size; i++) free(seen[i].words);
  memset(seen, 0, sizeof seen), last = seen;
}

#pragma GCC pop_options
