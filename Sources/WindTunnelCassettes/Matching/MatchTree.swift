/// Finds requests by path where a segment may be anything: one level a segment, literal children
/// first.
struct MatchTree: Sendable {
  /// What is recorded at the end of a path.
  struct Leaf: Sendable {
    /// By everything but the path.
    var groups: [String: Int] = [:]
    /// Those with redactions, the ones with the fewest first.
    var masked: [MaskedGroups] = []
  }

  private struct Node: Sendable {
    var literal: [String: Node] = [:]
    /// At most one, in a list because a value cannot hold itself.
    var any: [Node] = []
    var leaf = Leaf()
  }

  private var root = Node()
  private(set) var isEmpty = true

  /// Goes to the end of a path, where `nil` is any segment.
  mutating func edit<Result>(_ segments: [String?], _ edit: (inout Leaf) -> Result) -> Result {
    isEmpty = false
    return Self.edit(segments[...], &root, edit)
  }

  private static func edit<Result>(
    _ segments: ArraySlice<String?>,
    _ node: inout Node,
    _ edit: (inout Leaf) -> Result
  ) -> Result {
    guard let segment = segments.first else { return edit(&node.leaf) }
    guard let segment else {
      if node.any.isEmpty { node.any.append(Node()) }
      return self.edit(segments.dropFirst(), &node.any[0], edit)
    }
    return self.edit(segments.dropFirst(), &node.literal[segment, default: Node()], edit)
  }

  /// The first that is found at the ends of the paths that fit.
  func find<Found>(_ segments: [Substring], _ look: (Leaf) -> Found?) -> Found? {
    Self.find(segments[...], root, look)
  }

  private static func find<Found>(
    _ segments: ArraySlice<Substring>,
    _ node: Node,
    _ look: (Leaf) -> Found?
  ) -> Found? {
    guard let segment = segments.first else { return look(node.leaf) }
    if let child = node.literal[String(segment)],
      let found = find(segments.dropFirst(), child, look)
    {
      return found
    }
    // A placeholder stands for one segment, and an empty one is none.
    guard !segment.isEmpty else { return nil }
    return node.any.first.flatMap { find(segments.dropFirst(), $0, look) }
  }
}
