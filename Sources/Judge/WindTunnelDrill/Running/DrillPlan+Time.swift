package import Foundation
internal import WindTunnelVirtualTime

extension DrillPlan {
  /// The day on which every flight in virtual time begins: midnight of the first of January 2026,
  /// UTC, so that what a client writes of the time is the same each time.
  package static let beginning = Date(timeIntervalSince1970: 1_767_225_600)

  /// Does something in the plan's time. In virtual time that begins when the cell's first call is
  /// meant to, and what is drawn is the cell's own.
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
