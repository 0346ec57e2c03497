internal import WindTunnelServer

/// What a peer may take of a server, as `serve`, `record` and `proxy` take it.
enum LimitFlags {
  static let flags = [
    Flag("--header-bytes-max", "N", "The longest header that is read (default: 65536)."),
    Flag("--body-bytes-max", "N", "The longest body that is read (default: 134217728)."),
    Flag("--connections-max", "N", "So many open at once; more wait (default: 16384)."),
    Flag("--idle-seconds", "N", "How long a connection may lie idle (default: 75)."),
    Flag("--request-seconds", "N", "How long a request may take to arrive (default: 60)."),
  ]

  /// A day: whoever waits longer has forgotten it.
  private static let secondsMax = 86_400

  static func limits(_ arguments: Arguments) throws(Refusal) -> Limits {
    var limits = Limits.standard
    if let bytes = try arguments.int("--header-bytes-max", in: 1...Int.max) {
      limits.headerBytesMax = bytes
    }
    if let bytes = try arguments.int("--body-bytes-max", in: 0...Int.max) {
      (limits.bodyBytesMax, limits.unreadBodyBytesMax) = (bytes, bytes)
    }
    if let count = try arguments.int("--connections-max", in: 1...Int.max) {
      limits.connectionsMax = count
    }
    if let seconds = try arguments.int("--idle-seconds", in: 1...secondsMax) {
      limits.idleSeconds = Double(seconds)
    }
    if let seconds = try arguments.int("--request-seconds", in: 1...secondsMax) {
      limits.requestSeconds = Double(seconds)
    }
    return limits
  }
}
