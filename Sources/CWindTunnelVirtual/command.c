// The hidden word of the tool, and what it says where there is no tracer.
#define _GNU_SOURCE
#include "world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#if !defined(WT_VIRTUAL_IS_SUPPORTED)
int wt_virtual_run(const struct wt_virtual_options *options, char *const arguments[],
                   struct wt_virtual_result *result) {
  (void)options;
  (void)arguments;
  *result = (struct wt_virtual_result){
    .outcome = WT_VIRTUAL_STOPPED,
    .status = -1,
    .reason = WT_VIRTUAL_UNSUPPORTED,
    .detail = "virtual time for any program needs Linux on x86-64",
  };
  return -1;
}
#endif

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 32};

static const char *const outcomes[] = {"ended", "asleep for ever", "virtual limit", "stopped"};
static const char *const reasons[] = {
  "none", "foreign peer", "foreign descriptor", "traced itself", "filter refused", "unknown vDSO",
  "processor time", "too many", "other processor", "real limit", "unsupported",
};

// Writes a text as JSON; what is beyond ASCII is replaced.
static void put_text(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '\n') fputs("\\n", file);
    else if (*text < 32 || *text > 126) fputc('?', file);
    else fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  }
  fputc('"', file);
}

static void put_number(FILE *file, const char *key, int64_t value) {
  fprintf(file, ",\"%s\":%lld", key, (long long)value);
}

static void put_result(FILE *file, const struct wt_virtual_result *result) {
  fputs("{\"outcome\":", file);
  put_text(file, outcomes[result->outcome]);
  fputs(",\"reason\":", file);
  put_text(file, reasons[result->reason]);
  fputs(",\"detail\":", file);
  put_text(file, result->detail);
  const bool is_status = result->outcome == WT_VIRTUAL_ENDED && result->status >= 0;
  if (is_status && WIFEXITED(result->status)) put_number(file, "exit", WEXITSTATUS(result->status));
  if (is_status && WIFSIGNALED(result->status)) put_number(file, "signal", WTERMSIG(result->status));
  put_number(file, "virtualNanoseconds", result->virtual_nanoseconds);
  put_number(file, "realNanoseconds", result->real_nanoseconds);
  put_number(file, "jumps", result->jumps);
  put_number(file, "traps", result->traps);
  put_number(file, "processes", result->processes);
  put_number(file, "threads", result->threads);
  put_number(file, "inFlight", result->in_flight);
  put_number(file, "heldUp", result->held_up);
  put_number(file, "lookedNanoseconds", result->looked_nanoseconds);
  put_number(file, "countedNanoseconds", result->counted_nanoseconds);
  put_number(file, "refused", result->refused);
  fputs(",\"asleep\":", file);
  put_text(file, result->asleep);
  fputs("}\n", file);
}

// Reads an option and its value; false if the word or the value is not understood.
static bool read_option(const char *word, const char *value, struct wt_virtual_options *options,
                        int *notes) {
  char *rest;
  const double number = strtod(value, &rest);
  const bool is_number = rest != value && !*rest && number >= 0 && number < 4e9;
  const int64_t nanoseconds = is_number ? (int64_t)(number * 1e9) : 0;
  if (!strcmp(word, "--without")) {
    if (!strcmp(value, "look")) options->without |= WT_VIRTUAL_WITHOUT_SECOND_LOOK;
    else if (!strcmp(value, "account")) options->without |= WT_VIRTUAL_WITHOUT_ACCOUNT;
    else if (!strcmp(value, "haste")) options->without |= WT_VIRTUAL_WITHOUT_HASTE;
    else return false;
    return true;
  }
  if (!strcmp(word, "--notes-fd")) *notes = (int)number;
  else if (!strcmp(word, "--limit")) options->limit = nanoseconds;
  else if (!strcmp(word, "--realtime")) options->realtime = nanoseconds;
  else if (!strcmp(word, "--real-limit")) options->real_limit = nanoseconds;
  else if (!strcmp(word, "--processor-limit")) options->processor_limit = nanoseconds;
  else return false;
  return is_number;
}

int wt_virtual_main(int count, char *const words[]) {
  struct wt_virtual_options options = {0};
  int notes = -1, place = 0;
  for (; place + 1 < count && strcmp(words[place], "--"); place += 2) {
    if (!read_option(words[place], words[place + 1], &options, &notes)) {
      fprintf(stderr, "run-in-virtual-time: %s %s is not understood\n", words[place], words[place + 1]);
      return 64;
    }
  }
  if (place + 1 >= count || strcmp(words[place], "--")) {
    fprintf(stderr, "run-in-virtual-time: there is no command behind --\n");
    return 64;
  }
  if (notes >= 0) fcntl(notes, F_SETFD, FD_CLOEXEC);
  FILE *file = notes < 0 ? NULL : fdopen(notes, "w");
  struct wt_virtual_result result;
  const int failed = wt_virtual_run(&options, words + place + 1, &result);
  if (file) {
    put_result(file, &result);
    fclose(file);
  } else if (failed) {
    fprintf(stderr, "run-in-virtual-time: %s\n", result.detail);
  }
  if (failed) return 125;
  if (result.outcome != WT_VIRTUAL_ENDED) return 124;
  return WIFEXITED(result.status) ? WEXITSTATUS(result.status) : 128 + WTERMSIG(result.status);
}
