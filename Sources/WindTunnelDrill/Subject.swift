package import Foundation
internal import WindTunnel

/// A client under test: something that makes one call.
package protocol Subject: Sendable {
  /// The name in the report.
  var name: String { get }
  /// Makes one call and tells how it went. It must end within the call's deadline by itself; what
  /// does not is a hang.
  func fly(_ call: DrillCall) async -> Landing
}

/// How a call went, as the client told it.
package struct Landing: Sendable {
  /// Whether the caller got what it asked for.
  package var isSuccess: Bool
  /// What the client said, where it did not: a symptom's name or `status 503`.
  package var reason: String
  /// What there is to show.
  package var body: Data?
  /// Whether there is something to show, where the body does not say.
  var isShown: Bool?

  /// A good one.
  package static func good(_ body: Data) -> Landing {
    Landing(isSuccess: true, reason: "", body: body)
  }

  /// A bad one.
  package static func bad(_ reason: String) -> Landing {
    Landing(isSuccess: false, reason: reason, body: nil)
  }

  /// Whether there is something to show: a body that is not empty and, where it looks like JSON,
  /// decodes.
  var showed: Bool {
    if let isShown { return isShown }
    guard isSuccess, let body, let first = body.first else { return false }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
    // What does not decode cannot be shown; why does not matter here.
    return (try? JSON(parsing: body, source: "")) != nil
  }
}
