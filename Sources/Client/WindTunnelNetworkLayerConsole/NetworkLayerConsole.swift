public import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelNetworkLayer
public import WindTunnelNetworkLayerDebug
internal import WindTunnelServer

/// A page inside a debug build of an app that shows a client's calls and can simulate faults.
///
/// It is the client's observer, and ``open(port:)`` returns the URL of the page. It listens only on
/// the loopback interface, on a device as in the simulator. It keeps the latest 10,000 attempts
/// without their secrets. Only debug builds link its product.
public final class NetworkLayerConsole: Observer {
  private let board: ConsoleBoard<LayerAttempts>
  private let faults: FaultHook?
  private let scenarios: [Scenario]
  private let state = Locked(State())

  private struct State: Sendable {
    var scenario = Scenario("calm")
    var server: ConsoleServer?
  }

  /// Creates a console that is not open yet, but already records events.
  ///
  /// - Parameters:
  ///   - faults: The hook whose faults the page can change; `nil` for a page that only shows calls.
  ///   - scenarios: The scenarios to choose from, in addition to the one without faults.
  ///   - rules: The rules for secrets to omit, in addition to the standard ones.
  public init(
    faults: FaultHook? = nil,
    scenarios: [Scenario] = [],
    redacting rules: RedactionRules = .standard
  ) {
    (self.faults, self.scenarios) = (faults, scenarios)
    board = ConsoleBoard(LayerAttempts(rules))
    let first = state.withLock { $0.scenario }
    board.write { book, moment in book.begin(first, seed: Self.seed, at: moment) }
  }

  /// The seed of each scenario's random numbers.
  private static let seed: UInt64 = 1

  /// Opens the page's port. A port that is already open does not change.
  ///
  /// - Parameter port: The port; 0 for any free port.
  /// - Returns: The URL of the page.
  /// - Throws: `ServerError` if the port is unavailable.
  public func open(port: Int = 0) async throws -> URL {
    if let server = state.withLock({ $0.server }) { return try Self.url(of: server) }
    let server = try await ConsoleServer(.app, board, actions, port: port)
    let before = state.withLock { state in
      if state.server == nil { state.server = server }
      return state.server
    }
    guard before === server else {
      await server.stop()
      return try await open(port: port)
    }
    return try Self.url(of: server)
  }

  private static func url(of server: ConsoleServer) throws -> URL {
    guard let url = URL(string: server.url) else { throw URLError(.badURL) }
    return url
  }

  /// Informs open pages of the end, and closes the port.
  public func close() async {
    await state.withLock { $0.server.take() }?.stop()
  }

  /// Records an event of a call.
  public func observe(_ event: CallEvent) {
    board.write { book, moment in book.take(event, at: moment) }
  }

  /// The recorded lines, the oldest first, for a view of the app itself.
  public var lines: [Row] { board.lines.map(Row.init) }

  private var actions: ConsoleActions {
    var actions = ConsoleActions()
    guard let faults else { return actions }
    let calm = Scenario("calm")
    actions.scenarios = [calm] + scenarios.filter { $0.name != calm.name }
    actions.scenario = { [state] in state.withLock { $0.scenario } }
    actions.play = { [state, board] order in
      let seed = order.seed ?? Self.seed
      // Recorded before a request can be affected by it.
      state.withLock { $0.scenario = order.scenario }
      board.write { book, moment in book.begin(order.scenario, seed: seed, at: moment) }
      faults.faults =
        order.scenario == calm ? .calm : .scenario(order.scenario, seed: seed)
      return nil
    }
    return actions
  }

  /// A line of the list, for a view of the app itself.
  public struct Row: Sendable, Hashable, Identifiable {
    /// The number of the line.
    public let id: Int
    /// The method and the URL, without secrets.
    public let request: String
    /// The status, or the name of the failure; `nil` while in progress.
    public let outcome: String?
    /// The number of the attempt in its call, from 1.
    public let attempt: Int
    /// The duration of the attempt; `nil` while in progress.
    public let latency: Duration?
    /// Whether it failed, or its response has a status of 400 or more.
    public let isBroken: Bool

    fileprivate init(_ row: ConsoleRow) {
      (id, attempt, latency) = (row.id, row.attempt, row.latency)
      request = "\(row.method) \(row.url)"
      outcome = row.status.map { "\($0)" } ?? row.ending
      isBroken = row.ending != nil && (row.ending != "whole" || (row.status ?? 0) >= 400)
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 31)
