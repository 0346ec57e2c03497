/// An engine of the reference client, which a drill selects by the client's name, a colon and this
/// name.
enum ReferenceEngine: String, Sendable, CaseIterable {
  /// The platform's URL loading.
  case urlsession
  /// This package's own sockets, on the wire only.
  case sockets
}
