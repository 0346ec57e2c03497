internal import Foundation
internal import WindTunnel

/// Where a test's cassette is, and whether it is played or recorded.
struct CassettePlace: Sendable, Hashable {
  let file: URL
  let mode: RecordMode
  /// What stands for redacted parts where the live origin is asked, by their names.
  let secrets: [String: String]

  /// Finds `NAME.json`: in `$WINDTUNNEL_CASSETTES` if that is set, else in `Cassettes` beside the
  /// test's own file. A name that begins with a `/` is a path.
  ///
  /// The mode is `$WINDTUNNEL_RECORD`; without it a missing cassette is recorded at a desk, and
  /// where `$CI` is set nothing is ever recorded.
  init(_ name: String, besides test: String, environment: [String: String]) throws {
    let folder =
      environment["WINDTUNNEL_CASSETTES"].map { URL(filePath: $0) }
      ?? URL(filePath: test).deletingLastPathComponent().appending(path: "Cassettes")
    let path = name.hasSuffix(".json") ? name : "\(name).json"
    file = path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)
    secrets = try Self.secrets(environment)
    guard let asked = environment["WINDTUNNEL_RECORD"] else {
      mode = environment["CI"] == nil ? .once : .none
      return
    }
    guard let mode = RecordMode(name: asked) else {
      let known = RecordMode.names.joined(separator: ", ")
      throw CassetteProblem("WINDTUNNEL_RECORD=\(asked): there are \(known).")
    }
    self.mode = mode
  }
}
