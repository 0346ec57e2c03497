/// The bytes that exchanges have written at one end of a connection, in the order in which they are
/// sent.
///
/// Exchanges with waiting bytes take turns. The order of the sent bytes is kept until they have
/// arrived, because they arrive in that order.
struct OutgoingBytes: Sendable, Hashable {
  private struct Part: Sendable, Hashable {
    var owner: Int
    var bytes: Int
  }

  /// The number of bytes that wait.
  private(set) var count = 0
  /// The maximum number of bytes of one turn.
  private let turnBytes: Int
  /// The exchanges with waiting bytes. The first one has the turn.
  private var waiting: [Part] = []
  /// The number of bytes that are left of the turn.
  private var turn: Int
  private var underWay: [Part] = []
  /// The number of bytes of all exchanges, and of each one, that have arrived.
  private var (arrivedBytes, arrived) = (0, [Int: Int]())

  /// Creates a queue whose exchanges take turns of a number of bytes.
  init(turnBytes: Int) { (self.turnBytes, turn) = (turnBytes, turnBytes) }

  mutating func write(_ bytes: Int, for owner: Int) {
    count += bytes
    if arrived[owner] == nil { arrived[owner] = 0 }
    if let index = waiting.firstIndex(where: { $0.owner == owner }) {
      waiting[index].bytes += bytes
    } else {
      waiting.append(Part(owner: owner, bytes: bytes))
    }
  }

  /// Sends bytes, and returns the exchange of the last of them.
  mutating func take(_ length: Int) -> Int {
    var (rest, owner) = (min(length, count), 0)
    count -= rest
    while rest > 0 {
      owner = waiting[0].owner
      let bytes = min(rest, turn, waiting[0].bytes)
      if underWay.last?.owner == owner {
        underWay[underWay.count - 1].bytes += bytes
      } else {
        underWay.append(Part(owner: owner, bytes: bytes))
      }
      (rest, turn, waiting[0].bytes) = (rest - bytes, turn - bytes, waiting[0].bytes - bytes)
      guard turn == 0 || waiting[0].bytes == 0 else { continue }
      let part = waiting.removeFirst()
      turn = turnBytes
      if part.bytes > 0 { waiting.append(part) }
    }
    return owner
  }

  /// Returns the number of an exchange's bytes that wait.
  func waiting(of owner: Int) -> Int { waiting.first { $0.owner == owner }?.bytes ?? 0 }

  /// Returns the number of an exchange's bytes among the first bytes of all exchanges, which have
  /// arrived.
  mutating func arrived(of owner: Int, amongFirst total: Int) -> Int {
    while arrivedBytes < total, let part = underWay.first {
      let bytes = min(part.bytes, total - arrivedBytes)
      arrivedBytes += bytes
      arrived[part.owner]? += bytes
      underWay[0].bytes -= bytes
      if underWay[0].bytes == 0 { underWay.removeFirst() }
    }
    return arrived[owner] ?? 0
  }

  /// Removes the count of an exchange that has ended.
  mutating func forget(_ owner: Int) { arrived[owner] = nil }

  /// Removes the waiting bytes of an exchange, and returns their number.
  mutating func drop(_ owner: Int) -> Int {
    arrived[owner] = nil
    guard let index = waiting.firstIndex(where: { $0.owner == owner }) else { return 0 }
    if index == 0 { turn = turnBytes }
    let bytes = waiting.remove(at: index).bytes
    count -= bytes
    return bytes
  }
}
