internal import Foundation
internal import WindTunnel
package import WindTunnelCommandLine

/// The files that a report is written to, each in the form that its name asks for.
package struct ReportFiles: Sendable {
  private let files: [(file: URL, form: ReportRendering)]
  private let baseline: URL?

  /// Reads the flags, and refuses now what could not be written later.
  package init(_ arguments: Arguments) throws {
    files = try arguments.files("--report", endingIn: ReportRendering.fileExtensions) {
      ReportRendering(fileExtension: $0)
    }
    let path = try arguments.value("--write-baseline")
    if path != nil, arguments.has("--baseline") {
      throw Refusal.both("--baseline", "--write-baseline")
    }
    if path != nil, arguments.has("--shard") {
      throw Refusal.usage(
        "--write-baseline wants all calls, and --shard makes a part of them. Leave one out."
      )
    }
    baseline = try arguments.files("--write-baseline", endingIn: ["json", "json.gz"]) {
      $0 == "json" || path?.hasSuffix(".json.gz") == true ? true : nil
    }.last?.file
  }

  /// Writes all that can be written, each in one step, and throws the first error afterwards: one
  /// file that cannot be written takes no other along, and none that was there before.
  package func write(_ report: Report) throws(FileError) {
    var unwritable: FileError?
    for (file, rendering) in files {
      do throws(FileError) {
        try report.write(as: rendering, to: file)
      } catch {
        unwritable = unwritable ?? error
      }
    }
    if let unwritable { throw unwritable }
    // Later runs would be compared with a part.
    if let baseline, report.fact(Report.signal) == nil { try report.writeBaseline(to: baseline) }
  }
}

extension Report {
  /// Says what a table of gates says to whoever reads something else, and to the CI's own eyes.
  ///
  /// - Parameters:
  ///   - program: Who says it.
  ///   - isShown: Whether the reader has the table.
  package func complain(as program: String, isShown: Bool) {
    let report = decisive
    if !isShown {
      for finding in report.findings where finding.finding.severity > .note {
        Terminal.complain("\(program): \(finding)\n")
      }
      for sentence in report.notOnCassette { Terminal.complain("\(program): \(sentence)\n") }
      for judgement in report.judgements where judgement.result.verdict != .met {
        Terminal.complain("\(program): \(judgement)\n")
      }
    }
    if Terminal.isReadByGitHub { for line in report.annotations { Terminal.complain("\(line)\n") } }
    if !isShown { Terminal.complain("\(verdict.line)\n") }
  }
}

extension ExitCode {
  /// Creates the code of a verdict.
  package init(_ verdict: DrillVerdict) {
    self = ExitCode(rawValue: Int32(verdict.exitCode)) ?? .software
  }
}
