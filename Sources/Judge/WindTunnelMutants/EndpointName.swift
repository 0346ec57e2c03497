extension Request {
  /// The method and the path without secrets, with a placeholder for each identifier.
  ///
  /// `{id}`, `{id2}` and so on replace segments that name one thing among many: numbers, dates,
  /// UUIDs and opaque identifiers. A request pattern with this name matches the request.
  func endpoint(withOrigin: Bool) -> String {
    var count = 0
    let path = url.withoutSecrets.path.split(separator: "/", omittingEmptySubsequences: false)
    let segments = path.map { segment -> String in
      guard segment.isIdentifier else { return String(segment) }
      count += 1
      return count == 1 ? "{id}" : "{id\(count)}"
    }
    let origin = withOrigin ? url.origin ?? "" : ""
    return "\(method) \(origin)\(segments.joined(separator: "/"))"
  }
}

extension Substring {
  /// Whether the segment names one thing among many: it has a digit and no letters, is hexadecimal,
  /// or is opaque. A version such as `v2` is none of these.
  fileprivate var isIdentifier: Bool {
    let opaque =
      /\{.*\}|[-._:0-9]*[0-9][-._:0-9]*|(?=.*[0-9])[-0-9A-Fa-f]{8,}|(?=.*[0-9].*[0-9])[^.]{16,}/
    return wholeMatch(of: opaque) != nil
  }
}
