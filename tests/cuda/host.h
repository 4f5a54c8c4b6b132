/* What every translated module begins with: where a thread is, and what C says otherwise than PTX. */

#define _GNU_SOURCE
#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { unsigned tid, ntid, ctaid, nctaid; } here;
typedef void Job(void **arguments);

#ifndef INTERLEAVED
static void run_threads(Job *run, void **arguments) { /* one after the other */
  for (here.ctaid = 0; here.ctaid < here.nctaid; here.ctaid++)
    for (here.tid = 0; here.tid < here.ntid; here.tid++) run(arguments);
}
#endif

#define AT(T, address) (*(T *)(uintptr_t)(address))
#define BITS(D, S, x) ({ S from = (x); D to = 0; memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from); to; })
#define LEFT(T, x, n) ((n) >= 8 * sizeof(T) ? (T)0 : (T)((T)(x) << (n)))
#define RIGHT(T, x, n) ((n) >= 8 * sizeof(T) ? (T)((T)(x) < 0 ? -1 : 0) : (T)((T)(x) >> (n)))
#define ODD(T, y) ((y) == 0 || ((T)-1 < 0 && (y) == (T)-1)) /* where the host would trap */
#define QUOTIENT(T, a, b) ({ T x = (a), y = (b); ODD(T, y) ? (T)(y ? 0 - (uint64_t)x : -1) : (T)(x / y); })
#define REST(T, a, b) ({ T x = (a), y = (b); ODD(T, y) ? (T)(y ? 0 : x) : (T)(x % y); })
#define FLUSHED(x) ({ float v = (x); fabsf(v) < FLT_MIN ? copysignf(0.0f, v) : v; })
/* Functions, not blocks: at the end of each block gcc goes through all registers of the function around it. */
#define CLAMPED(T, low, high) static inline T clamped_##T(double v) { \
  return v != v ? (T)0 : v <= (double)(low) ? (T)(low) : v >= (double)(high) ? (T)(high) : (T)v; }
CLAMPED(int8_t, INT8_MIN, INT8_MAX) CLAMPED(uint8_t, 0, UINT8_MAX)
CLAMPED(int16_t, INT16_MIN, INT16_MAX) CLAMPED(uint16_t, 0, UINT16_MAX)
CLAMPED(int32_t, INT32_MIN, INT32_MAX) CLAMPED(uint32_t, 0, UINT32_MAX)
CLAMPED(int64_t, INT64_MIN, INT64_MAX) CLAMPED(uint64_t, 0, UINT64_MAX)

static void stop(const char *why) { fprintf(stderr, "kernel: %s\n", why); exit(1); }
static void f_vprintf(char *result, char *format, char *values) { *(int *)result = 0; fprintf(stderr, "printf: %s", *(char **)format); }
static void f___assertfail(char *message, char *file, char *line, char *function, char *size) { stop(*(char **)message); }
