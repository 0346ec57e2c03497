/// The deck's decision for one tunnel (`CONNECT`, RFC 9110 §9.3.6).
public struct TunnelDecision: Sendable, Hashable {
  /// The faults; the decision's key is `CONNECT host:port`.
  public var decision: Decision
  /// The link and the fates of its packets; `nil`: as fast as it goes.
  public var path: LinkPath?
  /// The scenario that it was decided in.
  public var scenario: String
  /// Tells whether the host is one that the cassette answers for, so that the live one must not be asked.
  public var isOnCassette: Bool
  /// Tells whether the proxy looks into it, so that its requests are decided one by one.
  public var isOpened: Bool
  /// The failure that was recorded of it; `nil` where that is not on the cassette.
  public var failure: Failure?
  /// Under which number its failure is kept; `nil` where nothing is recorded.
  var ticket: Int?
}

extension Request {
  /// Makes a request that asks a proxy for a tunnel.
  package init(tunnelTo authority: String) {
    // The scheme is a guess that only a default port depends on, and an authority has its own.
    self.init("CONNECT", RequestURL("https://\(authority)"))
  }

  var tunnelKey: String { "CONNECT \(url.host ?? ""):\(url.effectivePort ?? 443)" }
}
