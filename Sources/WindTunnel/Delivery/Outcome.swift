public import Foundation

/// What the deck decided for one request.
public struct Outcome: Sendable, Hashable {
  /// Where the answer comes from.
  public enum Source: Sendable, Hashable {
    /// The recording at this place of the cassette.
    ///
    /// Apart from the rest, so that an outcome is copied without all that was recorded.
    indirect case recording(Interaction, place: Int)
    /// A function of the deck's, which answered this.
    case computed(Response)
    /// The live origin; what it answers is kept under this number, or passes unrecorded.
    case forward(ticket: Int?)
    /// Nothing on the cassette answers.
    case unmatched(Mismatch)
  }

  /// What tells this outcome from all others of its deck.
  public var id: Int
  /// The request as it was matched: without a lane, with the origin it was meant for.
  public var request: Request
  /// Where the answer comes from.
  public var source: Source
  /// What goes wrong.
  public var decision: Decision
  /// The link and the fates of its packets.
  public var path: LinkPath?
  /// Where a forwarded request goes in place of its own address.
  public var liveURL: RequestURL?
  /// How long a recorded answer takes.
  public var pace = Pace.immediately
  /// What time it was when it was decided, by the caller's clock; `nil`: nobody told.
  public var moment: Date?

  /// Whether the answer comes from the live origin and nothing stands in its place.
  public var forwards: Bool {
    guard case .forward = source else { return false }
    return !decision.faults.contains(where: \.forestallsOrigin)
  }
}
