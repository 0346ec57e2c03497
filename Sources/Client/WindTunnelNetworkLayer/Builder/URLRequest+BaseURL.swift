#if canImport(FoundationNetworking)
  package import Foundation
#else
  package import Foundation
#endif

extension URLRequest {
  /// Returns the request with the same path and query under another base URL.
  ///
  /// `nil` if the request is not under the first base URL; a host with the same prefix does not
  /// count.
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
