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

  private var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A fresh deck of the tape as it is now.
  func deck(_ matcher: Matcher, then: EndPolicy) throws -> Deck {
    guard exists else {
      guard mode != .none, mode != .verify else {
        throw CassetteProblem(
          """
          There is no cassette \(file.path), and nothing is recorded here. \
          Record it at a desk: WINDTUNNEL_RECORD=once swift test
          """
        )
      }
      return Deck(Cassette(), matcher: matcher, then: then, mode: .rewrite)
    }
    return Deck(try Cassette(contentsOf: file), matcher: matcher, then: then, mode: mode)
  }

  /// Writes what a deck has recorded, if it has. Tests that share a cassette add to it one after
  /// the other; the first of a run that rewrites it begins anew.
  func keep(_ deck: Deck) throws {
    guard mode != .none, mode != .verify else { return }
    try Self.rewritten.withLock { rewritten in
      let begins = mode == .rewrite && !rewritten.contains(file)
      let base = exists && !begins ? try Cassette(contentsOf: file) : Cassette()
      let (cassette, _) = deck.recorded(onto: base)
      guard cassette != base, !cassette.interactions.isEmpty else { return }
      rewritten.insert(file)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try cassette.write(to: file)
    }
  }

  /// The files that this process has begun anew; its lock also keeps writers apart.
  private static let rewritten = Locked<Set<URL>>([])
}
