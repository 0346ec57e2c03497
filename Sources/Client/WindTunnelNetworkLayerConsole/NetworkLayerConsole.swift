public import Foundation
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelNetworkLayer
public import WindTunnelNetworkLayerDebug
internal import WindTunnelServer

/// A page inside a debug build of an app: a client's calls as they run, and the weather by a click.
///
/// It is the client's observer, and ``open(port:)`` returns the URL of the page. It listens on the
/// loopback interface alone, on a device as in the simulator, and keeps the latest 10,000 attempts
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

  /// Makes a console that is not open yet; it takes events from now on.
  ///
  /// - Parameters:
  ///   - faults: The hook whose faults a click changes; `nil`: the page only shows.
  ///   - scenarios: The scenarios that can be chosen, beside the calm one.
  ///   - rules: The secrets that are left out, beside the standard ones.
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

  /// The seed of each scenario's draws.
  private static let seed: UInt64 = 1

  /// Opens the page's port; one that is open stays as it is.
  ///
  /// - Parameter port: The port; 0 for any that is free.
  /// - Returns: The URL of the page.
  /// - Throws: `ServerError` where the port cannot be had.
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

  /// Tells open pages that it ends, and closes the port.
  public func close() async {
    await state.withLock { $0.server.take() }?.stop()
  }

  /// Shows an event of a call.
  public func observe(_ event: CallEvent) {
    board.write { book, moment in book.take(event, at: moment) }
  }

  /// The lines that are kept, the oldest first: what a view of the app itself shows.
  public var lines: [Line] { board.lines.map(Line.init) }

  private var actions: ConsoleActions {
    var actions = ConsoleActions()
    guard let faults else { return actions }
    let calm = Scenario("calm")
    actions.scenarios = [calm] + scenarios.filter { $0.name != calm.name }
    actions.scenario = { [state] in state.withLock { $0.scenario } }
    actions.play = { [state, board] order in
      let seed = order.seed ?? Self.seed
      // Told before a request can meet it.
      state.withLock { $0.scenario = order.scenario }
      board.write { book, moment in book.begin(order.scenario, seed: seed, at: moment) }
      faults.faults =
        order.scenario == calm ? .calm : .scenario(order.scenario, seed: seed)
      return nil
    }
    return actions
  }

  /// A line of the list, as a view of the app itself shows it.
  public struct Line: Sendable, Hashable, Identifiable {
    /// The number of the line.
    public let id: Int
    /// The method and the address, without secrets.
    public let request: String
    /// The status, or the name of the failure; `nil` while it is under way.
    public let outcome: String?
    /// The number of the attempt in its call, from 1.
    public let attempt: Int
    /// The time that it took; `nil` while it is under way.
    public let latency: Duration?
    /// Tells whether it failed, or was answered by a status of 400 or more.
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
