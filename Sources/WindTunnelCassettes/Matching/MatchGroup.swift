/// Recordings of one key, and those of each origin among them.
struct MatchGroup: Sendable {
  private let all: MatchIndex.Sequence
  private let origins: Origins

  /// What the recordings are told apart by. Nearly always they are of one origin, so that case
  /// takes little room.
  private enum Origins: Sendable {
    /// No recording has a host.
    case none
    /// All recordings have this one.
    case one(String)
    /// Those of each origin, with those of no host among them; and those of no host.
    case several([String: MatchIndex.Sequence], hostless: MatchIndex.Sequence?)
  }

  /// Groups the recordings at these places, whose addresses `url` answers.
  init(
    _ places: [Int],
    _ matcher: Matcher,
    id: Int,
    _ nextID: inout Int,
    url: (Int) -> RequestURL
  ) {
    func sequence(_ places: [Int]) -> MatchIndex.Sequence {
      defer { nextID += 1 }
      return MatchIndex.Sequence(id: nextID, places: places)
    }
    all = MatchIndex.Sequence(id: id, places: places)
    let addresses = places.map(url)
    let named = addresses.map { $0.host == nil ? nil : matcher.originKey($0) }
    let distinct = Set(named.compactMap(\.self))
    if distinct.isEmpty {
      origins = .none
    } else if let one = distinct.first, distinct.count == 1, !named.contains(nil) {
      origins = .one(one)
    } else {
      var byOrigin: [String: MatchIndex.Sequence] = [:]
      let pairs = zip(places, named)
      for one in distinct.sorted() {
        byOrigin[one] = sequence(pairs.filter { $0.1 == nil || $0.1 == one }.map(\.0))
      }
      let hostless = pairs.filter { $0.1 == nil }.map(\.0)
      origins = .several(byOrigin, hostless: hostless.isEmpty ? nil : sequence(hostless))
    }
  }

  /// Whether a single recording of an origin, or of none, answers a request's.
  static func answers(_ request: Request, _ recorded: String?, _ matcher: Matcher) -> Bool {
    guard let recorded else { return true }
    switch matcher.authority {
    case .breaksTies: return true
    case .required:
      return request.url.host == nil || matcher.isOrigin(recorded, of: request.url)
    }
  }

  /// Those that a request's origin may be answered by.
  func sequence(_ request: Request, _ matcher: Matcher) -> MatchIndex.Sequence? {
    let hostless: MatchIndex.Sequence?
    switch origins {
    case .none: hostless = all
    // There is nothing to choose from.
    case .one where matcher.authority == .breaksTies: return all
    case .one(let origin):
      if matcher.isOrigin(origin, of: request.url) { return all }
      hostless = nil
    case .several(let byOrigin, let others):
      if let own = matcher.originKey(request.url).flatMap({ byOrigin[$0] }) { return own }
      hostless = others
    }
    switch matcher.authority {
    case .breaksTies: return all
    case .required: return hostless ?? (request.url.host == nil ? all : nil)
    }
  }
}
