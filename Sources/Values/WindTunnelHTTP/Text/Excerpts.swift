/// Excerpts that show how two texts differ: their beginnings, or the text around the first
/// difference.
package struct Excerpts {
  /// The number of characters before the first difference.
  private static let contextMax = 30

  /// The excerpts of the two texts; `nil` if the text is missing.
  package let old: String?
  package let new: String?

  /// Shortens two texts to `charactersMax` characters.
  package init(_ old: String?, _ new: String?, charactersMax: Int) {
    var start = 0
    if let old, let new, max(old.count, new.count) > charactersMax {
      let same = zip(old, new).prefix { $0 == $1 }.count
      // A difference near the beginning needs no other start.
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
