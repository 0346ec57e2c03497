import Foundation
import Origins
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelWire

/// A delegate whose behaviour stands in the test.
final class Script: ChannelDelegate {
  var connected: (Channel) -> Void = { _ in }
  var received: (Channel, [UInt8]) -> Void = { _, _ in }
  var ended: (Channel) -> Void = { _ in }
  var drained: (Channel) -> Void = { _ in }
  var closed: (SocketError?) -> Void = { _ in }

  /// Sends so many bytes of the pattern as fast as they are taken, once asked, and closes; `taken`
  /// says how many have gone.
  func flood(_ total: Int, _ taken: Locked<Int>) {
    var sent = 0
    let block = pattern(1 << 20)
    func more(_ channel: Channel) {
      while sent < total, !channel.isCongested {
        channel.write(block)
        sent += block.count
      }
      taken.withLock { $0 = sent - channel.queuedBytes }
      if sent < total { channel.notifyWhenDrained() } else { channel.close() }
    }
    received = { channel, _ in more(channel) }
    drained = { more($0) }
  }

  /// Sends a slice so many times as fast as it is taken, once asked, and closes; `highest` is the
  /// most that was queued.
  func send(_ count: Int, _ slice: [UInt8], noting highest: Locked<Int>) {
    var slices = count
    drained = { channel in
      while slices > 0, !channel.isCongested {
        slices -= 1
        channel.write(slice)
        let queued = channel.queuedBytes
        highest.withLock { $0 = max($0, queued) }
      }
      if slices > 0 { channel.notifyWhenDrained() } else { channel.close() }
    }
    received = { channel, _ in channel.notifyWhenDrained() }
  }

  /// Sends bytes once asked, and resets the connection behind them.
  func reset(after bytes: [UInt8]) {
    received = { channel, _ in
      channel.write(bytes)
      channel.reset()
    }
  }

  func channelConnected(_ channel: Channel) { connected(channel) }
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    received(channel, Array(bytes))
  }
  func channelReachedEnd(_ channel: Channel) { ended(channel) }
  func channelDrained(_ channel: Channel) { drained(channel) }
  func channelClosed(_ channel: Channel, _ error: SocketError?) { closed(error) }
}

extension EventLoop {
  /// Listens on a free port; `play` says what each connection's script is.
  func serve(
    at address: SocketAddress = .loopback(),
    limits: Limits = .patient,
    _ play: @escaping @Sendable (Script) -> Void
  ) async throws -> SocketAddress {
    try await run { reactor in
      let listener = try Listener(at: address, on: reactor) { socket in
        let script = Script()
        play(script)
        // A connection that has gone already is seen by the test's client.
        _ = try? Channel(socket, on: reactor, limits: limits, delegate: script)
      }
      return listener.address
    }
  }
}

/// Whether many bytes are the same. A test that said it by `==` would work out every difference, which
/// takes hours for millions.
func areSame(_ bytes: some Sequence<UInt8>, _ others: some Sequence<UInt8>) -> Bool {
  bytes.elementsEqual(others)
}

/// Bytes in which a loss or a swap is seen: a block of a prime length, over and over.
func pattern(_ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + patternBlock.count)
  while bytes.count < count { bytes += patternBlock }
  bytes.removeLast(bytes.count - count)
  return bytes
}

private let patternBlock = (0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
