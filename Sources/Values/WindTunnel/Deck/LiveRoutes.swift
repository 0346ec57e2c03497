/// The hosts whose requests bypass the deck, and the hosts whose requests are sent elsewhere.
struct LiveRoutes: Sendable {
  private let ignored: Set<String>
  private let mapped: [String: RequestURL]

  /// Creates routes. A host is `api.example.com`, for all ports, or `api.example.com:8443`.
  init(ignoring: [String] = [], mapping: [String: RequestURL] = [:]) {
    for (name, origin) in mapping {
      // With an invalid mapping the request would be sent to the host itself.
      precondition(origin.host != nil, "\(name) is mapped to \(origin), which has no host")
    }
    ignored = Set(ignoring.map { $0.lowercased() })
    mapped = Dictionary(mapping.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// Whether all hosts are treated alike.
  var isEmpty: Bool { ignored.isEmpty && mapped.isEmpty }

  /// Returns whether a request bypasses the deck.
  func ignores(_ url: RequestURL) -> Bool {
    !ignored.isEmpty && Self.names(of: url).contains(where: ignored.contains)
  }

  /// Returns the URL to which a request is sent instead of its own; `nil` for its own.
  func destination(of url: RequestURL) -> RequestURL? {
    guard !mapped.isEmpty, let origin = Self.names(of: url).lazy.compactMap({ mapped[$0] }).first
    else { return nil }
    var destination = url
    (destination.scheme, destination.host, destination.port) = (
      origin.scheme, origin.host, origin.port
    )
    return destination
  }

  /// Returns the names of a host, the most specific one first.
  private static func names(of url: RequestURL) -> [String] {
    guard let host = url.host else { return [] }
    return (url.effectivePort.map { ["\(host):\($0)"] } ?? []) + [host]
  }
}

extension Outcome {
  /// The request as it is sent to the live origin.
  package var forwarded: Request {
    var forwarded = request
    if let liveURL { forwarded.url = liveURL }
    return forwarded
  }

  /// Returns a live origin's response head with the name of the requested host.
  ///
  /// A redirect to the address to which the host is mapped becomes a redirect to the host.
  package func named(_ head: ResponseHead) -> ResponseHead {
    guard let liveURL, let location = head.headers["Location"],
      RequestURL(location).origin == liveURL.origin, let own = request.url.origin,
      let start = location.firstIndex(of: ":").map({ location.index($0, offsetBy: 3) })
    else { return head }
    var head = head
    let end = location[start...].firstIndex { "/?#".contains($0) } ?? location.endIndex
    head.headers["Location"] = own + location[end...]
    return head
  }
}
