internal import Foundation

/// A recorded response, and the changes that are possible with it.
struct BrokenResponse {
  private let response: Response
  private let recording: Int
  private let interaction: Interaction
  private let others: OtherBodies
  /// The content without its coding; `nil` if there is none, or if no test depends on it.
  private let content: Data?
  private let json: JSONText?
  /// The paths of all members except `null`, and of all objects; an index in a list means every
  /// index of that list.
  private var (members, objects): ([JSONPath], [JSONPath]) = ([], [])

  /// The path of the member that changes, if any, and the faults.
  typealias Change = (path: String?, faults: [Fault])

  /// The maximum number of members of a body that are changed one by one, and of objects that
  /// receive another member.
  private static let membersMax = 8
  /// The maximum number of elements of a list, and of levels of a body, that are searched for
  /// members.
  private static let (elementsMax, depthMax) = (20, 6)
  /// The maximum size of a body whose members are changed one by one, in bytes: each of these
  /// changes traverses the whole body.
  private static let memberBytesMax = 1 << 20

  /// The changes of the operators of single members.
  private static let memberOperators: [String: Mutation.Change] = [
    "field-missing": .missing, "field-null": .null, "field-type": .wrongType,
  ]

  /// Creates the response of a recording; `nil` if it has no whole response.
  init?(of interaction: Interaction, _ recording: Int, among others: OtherBodies) {
    guard case .response(let response) = interaction.result, !interaction.isConversation else {
      return nil
    }
    (self.response, self.recording, self.others) = (response, recording, others)
    self.interaction = interaction
    let body = response.content
    let json = body.flatMap { JSONText(Bytes($0), mayBeScalar: true) }
    let isUnread = json == nil && response.essence.hasSuffix("json")
    let isSuccess = 200..<300 ~= response.status
    let hasNone = Response.hasNoContent(
      method: interaction.request.method,
      status: response.status
    )
    content = isSuccess && !hasNone && !isUnread && !response.body.data.isEmpty ? body : nil
    self.json = content == nil ? nil : json
    if let json = self.json, json.bytes.count <= Self.memberBytesMax { findPaths(in: json) }
  }

  /// Returns the changes of an operator; the seed selects single members.
  func changes(by name: String, seed: UInt64) -> [Change] {
    if let change = Self.memberOperators[name] { return memberChanges(change, seed: seed) }
    // One more member in each kind of object.
    let additions = objects.prefix(Self.membersMax).map { Fault.mutate(.extra(at: $0)) }
    let faults = name == "extra" ? additions : transport(name) ?? bodyFaults(name) ?? []
    return faults.isEmpty ? [] : [(nil, faults)]
  }

  /// Returns the faults of an operator that needs no body; `nil` if the operator needs one.
  private func transport(_ name: String) -> [Fault]? {
    let (status, isError) = (response.status, response.status >= 400)
    return switch name {
    case "reset": [.reset(.afterRequest)]
    case "stall": [.stall(.afterRequest)]
    case "slow": [.delay(.milliseconds(80))]
    case "lowercase-names":
      response.headers.contains { $0.name != $0.name.lowercased() }
        ? [.alter(.lowercaseFieldNames)] : []
    case "status-500": status == 500 ? [] : [.status(500)]
    case "status-429": isError ? [] : [.status(429, retryAfter: .zero)]
    case "status-only": 200..<300 ~= status ? [.mutate(.status(500))] : []
    case "status-2xx": isError ? [.mutate(.status(200))] : []
    default: nil
    }
  }

  private func bodyFaults(_ name: String) -> [Fault]? {
    guard let content else { return nil }
    let type = response.headers["Content-Type"]
    let isPage = response.essence.contains("html")
    let isList = if case .array? = json?.whole { true } else { false }
    let faults: [Fault]? =
      switch name {
      case "login": [.answer(.captivePortalRedirect)]
      case "html-200": [.answer(.captivePortalPage)]
      case "html-as-json":
        type.flatMap { isPage ? nil : [.answer(.captivePortalPage), .alter(.contentType($0))] }
      case "empty-200": [.alter(.body(.empty))]
      // Half of one byte would be an empty body.
      case "cut": content.count < 2 ? nil : [.mutate(.truncate(afterBodyBytes: content.count / 2))]
      case "cut-wire":
        response.body.count < 2 ? nil : [.truncate(afterBodyBytes: response.body.count / 2)]
      case "twice": [.alter(.body(.duplicated))]
      case "type-only": isPage ? nil : [.alter(.contentType("text/html"))]
      case "hollow": [.mutate(.hollow)]
      // For a body that is itself a list, the change would equal `hollow`.
      case "lists-empty": isList ? nil : [.mutate(.emptyLists)]
      case "values": [.mutate(.values)]
      case "other-body":
        json == nil
          ? nil
          : others.nearest(to: content, of: interaction).map { [.alter(.bodyOf(recording: $0))] }
      default: nil
      }
    guard case .mutate(let mutation)? = faults?.first else { return faults }
    return body(after: mutation) == nil ? nil : faults
  }

  /// Returns the body after a mutation; `nil` if the mutation is impossible or changes nothing.
  private func body(after mutation: Mutation) -> Data? {
    // The reason why it is impossible is not reported.
    let changed = try? mutation.applied(to: response, hasContent: true).body.data
    return changed == response.body.data ? nil : changed
  }

  // MARK: Members

  private func memberChanges(_ change: Mutation.Change, seed: UInt64) -> [Change] {
    let draws = Draws(seed: seed, key: "mutants of \(recording)")
    let paths = members.enumerated().map { ($1, draws.unit($0)) }
    return paths.stablySorted { $0.1 < $1.1 }.prefix(Self.membersMax).map { path, _ in
      (path.description, [.mutate(.field(change, .at(path)))])
    }
  }

  private mutating func findPaths(in json: JSONText) {
    var known: [Set<JSONPath>] = [[], []]
    func add(_ steps: [JSONPath.Step], _ list: WritableKeyPath<Self, [JSONPath]>, _ index: Int) {
      let path = JSONPath(generalizing: steps)
      if known[index].insert(path).inserted { self[keyPath: list].append(path) }
    }
    func visit(_ value: JSONSpan, _ steps: [JSONPath.Step]) {
      if steps.count > Self.depthMax { return }
      for (index, element) in json.elements(of: value).prefix(Self.elementsMax).enumerated() {
        visit(element, steps + [.index(index)])
      }
      if case .object = value { add(steps, \.objects, 0) }
      for (name, member) in json.members(of: value) {
        let next = steps + [.name(json.text(name))]
        if json.bytes[member.range.lowerBound] != UInt8(ascii: "n") { add(next, \.members, 1) }
        visit(member, next)
      }
    }
    visit(json.whole, [])
  }
}

extension Response {
  /// The media type of the body, in lower case and without parameters.
  fileprivate var essence: String { ContentType(headers["Content-Type"] ?? "").essence }
}
