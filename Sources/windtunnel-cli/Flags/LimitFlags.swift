internal import WindTunnelCommandLine
internal import WindTunnelServer

/// What a peer may take of a server, as `serve`, `record` and `proxy` take it.
enum LimitFlags {
  static let flags = [
    Flag("--header-bytes-max", "N", "The longest header that is read (default: 65536)."),
    Flag(
      "--body-bytes-max",
      "N",
      "The longest body (default: 536870912 kept, 17179869184 unread)."
    ),
    Flag("--connections-max", "N", "So many open at once; more wait (default: 16384)."),
    Flag("--idle-seconds", "N", "How long a connection may lie idle (default: 75)."),
    Flag("--request-seconds", "N", "How long a request may take to arrive (default: 60)."),
  ]

  /// What an origin may take of a server that asks it.
  static let originFlags = [
    Flag("--connect-seconds", "N", "How long a connect to an origin may take (default: 30)."),
    Flag("--answer-seconds", "N", "How long an origin may be silent meanwhile (default: 300)."),
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
    if let seconds = try arguments.int("--connect-seconds", in: 1...secondsMax) {
      limits.connectSeconds = Double(seconds)
    }
    if let seconds = try arguments.int("--answer-seconds", in: 1...secondsMax) {
      limits.answerSeconds = Double(seconds)
    }
    return limits
  }
}
