public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The deck's decision for one request.
public struct Outcome: Sendable, Hashable {
  /// The source of the answer.
  public enum Source: Sendable, Hashable {
    /// The recording at this place of the cassette.
    case recording(Interaction, place: Int)
    /// A function of the deck, with its response.
    indirect case computed(Response)
    /// The live origin; its answer is kept under this number, or passes unrecorded.
    case forward(ticket: Int?)
    /// No recording, and the reason why none matches.
    indirect case unmatched(Mismatch)
  }

  /// The number of this outcome in its deck.
  public var id: Int
  /// The request as it was matched: without a lane, with the origin that it was meant for.
  public var request: Request
  /// The source of the answer.
  public var source: Source
  /// The recording that is played; `nil` if the response has another source.
  package var recording: Interaction? {
    if case .recording(let interaction, place: _) = source { interaction } else { nil }
  }
  /// The faults of the exchange.
  public var decision: FaultDecision
  /// The link, and the draws that decide which packets are lost.
  public var path: LinkPath? {
    get { boxedPath?.value }
    set { boxedPath = newValue.map { Boxed($0) } }
  }
  /// The URL that a forwarded request goes to in place of its own.
  public var liveURL: RequestURL? {
    get { boxedLiveURL?.value }
    set { boxedLiveURL = newValue.map { Boxed($0) } }
  }
  /// The speed of a recorded answer.
  public var pace: Pace
  /// The time that a stub waits before its response, at any pace; `nil` if it does not wait.
  package var delay: Duration? {
    get { boxedDelay?.value }
    set { boxedDelay = newValue.map { Boxed($0) } }
  }
  /// The time of the decision by the caller's clock; `nil` where the caller gave none.
  public var moment: Date?
  /// The name by which the client called this server, such as `localhost:8080`, where it is not
  /// the plain address; the request itself has the origin that is meant.
  package var calledBy: String?
  /// The address of the client, where a proxy serves several and somebody observes what each does.
  package var client: String? {
    get { boxedClient?.value }
    set { boxedClient = newValue.map { Boxed($0) } }
  }
  /// Tells whether the request came to a server by TLS; the request itself has the scheme that is
  /// meant.
  package var isSecure = false
  /// The number of the deck's exchanges before it that nobody followed; `nil`: nobody follows it.
  package var skipped: Int?
  /// The recordings whose bodies its faults send, by number; `nil` if no fault sends one.
  var bodySources: [Int: Interaction]?
  /// The place where the deck is told of its end.
  var slot: Int
  /// The name of the response, where nothing changes it: it is the same for every like request.
  package var renderedKey: RenderedResponseKey?
  private var boxedPath: Boxed<LinkPath>?
  private var boxedLiveURL: Boxed<RequestURL>?
  private var boxedClient: Boxed<String>?
  private var boxedDelay: Boxed<Duration>?

  init(
    id: Int,
    request: Request,
    source: Source,
    decision: FaultDecision,
    path: LinkPath? = nil,
    liveURL: RequestURL? = nil,
    pace: Pace = .immediately,
    moment: Date? = nil,
    bodySources: [Int: Interaction]? = nil,
    slot: Int = 0,
    skipped: Int? = 0,
    renderedKey: RenderedResponseKey? = nil
  ) {
    (self.id, self.request, self.source, self.decision) = (id, request, source, decision)
    (self.pace, self.moment, self.bodySources) = (pace, moment, bodySources)
    (self.slot, self.skipped, self.renderedKey) = (slot, skipped, renderedKey)
    (boxedPath, boxedLiveURL) = (path.map { Boxed($0) }, liveURL.map { Boxed($0) })
  }

  /// The second in which it was decided, since 1970: what is sent of a moment has no parts of one.
  package var second: Duration? {
    moment.map { .seconds(Int64($0.timeIntervalSince1970.rounded(.down))) }
  }

  /// Tells whether somebody follows the exchange.
  package var isFollowed: Bool { skipped != nil }

  /// Tells whether the client gets the live origin's answer.
  public var forwards: Bool { Self.forwards(source, decision) }

  /// Tells the same before there is an outcome.
  static func forwards(_ source: Source, _ decision: FaultDecision) -> Bool {
    guard case .forward = source else { return false }
    return !decision.faults.contains(where: \.forestallsOrigin)
  }

  /// About what the request line and fields take.
  private static let requestHeadBytes = 200

  /// The shaper that the answer passes through; `nil`: the answer is not slowed down.
  public var shaper: Shaper? { shaper(.down) }

  /// Returns the shaper of what passes one way behind the request; `nil`: it is not slowed down.
  package func shaper(_ way: Link.Way) -> Shaper? {
    path?.shaper(way, behind: requestBytes, isSecure: request.url.scheme == "https")
  }

  /// The waits on the link before the request has arrived.
  package var linkStages: ExchangeStages? {
    path?.stages(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  var requestBytes: Int { Self.requestHeadBytes + (path?.contentBytes ?? request.body.count) }
}

/// The speed of recorded answers, relative to the recording.
///
/// The pieces of a streamed body stay pieces at any pace.
public enum Pace: Sendable, Hashable {
  /// As fast as possible, without waits.
  case immediately
  /// A multiple of the recorded speed: the first byte and each piece arrive in a fraction of their
  /// recorded time. A factor below one is slower; one that is not a positive number removes all
  /// waits.
  case times(Double)

  /// The recorded speed itself.
  public static let asRecorded = Pace.times(1)

  /// Returns the wait where the recording waited so long; a time that ran backwards is none.
  func wait(_ recorded: Duration) -> Duration {
    guard case .times(let factor) = self, factor > 0, recorded > .zero else { return .zero }
    // Slower than this is not a wait but the end.
    return Duration(milliseconds: min(recorded.inMilliseconds / factor, Self.longestMilliseconds))
  }

  /// The length of a day.
  private static let longestMilliseconds = 86_400_000.0
}

/// The deck's decision for one tunnel (`CONNECT`, RFC 9110 §9.3.6).
public struct TunnelDecision: Sendable, Hashable {
  /// The faults; the decision's key is `CONNECT host:port`.
  public var decision: FaultDecision
  /// The link, and the draws that decide which packets are lost; `nil`: as fast as possible.
  public var path: LinkPath?
  /// The scenario in which the tunnel was decided.
  public var scenario: String
  /// Tells whether the cassette answers for the host, so that the live one must not be asked.
  public var isOnCassette: Bool
  /// Tells whether the proxy decrypts the tunnel, so that its requests are decided one by one.
  public var isOpened: Bool
  /// The recorded failure of the tunnel; `nil` where none is on the cassette.
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
