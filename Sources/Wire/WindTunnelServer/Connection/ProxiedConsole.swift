internal import WindTunnel

/// A console at an address of the local network, for a device whose every request comes through the
/// proxy.
struct ProxiedConsole: Sendable {
  let host: String
  let port: Int
  /// Makes the role of a connection from an address.
  let handler: @Sendable (_ peer: String) -> any RequestHandler

  /// The URL of its page.
  var url: String { "http://\(PrivateAddress.loopback(like: host)):\(port)/" }

  /// Tells whether a request is for it.
  func isMeant(by head: RequestHead) -> Bool {
    head.method != "CONNECT" && head.url.scheme == "http" && head.url.effectivePort == port
      && head.url.host?.withoutBrackets == host
  }
}
