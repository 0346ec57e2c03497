public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// How one attempt ended: an answer of any status, or none.
public typealias AttemptOutcome = Result<HTTPAnswer, TransportError>

/// The second part of the layer: says what follows on an attempt.
///
/// It knows no clock, no chance and no network; equal arguments get equal decisions.
public protocol Policy: Sendable {
  /// Decides after an attempt that ended.
  ///
  /// - Parameters:
  ///   - outcome: How the attempt ended.
  ///   - attempt: Which attempt of the call it was, from 1.
  ///   - request: What was sent and would be sent again.
  ///   - date: The time of day, for answers that name one.
  ///   - draw: A number in 0..<1 for this decision alone.
  /// - Returns: Whether the request is sent again, and when.
  func decide(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest,
    at date: Date,
    draw: Double
  ) -> Decision
}

/// What follows on an attempt.
public enum Decision: Sendable, Hashable {
  /// The caller gets what came.
  case surface
  /// The same request is sent again after a wait.
  case retry(after: Duration)
}
