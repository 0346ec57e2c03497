internal import WindTunnel

/// A console on the local network, for a device that sends all requests through the proxy.
struct ProxiedConsole: Sendable {
  let host: String
  let port: Int
  /// Creates the handler of a connection from an address.
  let handler: @Sendable (_ peer: String) -> any RequestHandler

  /// The URL of the console's page.
  var url: String { "http://\(PrivateAddress.loopback(like: host)):\(port)/" }

  /// Returns whether a request is for this console.
  func isMeant(by head: RequestHead) -> Bool {
    head.method != "CONNECT" && head.url.scheme == "http" && head.url.effectivePort == port
      && head.url.host?.withoutBrackets == host
  }
}
