#if !canImport(Darwin)
  import Origins
  import TestSupport
  import WindTunnel
  import WindTunnelDrill
  import WindTunnelDrillTesting
  import WindTunnelServer

  /// Runs tests of `HostTests` in a process of their own, as a host's run of its tests would: with modes
  /// from the environment, and failures that fail nobody else.
  final class ChildRun: Sendable {
    let folder: URL
    private let origin: ReplayServer

    /// Begins with an empty folder of cassettes, and with a live server that answers by a deck.
    init(_ live: Deck) async throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      origin = try await ReplayServer(live, .patient)
    }

    var url: String { origin.url }

    func file(_ name: String) -> URL { folder.appending(path: name) }

    /// The cassettes and what else lies beside them.
    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
          .filter { !$0.hasSuffix(".out") }.sorted()
      }
    }

    /// Runs tests, and answers whether they have passed and what was said.
    func run(
      _ tests: [String],
      mode: String?,
      failing: String = "",
      with environment: [String: String] = [:]
    ) async throws -> (passes: Bool, words: String) {
      let output = file("\(UUID().uuidString).out")
      try Data().write(to: output)
      let process = SpawnedProcess()
      process.executableURL = Bundle.main.executableURL
      process.arguments =
        ["--testing-library", "swift-testing"]
        + tests.flatMap { ["--filter", "WindTunnelTestingTests.HostTests/\($0)\\("] }
      var variables = ProcessInfo.processInfo.environment
      for name in ["CI", "WINDTUNNEL_RECORD", "WINDTUNNEL_DATES"] { variables[name] = nil }
      variables["WINDTUNNEL_RECORD"] = mode
      variables["WINDTUNNEL_CASSETTES"] = folder.path
      variables[Host.originVariable] = url
      variables[Host.failingVariable] = failing
      process.environment = variables.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      let handle = try FileHandle(forWritingTo: output)
      process.standardOutput = handle
      process.standardError = handle
      try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in ended.resume() }
        do { try process.run() } catch { ended.resume(throwing: error) }
      }
      try handle.close()
      let words = String(decoding: try Data(contentsOf: output), as: UTF8.self)
      return (process.terminationStatus == 0, words)
    }

    func close() async throws {
      await origin.stop()
      try FileManager.default.removeItem(at: folder)
    }
  }
#endif
