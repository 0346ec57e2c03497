internal import Dispatch
internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The reference client against a bare `URLSession` task, on the wire to a server that is well.
struct LayerBench {
  /// The ways to ask, from the whole client to nothing around the task.
  enum Way: String, CaseIterable {
    case layer
    case withoutIDs = "layer-without-ids"
    case transport
    case bare
  }

  private let session: URLSession
  private let client: NetworkClient
  private let clientWithoutIDs: NetworkClient
  private let base: URL
  private let urls: [URL]

  init(_ base: URL) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
    self.base = base
    client = NetworkClient(baseURL: base, session: session)
    clientWithoutIDs = NetworkClient(
      builder: RequestBuilder(baseURL: base),
      transport: URLSessionTransport(session: session),
      sendsTraces: false
    )
    urls = (0..<1_000).compactMap { URL(string: base.absoluteString + Tape.path($0)) }
  }

  /// The ratios of time in a way to time of bare tasks, one a round; both wait for one answer before
  /// they ask for the next.
  func ratios(_ way: Way, rounds: Int, requests: Int) async throws -> [Double] {
    try await run(way, requests)
    try await bare(requests)
    var ratios: [Double] = []
    for round in 0..<rounds {
      var times = [0.0, 0.0]
      for part in [round % 2, 1 - round % 2] {
        let start = DispatchTime.now().uptimeNanoseconds
        try await run(part == 0 ? way : .bare, requests)
        times[part] = Double(DispatchTime.now().uptimeNanoseconds - start)
      }
      ratios.append(times[0] / times[1])
    }
    return ratios
  }

  /// Asks in one way, one request after the other.
  func run(_ way: Way, _ requests: Int) async throws {
    switch way {
    case .layer: try await layer(client, requests)
    case .withoutIDs: try await layer(clientWithoutIDs, requests)
    case .transport: try await transport(requests)
    case .bare: try await bare(requests)
    }
  }

  private func layer(_ client: NetworkClient, _ requests: Int) async throws {
    for number in 0..<requests {
      let answer = try await client.call(Endpoint(.get, Tape.path(number % urls.count)))
      guard answer.body.count == Tape.body.count else { throw SessionBench.WrongAnswer() }
    }
  }

  private func transport(_ requests: Int) async throws {
    let transport = URLSessionTransport(session: session)
    for number in 0..<requests {
      let answer = try await transport.send(URLRequest(url: urls[number % urls.count]))
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
