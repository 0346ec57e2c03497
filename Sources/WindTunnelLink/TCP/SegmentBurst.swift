/// Packets that come together are handled together, and what they let leave waits in the host's own
/// queue, which takes a few segments at a time (TCP Small Queues) and drains in between: so a sender
/// has often seen acknowledgements of later segments before it uses the room that earlier ones made.
///
/// How many are handled between two drainings is the scheduler's affair. It is drawn; where nothing
/// else is, it is all of them.
struct SegmentBurst: Sendable, Hashable {
  private let draws: Draws?
  private var portions = 0
  private var left = 0

  /// As many as a host under little load handles at once.
  private static let portionMost = 12.0

  init(_ draws: Draws?) { self.draws = draws }

  mutating func begin(_ sender: inout TCPSender) {
    guard sender.budget == .max else { return }
    sender.budget = TCPSender.budgetLeast
    portions += 1
    left = draws.map { 1 + Int($0.unit(portions) * Self.portionMost) } ?? .max
  }

  mutating func end(_ sender: inout TCPSender, isLast: Bool, at now: Int) {
    if left != .max { left -= 1 }
    guard isLast || left <= 0 else { return }
    sender.budget = .max
    sender.transmit(at: now)
  }
}
