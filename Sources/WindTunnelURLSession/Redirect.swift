internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Where an answer leads, and how it is asked there (RFC 9110 §15.4).
struct Redirect {
  var request: URLRequest
  /// Whether method and body go along.
  var keepsBody: Bool

  /// `nil` where the answer does not lead anywhere: another status, or no usable `Location`; then
  /// it is the answer itself.
  init?(_ head: ResponseHead, from original: URLRequest) {
    guard [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers["Location"], let base = original.url,
      let url = URL(string: location, relativeTo: base)?.absoluteURL,
      ["http", "https"].contains(url.scheme?.lowercased())
    else { return nil }
    var request = original
    request.url = url
    let method = original.httpMethod ?? "GET"
    keepsBody = head.status == 307 || head.status == 308
    if !keepsBody, method != "HEAD", head.status == 303 || method == "POST" {
      request.httpMethod = "GET"
    }
    if !keepsBody {
      request.httpBody = nil
      request.setValue(nil, forHTTPHeaderField: "Content-Type")
      request.setValue(nil, forHTTPHeaderField: "Content-Length")
    }
    // Credentials are for the host they were given to.
    if url.host != base.host { request.setValue(nil, forHTTPHeaderField: "Authorization") }
    request.setValue(nil, forHTTPHeaderField: "Cookie")
    self.request = request
  }
}
