internal import WindTunnel

/// One resolver's connection by TCP: messages with their length in two bytes in front (RFC 7766 §8).
final class DNSConnection {
  private let service: DNSService
  private var buffer: [UInt8] = []
  private var idle: Reactor.Timer?
  /// Answers that wait for their time.
  private var waiting = 0

  init(_ service: DNSService) { self.service = service }

  /// Waits for a message, and not for ever.
  func wait(on channel: Channel) {
    if let idle { channel.reactor.cancel(idle) }
    idle = channel.reactor.schedule(after: service.idleMax.inNanoseconds) {
      [weak self, weak channel] _ in
      guard let self, let channel else { return }
      if waiting > 0 { wait(on: channel) } else { channel.close() }
    }
  }

  private func answer(_ message: [UInt8], on channel: Channel) {
    let reply = service.reply(to: message, over: .tcp)
    waiting += 1
    let isTaken = service.later(reply.delay) { [self, weak channel] in
      waiting -= 1
      guard let channel else { return }
      if let bytes = reply.bytes {
        channel.write([UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes)
      }
      if reply.closes || (channel.inputEnded && waiting == 0) { channel.close() }
    }
    if !isTaken { channel.close() }
  }
}

extension DNSConnection: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    wait(on: channel)
    buffer.append(contentsOf: bytes)
    var place = 0
    while buffer.count - place >= 2 {
      let count = Int(buffer[place]) << 8 | Int(buffer[place + 1])
      guard buffer.count - place - 2 >= count else { break }
      answer(Array(buffer[place + 2..<place + 2 + count]), on: channel)
      place += 2 + count
    }
    buffer.removeFirst(place)
    // A resolver that asks without reading is not read from.
    if channel.isCongested {
      channel.pauseReading()
      channel.tellWhenDrained()
    }
  }

  func channelDrained(_ channel: Channel) { channel.resumeReading() }

  func channelReachedEnd(_ channel: Channel) { if waiting == 0 { channel.close() } }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if let idle { channel.reactor.cancel(idle) }
    service.left()
  }
}
