internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Carries requests for the layer; as long as anything of the layer's is alive, so is this.
final class CrowdEngine: Transport {
  private let inner: URLSessionTransport?

  /// Carries by a session; `nil`: answers by itself.
  init(_ session: URLSession?) { inner = session.map { URLSessionTransport(session: $0) } }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    if let inner { return try await inner.send(request) }
    do { try await Task.sleep(for: .milliseconds(3)) } catch { throw .cancelled }
    let isGood = request.url?.path.utf8.last.map { $0.isMultiple(of: 2) } ?? true
    return ServerResponse(status: isGood ? 200 : 503, headers: [:], body: Data(count: 2_000))
  }
}

/// The clients of a crowd.
struct Crowd: Sendable {
  /// How calls ended.
  struct Counts {
    var answered = 0
    var failed = 0
    var cancelled = 0
    var attempts = 0

    func since(_ other: Counts) -> String {
      "\(answered - other.answered) answered, \(failed - other.failed) failed, "
        + "\(cancelled - other.cancelled) cancelled, \(attempts - other.attempts) attempts"
    }
  }

  let engine: CrowdEngine
  let admission: AdmissionController
  private let clients: [NetworkClient]
  /// One each: what is counted is told apart by its number in its client.
  private let counters: [CallCounters]
  private let bare: BareCrowd?
  private let origins: [URL]

  init(_ way: CrowdClientBench.Way, _ origins: [URL], _ session: URLSession) {
    let engine = CrowdEngine(way == .layer ? session : nil)
    let admission = AdmissionController()
    let counters = origins.map { _ in CallCounters() }
    clients = zip(origins, counters).map { origin, counters in
      NetworkClient(
        builder: RequestBuilder(baseURL: origin),
        transport: engine,
        observer: counters,
        admission: admission
      )
    }
    bare = way == .bare ? BareCrowd(session) : nil
    (self.engine, self.admission, self.counters, self.origins) = (
      engine, admission, counters, origins
    )
  }

  /// Makes a call of a number.
  func call(_ number: Int, _ path: String) async {
    if let bare {
      await bare.call(origins[number % origins.count].appendingPathComponent(path))
    } else {
      // How it ended is counted.
      _ = try? await clients[number % clients.count].call(Endpoint(.get, path))
    }
  }

  var counts: Counts {
    if let bare { return bare.counts }
    var all = Counts()
    for counts in counters.map(\.counts) {
      all.answered += counts.ended[.answered, default: 0]
      all.failed += counts.ended[.failed, default: 0]
      all.cancelled += counts.ended[.cancelled, default: 0]
      all.attempts += counts.attempts
    }
    return all
  }
}
