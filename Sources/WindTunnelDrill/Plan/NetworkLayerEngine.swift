/// An engine of the reference client that a drill can ask for, behind the client's name and a
/// colon.
enum NetworkLayerEngine: String, Sendable, CaseIterable {
  /// The platform's URL loading.
  case urlsession
  /// Sockets of this package's own, for the wire alone.
  case sockets

  /// The name of the client with this engine.
  var subject: String { "\(DrillPlan.networkLayerSubject):\(rawValue)" }

  /// The engine of a subject; `nil` of one that names none.
  init?(subject: String) {
    guard let found = Self.allCases.first(where: { $0.subject == subject }) else { return nil }
    self = found
  }
}
