/// Excerpts that show how two texts differ: their beginnings, or the text around the first
/// difference.
package struct Excerpts {
  /// The number of characters before the first difference.
  private static let contextMax = 30

  /// The excerpt of either text; `nil` if there is no text.
  package let old: String?
  package let new: String?

  /// Cuts two texts to a number of characters.
  package init(_ old: String?, _ new: String?, charactersMax: Int) {
    var start = 0
    if let old, let new, max(old.count, new.count) > charactersMax {
      let same = zip(old, new).prefix { $0 == $1 }.count
      // What is seen at the beginning needs no other place.
      if same > charactersMax - Self.contextMax { start = same - Self.contextMax }
    }
    func excerpt(_ text: String) -> String {
      let rest = text.dropFirst(start)
      let end = rest.count > charactersMax ? "…" : ""
      return "\(start > 0 ? "…" : "")\(rest.prefix(charactersMax))\(end)"
    }
    (self.old, self.new) = (old.map(excerpt), new.map(excerpt))
  }
}
