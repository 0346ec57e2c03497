package import Foundation
internal import WindTunnelVirtualTime

extension DrillPlan {
  /// The beginning of every run in virtual time: midnight of 1 January 2026, UTC. Times that a
  /// client writes are therefore the same in each run.
  package static let beginning = Date(timeIntervalSince1970: 1_767_225_600)

  /// Runs work by the plan's clock. Virtual time begins when the cell's first call is due, and the
  /// cell has its own random draws.
  func inItsTime<Value: Sendable>(
    of cell: Cell? = nil,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    switch time {
    case .realTime: try await work()
    case .virtualTime:
      try await VirtualTime.run(
        in: order,
        seed: seed &+ UInt64(cell?.age == nil ? 0 : cell?.calls.first ?? 0) << 32,
        startingAt: Self.beginning + (cell?.age ?? .zero).inMilliseconds / 1000,
        work
      )
    }
  }
}
