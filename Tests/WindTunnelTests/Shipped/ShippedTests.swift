import TestSupport
import WindTunnel

/// The files that ship must be what the writer would write: then an edit by hand and one by the
/// program give the same diff.
@Suite struct ShippedFileTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cassettes")

  static func files(_ name: String) -> [URL] {
    let folder = folder.appending(path: name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appending(path: $0) }
  }

  @Test(arguments: files("examples"))
  func `a shipped cassette is written as the writer writes it`(file: URL) throws {
    let text = try Data(contentsOf: file)
    expectEqual(
      String(decoding: try Cassette(contentsOf: file).data(), as: UTF8.self),
      String(decoding: text, as: UTF8.self)
    )
  }

  @Test(arguments: files("scenarios"))
  func `a shipped scenario is written as the writer writes it`(file: URL) throws {
    let text = try Data(contentsOf: file)
    expectEqual(
      String(decoding: try Scenario(contentsOf: file).data(), as: UTF8.self),
      String(decoding: text, as: UTF8.self)
    )
  }
}
