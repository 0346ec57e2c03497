/// The hosts that are left alone, and those that are asked elsewhere.
struct LiveRoutes: Sendable {
  private let ignored: Set<String>
  private let mapped: [String: RequestURL]

  /// Hosts are named as `api.example.com`, on every port, or as `api.example.com:8443`.
  init(ignoring: [String] = [], mapping: [String: RequestURL] = [:]) {
    for (name, origin) in mapping {
      // A mapping that leads nowhere must not let the request go to the host itself.
      precondition(origin.host != nil, "\(name) is mapped to \(origin), which names no host")
    }
    ignored = Set(ignoring.map { $0.lowercased() })
    mapped = Dictionary(mapping.map { ($0.lowercased(), $1) }) { first, _ in first }
  }

  /// Tells whether no host is treated otherwise than any other.
  var isEmpty: Bool { ignored.isEmpty && mapped.isEmpty }

  /// Tells whether a request is none of the deck's affair.
  func ignores(_ url: RequestURL) -> Bool {
    !ignored.isEmpty && Self.names(of: url).contains(where: ignored.contains)
  }

  /// Returns the address that a request is sent to in place of its own; `nil`: to that.
  func destination(of url: RequestURL) -> RequestURL? {
    guard !mapped.isEmpty, let origin = Self.names(of: url).lazy.compactMap({ mapped[$0] }).first
    else { return nil }
    var destination = url
    (destination.scheme, destination.host, destination.port) = (
      origin.scheme, origin.host, origin.port
    )
    return destination
  }

  /// Returns the names that a host can be called by, the most exact one first.
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

  /// Returns an answer of the live origin as the host would have given it that was asked for: a
  /// redirect to the place that the host is mapped to leads to the host.
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
