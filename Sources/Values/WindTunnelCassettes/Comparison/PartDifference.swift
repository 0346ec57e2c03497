internal import Foundation
internal import WindTunnelSymptoms

/// A changed part of an interaction.
public struct PartDifference: Sendable, Hashable {
  /// The name of the part, such as `response.status`, `response.headers.ETag` or
  /// `response.json.user.name`.
  public var part: String
  /// The old value, shortened; `nil` if there was none.
  public var old: String?
  /// The new value, shortened; `nil` if there is none.
  public var new: String?

  /// Creates a difference of a part.
  public init(_ part: String, from old: String?, to new: String?) {
    (self.part, self.old, self.new) = (part, old, new)
  }

  /// The maximum length of a displayed value in characters.
  private static let charactersMax = 100

  /// Creates a difference of two one-line values, shortened to excerpts that show the difference.
  private init(_ part: String, between old: String?, and new: String?) {
    let excerpts = Excerpts(old, new, charactersMax: Self.charactersMax)
    self.init(part, from: excerpts.old, to: excerpts.new)
  }

  private static func shown(_ text: String) -> String { "\(JSON.text(text))" }

  /// Returns the differences between two recordings of one request.
  static func of(_ old: Interaction, _ new: Interaction) -> [PartDifference] {
    var parts = headers(old.request.headers, new.request.headers, place: "request.headers")
    parts += bodies(old.request.body, new.request.body, place: "request")
    parts += values(old.response?.status, new.response?.status, place: "response.status") {
      "\($0)"
    }
    let (before, after) = (
      old.response?.head.customReasonPhrase, new.response?.head.customReasonPhrase
    )
    parts += values(before, after, place: "response.reason") { shown($0) }
    for (place, fields) in [("headers", \Response.headers), ("trailers", \Response.trailers)] {
      parts += headers(
        old.response?[keyPath: fields] ?? [:],
        new.response?[keyPath: fields] ?? [:],
        place: "response.\(place)"
      )
    }
    let interims = [old, new].map { one in
      one.response.flatMap { InteractionWriter.interims($0.head, [:]) }
    }
    parts += values(interims[0], interims[1], place: "response.informational") { "\($0)" }
    parts += bodies(old.response?.body ?? .empty, new.response?.body ?? .empty, place: "response")
    parts += values(old.failure?.symptom, new.failure?.symptom, place: "failure.symptom") {
      $0.rawValue
    }
    parts += values(old.failure?.text, new.failure?.text, place: "failure.text") { shown($0) }
    parts += messages(old.messages, new.messages)
    parts += values(old.then, new.then, place: "then") { $0.rawValue }
    for place in Set(old.innerNotes.keys).union(new.innerNotes.keys).sorted() {
      parts += notes(old.innerNotes[place] ?? [], new.innerNotes[place] ?? [], place: "\(place).")
    }
    return parts + notes(old.notes, new.notes, place: "")
  }

  private static func values<Value: Equatable>(
    _ old: Value?,
    _ new: Value?,
    place: String,
    _ words: (Value) -> String
  ) -> [PartDifference] {
    old == new ? [] : [PartDifference(place, between: old.map(words), and: new.map(words))]
  }

  static func notes(_ old: [JSON.Member], _ new: [JSON.Member], place: String) -> [PartDifference] {
    JSONChange.of(.object(old), .object(new)).map { difference in
      PartDifference("\(place)\(difference.path.dropFirst())", difference)
    }
  }

  private init(_ part: String, _ difference: JSONChange) {
    let (old, new) = (difference.old.map { "\($0)" }, difference.new.map { "\($0)" })
    self.init(part, between: old, and: new)
  }

  /// Returns the differences of header fields, which are compared by name. Order is only
  /// significant within a name.
  private static func headers(
    _ old: HeaderFields,
    _ new: HeaderFields,
    place: String
  ) -> [PartDifference] {
    var seen: Set<String> = []
    let names = (Array(old) + Array(new)).map(\.name).filter {
      seen.insert($0.lowercased()).inserted
    }
    let parts = names.flatMap { name -> [PartDifference] in
      let (before, after) = (listed(old.values(name)), listed(new.values(name)))
      return values(before, after, place: "\(place).\(name)") { $0 }
    }
    if parts.isEmpty, old != new {
      let words = { (fields: HeaderFields) in shown(fields.map(\.name).joined(separator: ", ")) }
      return [PartDifference("\(place) (order or case)", between: words(old), and: words(new))]
    }
    return parts
  }

  private static func listed(_ values: [String]) -> String? {
    values.isEmpty ? nil : values.map { shown($0) }.joined(separator: ", ")
  }

