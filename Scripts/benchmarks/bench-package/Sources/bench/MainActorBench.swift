internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The time for which the main actor has no turn while a screen that lives on it loads 20 MB: by
/// the reference client, and with the same work done where the screen is.
@MainActor struct MainActorBench {
  private struct Loaf: Transport {
    let content: Data

    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      ServerResponse(status: 200, headers: ["Cache-Control": "max-age=600"], body: content)
    }
  }

  private let content = Data("[\(String(repeating: "12345678,", count: 2_222_222))0]".utf8)
  private let loaf = Endpoint(.get, "/loaf")

  /// Prints the gaps of both.
  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    // Nobody misses a folder that stays behind in the system's temporary one.
    defer { try? FileManager.default.removeItem(at: folder) }
    let calm = try await gaps { try await Task.sleep(for: .seconds(2)) }
    print("main actor   at rest:                            \(Self.words(calm))")
    let client = try await gaps { try await load(in: folder) }
    print("main actor   20 MB decoded, cached, read back:   \(Self.words(client))")
    let inline = try await gaps {
      guard try JSONDecoder().decode([Int].self, from: content).count > 1 else {
        throw SessionBench.WrongAnswer()
      }
    }
    print("main actor   20 MB decoded on it:                \(Self.words(inline))")
  }

  /// Loads from the network into memory and onto the disk, and then, by a client that has only just
  /// been made, from the disk.
  private func load(in folder: URL) async throws {
    for source in [CallResponse.Source.network, .cache] {
      guard let base = URL(string: "https://api.example.test") else { return }
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: base),
        transport: Loaf(content: content),
        cache: ResponseCache(bytes: 100_000_000, disk: try DiskStore(directory: folder))
      )
      let answer = try await client.call(loaf)
      guard answer.source == source else { throw SessionBench.WrongAnswer() }
      let numbers = try await client.value(of: loaf, by: ResponseDecoder<[Int]>.json())
      guard numbers.count > 1 else { throw SessionBench.WrongAnswer() }
    }
  }

  /// Returns the milliseconds by which each turn was late that was due a millisecond after the one
  /// before, while some work is done.
  private func gaps(_ work: @MainActor () async throws -> Void) async throws -> [Double] {
    let ticking = Task { @MainActor in
      let clock = ContinuousClock()
      var gaps: [Double] = []
      while !Task.isCancelled {
        let start = clock.now
        // Whoever cancels it ends the loop, too.
        try? await Task.sleep(for: .milliseconds(1), tolerance: .zero)
        gaps.append((clock.now - start - .milliseconds(1)) / .milliseconds(1))
      }
      return gaps
    }
    defer { ticking.cancel() }
    await Task.yield()
    try await work()
    // A turn that the work kept waiting has to come, or nobody knows how long it waited.
    try await Task.sleep(for: .milliseconds(5))
    ticking.cancel()
    // The last one was cut short.
    return await ticking.value.dropLast()
  }

  private static func words(_ gaps: [Double]) -> String {
    let sorted = gaps.sorted()
    guard let most = sorted.last else { return "no turn at all" }
    let p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    return "gaps of \(p99.shown(1)) ms (P99), \(most.shown(1)) ms at most, of \(gaps.count) turns"
  }
}
