@_spi(WindTunnel) internal import WindTunnelCore

/// A link and the draws that decide which of a connection's packets are lost.
public struct LinkPath: Sendable, Hashable {
  /// The link with its conditions.
  public var link: Link
  /// The draws of the connection.
  public var draws: ConnectionDraws
  /// The rates that several connections share; `nil` if each has its own.
  package var shared: SharedRates?
  /// The number of round trips before the request; `nil` for a new connection.
  public var handshakes: Int?
  /// Whether only the time of the TLS handshake has already been spent, by the handshake itself.
  public var isSecured = false
  /// The length of the request's content in bytes, if the request does not have it; otherwise
  /// `nil`.
  public var contentBytes: Int?

  /// The exchange's part of a connection that it shares; `nil` for a connection of its own.
  package var exchange: LinkExchange?

  /// Whether TCP's windows or losses affect the times on the link.
  var needsTCP: Bool { link.up.needsTCP || link.down.needsTCP }

  private let known = KnownJourney()

  package init(link: Link, draws: ConnectionDraws, shared: SharedRates? = nil) {
    (self.link, self.draws, self.shared) = (link, draws, shared)
  }

  private func connection() -> TCPConnection { TCPConnection(link, draws, shared: shared) }

  /// Returns the simulated journey of a request, which is only cached if no other connection
  /// affects it.
  func journey(requestBytes: Int, isSecure: Bool) -> Journey {
    let way = KnownJourney.Way(link: link, draws: draws, bytes: requestBytes, isSecure: isSecure)
    if shared == nil, let known = known.journey(way) { return known }
    let journey = Journey(connection(), requestBytes: requestBytes, isSecure: isSecure)
    if shared == nil { known.note(journey, of: way) }
    return journey
  }

  /// Returns the time from the name's resolution to the request's arrival; `nil` if it never
  /// arrives.
  ///
  /// Round trips that have already been waited for are not included.
  package func travel(requestBytes: Int, isSecure: Bool) -> Duration? {
    if link.isDead { return nil }
    if let exchange { return exchange.started(self, requestBytes, isSecure: isSecure).travel }
    let dns = handshakes == nil ? link.dnsDelay : .zero
    guard needsTCP else {
      var up = Shaper(link.up)
      return dns + up.send(requestBytes, at: .zero)
    }
    let journey = journey(requestBytes: requestBytes, isSecure: isSecure)
    guard let delivered = journey.delivered, let connected = journey.connected else { return nil }
    let waited =
      switch handshakes {
      case nil: isSecured ? (journey.secured ?? connected) - connected : 0
      case 0: journey.secured ?? connected
      default: connected
      }
    return dns + .microseconds(delivered - waited)
  }

  /// Returns the same time in its parts; a part that is not modelled is `nil`.
  ///
  /// If the request never arrives, only the parts before the failure are known.
  package func stages(requestBytes: Int, isSecure: Bool) -> ExchangeStages {
    var stages = ExchangeStages()
    if link.isDead { return stages }
    if let exchange { return exchange.started(self, requestBytes, isSecure: isSecure).stages }
    if handshakes == nil { stages.dns = link.dnsDelay > .zero ? link.dnsDelay : nil }
    guard needsTCP else {
      var up = Shaper(link.up)
      stages.upload = up.send(requestBytes, at: .zero)
      return stages
    }
    let journey = journey(requestBytes: requestBytes, isSecure: isSecure)
    guard let delivered = journey.delivered, let connected = journey.connected else {
      return stages
    }
    if handshakes == nil { stages.connect = .microseconds(connected) }
    if handshakes != 0, !isSecured, let secured = journey.secured {
      stages.tls = .microseconds(secured - connected)
    }
    stages.upload = .microseconds(delivered - (journey.secured ?? connected))
    return stages
  }

  /// Returns the shaper of one direction of the connection after a request, if no other exchange
  /// follows on it, as after an upgrade (RFC 9110 §7.8).
  package func shaper(_ way: Link.Way, behind requestBytes: Int, isSecure: Bool) -> Shaper {
    guard needsTCP, !link.isDead else { return Shaper(way == .up ? link.up : link.down) }
    let shared = exchange?.started(self, requestBytes, isSecure: isSecure)
    let connection =
      shared?.connection ?? journey(requestBytes: requestBytes, isSecure: isSecure).connection
    return Shaper(connection, way, of: link, for: shared?.number ?? 0)
  }

  /// Returns the shaper of the response to a request.
  package func responseShaper(behind requestBytes: Int, isSecure: Bool) -> Shaper {
    guard let exchange, !link.isDead else {
      return shaper(.down, behind: requestBytes, isSecure: isSecure)
    }
    return Shaper(exchange.started(self, requestBytes, isSecure: isSecure), link.down)
  }

  /// Returns the time to open a connection; `nil` if it never opens.
  package func opening() -> Duration? {
    if link.isDead { return nil }
    guard needsTCP else { return link.dnsDelay }
    return Journey(connection(), requestBytes: 0, isSecure: false).connected
      .map { link.dnsDelay + .microseconds($0) }
  }

  /// Returns the duration of a TLS handshake on an open connection; `nil` if it never ends.
  ///
  /// It is one round trip with its losses (RFC 8446 §2).
  public func securing() -> Duration? {
    if link.isDead { return nil }
    guard needsTCP else { return .zero }
    let journey = journey(requestBytes: 0, isSecure: true)
    guard let connected = journey.connected, let secured = journey.secured else { return nil }
    return .microseconds(secured - connected)
  }

  /// Returns the shaper of one direction of an open connection.
  ///
  /// Each direction is simulated separately: its acknowledgements are not affected by the queue and
  /// the losses of the other direction's data.
  public func shaper(_ way: Link.Way) -> Shaper {
    guard needsTCP, !link.isDead else { return Shaper(way == .up ? link.up : link.down) }
    var connection = connection()
    // Each end can write once it is open: the server half a round trip after the client.
    while !connection.isOpen(way), connection.now < Journey.longest, connection.step() {}
    return Shaper(connection, way, of: link)
  }
}

/// A cache of the last simulated journey, because an exchange needs the same one three times.
///
/// All caches are equal, because a journey follows from its path.
private final class KnownJourney: Sendable, Hashable {
  struct Way: Sendable, Equatable {
    var link: Link
    var draws: ConnectionDraws
    var bytes: Int
    var isSecure: Bool
  }

  private let last = Locked<(way: Way, journey: Journey)?>(nil)

  func journey(_ way: Way) -> Journey? {
    last.withLock { last in last.flatMap { $0.way == way ? $0.journey : nil } }
  }

  func note(_ journey: Journey, of way: Way) { last.withLock { $0 = (way, journey) } }

  static func == (left: KnownJourney, right: KnownJourney) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 11)
