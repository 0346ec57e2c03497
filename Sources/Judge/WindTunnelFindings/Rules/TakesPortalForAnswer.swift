extension FindingRule {
  /// The log-in page of a network is taken for the server's answer.
  static let takesPortalForAnswer = FindingRule(
    id: "takes-portal-for-answer",
    title: "Takes the log-in page of a captive portal for the answer.",
    condition: "a captive portal answered every request of a call for JSON",
    cost: "A hotel's page is shown, decoded or stored as the user's data.",
    fix: "Refuse a media type that was not asked for, and a redirect to another place.",
    source: "RFC 8952 §1; RFC 9110 §8.3"
  ).eachCall(.unanswered) { call in
    guard !call.wasAnswered, call.attempts.contains(where: \.isOfPortal) else { return .notMet }
    guard call.claimsSuccess else { return .kept }
    if call.observation.showed, call.observation.showsResponseOf == Observation.portalPage {
      return .broken("It made the portal's page a part of its answer.")
    }
    // What it shows is not the page, as far as anybody can tell.
    guard !call.observation.showed else { return .notMet }
    // Of one that follows no redirect it has nothing but that.
    let hasPage = call.attempts.contains { $0.isOfPortal && $0.status == 200 }
    switch call.client {
    // It has no decoder by nature: whoever reads what it prints may have one.
    case .program:
      return .broken(
        "This command ended with 0 when the portal\(hasPage ? "'s page came" : " redirected it").",
        severity: .warning
      )
    case .library, .service, .proxied:
      return .broken("It returned the portal's \(hasPage ? "page" : "redirect") without an error.")
    }
  }
}
