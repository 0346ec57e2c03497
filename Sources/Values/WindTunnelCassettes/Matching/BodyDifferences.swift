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
    let found = FieldDifference.all(recorded.map(field), asked.map(field))
    if found.isEmpty { return [.init(name: "the order of the body's fields")] }
    return found.map { field in
      Mismatch.Difference(
        name: "body field \"\(RequestDistance.cut(field.name))\"",
        at: (recorded + asked).first { $0.label == field.name }?.name,
        recorded: field.recorded.map(RequestDistance.cut),
        asked: field.asked.map(RequestDistance.cut),
        isText: true
      )
    }
  }

  private static func field(_ field: FormField) -> RequestParts.Field {
    let text = String(utf8: field.value) ?? "\(field.value.count) binary bytes"
    return RequestParts.Field(name: field.label, value: text)
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
        let step = JSONPath.Step.name(String(decoding: name, as: UTF8.self))
        for (left, right) in (there[name] ?? []).beside(here[name] ?? []) {
          collect(left, right, at: steps + [step], ignoring: paths, into: &found)
        }
      }
    case (.array(let there), .array(let here)):
      for (place, (left, right)) in there.beside(here).enumerated() {
        collect(left, right, at: steps + [.index(place)], ignoring: paths, into: &found)
      }
    case (.string(let text)?, let asked?) where stands(text.value, for: asked): break
    default:
      // By bytes: Swift's own `==` takes composed and decomposed letters for the same.
      if recorded.map({ $0.bytes() }) == asked.map({ $0.bytes() }) { return }
      found.append(
        JSONDifference(
          steps: steps,
          recorded: recorded?.inPlainNumbers,
          asked: asked?.inPlainNumbers
        )
      )
    }
  }

  private static func stands(_ recorded: String, for asked: JSON) -> Bool {
    guard let asked = asked.scalarText, let shape = RedactedText(recorded)?.shape else {
      return false
    }
    return shape.values(in: asked) != nil
  }

  /// Groups the members by the bytes of their names.
  private static func byName(_ members: [JSON.Member]) -> [[UInt8]: [JSON]] {
    Dictionary(members.map { (Array($0.name.value.utf8), [$0.value]) }, uniquingKeysWith: +)
  }
}

extension [JSON] {
  /// Returns the elements of two lists place by place, `nil` where one has none.
  func beside(_ other: [JSON]) -> [(JSON?, JSON?)] {
    // A bare `nil` would be JSON's null here.
    (0..<Swift.max(count, other.count)).map { place in
      (
        place < count ? .some(self[place]) : Optional.none,
        place < other.count ? .some(other[place]) : Optional.none
      )
    }
  }
}
