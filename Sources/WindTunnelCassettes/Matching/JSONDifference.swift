/// Where two JSON values differ.
struct JSONDifference {
  /// The way to the place, from the top.
  var steps: [JSONPath.Step]
  /// What the recording has there; `nil` for nothing.
  var recorded: JSON?
  /// What the request has there; `nil` for nothing.
  var asked: JSON?

  /// A body that differs in more places is not worth reading place by place.
  static let countMax = 200

  /// The places at which a request's canonical value is not the recording's, from the top down;
  /// what is ignored and what a redaction stands for is none.
  static func all(_ recorded: JSON, _ asked: JSON, ignoring paths: [JSONPath]) -> [JSONDifference] {
    var found: [JSONDifference] = []
    collect(recorded, asked, at: [], ignoring: paths, into: &found)
    return found
  }

  private static func collect(
    _ recorded: JSON?,
    _ asked: JSON?,
    at steps: [JSONPath.Step],
    ignoring paths: [JSONPath],
    into found: inout [JSONDifference]
  ) {
    guard found.count < countMax, !paths.contains(where: { $0.covers(steps) }) else { return }
    switch (recorded, asked) {
    case (.object(let there), .object(let here)):
      let (there, here) = (byName(there), byName(here))
      for name in Set(there.keys).union(here.keys).sorted(by: { $0.lexicographicallyPrecedes($1) })
      {
        let (left, right) = (there[name] ?? [], here[name] ?? [])
        for place in 0..<max(left.count, right.count) {
          collect(
            place < left.count ? left[place] : Optional.none,
            place < right.count ? right[place] : Optional.none,
            at: steps + [.name(String(decoding: name, as: UTF8.self))],
            ignoring: paths,
            into: &found
          )
        }
      }
    case (.array(let there), .array(let here)):
      for place in 0..<max(there.count, here.count) {
        collect(
          place < there.count ? there[place] : Optional.none,
          place < here.count ? here[place] : Optional.none,
          at: steps + [.index(place)],
          ignoring: paths,
          into: &found
        )
      }
    case (.string(let text)?, let asked?):
      let there = text.value
      if let here = asked.scalarText, let shape = RedactedText(there)?.shape,
        shape.values(in: here) != nil
      {
        return
      }
      if !isSame(recorded, asked) { note(recorded, asked, steps, &found) }
    default: if !isSame(recorded, asked) { note(recorded, asked, steps, &found) }
    }
  }

  private static func note(
    _ recorded: JSON?,
    _ asked: JSON?,
    _ steps: [JSONPath.Step],
    _ found: inout [JSONDifference]
  ) {
    found.append(
      JSONDifference(steps: steps, recorded: recorded?.inPlainNumbers, asked: asked?.inPlainNumbers)
    )
  }

  /// By bytes: Swift's own `==` takes composed and decomposed letters for the same.
  private static func isSame(_ left: JSON?, _ right: JSON?) -> Bool {
    left.map { $0.bytes() } == right.map { $0.bytes() }
  }

  /// By bytes, too.
  private static func byName(_ members: [JSON.Member]) -> [[UInt8]: [JSON]] {
    Dictionary(members.map { (Array($0.name.value.utf8), [$0.value]) }, uniquingKeysWith: +)
  }
}
