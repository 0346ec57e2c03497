internal import Foundation
internal import WindTunnelSymptoms

/// A client that is a closure of the caller.
package struct ClosureSubject<Shown: Sendable>: Subject {
  package let name: String
  let body: @Sendable @concurrent (DrillCall) async throws -> Shown

  package func run(_ call: DrillCall) async -> CallResult {
    do {
      return Self.result(try await body(call))
    } catch {
      return .bad(Self.reason(error))
    }
  }

  /// Returns the result of a call that returned a value. It shows content unless the value is
  /// empty.
  package static func result(_ shown: Shown) -> CallResult {
    if let body = shown as? Data { return .good(body) }
    let mirror = Mirror(reflecting: shown)
    let isMissing = mirror.displayStyle == .optional && mirror.children.isEmpty
    let isEmpty = (shown as? any Collection)?.isEmpty == true
    var result = CallResult(ending: .succeeded, body: nil)
    result.isShown = !isMissing && !isEmpty
    return result
  }

  /// The maximum length of an error's text in a report.
  private static var scalarsMax: Int { 200 }

  /// Returns the name of a symptom, or the text of the client's own error in one line.
  package static func reason(_ error: any Error) -> String {
    if let symptom = Symptom(error) { return symptom.rawValue }
    return String(describing: error).told(atMost: scalarsMax)
  }
}
