/// An engine of the reference client that a drill can ask for, behind the client's name and a
/// colon.
enum ReferenceEngine: String, Sendable, CaseIterable {
  /// The platform's URL loading.
  case urlsession
  /// Sockets of this package's own, for the wire alone.
  case sockets
}
