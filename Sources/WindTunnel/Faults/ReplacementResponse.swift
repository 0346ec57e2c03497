internal import WindTunnelSymptoms

/// An answer in good form in place of the recorded one.
public enum ReplacementResponse: String, Sendable, Hashable, CaseIterable {
  /// 407 with `Proxy-Authenticate` (RFC 9110 §15.5.8).
  case proxyAuthentication
  /// 302 to the log-in page of a captive portal, which is then shown to whoever asks for it.
  case captivePortalRedirect
  /// The log-in page of a captive portal, with 200.
  case captivePortalPage
  /// 302 to the very place that was asked for.
  case redirectLoop
  /// 302 without a `Location`.
  case redirectWithoutLocation

  /// The path of a captive portal's page.
  public static let portalPath = "/captive-portal/login"
}

// MARK: In the catalogue

extension ReplacementResponse {
  /// The catalogue's entries, one for each case.
  static let kinds = allCases.map { replacement in
    FaultKind(FaultKind.dashed(replacement.rawValue), .http, .answer(replacement))
  }

  /// The clients' views of it.
  var expected: FaultExpectation {
    switch self {
    case .proxyAuthentication: FaultExpectation(407)
    case .captivePortalRedirect, .captivePortalPage: FaultExpectation(200)
    case .redirectLoop: FaultExpectation(.tooManyRedirects, apple: .tooManyRedirects, 47)
    case .redirectWithoutLocation: FaultExpectation(302)
    }
  }
}
