internal import Foundation
internal import WindTunnel

/// One direction of a tunnel, as far as the courier has to do with it.
struct TunnelWay {
  /// What came and may not go on yet.
  var pending = ByteQueue()
  /// How much has gone on.
  var passed = 0
  /// The player wants no more for now.
  var isHeld = false
  /// The other end takes no more for now.
  var isBlocked = false
  /// Its sender has said that it sends no more.
  var isEnded = false
  /// Its receiver has been told so.
  var hasPassedEnd = false
  /// Its sender aborted; the receiver is told so behind what came before.
  var isBroken = false
}

// Bytes and ends, from one side to the other.
extension Tunnel {
  private subscript(way: Delivery.Way) -> TunnelWay {
    get { way == .up ? up : down }
    set { if way == .up { up = newValue } else { down = newValue } }
  }

  private func source(_ way: Delivery.Way) -> Channel? { way == .up ? client : upstream }
  private func target(_ way: Delivery.Way) -> Channel? { way == .up ? upstream : client }

  /// Bytes came from a way's sender.
  func came(_ bytes: UnsafeRawBufferPointer, _ way: Delivery.Way) {
    switch phase {
    case .passing where !player.isMetering: forward(bytes, way)
    case .passing: meter(bytes, way)
    case .before, .connecting, .listening:
      append(bytes, way)
      if phase == .listening { return hear() }
      if up.pending.hasWholeRecord { advance(.arrived(.clientHello)) }
      updateReading()
    // A client that talks to nobody is thrown away what it says, and keeps nothing open by it.
    case .stalled, .ended: return
    }
    lastPassed = reactor.now
  }

  private func append(_ bytes: UnsafeRawBufferPointer, _ way: Delivery.Way) {
    if way == .up { up.pending.append(bytes) } else { down.pending.append(bytes) }
  }

  private func forward(_ bytes: UnsafeRawBufferPointer, _ way: Delivery.Way) {
    guard let target = target(way) else { return }
    if way == .up { up.passed += bytes.count } else { down.passed += bytes.count }
    target.pass(bytes)
    if target.isCongested {
      target.tellWhenDrained()
      set(way) { $0.isBlocked = true }
    }
  }

  /// Asks the player. What may go at once goes from where it was read to, without a copy.
  private func meter(_ bytes: UnsafeRawBufferPointer, _ way: Delivery.Way) {
    var actions = player.next(.came(way, bytes.count), at: now)
    var rest = bytes
    if queue.isEmpty, self[way].pending.isEmpty, case .pass(way, let count)? = actions.first,
      count <= bytes.count
    {
      actions.removeFirst()
      forward(UnsafeRawBufferPointer(rebasing: bytes[..<count]), way)
      rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    if !rest.isEmpty { append(rest, way) }
    queue += actions
    carry()
  }

  /// Passes so many of the bytes that wait.
  func pass(_ count: Int, _ way: Delivery.Way) {
    guard count > 0 else { return }
    if way == .up {
      let data = up.pending.take(atMost: count)
      data.withUnsafeBytes { forward($0, .up) }
    } else {
      let data = down.pending.take(atMost: count)
      data.withUnsafeBytes { forward($0, .down) }
    }
  }

  /// A way's sender sends no more.
  func reachedEnd(_ way: Delivery.Way) {
    guard !self[way].isEnded else { return }
    switch phase {
    case .passing:
      set(way) { $0.isEnded = true }
      if player.isMetering { advance(.ended(way)) } else { passEnd(way) }
    // It may well have said everything in advance; the origin hears of its end once there is one.
    case .connecting, .ended: break
    case .before where !isAnswered || up.pending.hasWholeRecord: break
    case .listening: end(.closed) { $0.close() }
    // What is waited for will not come.
    case .before, .stalled: end(.clientReset) { $0.close() }
    }
  }

  /// Passes nothing more, until the client leaves.
  func stall() {
    if phase == .before, client?.inputEnded == true { return end(.clientReset) { $0.close() } }
    phase = .stalled
    ending = ending ?? .cut
    updateReading()
  }

  /// Tells a way's receiver that nothing more comes.
  func passEnd(_ way: Delivery.Way) {
    if self[way].isBroken {
      return end(way == .up ? .clientReset : .originReset) { $0.reset() }
    }
    let other: Delivery.Way = way == .up ? .down : .up
    if self[other].hasPassedEnd || (upstream == nil && way == .down) {
      end(.closed) { $0.close() }
    } else {
      set(way) { $0.hasPassedEnd = true }
      target(way)?.finishWriting()
    }
  }

  /// Looks now and then whether it has been idle, or open, for too long. How long its origin may take
  /// to answer is another limit.
  func watch() {
    let limits = context.options.limits
    let idle = Int64(nanosecondsOf: limits.tunnelIdleSeconds)
    let total = Int64(nanosecondsOf: limits.tunnelSeconds)
    let moment =
      isConnecting ? .now() + min(idle, total) : min(lastPassed + idle, openMoment + total)
    reactor.schedule(at: moment) { [weak self] _ in
      guard let self, phase != .ended else { return }
      let now = Moment.now()
      if !isConnecting, now - lastPassed >= idle || now - openMoment >= total {
        end(.expired) { $0.close() }
      } else {
        watch()
      }
    }
  }

  func set(_ way: Delivery.Way, _ change: (inout TunnelWay) -> Void) {
    if way == .up { change(&up) } else { change(&down) }
    updateReading()
  }

  /// Reads from each side as fast as the other takes it.
  func updateReading() {
    for way in Delivery.Way.allCases {
      let state = self[way]
      let isFull = phase != .passing && state.pending.count > context.options.limits.queuedBytesMax
      // Only whoever reads from a client learns that it has left.
      let isPaused =
        phase == .stalled ? way == .down : state.isHeld || state.isBlocked || isFull
      guard let source = source(way), source.isReadingPaused != isPaused else { continue }
      if isPaused { source.pauseReading() } else { source.resumeReading() }
    }
  }
}

extension ByteQueue {
  mutating func append(_ data: Data) { data.withUnsafeBytes { append($0) } }

  /// Whether a whole TLS record stands at the front, or something else than a handshake
  /// (RFC 8446 §5.1: type, version, and the length in two bytes).
  var hasWholeRecord: Bool {
    guard count >= 5 else { return false }
    return self[0] != 22 || count >= 5 + Int(self[3]) << 8 + Int(self[4])
  }
}
