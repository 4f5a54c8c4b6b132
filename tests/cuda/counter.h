/* Counts, for each launch, instructions executed and the memory they touch; a line of JSON each to $FAKE_CUDA_COUNT. */

typedef struct { uint64_t first, size; long loads, stores, words, written; unsigned char *marks; } Block;
static Block touched[64]; /* the first: what lies in no block of the device */
static long executed[1024];
void *(*where)(const void *, unsigned long *); /* set by the driver */

static void touch(uint64_t address, int size, int store) {
  unsigned long bytes = 0;
  Block *b = touched;
  for (int i = 1; i < 64 && touched[i].size; i++)
    if (address - touched[i].first < touched[i].size) b = touched + i;
  if (b == touched) {
    void *first = where((void *)address, &bytes);
    for (int i = 1; first && i < 64 && b == touched; i++)
      if (!touched[i].size) *(b = touched + i) = (Block){(uint64_t)first, bytes, 0, 0, 0, 0, calloc(bytes / 4 + 2, 1)};
  }
  store ? b->stores++ : b->loads++;
  for (int i = 0; b->marks && i < (size + 3) / 4; i++) {
    unsigned char *mark = b->marks + (address - b->first) / 4 + i;
    b->words += !*mark;
    b->written += store && !(*mark & 2);
    *mark |= store ? 2 : 1;
  }
}

static void wrote(uint64_t address, int size) {}

static void tell(const char *kernel, const char **names, int count) {
  FILE *file = fopen(getenv("FAKE_CUDA_COUNT"), "a");
  fprintf(file, "{\"kernel\": \"%s\", \"threads\": %u, \"executed\": {", kernel, here.nctaid * here.ntid);
  for (int i = 0; i < count; i++) fprintf(file, "%s\"%s\": %ld", i ? ", " : "", names[i], executed[i]);
  fprintf(file, "}, \"blocks\": [");
  for (int i = 0; i < 64 && (!i || touched[i].size); i++) {
    Block *b = touched + i;
    fprintf(file, "%s[%lu, %lu, %ld, %ld, %ld, %ld]", i ? ", " : "", b->first, b->size, b->loads, b->stores, b->words, b->written);
    free(b->marks);
  }
  fprintf(file, "]}\n");
  fclose(file);
  memset(executed, 0, sizeof executed), memset(touched, 0, sizeof touched);
}
