#if canImport(FoundationNetworking)
  package import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension URLRequest {
  /// Returns the request for the same path and query under another base URL; `nil` where it is for
  /// nothing under the first one, such as a host whose name only begins alike.
  package func moved(from base: URL, to other: URL) -> URLRequest? {
    let from = base.absoluteString.withoutSlash
    guard let text = url?.absoluteString, text.hasPrefix(from) else { return nil }
    let rest = text.dropFirst(from.count)
    guard rest.first.map({ "/?#".contains($0) }) ?? true,
      let url = URL(string: other.absoluteString.withoutSlash + rest)
    else { return nil }
    var request = self
    request.url = url
    return request
  }

}
