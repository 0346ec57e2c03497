/// The fourth part of the layer: hears what happens and changes none of it.
///
/// Calls are told apart by their numbers, and each client counts its own: an observer that keeps
/// records belongs to one client and its copies.
public protocol Observer: Sendable {
  /// Hears one event. Those of one call come in order, from whatever thread the call is on, and
  /// the call waits meanwhile; those of several calls may come at once.
  func observe(_ event: CallEvent)
}

/// Hears nothing.
public struct SilentObserver: Observer {
  /// Makes one; all are alike.
  public init() {}

  /// Drops the event.
  public func observe(_ event: CallEvent) {}
}
