internal import Foundation

/// The values of one request that replace placeholders such as `{{request.json.id}}` in a
/// template's header fields and content.
package struct TemplateValues: Sendable {
  private let request: Request
  private let draws: Draws
  /// The number of times that the template was played in its lane, from 1.
  private let counter: Int
  // A body that is not JSON has no values, which is reported.
  private lazy var json = try? JSONParser.parse(request.body.data)
  /// A sentence for each name without a value.
  private var notes: [String] = []

  package init(_ request: Request, _ draws: Draws, counter: Int) {
    (self.request, self.draws, self.counter) = (request, draws, counter)
  }

  /// A name in its braces.
  private static var pattern: Regex<(Substring, Substring)> { /\{\{\s*([^{}]*?)\s*\}\}/ }

  private typealias Look = (inout TemplateValues) -> JSON?

  /// Returns a function that reads the value of a name; `nil` if the name is unknown.
  private static func look(up name: Substring) -> Look? {
    let parts = name.split(separator: ".", maxSplits: 2).map(String.init)
    let last = parts.last ?? ""
    switch parts.dropLast().joined(separator: ".") {
    case "" where last == "uuid": return { .text($0.uuid) }
    case "" where last == "counter": return { .number($0.counter) }
    case "request.path":
      guard let number = Int(last), number > 0 else { return nil }
      return { $0.segment(number) }
    case "request.query": return { $0.queryItem(last) }
    case "request.header" where last.isHTTPToken:
      return { $0.request.headers[last].map { .text($0) } }
    case _ where name.hasPrefix("request.json"):
      return JSONPath("$\(name.dropFirst(12))").map { path in { $0.json?.first(at: path) } }
    default: return nil
    }
  }

  private func segment(_ number: Int) -> JSON? {
    let segment = request.url.path.split(separator: "/", omittingEmptySubsequences: false)
      .dropFirst(number).first
    return segment.map { .text($0.removingPercentEncoding ?? String($0)) }
  }

  private func queryItem(_ name: String) -> JSON? {
    FormFields.fields(Data((request.url.query ?? "").utf8)).first { $0.name == name }
      .map { .text(String(decoding: $0.value, as: UTF8.self)) }
  }

  /// A random UUID (RFC 9562 §5.4): the version, the variant, and bits from the deck's seed.
  private var uuid: String {
    let (high, low) = (draws.bits(0) & ~0xF000 | 0x4000, draws.bits(1) & ~(3 << 62) | 2 << 62)
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
      UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString.lowercased()
    }
  }

  private mutating func value(_ name: Substring) -> JSON? {
    let value = Self.look(up: name)?(&self)
    if value == nil { notes.append("The template's {{\(name)}} has no value in the request.") }
    return value
  }

  /// Fills in a template, and returns a sentence for each missing value.
  package mutating func fill(_ interaction: inout Interaction) -> [String] {
    var timing = interaction.timing
    interaction.editResponse { response in
      for (index, field) in response.headers.enumerated() {
        // Control characters become spaces, because they could begin another field (RFC 9110 §5.5).
        response.head.headers[index].value = filled(field.value) { value in
          String(String.UnicodeScalarView(value.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
        }
      }
      let type = ContentType(response.headers["Content-Type"] ?? "").essence
      _ = response.rewriteContent(&timing) { content in
        let isJSON = type.isEmpty || type.contains("json")
        // A body that is not JSON is filled in as text.
        if isJSON, let json = try? JSONParser.parse(content) {
          let new = filled(json)
          let layout = JSON.Layout.all.first { content.elementsEqual(json.bytes($0)) }
          return new == json ? nil : Bytes(new.bytes(layout ?? .compact))
        }
        let isEscaped = isJSON || type == "text/event-stream"
        let text = String(utf8: Data(content))
        return text.map { Bytes(filled($0) { isEscaped ? JSON.escaped($0) : $0 }.utf8) }
      }
    }
    interaction.timing = timing
    return notes
  }

  private mutating func filled(_ json: JSON) -> JSON {
    switch json {
    case .string(let text) where text.value.contains("{{"):
      // A string that consists only of a placeholder is replaced by the value, with its type.
      if let name = text.value.wholeMatch(of: Self.pattern)?.1,
        name.hasPrefix("request.json") || name == "counter"
      {
        return value(name) ?? .null
      }
      return .text(filled(text.value) { $0 })
    default: return json.changingParts { filled($1) }
    }
  }

  private mutating func filled(_ text: String, _ escape: (String) -> String) -> String {
    guard text.contains("{{") else { return text }
    return text.replacing(Self.pattern) { match in
      escape(value(match.1).map { $0.scalarText ?? $0.description } ?? "")
    }
  }

  /// Throws an error if a template contains an unknown name, with its position and the known names.
  static func check(_ interaction: Interaction, _ object: ObjectReader) throws(FormatError) {
    var object = object
    guard let response = object.take("response"), interaction.messages.isEmpty else {
      throw object.error("template", "a template is a \"response\" without \"messages\"")
    }
    for key in ["headers", "json", "text"] {
      for (path, text) in response[key]?.strings(at: "response.\(key)") ?? [] {
        for match in text.matches(of: pattern) where look(up: match.1) == nil {
          throw object.error(
            path,
            "\(match.0) is not a value of a template",
            fix: """
              Known: {{request.path.1}}, {{request.query.NAME}}, {{request.header.NAME}}, \
              {{request.json.NAME}}, {{uuid}}, {{counter}}.
              """
          )
        }
      }
    }
  }
}

extension JSON {
  /// Returns the string values, with their paths.
  fileprivate func strings(at place: String) -> [(place: String, text: String)] {
    switch self {
    case .string(let text): [(place, text.value)]
    case .array(let elements):
      elements.enumerated().flatMap { $1.strings(at: "\(place)[\($0)]") }
    case .object(let members):
      members.flatMap { $0.value.strings(at: "\(place).\($0.name.value)") }
    case .null, .bool, .number: []
    }
  }
}
