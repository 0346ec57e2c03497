/// Carries bytes between two connections, both ways, until both ends have closed.
///
/// Neither side is read faster than the other takes it. An end of one direction is passed on as
/// such, a reset as a reset.
final class Relay {
  /// The side that something comes from.
  enum Side { case left, right }

  private let left: Channel
  private let right: Channel
  private var ended: ((SocketError?) -> Void)?
  private var closedCount = 0
  private var error: SocketError?
  /// Told of all bytes and ends before they are passed on.
  private var observe: ((Side, Event) -> Void)?

  /// The things that happen to a side.
  enum Event {
    /// Bytes came; the memory is valid during the call only.
    case came(UnsafeRawBufferPointer)
    /// It sends no more.
    case ended
    /// Its connection is gone.
    case closed
  }

  /// Becomes the delegate of both; `ended` is called once, when both descriptors are closed.
  init(
    _ left: Channel,
    _ right: Channel,
    observing observe: ((Side, Event) -> Void)? = nil,
    ended: @escaping (SocketError?) -> Void
  ) {
    (self.left, self.right, self.observe, self.ended) = (left, right, observe, ended)
    left.delegate = self
    right.delegate = self
    if left.phase == .closed { channelClosed(left, nil) }
    if right.phase == .closed { channelClosed(right, nil) }
    if left.inputEnded { channelReachedEnd(left) }
    if right.inputEnded { channelReachedEnd(right) }
  }

  /// Passes on what came from a side before there was a relay.
  func begin(with bytes: some Collection<UInt8>, from side: Side) {
    guard !bytes.isEmpty else { return }
    Array(bytes).withUnsafeBytes { observe?(side, .came($0)) }
    (side == .left ? right : left).write(bytes)
  }

  private func other(_ channel: Channel) -> Channel { channel === left ? right : left }
  private func side(_ channel: Channel) -> Side { channel === left ? .left : .right }
}

extension Relay: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    observe?(side(channel), .came(bytes))
    let other = other(channel)
    other.write(bytes)
    if other.isCongested {
      channel.pauseReading()
      other.notifyWhenDrained()
    }
  }

  func channelDrained(_ channel: Channel) { other(channel).resumeReading() }

  func channelReachedEnd(_ channel: Channel) {
    observe?(side(channel), .ended)
    let other = other(channel)
    if other.inputEnded {
      channel.close()
      other.close()
    } else {
      other.finishWriting()
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    observe?(side(channel), .closed)
    closedCount += 1
    self.error = self.error ?? error
    if closedCount == 2 {
      ended?(self.error)
      (ended, observe) = (nil, nil)
    } else if error?.kind == .reset {
      other(channel).reset()
    } else {
      other(channel).close()
    }
  }
}
