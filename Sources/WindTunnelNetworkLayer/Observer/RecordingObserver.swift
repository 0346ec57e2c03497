internal import Foundation

/// Keeps every event, for tests and for a look at what a call went through.
public final class RecordingObserver: Observer, @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [CallEvent] = []

  /// Makes one that has heard nothing yet.
  public init() {}

  /// What happened so far, in the order in which it was heard.
  public var events: [CallEvent] { lock.withLock { kept } }

  /// Keeps the event.
  public func observe(_ event: CallEvent) { lock.withLock { kept.append(event) } }
}
