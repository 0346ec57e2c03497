import Programs
import TestSupport

/// A folder of a test's own, which goes with it.
final class Scratch: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("windtunnel-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that stays behind is the system's to clear away.
    try? FileManager.default.removeItem(at: folder)
  }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

  func text(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

  /// The names of what is in a folder, in order.
  func names(in folder: String = ".") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(folder).path).sorted()
  }

  /// Creates a folder, with those that it is in.
  @discardableResult
  func makeFolder(_ name: String) throws -> URL {
    try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  /// Runs git here.
  func git(_ words: String...) throws {
    let git = try StartedProgram(
      ["git", "-c", "user.name=a", "-c", "user.email=a@a.test"] + words,
      in: folder
    )
    try git.start()
    let run = try git.endBlocking()
    try #require(run.code == 0, "\(run)")
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }
}

/// The repository that the tests lie in.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
  /// A page of the manual.
  static func page(_ name: String) throws -> String {
    try text("Sources/Values/WindTunnel/WindTunnel.docc/\(name).md")
  }
  static let shop = root.appendingPathComponent("Cassettes/examples/shop.json").path
}

/// Texts that several tests feed to the tool.
enum Texts {
  /// A cassette as nobody's writer would lay it out, so that a rewrite shows.
  static let cassette = """
    {"windtunnel":1,   "interactions":[
      {"request":{"url":"https://api.example.test/a"},"response":{"json":{"a":1}}}]}

    """

  static let har = """
    {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [
      {"startedDateTime": "2024-05-01T10:00:00.000Z", "time": 12,
       "request": {"method": "GET", "url": "https://api.example.test/users/7",
         "headers": [{"name": "Authorization", "value": "Bearer a-secret-of-a-test"}]},
       "response": {"status": 200,
         "headers": [{"name": "Content-Type", "value": "application/json"}],
         "content": {"size": 8, "mimeType": "application/json", "text": "{\\"id\\":7}"}},
       "timings": {"send": 0, "wait": 10, "receive": 2}}]}}
    """
}

/// Asks a server once.
func ask(_ text: String) async -> (status: Int?, body: String) {
  guard let url = URL(string: text) else { return (nil, "no URL: \(text)") }
  let session = URLSession(configuration: .ephemeral)
  let (data, response, error) = await session.result(of: URLRequest(url: url))
  let body = data.map { String(decoding: $0, as: UTF8.self) } ?? "\(error as Any)"
  session.finishTasksAndInvalidate()
  return (response?.statusCode, body)
}
