internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill
internal import WindTunnelNetworkLayer
internal import WindTunnelReferenceSubject
internal import WindTunnelVirtualTime

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// What a call of a drill in virtual time costs on one core, beside one of the reference client
/// alone: the same loop, and an answer that comes out of memory.
enum VirtualBench {
  private static let calls = 20_000
  private static let rounds = 5

  static func run() async throws {
    var ratios: [String: [Double]] = [:]
    var rates: [String: [Double]] = [:]
    for _ in 0..<rounds {
      let least = try await seconds { try await alone() }
      rates["alone", default: []].append(Double(calls) / least)
      for (name, run) in flights {
        let taken = try await seconds { try await run() }
        ratios[name, default: []].append(taken / least)
        rates[name, default: []].append(Double(calls) / taken)
      }
    }
    print("virtual  the reference client alone: \(rate(rates["alone"])) calls a second")
    for (name, _) in flights {
      report("virtual  \(name) : the client alone", ratios[name] ?? [])
      print("virtual  \(name): \(rate(rates[name])) calls a second")
    }
    try await serverErrors(alone: (rates["alone"] ?? []).median)
  }

  /// A hundred thousand calls, of which the server fails a third, and all that is kept of them.
  private static func serverErrors(alone: Double) async throws {
    let scenarios = [Scenario].preRelease.filter { $0.name == "server-errors" }
    let calls = 100_000
    let before = ProcessFacts.peakBytes
    let drill = Drill(Tape.cassette(10), in: scenarios, calls: calls, stage: .inProcess)
    let taken = try await seconds {
      let report = try await drill.run(in: .virtualTime) { call in
        let client = NetworkClient(
          builder: RequestBuilder(baseURL: call.baseURL),
          transport: call.transport
        )
        return try await client.call(Endpoint(.get, target: call.request.url.target)).body
      }
      precondition(report.scenarios[0].subjects[0].metrics.calls == calls)
    }
    let rate = Double(calls) / taken
    let megabytes = (ProcessFacts.peakBytes - before) / 1_000_000
    print(
      "virtual  server errors : the client alone: ratio \((alone / rate).shown()), "
        + "\(Int(rate)) calls a second, \(megabytes) MB above the start"
    )
  }

  private static let flights: KeyValuePairs<String, @Sendable () async throws -> Void> = [
    "drill of the reference client": {
      try await drill { call in
        let client = NetworkClient(
          builder: RequestBuilder(baseURL: call.baseURL),
          transport: call.transport
        )
        return try await client.call(Endpoint(.get, target: call.request.url.target)).body
      }
    },
    "drill without URLRequest": {
      try await drill { try await $0.send($0.request).body.data }
    },
    "drill of URLSession": {
      try await drill { call in
        let session = call.session
        return try await withCheckedThrowingContinuation { continuation in
          session.dataTask(with: call.urlRequest) { data, _, error in
            if let error {
              continuation.resume(throwing: error)
            } else {
              continuation.resume(returning: data ?? Data())
            }
          }.resume()
        }
      }
    },
  ]

  private static func drill(
    _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Data
  ) async throws {
    let drill = Drill(Tape.cassette(10), in: [.calm], calls: calls, stage: .inProcess)
    let report = try await drill.run(in: .virtualTime, body)
    precondition(report.scenarios[0].subjects[0].metrics.successRate == 1)
  }

  /// The calls of a hundred users, each answered after twenty milliseconds.
  private static func alone() async throws {
    try await VirtualTime.run(seed: 1) {
      let builder = RequestBuilder(baseURL: try origin())
      let client = NetworkClient(builder: builder, transport: Memory())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 {
          group.addTask {
            for number in 0..<calls / 100 {
              // It cannot fail, and its cost is all that is looked at.
              _ = try? await client.call(Endpoint(.get, target: Tape.path(number % 10)))
            }
          }
        }
      }
    }
  }

  private static func origin() throws -> URL {
    guard let url = URL(string: Tape.origin) else { throw URLError(.badURL) }
    return url
  }

  private struct Memory: Transport {
    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      do { try await ContinuousClock().sleep(for: .milliseconds(20)) } catch { throw .cancelled }
      return ServerResponse(status: 200, headers: Headers([]), body: Tape.body)
    }
  }

  /// The core's time, since others may use it, too.
  private static func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = clock()
    try await work()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
  }

  private static func rate(_ rates: [Double]?) -> String { "\(Int((rates ?? []).median))" }
}
