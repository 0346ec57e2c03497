@_spi(WindTunnel) internal import WindTunnelCore
public import Foundation

/// The deck's decision for one request.
public struct Outcome: Sendable, Hashable {
  /// The source of the answer.
  public enum Source: Sendable, Hashable {
    /// The recording at this place of the cassette.
    case recording(Interaction, place: Int)
    /// A function of the deck's, which answered this.
    indirect case computed(Response)
    /// The live origin; what it answers is kept under this number, or passes unrecorded.
    case forward(ticket: Int?)
    /// Nothing on the cassette answers.
    indirect case unmatched(Mismatch)
  }

  /// The number of this outcome in its deck.
  public var id: Int
  /// The request as it was matched: without a lane, with the origin it was meant for.
  public var request: Request
  /// The source of the answer.
  public var source: Source
  /// The faults of the exchange.
  public var decision: Decision
  /// The link and the fates of its packets.
  public var path: LinkPath? {
    get { boxedPath?.value }
    set { boxedPath = newValue.map { Boxed($0) } }
  }
  /// The address that a forwarded request goes to in place of its own.
  public var liveURL: RequestURL? {
    get { boxedLiveURL?.value }
    set { boxedLiveURL = newValue.map { Boxed($0) } }
  }
  /// The speed of a recorded answer.
  public var pace: Pace
  /// The time of the decision, by the caller's clock; `nil`: nobody told.
  public var moment: Date?
  /// The place where the deck is told of its end.
  var slot: Int
  /// The name of the response, where nothing changes it: it is the same for every like request.
  package var renderedKey: RenderedResponseKey?
  private var boxedPath: Boxed<LinkPath>?
  private var boxedLiveURL: Boxed<RequestURL>?

  init(
    id: Int,
    request: Request,
    source: Source,
    decision: Decision,
    pace: Pace = .immediately,
    moment: Date? = nil,
    slot: Int = 0,
    renderedKey: RenderedResponseKey? = nil
  ) {
    (self.id, self.request, self.source, self.decision) = (id, request, source, decision)
    (self.pace, self.moment) = (pace, moment)
    (self.slot, self.renderedKey) = (slot, renderedKey)
  }

  /// The second in which it was decided, since 1970: what is sent of a moment has no parts of one.
  package var second: Duration? {
    moment.map { .seconds(Int64($0.timeIntervalSince1970.rounded(.down))) }
  }

  /// Tells whether the answer comes from the live origin and nothing stands in its place.
  public var forwards: Bool {
    guard case .forward = source else { return false }
    return !decision.faults.contains(where: \.forestallsOrigin)
  }
}
