internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension LoadingContext {
  private var cookies: HTTPCookieStorage? {
    guard let configuration, configuration.httpShouldSetCookies,
      configuration.httpCookieAcceptPolicy != .never
    else { return nil }
    return configuration.httpCookieStorage
  }

  /// Stores what an answer sets, as the platform's own protocol does; it does not do so for others.
  func storeCookies(_ values: [String], at url: URL) {
    guard let cookies else { return }
    for value in values {
      let parsed = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
      cookies.setCookies(parsed, for: url, mainDocumentURL: nil)
    }
  }

  /// Puts the stored cookies into a request that the platform has not made.
  func addCookies(to request: inout URLRequest) {
    guard let url = request.url, let stored = cookies?.cookies(for: url), !stored.isEmpty else {
      return
    }
    for (name, value) in HTTPCookie.requestHeaderFields(with: stored) {
      request.setValue(value, forHTTPHeaderField: name)
    }
  }
}
