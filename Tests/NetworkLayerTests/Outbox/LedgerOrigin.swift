import Foundation
import Origins
import WindTunnel
import WindTunnelServer

@testable import WindTunnelNetworkLayer

/// A live server of an app's endpoints, which notes what comes and applies the lines of each batch;
/// it may keep keys, and then it applies those of a key once.
final class LedgerOrigin: Sendable {
  struct Arrival: Sendable {
    var path: String
    var key: String
    var body: Data
    var type: String
    var lines: [String] {
      String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private struct Ledger {
    var arrivals: [Arrival] = []
    var keys: Set<String> = []
    var applied: [String] = []
  }

  private let ledger: Locked<Ledger>
  private let server: ReplayServer

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - keepsKeys: Tells whether the lines under a key are applied once.
  ///   - rules: The weather.
  ///   - answer: The status for the n-th arrival, from 1; only what is answered 2xx is applied.
  /// - Throws: An error where it cannot listen.
  init(
    keepsKeys: Bool = true,
    rules: [FaultRule] = [],
    answer: @escaping @Sendable (Arrival, Int) -> Int = { _, _ in 201 }
  ) async throws {
    let ledger = Locked(Ledger())
    self.ledger = ledger
    let stubs = ["/first", "/second", "/telemetry"].map { path in
      Stub.post(RequestURL(path)) { request in
        let arrival = Arrival(
          path: path,
          key: request.headers["Idempotency-Key"] ?? "",
          body: request.body.data,
          type: request.headers["Content-Type"] ?? ""
        )
        let number = ledger.withLock { ledger in
          ledger.arrivals.append(arrival)
          return ledger.arrivals.count
        }
        let status = answer(arrival, number)
        ledger.withLock { ledger in
          guard (200...299).contains(status) else { return }
          if keepsKeys, !ledger.keys.insert(arrival.key).inserted { return }
          ledger.applied += arrival.lines
        }
        return Response(status: status)
      }
    }
    var scenario = Scenario("weather")
    scenario.rules = rules
    let deck = Deck(stubs, scenario: scenario, matcher: .url, then: .repeat)
    var options = ReplayServer.Options.patient
    // A library re-sends by itself on a connection that it kept.
    options.closesConnections = true
    server = try await ReplayServer(deck, options)
  }

  var url: String { server.url }
  var arrivals: [Arrival] { ledger.withLock { $0.arrivals } }
  /// The lines in the order in which they were applied.
  var applied: [String] { ledger.withLock { $0.applied } }
  /// The lines of a path in the order of their first arrivals.
  func firstArrivals(at path: String) -> [String] {
    var seen: Set<String> = []
    return arrivals.filter { $0.path == path }.flatMap(\.lines).filter { seen.insert($0).inserted }
  }

  func stop() async { await server.stop(grace: .zero) }
}
