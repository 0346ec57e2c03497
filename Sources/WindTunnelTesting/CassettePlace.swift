internal import Foundation
package import WindTunnel

/// Where a test's cassette is, and whether it is played or recorded.
struct CassettePlace: Sendable, Hashable {
  let file: URL
  let mode: RecordMode
  /// What stands for redacted parts where the live origin is asked, by their names.
  let secrets: [String: String]
  /// Whether each interaction that is recorded bears the day on which it was.
  let isDated: Bool

  /// Finds `NAME.json`: in `$WINDTUNNEL_CASSETTES` if that is set; else, where nothing can be recorded,
  /// in the folder `Cassettes` amongst the resources of the test's module; else in `Cassettes` beside
  /// the test's own file; else, if it is a cassette, at the top of those resources. Where something can
  /// be recorded, the resources count only if the folder of the test's file is not there. A name that
  /// begins with a `/` is a path.
  ///
  /// The mode is `$WINDTUNNEL_RECORD`; without it a missing cassette is recorded at a desk, and
  /// where `$CI` is set nothing is ever recorded. With `$WINDTUNNEL_DATES` recordings bear dates.
  init(
    _ name: String,
    besides test: String,
    in module: String = "",
    environment: [String: String],
    resources: Resources = .built
  ) throws {
    let path = name.hasSuffix(".json") ? name : "\(name).json"
    let mode = try Self.mode(environment)
    secrets = try Self.secrets(environment)
    isDated = try Self.isDated(environment)
    if path.hasPrefix("/") {
      (file, self.mode) = (URL(filePath: path), mode)
      return
    }
    if let folder = environment["WINDTUNNEL_CASSETTES"] {
      (file, self.mode) = (URL(filePath: folder).appending(path: path), mode)
      return
    }
    let tests = URL(filePath: test).deletingLastPathComponent()
    let source = tests.appending(path: "Cassettes").appending(path: path)
    guard let copy = Self.copy(of: source, in: tests, path, module, mode, resources) else {
      (file, self.mode) = (source, mode)
      return
    }
    // A build's copy is not recorded onto.
    (file, self.mode) = (copy, mode == .once ? .none : mode)
  }

  /// The build's copy of a cassette, where that is what is played.
  private static func copy(
    of source: URL,
    in tests: URL,
    _ path: String,
    _ module: String,
    _ mode: RecordMode,
    _ resources: Resources
  ) -> URL? {
    func isThere(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }
    switch mode {
    case .none, .verify:
      if let file = resources.file(inCassettes: path, of: module) { return file }
      let isKnown = isThere(source) || !RecordingDesk.journals(besides: source).isEmpty
      return isKnown ? nil : resources.file(atTop: path, of: module)
    case .once:
      // Where the sources are, a cassette that is missing is to be recorded, however old a copy of it
      // the build has kept. On a device they are not.
      guard !isThere(tests) else { return nil }
      return resources.file(inCassettes: path, of: module)
        ?? resources.file(atTop: path, of: module)
    case .newEpisodes, .rewrite: return nil
    }
  }

  private static func mode(_ environment: [String: String]) throws -> RecordMode {
    guard let asked = environment["WINDTUNNEL_RECORD"] else {
      return environment["CI"] == nil ? .once : .none
    }
    guard let mode = RecordMode(name: asked) else {
      let known = RecordMode.names.joined(separator: ", ")
      throw CassetteProblem("WINDTUNNEL_RECORD=\(asked): there are \(known).")
    }
    return mode
  }

  /// The module that a file is of, by `#fileID`.
  static func module(of fileID: String) -> String { String(fileID.prefix { $0 != "/" }) }

  private static func isDated(_ environment: [String: String]) throws -> Bool {
    switch environment["WINDTUNNEL_DATES"] {
    case nil, "", "0": return false
    case "1": return true
    case let asked?:
      throw CassetteProblem("WINDTUNNEL_DATES=\(asked): 1 dates what is recorded, 0 does not.")
    }
  }
}

extension Cassette {
  /// Reads the cassette that `.cassette("NAME")` finds, as it is now, for a drill, which plays and
  /// never records.
  ///
  /// - Parameters:
  ///   - name: The cassette's name.
  ///   - test: The test's file.
  ///   - fileID: The same with its module, whose resources are looked through.
  /// - Throws: `CassetteProblem` where there is no such cassette, `FormatError` where it does not read.
  package init(playing name: String, besides test: String, _ fileID: String) throws {
    let place = try CassettePlace(
      name,
      besides: test,
      in: CassettePlace.module(of: fileID),
      environment: ProcessInfo.processInfo.environment
    )
    guard FileManager.default.fileExists(atPath: place.file.path) else {
      throw CassetteProblem(
        """
        There is no cassette \(place.file.path), and a drill records none. \
        Record it in a test with .cassette(…), or by windtunnel record.
        """
      )
    }
    self = try Cassette.withLeftovers(place.file).cassette
  }
}
