/// How long the stages of one exchange took; `nil` where there was no such stage, as with a connection
/// that was there already.
///
/// Only Apple platforms tell: on Linux a `URLSession` collects no metrics (swift-corelibs-foundation
/// #4988).
public struct StageTimings: Sendable, Hashable {
  /// Finding the host's address.
  public var nameLookup: Duration?
  /// Making the connection, TLS included.
  public var connect: Duration?
  /// The part of that which TLS took.
  public var secureConnection: Duration?
  /// Sending the request.
  public var send: Duration?
  /// From the end of the request to the first byte of the answer.
  public var wait: Duration?
  /// From the first byte to the last.
  public var receive: Duration?

  /// Makes timings of their parts.
  public init(
    nameLookup: Duration? = nil,
    connect: Duration? = nil,
    secureConnection: Duration? = nil,
    send: Duration? = nil,
    wait: Duration? = nil,
    receive: Duration? = nil
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnection = secureConnection
    self.send = send
    self.wait = wait
    self.receive = receive
  }

  /// Those that there are by name, in milliseconds, to the microsecond.
  var milliseconds: [String: Double] {
    let stages = [
      "nameLookup": nameLookup, "connect": connect, "secureConnection": secureConnection,
      "send": send, "wait": wait, "receive": receive,
    ]
    return stages.compactMapValues { $0 }.mapValues { ($0.seconds * 1e6).rounded() / 1e3 }
  }
}
