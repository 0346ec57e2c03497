/// Recordings of one key, and those of each origin among them.
struct MatchGroup: Sendable {
  private let all: MatchIndex.Sequence
  /// Where recordings differ in origin: those of each, with those of no host among them.
  private var byOrigin: [String: MatchIndex.Sequence] = [:]
  private var hostless: MatchIndex.Sequence?

  init(_ places: [Int], _ requests: [Request], _ matcher: Matcher, _ nextID: inout Int) {
    func sequence(_ places: [Int]) -> MatchIndex.Sequence {
      defer { nextID += 1 }
      return MatchIndex.Sequence(id: nextID, places: places)
    }
    let origin: (Int) -> String? = { matcher.originKey(requests[$0].url) }
    let isHostless: (Int) -> Bool = { requests[$0].url.host == nil }
    all = sequence(places)
    let origins = Set(places.compactMap(origin))
    if places.allSatisfy(isHostless) {
      hostless = all
    } else if origins.count == 1, !places.contains(where: isHostless) {
      byOrigin = [origins.first ?? "": all]
    } else {
      for one in origins.sorted() {
        byOrigin[one] = sequence(places.filter { isHostless($0) || origin($0) == one })
      }
      let places = places.filter(isHostless)
      if !places.isEmpty { hostless = sequence(places) }
    }
  }

  /// Those that a request's origin may be answered by.
  func sequence(_ request: Request, _ matcher: Matcher) -> MatchIndex.Sequence? {
    if let origin = matcher.originKey(request.url), let own = byOrigin[origin] { return own }
    switch matcher.authority {
    case .breaksTies: return all
    case .required: return hostless ?? (request.url.host == nil ? all : nil)
    }
  }
}
