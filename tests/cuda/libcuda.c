/* A CUDA driver without a GPU: what Taichi 1.7 calls of libcuda.so, answered on the host as an H200 would.

   "Device" memory is the host's. Every module that is loaded is kept as $FAKE_CUDA_DIR/PROCESS_NNNN.ptx.
   $FAKE_CUDA_RUN: a command that makes a shared object of a module (COMMAND in.ptx out.so); launches then run its
   kernels, thread by thread. Without it launches do nothing, and what is read back is zero.
   $FAKE_CUDA_SMS, $FAKE_CUDA_BLOCKS: multiprocessors, and blocks on each; Taichi launches twice as many blocks.
   $FAKE_CUDA_CAPABILITY: 90 is 9.0; Taichi compiles for 8.6 at most. $FAKE_CUDA_BYTES: memory of the device;
   $FAKE_CUDA_POOL: what of it the memory pool keeps for later.
   $FAKE_CUDA_LOG: tell every call on stderr. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned int Result;
enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500 };

static int logs(void) { static int on = -1; if (on < 0) on = getenv("FAKE_CUDA_LOG") != NULL; return on; }
#define LOG(...) do { if (logs()) { fprintf(stderr, "cuda: " __VA_ARGS__); fputc('\n', stderr); } } while (0)

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}

/* Memory: blocks of the host, zeroed as they come; their addresses are kept, to tell them from the host's own. */

typedef struct Block { char *first; size_t size; struct Block *next; } Block;
static Block *blocks;
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t total(void) { return (size_t)number("FAKE_CUDA_BYTES", 141L << 30); }

static Result take(void **pointer, size_t size) {
  if (used + size > total()) return OUT_OF_MEMORY;
  char *first = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (first == MAP_FAILED) return OUT_OF_MEMORY;
  Block *block = malloc(sizeof *block);
  pthread_mutex_lock(&lock);
  *block = (Block){first, size, blocks};
  blocks = block;
  used += size;
  pthread_mutex_unlock(&lock);
  *pointer = first;
  LOG("alloc %zu at %p (in use %zu)", size, *pointer, used);
  return OK;
}

static Result give(void *pointer) {
  pthread_mutex_lock(&lock);
  Block **at = &blocks;
  while (*at && (*at)->first != pointer) at = &(*at)->next;
  Block *block = *at;
  if (block) { *at = block->next; used -= block->size; munmap(block->first, block->size + 4096); free(block); }
  pthread_mutex_unlock(&lock);
  LOG("free %p", pointer);
  return block || !pointer ? OK : INVALID;
}

static int on_device(const void *pointer) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (Block *block = blocks; block && !found; block = block->next)
    found = (const char *)pointer >= block->first && (const char *)pointer < block->first + block->size;
  pthread_mutex_unlock(&lock);
  return found;
}

static void *block_of(const void *pointer, unsigned long *size) {
  void *first = NULL;
  pthread_mutex_lock(&lock);
  for (Block *block = blocks; block && !first; block = block->next)
    if ((const char *)pointer >= block->first && (const char *)pointer < block->first + block->size)
      first = block->first, *size = block->size;
  pthread_mutex_unlock(&lock);
  return first;
}

Result cuMemAlloc_v2(void **p, size_t n) { return take(p, n); }
Result cuMemAllocAsync(void **p, size_t n, void *stream) { return take(p, n); }
Result cuMemAllocManaged(void **p, size_t n, unsigned flags) { return take(p, n); }
Result cuMemFree_v2(void *p) { return give(p); }
Result cuMemFreeAsync(void *p, void *stream) { return give(p); }
Result cuMemsetD8_v2(void *p, uint8_t x, size_t n) {
  if (x || n < 1 << 20 || madvise(p, n, MADV_DONTNEED)) memset(p, x, n); /* fresh pages are zero */
  return OK;
}
Result cuMemsetD32_v2(uint32_t *p, uint32_t x, size_t n) { for (size_t i = 0; i < n; i++) p[i] = x; return OK; }
Result cuMemcpyHtoD_v2(void *to, const void *from, size_t n) { LOG("up %zu", n); memcpy(to, from, n); return OK; }
Result cuMemcpyDtoH_v2(void *to, const void *from, size_t n) { LOG("down %zu", n); memcpy(to, from, n); return OK; }
Result cuMemcpyDtoD_v2(void *to, const void *from, size_t n) { memmove(to, from, n); return OK; }
Result cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t n, void *s) { return cuMemcpyHtoD_v2(to, from, n); }
Result cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t n, void *s) { return cuMemcpyDtoH_v2(to, from, n); }
Result cuMemGetInfo_v2(size_t *there, size_t *all) { *all = total(); *there = total() - used - number("FAKE_CUDA_POOL", 0); return OK; }
Result cuMemAdvise(void *p, size_t n, unsigned advice, unsigned device) { return OK; }
Result cuMemPoolSetAttribute(void *pool, unsigned what, void *value) { return OK; }
Result cuMemPoolGetAttribute(void *pool, unsigned what, uint64_t *value) {
  long kept = number("FAKE_CUDA_POOL", 0); /* freed, and not given back */
  *value = what == 5 ? used + kept : what == 7 ? used : 0;
  return OK;
}
Result cuPointerGetAttribute(void *value, unsigned what, void *p) {
  if (!on_device(p)) return INVALID;
  if (what == 2) *(unsigned *)value = 2; /* memory of the device */
  return OK;
}

/* The device: as an H200. */

