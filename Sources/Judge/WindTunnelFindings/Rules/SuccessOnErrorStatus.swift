internal import Foundation

extension FindingRule {
  /// Finds clients that report success after an error status.
  static let successOnErrorStatus = FindingRule(
    id: "success-on-error-status",
    title: "Reports success although every response was a 4xx or 5xx.",
    condition: "no attempt of a call succeeded, and the last had a status of 400 or more",
    cost: "The text of an error is shown or stored as data.",
    fix: "Check the status before the body (curl: --fail; fetch: response.ok).",
    source: "RFC 9110 §15.5 and §15.6; curl(1), --fail"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, let last = call.attempts.last(where: \.isRequest),
      let status = last.injectedStatus, status >= 400, last.error == nil
    else { return .notMet }
    guard call.claimsSuccess, !call.showsCopy else { return .kept }
    // A missing resource may be the expected result (RFC 9110 §15.5.5 and §15.5.11).
    if status == 404 || status == 410, !call.observation.showed { return .notMet }
    switch call.client {
    case .program:
      // A program that prints its own text may have informed the user. The decoded error alone,
      // as Python, Node and Go print it, is not such a text.
      let isOwn =
        call.observation.printed.map { printed in
          let letters = String(printed.filter { $0.isLetter || $0.isNumber })
          return !RecordedBodies.isHollow(Data(printed.utf8)) && !printed.hasPrefix("This ")
            && !letters.trimmingPrefix("map").hasPrefix("errorThis\(status)was")
        } ?? false
      let seen = "This command ended with 0, but received only \(status)"
      return isOwn ? .doubtful(seen) : .broken(seen + ".")
    case .library, .service, .proxied:
      return .broken("It returned without an error, but received only \(status).")
    }
  }
}
