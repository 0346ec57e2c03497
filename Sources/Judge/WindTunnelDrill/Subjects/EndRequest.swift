/// Requests the end of a call from its program once, in any order of start and cancellation.
///
/// A second signal would end the command that a shell runs after its trap for the first one.
struct EndRequest: Sendable {
  private var hasBegun = false
  private var isCancelled = false

  /// Records that the program can receive a request. Returns whether one must be sent now.
  mutating func begins() -> Bool {
    hasBegun = true
    return isCancelled
  }

  /// Records that the caller cancels the call. Returns whether a request must be sent now.
  mutating func cancels() -> Bool {
    isCancelled = true
    return hasBegun
  }
}
