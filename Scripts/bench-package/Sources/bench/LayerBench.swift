internal import Dispatch
internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The reference client against a bare `URLSession` task, on the wire to a server that is well.
struct LayerBench {
  private let session: URLSession
  private let client: NetworkClient
  private let base: URL
  private let urls: [URL]

  init(_ base: URL) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
    self.base = base
    client = NetworkClient(baseURL: base, session: session)
    urls = (0..<1_000).compactMap { URL(string: base.absoluteString + Tape.path($0)) }
  }

  /// The ratios of time with the layer to time without, one a round; both wait for one answer
  /// before they ask for the next.
  func ratios(rounds: Int, requests: Int) async throws -> [Double] {
    try await layer(requests)
    try await bare(requests)
    var ratios: [Double] = []
    for round in 0..<rounds {
      var times = [0.0, 0.0]
      for part in [round % 2, 1 - round % 2] {
        let start = DispatchTime.now().uptimeNanoseconds
        if part == 0 { try await layer(requests) } else { try await bare(requests) }
        times[part] = Double(DispatchTime.now().uptimeNanoseconds - start)
      }
      ratios.append(times[0] / times[1])
    }
    return ratios
  }

  /// One of the two alone, for a profiler.
  func fly(_ requests: Int, isBare: Bool) async throws {
    if isBare { try await bare(requests) } else { try await layer(requests) }
  }

  private func layer(_ requests: Int) async throws {
    for number in 0..<requests {
      let answer = try await client.call(Endpoint(.get, Tape.path(number % urls.count)))
      guard answer.body.count == Tape.body.count else { throw SessionBench.WrongAnswer() }
    }
  }

  private func bare(_ requests: Int) async throws {
    for number in 0..<requests {
      let count = await withCheckedContinuation { waiter in
        session.dataTask(with: urls[number % urls.count]) { data, _, _ in
          waiter.resume(returning: data?.count ?? 0)
        }.resume()
      }
      guard count == Tape.body.count else { throw SessionBench.WrongAnswer() }
    }
  }
}
