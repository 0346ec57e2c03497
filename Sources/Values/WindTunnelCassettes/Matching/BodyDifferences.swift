internal import Foundation

/// The differences between two bodies.
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
      if found.isEmpty, isStrict, !(recorded.body.text.map(RedactedText.isIn) ?? false) {
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

  /// The number of bytes compared at the beginning of bodies that are not read as a whole.
  private static let prefixBytes = 4096

  /// Returns the difference between two bodies by their sizes and beginnings.
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

  /// Two bodies in their common format.
  enum Kind {
    case json(JSON, JSON)
    case fields([FormField], [FormField])
    case other
  }

  /// Parses two bodies according to the rule. If the rule compares bytes, the format is detected,
  /// so that the difference can be located.
  static func opened(_ recorded: Request, _ asked: Request, _ rule: BodyRule) -> Kind {
    let bodies = [recorded, asked].map { request in
      rule.reading(of: request.headers["Content-Type"] ?? "") == .bytes
        ? ComparedBody(opening: request) : ComparedBody(request, BodyRule(rule.reading))
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

extension Interaction {
  /// Whether the recorded request has a different body, with both bodies parsed according to their
  /// types.
  package func hasOtherBody(than asked: Request) -> Bool {
    !BodyDifferences.differences(request, asked, BodyRule(.byType)).isEmpty
  }
}

/// A difference between two JSON values.
struct JSONDifference {
  /// The path to the difference, from the top.
  var steps: [JSONPath.Step]
  /// The recorded value; `nil` if there is none.
  var recorded: JSON?
  /// The request's value; `nil` if there is none.
  var asked: JSON?

  /// The maximum number of differences that are collected.
  private static let countMax = 200

  /// Returns the differences between the canonical values of a recording and a request, from the
  /// top down.
  ///
  /// Ignored values and values that match a placeholder are not differences.
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
      // Compared by bytes, because Swift's `==` treats composed and decomposed letters as equal.
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
  /// Returns the elements of two lists in pairs, with `nil` for missing elements.
  func beside(_ other: [JSON]) -> [(JSON?, JSON?)] {
    // A plain `nil` would be JSON's null here.
    (0..<Swift.max(count, other.count)).map { place in
      (
        place < count ? .some(self[place]) : Optional.none,
        place < other.count ? .some(other[place]) : Optional.none
      )
    }
  }
}
