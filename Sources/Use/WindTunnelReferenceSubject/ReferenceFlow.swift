package import Foundation
package import WindTunnelDrill
internal import WindTunnelNetworkLayer

/// The flow of the reference client with its default policy: each request of a cassette once, in
/// recorded order.
package struct ReferenceFlow: Sendable {
  /// The name of the flow in reports.
  package static let name = ReferenceSubject.name

  private let requests: [Request]

  /// Creates the flow of a cassette's requests.
  package init(_ cassette: Cassette) {
    var seen: Set<RequestKey> = []
    requests = cassette.interactions.map(\.request).filter {
      seen.insert(Matcher.pathAndQuery.key($0)).inserted
    }
  }

  /// Sends the requests, and returns the bodies of their responses.
  @concurrent
  package func run(_ call: DrillCall) async throws -> [Data] {
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: call.baseURL),
      transport: call.transport,
      limits: CallLimits(attemptTimeout: call.attemptTimeout, deadline: call.deadline * Self.share)
    )
    var bodies: [Data] = []
    for request in requests {
      bodies.append(try await client.call(Endpoint(request)).body)
    }
    return bodies
  }

  /// The share of a call's time after which the client gives up.
  private static let share = 0.95
}

extension Endpoint {
  /// Creates the endpoint of a recorded request.
  init(_ request: Request, priority: CallPriority = .standard) {
    self.init(
      HTTPMethod(rawValue: request.method),
      target: request.url.target,
      headers: Headers(request.headers),
      body: request.body.data.isEmpty ? nil : .data(request.body.data),
      priority: priority
    )
  }
}
