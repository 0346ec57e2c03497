internal import WindTunnelSymptoms

/// A well-formed response instead of the recorded one.
public enum ReplacementResponse: String, Sendable, Hashable, CaseIterable {
  /// A 407 with `Proxy-Authenticate` (RFC 9110 §15.5.8).
  case proxyAuthentication
  /// A 302 to the login page of a captive portal, which is then served at its path.
  case captivePortalRedirect
  /// A 200 with the login page of a captive portal.
  case captivePortalPage
  /// A 302 to the URL of the request itself.
  case redirectLoop
  /// A 302 without a `Location`.
  case redirectWithoutLocation
  /// A 302 to the same path of another host: on the wire `localhost` for `127.0.0.1`, and vice
  /// versa.
  case redirectElsewhere
  /// A 302 to the same path of the same host by `http`: on the wire to a port without TLS.
  case redirectToHTTP

  /// The host in a redirect to another host, which never resolves (RFC 6761 §6.4).
  ///
  /// A server replaces it with another name of its own.
  public static let otherHost = "elsewhere.invalid"

  /// The host in a redirect to `http`, which never resolves, either.
  ///
  /// A server replaces it with the name in the request.
  public static let plainHost = "in-the-clear.invalid"

  /// The path of a captive portal's page.
  public static let portalPath = "/captive-portal/login"

  // MARK: In the catalogue

  /// The catalogue's entries, one for each case.
  static let kinds = allCases.map { replacement in
    FaultKind(FaultKind.dashed(replacement.rawValue), .http, .answer(replacement))
  }

  /// The results of the response in clients.
  var expected: FaultExpectation {
    switch self {
    case .proxyAuthentication: FaultExpectation(407)
    case .captivePortalRedirect, .captivePortalPage: FaultExpectation(200)
    case .redirectLoop, .redirectElsewhere, .redirectToHTTP:
      FaultExpectation(.tooManyRedirects, apple: .tooManyRedirects, 47)
    case .redirectWithoutLocation: FaultExpectation(302)
    }
  }

  /// Returns the response that replaces the recorded one.
  func response(to request: Request) -> Response {
    switch self {
    case .proxyAuthentication:
      var response = Response.injected(407, retryAfter: [])
      response.head.headers.append("Proxy-Authenticate", "Basic realm=\"proxy\"")
      return response
    case .captivePortalPage:
      return .data(
        Body(Self.portalPage).data,
        type: "text/html; charset=utf-8",
        headers: ["Cache-Control": "no-store"]
      )
    case .captivePortalRedirect: return Self.redirect(to: Self.portalPath)
    case .redirectLoop: return Self.redirect(to: request.url.target)
    case .redirectWithoutLocation: return Self.redirect(to: nil)
    case .redirectElsewhere:
      return Self.redirect(to: "http://\(Self.otherHost)\(request.url.target)")
    case .redirectToHTTP:
      return Self.redirect(to: "http://\(Self.plainHost)\(request.url.target)")
    }
  }

  /// The login page of a captive portal.
  package static let portalPage =
    "<!DOCTYPE html><title>Log in</title><form method=\"post\"><input name=\"room\"></form>\n"

  private static func redirect(to place: String?) -> Response {
    var headers: HeaderFields = ["Content-Length": "0"]
    if let place { headers.append("Location", place) }
    return Response(status: 302, headers: headers)
  }
}

extension Response {
  /// The statuses with which an API, rather than a gateway, rejects a request.
  private static let statusesOfAPIs: Set = [400, 403, 404, 409, 410, 422]

  /// Returns the response for an injected status. An API that sends JSON reports its own errors in
  /// it, too, so a client that does not check the status can decode them.
  static func injected(
    _ status: Int,
    retryAfter: [String],
    insteadOf recorded: ResponseHead? = nil
  ) -> Response {
    let words = "This \(status) was injected."
    let isJSON = recorded?.headers["Content-Type"]?.lowercased().contains("json") == true
    var response =
      isJSON && statusesOfAPIs.contains(status)
      ? Response.json(["error": .string(JSON.Text(words))], status: status)
      : Response.text(words + "\n", status: status)
    for value in retryAfter { response.head.headers.append("Retry-After", value) }
    return response
  }

  /// The response to which faults are applied if there is no recorded one.
  static let stopgap = Response.text("This answer was injected.\n")
}
