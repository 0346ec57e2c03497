/// Finds the recordings of a request without looking at the others.
///
/// Literal requests are found by key in a dictionary. Those written with `{name}` segments are
/// found by walking a tree of path segments, one level a segment, literal children first.
struct MatchIndex: Sendable {
  /// The recordings that answer one kind of request, in recorded order.
  struct Sequence: Sendable, Hashable {
    /// What tells this sequence from all others of the index.
    var id: Int
    /// Places on the cassette.
    var places: [Int]
  }

  private struct Group: Sendable {
    var all: Sequence
    /// Where recordings differ in origin: those of each, with those of no host among them.
    var byOrigin: [String: Sequence] = [:]
    var hostless: Sequence?
  }

  private struct Node: Sendable {
    var literal: [String: Node] = [:]
    var any: [Node] = []
    /// By method, query and, where bodies are compared, body, such as `GET ?page=2`.
    var groups: [String: Int] = [:]
  }

  private let matcher: Matcher
  private var groups: [Group] = []
  private var byKey: [RequestKey: Int] = [:]
  private var templates = Node()
  private var hasTemplates = false

  init(_ requests: [Request], matcher: Matcher) {
    self.matcher = matcher
    var members: [[Int]] = []
    for (place, request) in requests.enumerated() {
      let group =
        Self.isTemplate(request) ? insertTemplate(request, &members) : insertKey(request, &members)
      members[group].append(place)
    }
    var nextID = 0
    groups = members.map { Self.group($0, requests, &nextID) }
  }

  private static func isTemplate(_ request: Request) -> Bool {
    request.url.path.utf8.contains(UInt8(ascii: "{"))
  }

  private mutating func insertKey(_ request: Request, _ members: inout [[Int]]) -> Int {
    let key = matcher.key(request)
    if let group = byKey[key] { return group }
    members.append([])
    byKey[key] = members.count - 1
    return members.count - 1
  }

  private mutating func insertTemplate(_ request: Request, _ members: inout [[Int]]) -> Int {
    hasTemplates = true
    members.append([])
    let new = members.count - 1
    let group = Self.insert(
      Self.segments(request.url.path)[...],
      name: leaf(request),
      group: new,
      into: &templates
    )
    if group != new { members.removeLast() }
    return group
  }

  private static func insert(
    _ segments: ArraySlice<Substring>,
    name: String,
    group: Int,
    into node: inout Node
  ) -> Int {
    guard let segment = segments.first else {
      if let known = node.groups[name] { return known }
      node.groups[name] = group
      return group
    }
    if segment.hasPrefix("{"), segment.hasSuffix("}") {
      if node.any.isEmpty { node.any.append(Node()) }
      return insert(segments.dropFirst(), name: name, group: group, into: &node.any[0])
    }
    return insert(
      segments.dropFirst(),
      name: name,
      group: group,
      into: &node.literal[String(segment).canonicalPercentEncoding, default: Node()]
    )
  }

  private static func segments(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }

  private func leaf(_ request: Request) -> String { "\(request.method) \(matcher.rest(request))" }

  private static func group(_ places: [Int], _ requests: [Request], _ nextID: inout Int) -> Group {
    func sequence(_ places: [Int]) -> Sequence {
      defer { nextID += 1 }
      return Sequence(id: nextID, places: places)
    }
    let all = sequence(places)
    let origins = Set(places.compactMap { requests[$0].url.origin })
    let isHostless: (Int) -> Bool = { requests[$0].url.host == nil }
    var group = Group(all: all)
    if places.allSatisfy(isHostless) {
      group.hostless = all
    } else if origins.count == 1, !places.contains(where: isHostless) {
      group.byOrigin = [origins.first ?? "": all]
    } else {
      for origin in origins.sorted() {
        group.byOrigin[origin] = sequence(
          places.filter { isHostless($0) || requests[$0].url.origin == origin }
        )
      }
      let hostless = places.filter(isHostless)
      if !hostless.isEmpty { group.hostless = sequence(hostless) }
    }
    return group
  }

  /// The recordings that answer a request, `nil` if none does.
  func sequence(for request: Request, key: RequestKey) -> Sequence? {
    if let group = byKey[key], let found = sequence(groups[group], request) { return found }
    guard hasTemplates else { return nil }
    let segments = Self.segments(request.url.path.canonicalPercentEncoding)
    return find(segments[...], name: leaf(request), in: templates).flatMap {
      sequence(groups[$0], request)
    }
  }

  private func find(_ segments: ArraySlice<Substring>, name: String, in node: Node) -> Int? {
    guard let segment = segments.first else { return node.groups[name] }
    if let child = node.literal[String(segment)],
      let found = find(segments.dropFirst(), name: name, in: child)
    {
      return found
    }
    // A placeholder stands for one segment, and an empty one is none.
    guard !segment.isEmpty else { return nil }
    return node.any.first.flatMap { find(segments.dropFirst(), name: name, in: $0) }
  }

  private func sequence(_ group: Group, _ request: Request) -> Sequence? {
    if let origin = request.url.origin, let own = group.byOrigin[origin] { return own }
    switch matcher.authority {
    case .breaksTies: return group.all
    case .required: return group.hostless ?? (request.url.host == nil ? group.all : nil)
    }
  }
}
