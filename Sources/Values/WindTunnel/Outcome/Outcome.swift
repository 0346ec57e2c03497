public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The deck's decision for one request.
public struct Outcome: Sendable, Hashable {
  /// The source of the response.
  public enum Source: Sendable, Hashable {
    /// The recording at this index of the cassette.
    case recording(Interaction, place: Int)
    /// A function of the deck, with its response.
    indirect case computed(Response)
    /// The live origin. Its response is recorded under this number, or is not recorded if it is
    /// `nil`.
    case forward(ticket: Int?)
    /// No recording, and the reason why none matches.
    indirect case unmatched(Mismatch)
  }

  /// The number of this outcome in its deck.
  public var id: Int
  /// The request as it was matched: without a lane, and with the origin that the client meant.
  public var request: Request
  /// The source of the response.
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
  /// The URL to which a forwarded request is sent instead of its own; `nil` for its own.
  public var liveURL: RequestURL? {
    get { boxedLiveURL?.value }
    set { boxedLiveURL = newValue.map { Boxed($0) } }
  }
  /// The speed of a recorded response.
  public var pace: Pace
  /// The time that a stub waits before its response, at any pace; `nil` if it does not wait.
  package var delay: Duration? {
    get { boxedDelay?.value }
    set { boxedDelay = newValue.map { Boxed($0) } }
  }
  /// The time of the decision by the caller's clock; `nil` if the caller passed none.
  public var moment: Date?
  /// The authority that the client used for this server, such as `localhost:8080`, if it is not the
  /// plain address.
  ///
  /// The request itself has the origin that the client meant.
  package var calledBy: String?
  /// The address of the client, if a proxy serves several clients and their exchanges are observed.
  package var client: String? {
    get { boxedClient?.value }
    set { boxedClient = newValue.map { Boxed($0) } }
  }
  /// Whether the client sent the request to a server by TLS; the request itself has the scheme that
  /// the client meant.
  package var isSecure = false
  /// Whether the request used HTTP/2.
  package var isHTTP2 = false
  /// The number of the deck's earlier exchanges that were not observed; `nil` if this one is not
  /// observed.
  package var skipped: Int?
  /// The recordings whose bodies its faults send, by number; `nil` if no fault sends one.
  var bodySources: [Int: Interaction]?
  /// The index at which the deck stores the exchange until its end.
  var slot: Int
  /// The key of the response if nothing changes it, so that equal requests receive the same bytes.
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

  /// The second of the decision, since 1970: dates that are sent have no fractions of a second.
  package var second: Duration? {
    moment.map { .seconds(Int64($0.timeIntervalSince1970.rounded(.down))) }
  }

  /// Whether the exchange is observed.
  package var isFollowed: Bool { skipped != nil }

  /// Whether the client receives the live origin's response.
  public var forwards: Bool { Self.forwards(source, decision) }

  /// Returns whether the client receives the live origin's response, before there is an outcome.
  static func forwards(_ source: Source, _ decision: FaultDecision) -> Bool {
    guard case .forward = source else { return false }
    return !decision.faults.contains(where: \.forestallsOrigin)
  }

  /// The approximate size of the request line and the header fields.
  private static let requestHeadBytes = 200

  /// The shaper for the response; `nil` if the response is not slowed down.
  public var shaper: Shaper? {
    path?.responseShaper(behind: requestBytes, isSecure: request.url.scheme == "https")
  }

  /// Returns the shaper for one direction after the request if nothing else follows on its
  /// connection; `nil` if it is not slowed down.
  package func shaper(_ way: Link.Way) -> Shaper? {
    path?.shaper(way, behind: requestBytes, isSecure: request.url.scheme == "https")
  }

  /// The delays on the link before the request has arrived; `nil` without a link.
  package var linkStages: ExchangeStages? {
    path?.stages(requestBytes: requestBytes, isSecure: request.url.scheme == "https")
  }

  var requestBytes: Int { Self.requestHeadBytes + (path?.contentBytes ?? request.body.count) }
}

/// The speed of recorded responses, relative to the recording.
///
/// The parts of a streamed body stay separate at any pace.
public enum Pace: Sendable, Hashable {
  /// As fast as possible, without waits.
  case immediately
  /// A multiple of the recorded speed: the first byte and each part arrive in a fraction of their
  /// recorded time.
  ///
  /// A factor below one is slower. A factor that is not a positive number removes all waits.
  case times(Double)

  /// The recorded speed itself.
  public static let asRecorded = Pace.times(1)

  /// Returns the wait for a recorded wait; zero if the recorded time was negative.
  func wait(_ recorded: Duration) -> Duration {
    guard case .times(let factor) = self, factor > 0, recorded > .zero else { return .zero }
    // A longer wait would have no use in a test.
    return Duration(milliseconds: min(recorded.inMilliseconds / factor, Self.longestMilliseconds))
  }

  /// The length of a day, which is the maximum.
  private static let longestMilliseconds = 86_400_000.0
}

/// The deck's decision for one tunnel (`CONNECT`, RFC 9110 §9.3.6).
public struct TunnelDecision: Sendable, Hashable {
  /// The faults; the decision's key is `CONNECT host:port`.
  public var decision: FaultDecision
  /// The link, and the draws that decide which packets are lost; `nil` for no delay, limit or loss.
  public var path: LinkPath?
  /// The scenario in which the tunnel was decided.
  public var scenario: String
  /// Whether the cassette has recordings of the host, so that the live host must not be contacted.
  public var isOnCassette: Bool
  /// Whether the proxy decrypts the tunnel, so that its requests are decided one by one.
  public var isOpened: Bool
  /// The recorded failure of the tunnel; `nil` if the cassette has none.
  public var failure: Failure?
  /// The number under which its failure is recorded; `nil` if nothing is recorded.
  var ticket: Int?
}

extension Request {
  /// Creates a request for a tunnel through a proxy.
  package init(tunnelTo authority: String) {
    // The scheme only matters for a default port, and an authority has a port of its own.
    self.init("CONNECT", RequestURL("https://\(authority)"))
  }

  var tunnelKey: String { "CONNECT \(url.host ?? ""):\(url.effectivePort ?? 443)" }
}
