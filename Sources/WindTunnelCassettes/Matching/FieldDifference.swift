/// A parameter or header field in which a request differs from a recording.
struct FieldDifference {
  var name: String
  /// The recorded values of this name, one after the other; `nil` for none.
  var recorded: String?
  /// The request's.
  var asked: String?

  /// Every name whose values differ; what a redaction may stand for does not.
  static func all(_ recorded: [RequestParts.Field], _ asked: [RequestParts.Field])
    -> [FieldDifference]
  {
    if recorded == asked { return [] }
    let there = Dictionary(grouping: recorded) { $0.name }
    let here = Dictionary(grouping: asked) { $0.name }
    return Set(there.keys).union(here.keys).sorted().compactMap { name in
      let (left, right) = (there[name] ?? [], here[name] ?? [])
      let isSame =
        left.count == right.count
        && zip(left, right).allSatisfy { $0 == $1 || Comparison.stands($0.value, for: $1.value) }
      guard !isSame else { return nil }
      let values: ([RequestParts.Field]) -> String? = { fields in
        fields.isEmpty ? nil : fields.map(\.value).joined(separator: ", ")
      }
      return FieldDifference(name: name, recorded: values(left), asked: values(right))
    }
  }
}

extension Comparison {
  /// How far a request is from a recording by what is cheap to look at, for every recording.
  static func roughDistance(_ recorded: Request, _ asked: Request, _ matcher: Matcher) -> Double {
    var distance = 0.0
    if matcher.comparesMethod, recorded.method != asked.method { distance += 2 }
    if matcher.authority == .required, let there = recorded.url.host, let here = asked.url.host {
      if matcher.origin.contains(.host), there != here {
        distance += 2
      } else if matcher.originKey(recorded.url) != matcher.originKey(asked.url) {
        distance += 0.5
      }
    }
    if recorded.url.path != asked.url.path { distance += path(recorded, asked, matcher).weight }
    guard recorded.url.query != asked.url.query else { return distance }
    let fields = [recorded, asked].map { matcher.queryFields($0.url.query) }
    return distance + 0.5 * Double(FieldDifference.all(fields[0], fields[1]).count)
  }
}
