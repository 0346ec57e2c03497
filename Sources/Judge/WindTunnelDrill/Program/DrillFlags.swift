internal import Foundation
internal import WindTunnelCommandLine
internal import WindTunnelSymptoms

/// The flags of a drill, and the values that they accept.
enum DrillFlags {
  static let stages: KeyValuePairs<String, Stage?> = [
    "auto": nil, "in-process": .inProcess, "wire": .onTheWire,
  ]
  static let times: KeyValuePairs<String, DrillClock> = [
    "real": .realTime, "virtual": .virtualTime,
  ]
  static let errors: KeyValuePairs<String, Symptom.Platform> = [
    "current": .current, "apple": .apple,
  ]

  /// Lists the flags of a drill.
  ///
  /// - Parameters:
  ///   - defaults: The clients that run by default.
  ///   - variants: The clients that run only if they are named.
  ///   - isVirtual: Whether the default clock is virtual.
  /// - Returns: The flags, in the order of the help.
  static func all(defaults: [String], variants: [String], isVirtual: Bool) -> [Flag] {
    [
      Flag("--cassette", "FILE", "The cassette with the responses (default: the shipped shop)."),
      Flag("--scenario", "NAME|FILE", choices: Scenarios.groups + Shipped.preRelease)
        .help("A scenario, or a group such as pre-release (default: default-drill)."),
      Flag("--subject", "NAME", choices: defaults + [DrillPlan.execSubject] + variants)
        .help(
          "Client to judge: \(defaults.joined(separator: ", ")) or exec; repeat it to compare."
        ),
      Flag("--calls", "N", "Number of calls in each scenario (default: the scenario's, or 60)."),
      Flag("--duration", "T", "Time in which calls begin, such as 30s, instead of --calls."),
      Flag("--rate", "R", "Calls per second (default: 50; with {url} in a command: up to 10)."),
      Flag("--concurrency", "N")
        .help("Calls at once, instead of --rate (default of a command without {url}: 1)."),
      Flag("--mix", "REQUEST=N")
        .help("Weight of a request (default: 1), such as \"GET /home=5\"."),
      Flag("--ignore-query", "NAME")
        .help("A query parameter to ignore, such as _ or utm_*. May be repeated."),
      Flag("--critical", "REQUEST")
        .help("A request that users depend on, such as \"GET /feed\". May be repeated."),
      Flag("--shard", "I/N", "Run part I of N; env reads the part from the variables of the CI."),
      Flag("--timeout", "T")
        .help("Time limit of a call, such as 10s (default: the scenario's, or 20s)."),
      Flag("--seed", "N", "Seed of all random draws (default: 1)."),
      Flag("--stage", "STAGE", choices: Self.stages.map(\.key))
        .help("auto, in-process or wire (default: auto)."),
      .httpOverTLS,
      Flag("--clock", "CLOCK", choices: Self.times.map(\.key))
        .help(
          "real, or virtual: waits take no time (default: \(isVirtual ? "virtual, but for --subject" : "real"))."
        ),
      Flag("--workers", "N")
        .help("Threads, or worlds of a program, in virtual time; no metric depends on it."),
      Flag("--errors", "PLATFORM", choices: Self.errors.map(\.key))
        .help("Platform of the errors in process: current or apple (default: current)."),
      Flag("--gate", "EXPR")
        .help("Condition such as \"p95 <= 3s\" or \"all: successRate == 1\". May be repeated."),
      .bars,
      Flag("--allow-inconclusive", nil, "Pass a drill even if something could not be judged."),
      .findings, .allow,
      Flag("--baseline", "FILE", "An earlier report to compare with; it is \"baseline\" in gates."),
      Flag("--write-baseline", "FILE")
        .help("Write the report for a later --baseline, without a date: .json or .json.gz."),
      Flag("--again", "REPORT#CALL")
        .help("Repeat one call: .windtunnel/last.json#metro/payments/17."),
      Flag("--report", "FILE")
        .help("Write the report: .json, .html, .md, .xml, .csv, .sarif or .txt."),
      Flag("--name", "TEXT", "Name and version of the client, such as \"Library 2.1\"."),
      Flag("--all", nil, "Print every row of the table and the evidence of every finding."),
      Flag("--json", nil, "Print the report as JSON instead of the table."),
      Flag("--console", nil, "Serve a page that shows each call as it ends, and print its URL."),
      Flag("-- CMD")
        .help(
          "Program to judge. With {url} (the whole URL of a call) or {base} (the URL of the "
            + "server), it starts for each call, and an exit code other than 0 is a failure. "
            + "Otherwise it starts once: it reads a line "
            + #"{"call":N,"method":…,"url":…,"endpoint":…,"headers":…,"body":…} for each call, and "#
            + #"writes {"call":N,"ok":true|false,"stale":true|false,"body":…}."#
        ),
    ]
  }
}