Result cuInit(int flags) { return OK; }
Result cuDriverGetVersion(int *version) { *version = 12080; return OK; }
Result cuGetErrorName(Result e, const char **text) { *text = e == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR"; return OK; }
Result cuGetErrorString(Result e, const char **text) { *text = e == OUT_OF_MEMORY ? "out of memory" : "of the driver without a GPU"; return OK; }
Result cuDeviceGetCount(int *count) { *count = 1; return OK; }
Result cuDeviceGet(int *device, int which) { *device = 0; return which ? INVALID : OK; }
Result cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "no GPU"); return OK; }
Result cuDeviceGetDefaultMemPool(void **pool, int device) { *pool = &blocks; return OK; }
Result cuDeviceGetAttribute(int *value, unsigned what, int device) {
  switch (what) {
    case 2: *value = 1024; break;                           /* threads of a block */
    case 16: *value = number("FAKE_CUDA_SMS", 132); break;  /* multiprocessors */
    case 75: *value = number("FAKE_CUDA_CAPABILITY", 90) / 10; break;
    case 76: *value = number("FAKE_CUDA_CAPABILITY", 90) % 10; break;
    case 97: *value = 227 << 10; break;                     /* shared memory of a block */
    case 106: *value = number("FAKE_CUDA_BLOCKS", 32); break; /* blocks of a multiprocessor */
    case 41: case 115: *value = 1; break;                   /* one address space, memory pools */
    default: *value = 0;
  }
  return OK;
}
Result cuCtxCreate_v2(void **context, int flags, int device) { *context = &blocks; return OK; }
Result cuCtxSetCurrent(void *context) { return OK; }
Result cuCtxGetCurrent(void **context) { *context = &blocks; return OK; }
Result cuCtxSetLimit(int what, size_t value) { return OK; }
Result cuCtxPushCurrent_v2(void *context) { return context == &blocks ? OK : INVALID; }
Result cuCtxPopCurrent_v2(void **context) { *context = &blocks; return OK; }
Result cuDevicePrimaryCtxRetain(void **context, int device) { *context = &blocks; return OK; }
Result cuDevicePrimaryCtxRelease_v2(int device) { return OK; }

/* Streams and events: all is done when a call returns. */

Result cuStreamCreate(void **stream, unsigned flags) { *stream = NULL; return OK; }
Result cuStreamSynchronize(void *stream) { LOG("synchronize"); return OK; }
Result cuEventCreate(void **event, unsigned flags) { *event = &blocks; return OK; }
Result cuEventDestroy(void *event) { return OK; }
Result cuEventRecord(void *event, void *stream) { return OK; }
Result cuEventSynchronize(void *event) { return OK; }
Result cuEventElapsedTime(float *ms, void *from, void *to) { *ms = 0; return OK; }

/* Modules and kernels. */

typedef void Kernel(const unsigned *grid, void **arguments);
typedef struct { char path[4096]; void *object; } Module;
typedef struct { char name[1024]; Kernel *run; } Function;

Result cuModuleLoadDataEx(Module **module, const char *ptx, unsigned count, unsigned *options, void **values) {
  static int loaded;
  const char *folder = getenv("FAKE_CUDA_DIR"), *command = getenv("FAKE_CUDA_RUN");
  *module = calloc(1, sizeof **module);
  snprintf((*module)->path, sizeof (*module)->path, "%s/%d_%04d.ptx", folder ? folder : ".", getpid(), loaded++);
  FILE *file = fopen((*module)->path, "w");
  if (!file) return INVALID;
  fwrite(ptx, 1, strlen(ptx), file);
  fclose(file);
  LOG("module %s", (*module)->path);
  if (!command || !*command) return OK;
  char line[16384], object[5000];
  snprintf(object, sizeof object, "%s.so", (*module)->path);
  snprintf(line, sizeof line, "%s %s %s", command, (*module)->path, object);
  if (system(line)) { fprintf(stderr, "failed: %s\n", line); return INVALID; }
  (*module)->object = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  if (!(*module)->object) { fprintf(stderr, "%s\n", dlerror()); return INVALID; }
  void *(**where)(const void *, unsigned long *) = dlsym((*module)->object, "where");
  if (where) *where = block_of;
  return OK;
}

Result cuModuleGetFunction(Function **function, Module *module, const char *name) {
  *function = calloc(1, sizeof **function);
  snprintf((*function)->name, sizeof (*function)->name, "%s", name);
  if (module->object) {
    char symbol[1100];
    snprintf(symbol, sizeof symbol, "run_%s", name);
    (*function)->run = (Kernel *)dlsym(module->object, symbol);
    if (!(*function)->run) return NOT_FOUND;
  }
  return OK;
}

Result cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **arguments, void **extra) {
  LOG("launch %s <<<%u, %u>>> shared %u", f->name, gx, bx, shared);
  if (f->run) f->run((unsigned[]){gx, bx}, arguments);
  return OK;
}

Result cuFuncGetAttribute(int *value, unsigned what, Function *f) { *value = 0; return OK; }
Result cuFuncSetAttribute(Function *f, unsigned what, int value) { return OK; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *f, int threads, size_t shared) { *blocks = 1; return OK; }

/* Loaded by Taichi, called by nothing that fajin does. */

#define ABSENT(name) Result name(void) { return INVALID; }
ABSENT(cuImportExternalMemory)
ABSENT(cuExternalMemoryGetMappedBuffer)
ABSENT(cuExternalMemoryGetMappedMipmappedArray)
ABSENT(cuMipmappedArrayGetLevel)
ABSENT(cuSurfObjectCreate)
ABSENT(cuSignalExternalSemaphoresAsync)
ABSENT(cuWaitExternalSemaphoresAsync)
ABSENT(cuImportExternalSemaphore)
