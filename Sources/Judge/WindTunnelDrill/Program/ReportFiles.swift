internal import Foundation
package import WindTunnelCommandLine

/// The files that a report is written to, each in the format of its file extension.
package struct ReportFiles: Sendable {
  private let files: [(file: URL, form: ReportRendering)]
  private let baseline: URL?

  /// Reads the flags. Throws now if a file could not be written later.
  package init(_ arguments: Arguments) throws {
    files = try arguments.files("--report", endingIn: ReportRendering.fileExtensions) {
      ReportRendering(fileExtension: $0)
    }
    let path = try arguments.value("--write-baseline")
    if path != nil, arguments.has("--baseline") {
      throw CommandError.both("--baseline", "--write-baseline")
    }
    if path != nil, arguments.has("--shard") {
      throw CommandError.usage(
        "--write-baseline requires all calls, but --shard runs only a part. Omit one."
      )
    }
    baseline = try arguments.files("--write-baseline", endingIn: ["json", "json.gz"]) {
      $0 == "json" || path?.hasSuffix(".json.gz") == true ? true : nil
    }.last?.file
  }

  /// Writes each file in one step, and throws the first error afterwards. A file that cannot be
  /// written does not prevent the others, and its earlier version is kept.
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
    // An interrupted run is not a baseline: later runs would be compared with a part.
    if let baseline, report.fact(Report.signal) == nil { try report.writeBaseline(to: baseline) }
  }
}

extension Report {
  /// Prints the results of gates to standard error if the reader does not see the table, and
  /// annotations for the CI system.
  ///
  /// - Parameters:
  ///   - program: The name before each message.
  ///   - isShown: Whether the reader sees the table.
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
  /// Creates the exit code of a verdict.
  package init(_ verdict: DrillVerdict) {
    self = ExitCode(rawValue: Int32(verdict.exitCode)) ?? .software
  }
}
