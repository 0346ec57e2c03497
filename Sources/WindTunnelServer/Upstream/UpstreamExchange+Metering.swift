internal import Foundation
internal import WindTunnel

// What comes back goes to the client at once, or when a player says so.
extension UpstreamExchange {
  /// Hands bytes over as they will stand on the wire.
  func put(_ write: (inout [UInt8]) -> Void) {
    guard client != nil, let metered else {
      client?.channel?.write(with: write)
      return
    }
    var bytes: [UInt8] = []
    write(&bytes)
    bytes.withUnsafeBytes { waiting.append($0) }
    metered.advance(.came(.down, bytes.count))
  }

  /// Lets so many of the bytes that wait go.
  func pass(_ count: Int) {
    guard count > 0 else { return }
    client?.channel?.write(waiting.take(atMost: count))
  }

  func hold(_ isHeld: Bool) {
    self.isHeld = isHeld
    updateReading()
  }

  /// The client has taken what was queued.
  func clientDrained() {
    updateReading()
    if let metered { metered.carry() }
  }

  private func updateReading() {
    if isHeld || client?.channel?.isCongested == true {
      channel?.pauseReading()
    } else {
      channel?.resumeReading()
    }
  }

  /// The player let the last byte go.
  func clientHasAll() {
    exchange.watch?.ended(.whole)
    client?.next(keeps: framing?.keepsAlive ?? false)
  }
}
