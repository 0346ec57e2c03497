/// A connection from the look-up of its name to the request's arrival, in virtual time.
struct Journey: Sendable, Hashable {
  /// As it is when the request has arrived, or when it came to nothing.
  var connection: TCPConnection
  /// Microseconds from the connection's beginning; `nil`: it did not come so far.
  private(set) var (connected, secured, delivered): (Int?, Int?, Int?)

  /// What a client says first in TLS 1.3, what the server answers, and what ends the handshake
  /// (RFC 8446 §2); with one certificate chain of usual length.
  private static let (helloBytes, serverBytes, finishedBytes) = (517, 3600, 74)
  /// After so long nobody waits any more: an hour.
  static let longest = 3_600_000_000

  init(_ connection: TCPConnection, requestBytes: Int, isSecure: Bool) {
    self.connection = connection
    guard connect() else { return }
    if isSecure {
      guard send(Self.helloBytes, .up) != nil, let end = send(Self.serverBytes, .down) else {
        return
      }
      secured = end
    }
    delivered = send((isSecure ? Self.finishedBytes : 0) + requestBytes, .up)
  }

  private mutating func connect() -> Bool {
    while !connection.isConnected {
      guard connection.step(), connection.now < Self.longest else { return false }
    }
    connected = connection.now
    return true
  }

  /// Writes at one end and lets everything happen until the last of it has come to the other.
  mutating func send(_ bytes: Int, _ way: Link.Way) -> Int? {
    let start = connection.now
    let whole = connection.delivered(way) + bytes
    connection.write(bytes, way, at: start)
    while connection.delivered(way) < whole {
      guard connection.step(), connection.now - start < Self.longest else { return nil }
    }
    return connection.now
  }
}
