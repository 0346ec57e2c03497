import TestSupport

@testable import WindTunnelReports

@Suite struct ReportWritingTests {
  private static let report = Report(seed: 7)

  @Test(arguments: ReportRendering.fileExtensions)
  func `a report is written in the form that the file's name asks for`(ending: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("drill.\(ending)")
    // What stood there before goes in one step.
    try Data("old".utf8).write(to: file)
    try Self.report.write(to: file.path)
    let rendering = try #require(ReportRendering(fileExtension: ending))
    try expectEqual(Data(contentsOf: file), Self.report.rendered(as: rendering))
    try expectEqual(folder.names, ["drill.\(ending)"])
  }

  @Test func `a name that asks for no form is refused, and so is a place that is not there`() throws
  {
    let folder = try TemporaryFolder()
    expectEqual(
      refusal { try Self.report.write(to: folder.file("drill.pdf").path) },
      "\(folder.file("drill.pdf").path) cannot be written: the name of a report must end in one of "
        + ".json, .html, .md, .xml, .csv, .sarif, .txt."
    )
    try expectEqual(folder.names, [])
    #expect(
      refusal { try Self.report.write(to: "/nowhere/drill.html") }
        .hasPrefix("/nowhere/drill.html cannot be written: ")
    )
  }
}
