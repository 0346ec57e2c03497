/// The decision of a deck for one tunnel (`CONNECT`, RFC 9110 §9.3.6).
public struct TunnelDecision: Sendable, Hashable {
  /// What goes wrong; its key is `CONNECT host:port`.
  public var decision: Decision
  /// The link and the fates of its packets; `nil`: as fast as it goes.
  public var path: LinkPath?
  /// The scenario that it was decided in.
  public var scenario: String
  /// Whether the host is one that the cassette answers for, so that the live one must not be asked.
  public var isOnCassette: Bool
  /// Whether the proxy looks into it, so that its requests are decided one by one.
  public var isOpened: Bool
  /// How it failed when it was recorded; `nil` where that is not on the cassette.
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

extension Scenario {
  /// Decides what a tunnel meets: by the rules of connections, by those of `CONNECT host:port`, and by
  /// those of every request as far as they can be carried by bytes that cannot be read. A status is
  /// only for the rules that name the tunnel: it answers the `CONNECT`.
  func decideTunnel(_ request: Request, at moment: Moment, isOpened: Bool) -> Decision {
    let fired = fired(at: moment) { rule in
      // What speaks of every request is met by those within an open tunnel, and not by itself, too.
      if isOpened, !rule.isForConnections, rule.trigger.request?.isForTunnels != true {
        return false
      }
      return applies(rule, to: request)
    } resolving: { rule, fault in
      if case .status = fault, rule.trigger.request?.isForTunnels != true { return nil }
      return fault
    }
    var decision = Decision(moment, fired)
    decision.faults = decision.faults.map(\.behindProxy)
    return decision
  }

  /// Whether it has faults that need to look into a tunnel, so that they do not happen in one.
  public var hasFaultsBeyondTunnels: Bool {
    rules.contains { rule in
      if let request = rule.trigger.request { return !request.isForTunnels }
      return rule.faults.contains { fault in
        switch fault {
        case .status, .mutate, .answer, .alter, .malformed, .dribble, .idle: true
        case .cut(let cut): cut.tunnelOffset == nil
        case .delay, .reset, .close, .stall, .truncate, .connection: false
        }
      }
    }
  }

  /// Whether it breaks tunnels off at a byte, which only a proxy that passes their bytes on can do.
  public var cutsTunnelsAtBytes: Bool {
    rules.contains { rule in
      guard rule.trigger.request?.isForTunnels == true else { return false }
      return rule.faults.contains { fault in
        switch fault {
        case .reset(let count), .stall(let count): count != nil
        case .truncate: true
        default: false
        }
      }
    }
  }

  /// Whether it fails handshakes by certificates, which takes a proxy that opens them.
  public var needsCertificates: Bool {
    rules.lazy.flatMap(\.faults).contains {
      guard case .connection(.tls(let fault)) = $0 else { return false }
      return fault.needsCertificate
    }
  }
}

extension Fault {
  /// The fault as a client behind a proxy sees it: the proxy has the connection that fails, and says
  /// so by 502 (RFC 9110 §15.6.3). A handshake is the client's own.
  var behindProxy: Fault {
    switch self {
    case .connection(.tls): self
    // A proxy waits for the connection, and its client for the proxy.
    case .connection(.connectTimeout): .stall(.afterRequest)
    case .connection(let fault) where fault.symptom == nil: .delay(.exactly(fault.delay))
    case .connection: .status(502)
    default: self
    }
  }
}
