extension Matcher {
  /// Whether a request's content can decide.
  package var looksAtContent: Bool { comparesBodies || !filters.isEmpty }

  /// Whether an index finds a request by its key alone.
  var looksUpByKey: Bool { comparesMethod && headers.isEmpty }

  /// What an index finds a request by: its key, and what of it counts without being in the key.
  func lookUpKey(_ request: Request, key: RequestKey) -> RequestKey {
    if looksUpByKey { return key }
    return RequestKey(text: "\(path(request)) \(leaf(request))")
  }

  /// What an index finds a request by at the end of its path.
  func leaf(_ request: Request) -> String {
    let digest = headers.isEmpty ? "" : " \(RequestParts.digest(headerFields(request)))"
    return "\(comparesMethod ? request.method : "*") \(rest(request))\(digest)"
  }

  /// The values of the header fields that count, by name in lower case, in the matcher's order.
  ///
  /// A multipart boundary is chosen anew for each message (RFC 2046 §5.1.1), so it never counts
  /// where bodies are read apart from it.
  func headerFields(_ request: Request) -> [RequestParts.Field] {
    headers.flatMap { name in
      request.headers.values(name).map { value in
        let isType = name.equalsIgnoringASCIICase("Content-Type")
        let type = isType && body.seesParts ? ContentType(value).withoutBoundary : value
        return RequestParts.Field(name: name.lowercased(), value: type)
      }
    }
  }

  /// What of a request's origin counts; `nil` where it has no host.
  func originKey(_ url: RequestURL) -> String? {
    guard origin != .all, let host = url.host else { return url.origin }
    let scheme = origin.contains(.scheme) ? url.scheme ?? "http" : ""
    let port = origin.contains(.port) ? url.effectivePort.map { ":\($0)" } ?? "" : ""
    return "\(scheme)//\(origin.contains(.host) ? host : "")\(port)"
  }

  /// Whether what of a request's origin counts is this.
  func isOrigin(_ key: String, of url: RequestURL) -> Bool {
    origin == .all ? url.isOf(key) : originKey(url) == key
  }

  /// The query without what is ignored, in canonical order.
  func canonical(query: String) -> String {
    if ignoredQuery.isEmpty { return Self.canonical(query: query) }
    return queryFields(query).map { $0.hasValue ? "\($0.name)=\($0.value)" : $0.name }
      .joined(separator: "&")
  }

  /// The parameters sorted by name; those of one name keep their order, which may mean something.
  package static func canonical(query: String) -> String {
    // What is canonical is ASCII, and no `&` or `=` came or went, so bytes are looked at.
    let text = query.canonicalPercentEncoding
    let items = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let names = items.map { $0.prefix { $0 != UInt8(ascii: "=") } }
    let isInOrder = zip(names, names.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    if isInOrder, items.count == 1 || !items.contains(where: \.isEmpty) { return text }
    return items.indices.filter { !items[$0].isEmpty }
      .sorted { left, right in
        names[left].lexicographicallyPrecedes(names[right])
          || (left < right && !names[right].lexicographicallyPrecedes(names[left]))
      }
      .map { String(Substring(items[$0])) }.joined(separator: "&")
  }

  /// The parameters that count, in canonical order and spelling.
  func queryFields(_ query: String?) -> [RequestParts.Field] {
    let fields = (query ?? "").split(separator: "&").map { item in
      let parts = String(item).canonicalPercentEncoding
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return RequestParts.Field(
        name: parts[0],
        value: parts.count > 1 ? parts[1] : "",
        hasValue: parts.count > 1
      )
    }
    return fields.enumerated()
      .filter { item in !ignoredQuery.contains { $0.fits(item.element.name) } }
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element)
  }
}
