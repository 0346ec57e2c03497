extension FindingRule {
  /// Finds clients that accept the page of a captive portal as the server's response.
  static let takesPortalForAnswer = FindingRule(
    id: "takes-portal-for-answer",
    title: "Accepts the log-in page of a captive portal as the response.",
    condition: "a captive portal answered every request of a call for JSON",
    cost: "A hotel's page is shown, decoded or stored as the user's data.",
    fix: "Reject an unrequested media type, and a redirect to another host.",
    source: "RFC 8952 §1; RFC 9110 §8.3"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, call.attempts.contains(where: \.isOfPortal) else { return .notMet }
    guard call.claimsSuccess else { return .kept }
    if call.observation.showed, call.observation.showsResponseOf == Observation.portalPage {
      return .broken("It used the portal's page as part of its result.")
    }
    // Content that the call shows is not the page, as far as is known.
    guard !call.observation.showed else { return .notMet }
    // A client that does not follow redirects has only the redirect itself.
    let hasPage = call.attempts.contains { $0.isOfPortal && $0.status == 200 }
    switch call.client {
    // A program may not decode its output. The reader of its output may do so.
    case .program:
      return .broken(
        "This command ended with 0 when the "
          + "portal\(hasPage ? "'s page arrived" : " redirected it").",
        severity: .warning
      )
    case .library, .service, .proxied:
      return .broken("It returned the portal's \(hasPage ? "page" : "redirect") without an error.")
    }
  }
}
