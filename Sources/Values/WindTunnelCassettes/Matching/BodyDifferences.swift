internal import Foundation

/// In what two bodies differ.
enum BodyDifferences {
  static func differences(_ recorded: Request, _ asked: Request, _ rule: BodyRule)
    -> [Mismatch.Difference]
  {
    let (there, here) = (ComparedBody(recorded, rule), ComparedBody(asked, rule))
    if there.digest == here.digest { return [] }
    switch opened(recorded, asked, rule) {
    case .json(let there, let here):
      let found = JSONDifference.all(there, here, ignoring: rule.ignoredPaths)
      let isStrict = rule.reading(of: recorded.headers["Content-Type"] ?? "") == .bytes
      if found.isEmpty, isStrict, !isRedacted(recorded) {
        return [.init(name: "body, which is the same JSON in another spelling")]
      }
      return found.map { difference in
        let shown: (JSON?) -> String? = { $0.map { RequestDistance.cut($0.description) } }
        let path = JSONPath.spelled(difference.steps)
        return .init(
          name: "body at \(path)",
          at: path,
          recorded: shown(difference.recorded),
          asked: shown(difference.asked)
        )
      }
    case .fields(let there, let here): return fields(there, here)
    case .other:
      let (text, asked) = (recorded.body, asked.body)
      if let text = text.text, let asked = asked.text, RequestDistance.stands(text, for: asked) {
        return []
      }
      return [sizes(text, asked)]
    }
  }

  /// The number of bytes at the beginning of a body that are compared if it is not read.
  private static let prefixBytes = 4096

  /// Returns the difference of two bodies by their sizes and beginnings.
  static func roughDifferences(_ recorded: Request, _ asked: Request, _ rule: BodyRule)
    -> [Mismatch.Difference]
  {
    let (recorded, asked) = (recorded.body, asked.body)
    let count = min(prefixBytes, recorded.count, asked.count)
    guard recorded.count == asked.count, recorded.bytes(0..<count) == asked.bytes(0..<count) else {
      return [sizes(recorded, asked)]
    }
    return [.init(name: "body, of which only the beginning was compared")]
  }

  private static func sizes(_ recorded: Body, _ asked: Body) -> Mismatch.Difference {
    .init(name: "body", recorded: "\(recorded.count) bytes", asked: "\(asked.count) other ones")
  }

  /// The kind that two bodies are both of.
  enum Kind {
    case json(JSON, JSON)
    case fields([FormField], [FormField])
    case other
  }

  /// Takes two bodies for what their rule says; bytes for what they seem to be, so that the place
  /// of a difference can be told.
  static func opened(_ recorded: Request, _ asked: Request, _ rule: BodyRule) -> Kind {
    let bodies = [recorded, asked].map { request in
      rule.reading(of: request.headers["Content-Type"] ?? "") == .bytes
        ? ComparedBody(opening: request) : ComparedBody(request, rule.whole)
    }
    switch (bodies[0], bodies[1]) {
    case (.json(let there), .json(let here)): return .json(there.canonical(), here.canonical())
    case (.fields(let there), .fields(let here)):
      let isMeant: (FormField) -> Bool = { field in
        !rule.ignoredFields.contains { $0.fits(field.name) }
      }
      return .fields(there.filter(isMeant), here.filter(isMeant))
    default: return .other
    }
  }

  private static func isRedacted(_ request: Request) -> Bool {
    request.body.text.map(RedactedText.isIn) ?? false
  }

  private static func fields(_ recorded: [FormField], _ asked: [FormField])
    -> [Mismatch.Difference]
  {
    let there = Dictionary(grouping: recorded) { $0.label }
    let here = Dictionary(grouping: asked) { $0.label }
    var differences: [Mismatch.Difference] = []
    for label in Set(there.keys).union(here.keys).sorted() {
      let (left, right) = (texts(there[label]), texts(here[label]))
      let isSame =
        left.count == right.count
        && zip(left, right).allSatisfy { $0 == $1 || RequestDistance.stands($0, for: $1) }
      if isSame { continue }
      let values: ([String]) -> String? = {
        $0.isEmpty ? nil : RequestDistance.cut($0.joined(separator: ", "))
      }
      differences.append(
        .init(
          name: "body field \"\(RequestDistance.cut(label))\"",
          at: (recorded + asked).first { $0.label == label }?.name,
          recorded: values(left),
          asked: values(right),
          isText: true
        )
      )
    }
    return differences.isEmpty ? [.init(name: "the order of the body's fields")] : differences
  }

  private static func texts(_ fields: [FormField]?) -> [String] {
    (fields ?? []).map { String(utf8: $0.value) ?? "\($0.value.count) binary bytes" }
  }
}

extension BodyRule {
  /// The same with nothing ignored.
  fileprivate var whole: BodyRule { BodyRule(reading) }
}

extension Interaction {
  /// Tells whether its request had another body than this one, each read as what its type says.
  package func hasOtherBody(than asked: Request) -> Bool {
    !BodyDifferences.differences(request, asked, BodyRule(.byType)).isEmpty
  }
}

/// A place at which two JSON values differ.
struct JSONDifference {
  /// The way to the place, from the top.
  var steps: [JSONPath.Step]
  /// The value that the recording has there; `nil` for nothing.
  var recorded: JSON?
  /// The value that the request has there; `nil` for nothing.
  var asked: JSON?

  /// A body that differs in more places is not worth reading place by place.
  private static let countMax = 200

  /// Returns the places at which a request's canonical value is not the recording's, from the top
  /// down; what is ignored and what a redaction stands for is none.
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

  /// Groups the members by the bytes of their names.
  private static func byName(_ members: [JSON.Member]) -> [[UInt8]: [JSON]] {
    Dictionary(members.map { (Array($0.name.value.utf8), [$0.value]) }, uniquingKeysWith: +)
  }
}
