// The hidden word of the tool: its words, and what it writes in the end.
#include "world.h"

#include <stdint.h>
#include <stdio.h>

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 32};

#if !defined(WT_VIRTUAL_IS_SUPPORTED)
int wt_virtual_main(int count, char *const words[]) {
  const char *word = count ? words[0] : "";
  fprintf(stderr, "%s: virtual time for any program needs Linux on x86-64\n", word);
  return 125;
}
#else

#define NAME "run-in-virtual-time: "

// In the order of the enumerations in world.h.
static const char *const options[] = {"--limit", "--real-limit", "--processor-limit", "--realtime"};
static const char *const parts[] = {"look", "account", "haste"};
static const char *const numbers[] = {
  "virtualNanoseconds", "realNanoseconds", "jumps", "processes", "threads", "inFlight", "heldUp",
  "lookedNanoseconds", "countedNanoseconds", "refused",
};

// Writes a text as JSON; each byte beyond ASCII is taken for a character of Latin-1.
static void put_text(FILE *file, const char *before, const char *text) {
  fprintf(file, "%s\"", before);
  for (; *text; text++) {
    const bool is_plain = *text >= ' ' && *text <= '~' && *text != '"' && *text != '\\';
    fprintf(file, is_plain ? "%c" : "\\u%04x", (unsigned char)*text);
  }
  fputc('"', file);
}

static void put_result(FILE *file) {
  // The program may have ended within a line.
  put_text(file, "\n{\"outcome\":", wt.outcome ? wt.outcome : "ended");
  put_text(file, ",\"reason\":", wt.reason ? wt.reason : "none");
  put_text(file, ",\"detail\":", wt.detail);
  put_text(file, ",\"asleep\":", wt.asleep);
  if (!wt.outcome && WIFEXITED(wt.status)) fprintf(file, ",\"exit\":%d", WEXITSTATUS(wt.status));
  if (!wt.outcome && WIFSIGNALED(wt.status)) fprintf(file, ",\"signal\":%d", WTERMSIG(wt.status));
  for (int place = 0; place < WT_COUNT(numbers); place++) {
    fprintf(file, ",\"%s\":%ld", numbers[place], wt.told[place]);
  }
  fputs("}\n", file);
  fclose(file);
}

static int find(const char *const names[], int count, const char *name) {
  int place = 0;
  while (place < count && strcmp(names[place], name)) place++;
  return place < count ? place : -1;
}

// Reads an option and its value; false if the word or the value is not understood.
static bool read_option(const char *word, const char *value, int *notes) {
  const int option = find(options, WT_COUNT(options), word);
  const int part = find(parts, WT_COUNT(parts), value);
  char *rest;
  const double number = strtod(value, &rest);
  if (!strcmp(word, "--without") && part >= 0) {
    wt.without |= 1 << part;
    return true;
  }
  if (rest == value || *rest || !(number >= 0 && number < 4e9)) return false;
  if (option >= 0) wt.given[option] = (int64_t)(number * 1e9);
  if (option >= 0 || strcmp(word, "--notes-fd")) return option >= 0;
  // A copy that no program inherits: the program keeps its own 0 to 2.
  *notes = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
  if (number > 2) fcntl((int)number, F_SETFD, FD_CLOEXEC);
  return *notes >= 0;
}

int wt_virtual_main(int count, char *const words[]) {
  int notes = -1, place = 0;
  for (; place + 1 < count && strcmp(words[place], "--"); place++) {
    if (!strcmp(words[place], "--ends-with-parent")) wt.parent = getppid();
    else if (!strcmp(words[place], "--strict")) wt.is_strict = true;
    else if (read_option(words[place], words[place + 1], &notes)) place++;
    else break;
  }
  if (place + 1 >= count || strcmp(words[place], "--")) {
    const char *word = place < count ? words[place] : "--";
    const char *value = place + 1 < count ? words[place + 1] : "";
    fprintf(stderr, NAME "\"%s %s\" is no option and no command behind --\n", word, value);
    return 64;
  }
  wt_run(words + place + 1);
  FILE *file = notes < 0 ? NULL : fdopen(notes, "w");
  if (file) put_result(file);
  else if (!wt.has_begun) fprintf(stderr, NAME "%s\n", wt.detail);
  if (wt.outcome || !wt.has_begun) return wt.has_begun ? 124 : 125;
  return WIFEXITED(wt.status) ? WEXITSTATUS(wt.status) : 128 + WTERMSIG(wt.status);
}

#endif
