internal import WindTunnelSymptoms

/// One part of an interaction that is not as it was.
public struct PartDifference: Sendable, Hashable {
  /// Such as `response.status`, `response.headers.ETag` or `response.json.user.name`.
  public var part: String
  /// What stood there, shortened; `nil` where there was nothing.
  public var old: String?
  /// What stands there, shortened; `nil` where there is nothing.
  public var new: String?

  /// Makes a difference.
  public init(_ part: String, from old: String?, to new: String?) {
    (self.part, self.old, self.new) = (part, old, new)
  }

  /// What a value is shown by is at most this long.
  static let charactersMax = 100

  /// One line of a value.
  static func shown(_ json: JSON) -> String {
    let text = "\(json)"
    return text.count > charactersMax ? "\(text.prefix(charactersMax))…" : text
  }

  static func shown(_ text: String) -> String { shown(JSON.text(text)) }
}

extension PartDifference {
  /// What differs between two recordings of one request.
  static func of(_ old: Interaction, _ new: Interaction) -> [PartDifference] {
    var parts = headers(old.request.headers, new.request.headers, place: "request.headers")
    parts += bodies(old.request.body, new.request.body, place: "request")
    parts += values(old.response?.status, new.response?.status, place: "response.status") {
      "\($0)"
    }
    parts += headers(
      old.response?.headers ?? [:],
      new.response?.headers ?? [:],
      place: "response.headers"
    )
    parts += bodies(
      old.response?.body ?? .empty,
      new.response?.body ?? .empty,
      place: "response"
    )
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
    old == new ? [] : [PartDifference(place, from: old.map(words), to: new.map(words))]
  }

  static func notes(_ old: [JSON.Member], _ new: [JSON.Member], place: String) -> [PartDifference] {
    JSONChange.of(.object(old), .object(new)).map { difference in
      PartDifference("\(place)\(difference.path.dropFirst())", difference)
    }
  }

  init(_ part: String, _ difference: JSONChange) {
    self.init(part, from: difference.old.map(Self.shown), to: difference.new.map(Self.shown))
  }

  /// Fields are compared by name, their order only within a name.
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
      return [PartDifference("\(place) (order or case)", from: words(old), to: words(new))]
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
        return "\(message.sender.rawValue): \(content)"
      }
    }
  }
}
