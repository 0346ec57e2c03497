#ifndef WIND_TUNNEL_VIRTUAL_H
#define WIND_TUNNEL_VIRTUAL_H

/// Runs `[OPTION…] -- COMMAND…`: the command and all that it starts, in virtual time, to their end.
///
/// | option | meaning |
/// |---|---|
/// | `--notes-fd N` | writes the result to this descriptor as one line of JSON |
/// | `--limit SECONDS` | virtual time until everything is killed; by default two hours |
/// | `--real-limit SECONDS` | the same in real time; by default there is no such limit |
/// | `--processor-limit SECONDS` | processor time without a jump until it counts as time; by default 20 |
/// | `--realtime SECONDS` | CLOCK_REALTIME at the start; by default the machine's |
/// | `--ends-with-parent` | everything is killed when the calling process gets another parent |
/// | `--strict` | everything is killed at the first reason why time is not virtual |
/// | `--without look\|account\|haste` | leaves a part out; only tests do, since each part is needed |
///
/// The program keeps its own descriptors 0 to 2, also if N is one of them: the line comes behind all
/// that the program wrote. Of the line, `outcome` is "ended", "asleep for ever", "virtual limit" or
/// "stopped". `reason` says why time was not virtual from first to last: "none", "foreign peer",
/// "foreign descriptor", "traced itself", "filter refused", "unknown vDSO", "processor time",
/// "too many", "other processor", "real limit", "lingering close" or "unsupported". `detail` names
/// the address, the descriptor or the limit.
///
/// The calling process is the tracer: it has no other children and no other threads, and ends
/// afterwards. If it is killed, the kernel kills all that it traces.
///
/// Returns the exit code of the program; 128 + its signal; 124 if it was ended; 125 if it could not be
/// started; 64 for words that are not understood.
int wt_virtual_main(int count, char *const words[]);

#endif
