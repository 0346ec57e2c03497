internal import Foundation

extension Lane {
  /// Removes the lane's name from a request and returns the lane; `nil` if the request names none.
  public static func take(from request: inout Request) -> Lane? {
    if let name = request.headers[header] {
      request.headers.remove(header)
      return Lane(name)
    }
    guard request.url.path.hasPrefix(pathPrefix) else { return nil }
    let rest = request.url.path.dropFirst(pathPrefix.count)
    let name = String(rest.prefix { $0 != "/" })
    request.url.path = rest.count == name.count ? "/" : String(rest.dropFirst(name.count))
    return Lane(Self.name(spelled: name))
  }

  /// Returns the name that a path segment encodes.
  private static func name(spelled segment: String) -> String {
    let text = segment.removingPercentEncoding ?? segment
    // Earlier versions wrote slashes as `%2F`, and a tilde is literal in such names.
    if segment.contains("%2F") || segment.contains("%2f") { return text }
    // This order is required, otherwise `~01` would become a slash (RFC 6901 §4).
    return text.replacing("~1", with: "/").replacing("~0", with: "~")
  }
}
