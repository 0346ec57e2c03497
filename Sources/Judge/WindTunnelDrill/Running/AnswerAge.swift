extension Interaction {
  /// Returns whether a response with these faults is already older than its server allows. A client
  /// may then not show it without revalidation (RFC 9111 §4.2, RFC 5861 §3).
  func isStaleOnArrival(with faults: [Fault]) -> Bool {
    guard request.method == "GET" else { return false }
    var age: Int?
    for case .alter(.stale(let seconds)) in faults { age = seconds }
    // The recorded age is ignored: it was true at that time only, and a cassette is played at any
    // time.
    guard let age, let directives = response?.headers.cacheDirectives else { return false }
    // Without `max-age`, a cache may use a heuristic lifetime.
    guard let fresh = directives.seconds("max-age"), fresh >= 0 else { return false }
    let (shown, isEndless) = fresh.addingReportingOverflow(
      directives.seconds("stale-while-revalidate") ?? 0
    )
    return !isEndless && age > shown
  }

  /// The terms on which its response may be reused (RFC 9111 §4, RFC 5861 §4). `nil` if it may not
  /// be stored, or if its server sends no terms.
  var cacheTerms: Observation.CacheTerms? {
    guard request.method == "GET", let response, response.status == 200 else { return nil }
    let directives = response.headers.cacheDirectives
    guard !directives.contains("no-store"), response.headers["Vary"] != "*" else { return nil }
    var terms = Observation.CacheTerms()
    terms.hasValidator =
      response.headers["ETag"] != nil || response.headers["Last-Modified"] != nil
    if !directives.contains(where: { $0.hasPrefix("no-cache") }) {
      let lifetime = directives.seconds("max-age").map { max(0, $0) }
      // With a recorded date, the response is as old as its cassette.
      let isDated = response.headers["Date"] != nil || response.headers["Age"] != nil
      terms.fresh = isDated ? .zero : .seconds(min(lifetime ?? 0, Self.longestSeconds))
      terms.allowsStale =
        !directives.contains("must-revalidate")
        && (lifetime != nil || directives.seconds("stale-if-error").map { $0 > 0 } == true)
    }
    return terms == Observation.CacheTerms() ? nil : terms
  }

  /// A year in seconds. Longer lifetimes make no difference (RFC 9111 §1.2.2).
  private static let longestSeconds = 31_536_000
}

extension Request {
  /// Whether the request asks for a response only if it differs from the client's stored one.
  var isConditional: Bool {
    headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil
  }
}

extension HeaderFields {
  /// The directives of `Cache-Control`, in lower case and without spaces.
  fileprivate var cacheDirectives: [String] {
    values("Cache-Control").flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\"" }.lowercased() }
  }
}

extension [String] {
  /// Returns the seconds of the first directive with a name.
  fileprivate func seconds(_ name: String) -> Int? {
    lazy.filter { $0.hasPrefix("\(name)=") }
      .compactMap { Int($0.dropFirst(name.count + 1)) }.first
  }
}
