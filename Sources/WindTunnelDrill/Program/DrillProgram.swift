internal import Foundation
internal import WindTunnel
package import WindTunnelCommandLine

/// A drill as a program: what it is called, who flies in it, and what its flags are.
package struct DrillProgram: Sendable {
  /// As it is typed, such as `windtunnel drill`.
  let name: String
  /// Who can fly: the first is judged, the others fly beside it, and a program only if it is asked for.
  let subjects: [any Subject]

  /// The tool's own drill: the shipped subjects.
  package static let shipped = DrillProgram(
    name: "windtunnel drill",
    subjects: ProcessDrill.subjects
  )

  /// The first argument of a subject's process, which is the program started again.
  package static let subjectWord = "fly-as-subject"

  /// Who says things: the first word.
  var speaker: String { name.split(separator: " ").first.map(String.init) ?? name }

  /// Those who fly unless the flags say otherwise.
  var flown: [String] { subjects.map(\.name).filter { $0 != DrillPlan.execSubject } }

  package static let summary = "Fly client libraries through bad weather and judge how they did."
  package static let synopsis =
    "[--cassette FILE] [--scenario NAME …] [--gate EXPR …] [--report FILE] [-- CMD …]"
  package var example: String { "\(name) --scenario rate-limited --calls 200 --report drill.json" }

  /// The flags.
  package var flags: [Flag] {
    [
      Flag("--cassette", "FILE", "What answers (default: the shipped shop)."),
      Flag(
        "--scenario",
        "NAME|FILE",
        "The weather, every-push, weak-network or pre-release; may be repeated."
      ),
      Flag(
        "--subject",
        "NAME",
        "Who is judged: \(flown.joined(separator: ", ")), or exec."
      ),
      Flag("--calls", "N", "Calls a subject makes in each scenario (default: 60)."),
      Flag("--duration", "T", "As many calls as begin in so long a time, such as 30s."),
      Flag("--rate", "R", "Calls a second, whoever still waits (default: 50; exec: up to 10)."),
      Flag("--concurrency", "N", "So many calls at once instead, one after the other."),
      Flag("--mix", "REQUEST=N", "How often it is called among the others: \"GET /home=5\"."),
      Flag("--shard", "I/N", "Fly the I-th of N parts; env: as the CI's environment says."),
      Flag("--timeout", "T", "How long a call may take, such as 10s (default: 10s)."),
      Flag("--seed", "N", "What all draws start from (default: 1)."),
      Flag("--stage", "STAGE", "auto, in-process or wire (default: auto)."),
      Flag("--errors", "WHOSE", "Whose errors in process: current or apple (default: current)."),
      Flag(
        "--gate",
        "EXPR",
        "Where the bar lies, such as \"p95 <= 3s\"; beside the scenarios' own."
      ),
      Flag("--allow-inconclusive", nil, "A gate that cannot be told fails nothing."),
      Flag("--baseline", "FILE", "An earlier report: compares, and gives \"baseline\" in gates."),
      Flag(
        "--again",
        "REPORT#CALL",
        "Fly one call of a report alone: drill.json#metro/payments/17."
      ),
      Flag("--report", "FILE", "Write the report: .json, .html, .md, .xml, .csv or .txt."),
      Flag("--json", nil, "Print the report as JSON instead of the table."),
      Flag(
        "-- CMD",
        nil,
        "Judge a program, as --subject exec: it is started once a call, with {url}."
      ),
    ]
  }

  /// Does what the words ask for, as the whole of a program.
  func run(_ words: [String]) async -> ExitCode {
    if HelpText.isAsked(by: words) {
      Terminal.answer(
        HelpText.text(
          Self.summary,
          usage: "\(name) \(Self.synopsis)",
          flags: flags,
          example: example
        )
      )
      return .done
    }
    do {
      return try await run(Arguments(words, flags: flags, operandsMax: 0, takesCommand: true))
    } catch {
      return Terminal.refuse(Refusal(error), as: speaker, helpFor: name)
    }
  }

  /// A drill of these subjects, each in a process that is this program started again.
  func drill(_ plan: DrillPlan) throws -> ProcessDrill {
    guard let executable = Bundle.main.executableURL else { throw Refusal.selfNotFound }
    return try ProcessDrill(
      plan,
      of: subjects,
      executable: executable,
      arguments: [Self.subjectWord]
    )
  }

  /// Becomes a subject's process if that is what this program was started for.
  package func flyIfAsked(_ words: [String]) async {
    guard words.first == Self.subjectWord else { return }
    await ProcessDrill.runAsSubject(of: subjects)
  }
}
