/// Carries bytes between two connections, both ways, until both ends have closed.
///
/// Neither side is read faster than the other takes it. An end of one direction is passed on as
/// such, a reset as a reset.
final class Relay {
  private let left: Channel
  private let right: Channel
  private var ended: ((SocketError?) -> Void)?
  private var closedCount = 0
  private var error: SocketError?

  /// Becomes the delegate of both; `ended` is called once, when both descriptors are closed.
  init(_ left: Channel, _ right: Channel, ended: @escaping (SocketError?) -> Void) {
    (self.left, self.right, self.ended) = (left, right, ended)
    left.delegate = self
    right.delegate = self
    if left.phase == .closed { channelClosed(left, nil) }
    if right.phase == .closed { channelClosed(right, nil) }
    if left.inputEnded { channelReachedEnd(left) }
    if right.inputEnded { channelReachedEnd(right) }
  }

  /// Passes on what came before there was a relay.
  func begin(with bytes: some Collection<UInt8>, to channel: Channel) {
    if !bytes.isEmpty { channel.write(bytes) }
  }

  private func other(_ channel: Channel) -> Channel { channel === left ? right : left }
}

extension Relay: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    let other = other(channel)
    other.write(bytes)
    if other.isCongested {
      channel.pauseReading()
      other.notifyWhenDrained()
    }
  }

  func channelDrained(_ channel: Channel) { other(channel).resumeReading() }

  func channelReachedEnd(_ channel: Channel) {
    let other = other(channel)
    if other.inputEnded {
      channel.close()
      other.close()
    } else {
      other.finishWriting()
    }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    closedCount += 1
    self.error = self.error ?? error
    if closedCount == 2 {
      ended?(self.error)
      ended = nil
    } else if error?.kind == .reset {
      other(channel).reset()
    } else {
      other(channel).close()
    }
  }
}
