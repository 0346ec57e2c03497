public import Foundation

/// A format in which a report can be written.
public enum ReportRendering: String, Sendable, Hashable, CaseIterable {
  /// Text for a terminal.
  case text
  /// JSON for programs and for `windtunnel report`: the only format that can be read back.
  case json
  /// Markdown for the summary of a CI job.
  case markdown
  /// JUnit XML, for the test list of a CI server.
  case junit
  /// A self-contained HTML page.
  case html
  /// CSV with one line for each call.
  case csv
  /// The findings as SARIF 2.1.0, for code hosts and editors.
  case sarif

  /// Creates the format with a file name extension, or returns `nil` if there is none.
  public init?(fileExtension: String) {
    let name = fileExtension.lowercased()
    let all = Array(Self.byExtension) + [("htm", .html), ("markdown", .markdown)]
    guard let found = all.first(where: { $0.key == name }) else { return nil }
    self = found.value
  }

  private static let byExtension: KeyValuePairs<String, Self> = [
    "json": .json, "html": .html, "md": .markdown, "xml": .junit, "csv": .csv, "sarif": .sarif,
    "txt": .text,
  ]

  /// The extensions of file names, in the order in which an error lists them.
  public static let fileExtensions = byExtension.map(\.key)
}

extension Report {
  /// Returns the report in a format.
  ///
  /// - Parameter rendering: The format.
  /// - Returns: The bytes of a file.
  public func rendered(as rendering: ReportRendering) -> Data {
    switch rendering {
    case .text: Data(text().utf8)
    case .json: data()
    // If several clients are judged, these formats show the client that decides the verdict.
    case .markdown: Data(decisive.markdown().utf8)
    case .junit: Data(decisive.junit().utf8)
    case .html: Data(decisive.html().utf8)
    case .csv: Data(csv().utf8)
    case .sarif: Data(decisive.sarif().utf8)
    }
  }

  /// Writes the report to a file atomically, in the format of its extension. For example,
  /// `drill.html` is a page, and `windtunnel report` can read `drill.json`.
  ///
  /// - Parameter path: The file. A relative path starts at the process's working directory, which
  ///   is the package's for `swift test`.
  /// - Throws: `FileError` if the file cannot be written, or if its extension belongs to no format.
  public func write(to path: String) throws(FileError) {
    let file = URL(filePath: path)
    guard let rendering = ReportRendering(fileExtension: file.pathExtension) else {
      let endings = ReportRendering.fileExtensions.map { ".\($0)" }.joined(separator: ", ")
      throw .unwritable(path, reason: "the name of a report must end in one of \(endings)")
    }
    try write(as: rendering, to: file)
  }

  /// Writes the report as a baseline for later runs. It has no date, so that equal runs have equal
  /// files, and is compressed with gzip if the name ends in `.gz`.
  package func writeBaseline(to file: URL) throws(FileError) {
    var baseline = self
    baseline.setFact("date", nil)
    guard file.pathExtension == "gz" else { return try baseline.write(as: .json, to: file) }
    // The settings of `gzip -9 --no-name` on Linux.
    guard let gzip = GzipForm([9, 8, 0, 2, 3]) else {
      throw .unwritable(file.relativePath, reason: "zlib is missing; use a name without .gz")
    }
    try FileError.writing(gzip.coded(baseline.data()), to: file)
  }

  /// Writes the report to a file atomically, in a format.
  package func write(as rendering: ReportRendering, to file: URL) throws(FileError) {
    guard rendering == .json else {
      return try FileError.writing(rendered(as: rendering), to: file)
    }
    try FileError.writing(to: file) { write in writeFile(write) }
  }
}

extension Report.Row {
  /// The calls that failed, crashed or hung, in their order.
  package var fallenCalls: [Observation] {
    observations.filter { $0.ending != .succeeded && $0.isJudged }
  }
}