  private static func messages(
    _ old: [WebSocketMessage],
    _ new: [WebSocketMessage]
  ) -> [PartDifference] {
    (0..<max(old.count, new.count)).flatMap { index in
      let (before, after) = (
        index < old.count ? old[index] : nil, index < new.count ? new[index] : nil
      )
      return values(before, after, place: "messages[\(index)]") { message in
        let content = message.body.text.map { shown($0) } ?? "\(message.body.data.count) bytes"
        let kind = if case .close(let code) = message.kind { "close \(code) " } else { "" }
        return "\(message.sender.rawValue): \(kind)\(content)"
      }
    }
  }

  /// The maximum number of listed values of one body; the others are only counted.
  private static let valuesMax = 20

  private static func bodies(_ old: Body, _ new: Body, place: String) -> [PartDifference] {
    guard old != new else { return [] }
    if let before = InteractionWriter.structure(old.data)?.0,
      let after = InteractionWriter.structure(new.data)?.0
    {
      let parts = structures(before, after, place: "\(place).json")
      guard parts.isEmpty else { return parts }
      return [PartDifference("\(place).json (spelling)", from: size(old), to: size(new))]
    }
    if let before = old.text, let after = new.text { return texts(before, after, place: place) }
    return [PartDifference("\(place).body", from: size(old), to: size(new))]
  }

  private static func size(_ body: Body) -> String? {
    guard !body.data.isEmpty else { return nil }
    // Bodies of equal length must be distinguishable.
    let digest = SHA256.hexadecimal(body.data).prefix(8)
    return "\(body.data.count) bytes (SHA-256 \(digest)…)"
  }

  private static func structures(_ old: JSON, _ new: JSON, place: String) -> [PartDifference] {
    let all = JSONChange.of(old, new)
    let told = all.prefix(valuesMax).map { PartDifference("\(place)\($0.path)", $0) }
    let rest = all.count - told.count
    guard rest > 0 else { return told }
    return told + [PartDifference("\(place) (\(rest) more values)", from: "…", to: "…")]
  }

  /// Returns the difference in the first line that is not equal.
  private static func texts(_ old: String, _ new: String, place: String) -> [PartDifference] {
    // Split by bytes, because CRLF is one character.
    let lines = { (text: String) in
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { Substring($0) }
    }
    let (before, after) = (old.isEmpty ? [] : lines(old), new.isEmpty ? [] : lines(new))
    let equal = zip(before, after).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    let line = { (lines: [Substring]) in
      equal < lines.count ? shown(String(lines[equal])) : nil
    }
    return [
      PartDifference("\(place).text, line \(equal + 1)", between: line(before), and: line(after))
    ]
  }
}

/// One difference between two JSON texts; members are compared by name, elements by position.
package struct JSONChange: Hashable {
  /// The path to the value, such as `.users[0].name`.
  package var path: String
  /// The old value; `nil` if there was none.
  package var old: JSON?
  /// The new value; `nil` if there is none.
  package var new: JSON?

  /// Returns all differences, in the order of the old text, followed by additions.
  ///
  /// - Parameters:
  ///   - old: The old text.
  ///   - new: The new text.
  ///   - path: The path to both.
  ///   - step: Returns the step of a path to a member.
  ///   - agree: Returns whether two other values count as equal.
  /// - Returns: The differences; empty if there are none.
  package static func of(
    _ old: JSON,
    _ new: JSON,
    path: String = "",
    step: (String) -> String = { ".\($0)" },
    agree: (JSON, JSON) -> Bool = { $0 == $1 }
  ) -> [JSONChange] {
    guard old != new else { return [] }
    func pair(_ old: JSON?, _ new: JSON?, _ last: String) -> [JSONChange] {
      let path = path + last
      guard let old, let new else { return [JSONChange(path: path, old: old, new: new)] }
      return of(old, new, path: path, step: step, agree: agree)
    }
    switch (old, new) {
    case (.object(let there), .object(let here)):
      let before = named(there)
      let after = named(here)
      var seen: Set<String> = []
      let names = (there + here).map(\.name.value).filter { seen.insert($0).inserted }
      return names.flatMap { name in
        (before[name] ?? []).beside(after[name] ?? []).flatMap { pair($0, $1, step(name)) }
      }
    case (.array(let there), .array(let here)):
      return there.beside(here).enumerated().flatMap { pair($1.0, $1.1, "[\($0)]") }
    case (.string(let there), .string(let here)) where there.value == here.value: return []
    default: return agree(old, new) ? [] : [JSONChange(path: path, old: old, new: new)]
    }
  }

  /// Returns the values by name; a name may occur more than once in an object.
  private static func named(_ members: [JSON.Member]) -> [String: [JSON]] {
    Dictionary(grouping: members, by: \.name.value).mapValues { $0.map(\.value) }
  }
}
