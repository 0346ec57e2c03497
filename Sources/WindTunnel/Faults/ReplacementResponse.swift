/// An answer in good form in place of the recorded one.
public enum Substitute: String, Sendable, Hashable, CaseIterable {
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

  /// Where the page of a captive portal is.
  public static let portalPath = "/captive-portal/login"

  static let portalPage =
    "<!DOCTYPE html><title>Log in</title><form method=\"post\"><input name=\"room\"></form>\n"

  func response(to request: Request) -> Response {
    switch self {
    case .proxyAuthentication:
      var response = Script.notice(407, "This 407 was injected.\n")
      response.head.headers.append("Proxy-Authenticate", "Basic realm=\"proxy\"")
      return response
    case .captivePortalPage:
      return Response(
        headers: [
          "Content-Type": "text/html; charset=utf-8",
          "Content-Length": String(Self.portalPage.utf8.count), "Cache-Control": "no-store",
        ],
        body: Body(Self.portalPage)
      )
    case .captivePortalRedirect: return Self.redirect(to: Self.portalPath)
    case .redirectLoop: return Self.redirect(to: request.url.target)
    case .redirectWithoutLocation: return Self.redirect(to: nil)
    }
  }

  private static func redirect(to place: String?) -> Response {
    var headers: HeaderFields = ["Content-Length": "0"]
    if let place { headers.append("Location", place) }
    return Response(status: 302, headers: headers)
  }
}
