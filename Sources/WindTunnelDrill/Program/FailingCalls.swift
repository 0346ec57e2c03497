internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// Says of a report's failing calls how each is flown again, a line each.
struct FailingCalls {
  let report: Report
  /// The report's file.
  let file: String
  /// The program that wrote it, as it is typed.
  let program: String

  /// So many lines are as much as a person reads, at a terminal and in a log; `.csv` has a line for
  /// every call.
  static let linesMax = 10

  /// The lines; what does not go into them is counted in the last one.
  var lines: [String] {
    let fallen = report.scenarios.flatMap { flown in
      (flown.subjects.first?.fallenCalls ?? []).map { (flown.name, $0) }
    }
    var lines = fallen.prefix(Self.linesMax).map { scenario, call in
      let word = "\(file)#\(scenario)/\(FlyingAgain.name(of: call))/\(call.call)"
      return "\(FlyingAgain.words(call.ending)): \(program) --again \(word.asShellWord)"
    }
    let rest = fallen.count - lines.count
    if rest > 0 {
      lines.append("and \(rest) calls more: --report FILE.csv has a line of every call")
    }
    return lines
  }
}
