internal import Foundation

/// The compared texts of a request, each of which may be redacted in a recording.
struct RequestParts {
  /// A parameter or header field.
  struct Field: Equatable {
    var name: String
    var value: String
    /// Whether a `=` follows the name.
    var hasValue = true

    /// Compared by bytes, because Swift's `==` treats composed and decomposed letters as equal.
    static func == (left: Field, right: Field) -> Bool {
      left.hasValue == right.hasValue && left.name.utf8.elementsEqual(right.name.utf8)
        && left.value.utf8.elementsEqual(right.value.utf8)
    }
  }

  /// The place of a text in a request.
  enum Position: Hashable {
    case segment(Int)
    case query(Int)
    case header(Int)
    case field(Int)
    /// Indices of members and elements, from the top.
    case json([Int])
    /// The whole body as text.
    case text
  }

  private let method: String
  private var segments: [String]
  private var query: [Field]
  private var headers: [Field]
  private var body: ComparedBody

  /// Splits a request into its parts. If `opens` is true, bodies that are compared as bytes are
  /// parsed, too.
  init(_ request: Request, _ matcher: Matcher, opens: Bool) {
    method = matcher.comparesMethod ? request.method : "*"
    segments = PathTemplate.segments(matcher.path(request)).map(String.init)
    query = matcher.queryFields(request.url)
    headers = matcher.headerFields(request)
    body =
      opens && matcher.body.reading(of: request.headers["Content-Type"] ?? "") == .bytes
      ? ComparedBody(opening: request) : ComparedBody(request, matcher.body)
  }

  /// All places that contain a text.
  var places: [Position] {
    var places = segments.indices.map(Position.segment)
    places += query.indices.map(Position.query) + headers.indices.map(Position.header)
    switch body {
    case .nothing: break
    case .bytes: places.append(.text)
    case .fields(let fields): places += fields.indices.map(Position.field)
    case .json(let json): places += json.stringPlaces.map(Position.json)
    }
    return places
  }

  /// The text at a place; `nil` if the place does not exist. For a number or literal of JSON, the
  /// text is its spelling.
  subscript(place: Position) -> String? {
    switch (place, body) {
    case (.segment(let index), _):
      return segments.indices.contains(index) ? Self.plain(segments[index]) : nil
    case (.query(let index), _):
      return query.indices.contains(index) ? Self.plain(query[index].value) : nil
    case (.header(let index), _):
      return headers.indices.contains(index) ? headers[index].value : nil
    case (.field(let index), .fields(let fields)):
      return fields.indices.contains(index) ? String(utf8: fields[index].value) : nil
    case (.json(let path), .json(let json)): return json[path: path[...]]?.scalarText
    case (.text, .bytes(let data)): return String(utf8: data)
    case (.field, _), (.json, _), (.text, _): return nil
    }
  }

  /// Returns the text without percent-encoding.
  private static func plain(_ text: String) -> String { text.removingPercentEncoding ?? text }

  /// Removes the text at a place, so that it is not compared.
  mutating func clear(_ place: Position) {
    switch (place, body) {
    case (.segment(let index), _): segments[index] = ""
    case (.query(let index), _): query[index].value = "\0"
    case (.header(let index), _): headers[index].value = "\0"
    case (.field(let index), .fields(var fields)):
      fields[index].value = Data([0])
      body = .fields(fields)
    case (.json(let path), .json(let json)): body = .json(json.clearing(path[...]))
    case (.text, _): body = .nothing
    case (.field, _), (.json, _): break
    }
  }

  /// The request without its path, as one text.
  var leaf: String { "\(method) \(Self.digest(query)) \(Self.digest(headers)) \(body.digest)" }

  static func digest(_ fields: [Field]) -> String {
    let body = ComparedBody.fields(
      fields.map {
        FormField(
          name: $0.name,
          label: "\($0.name)\($0.hasValue ? "=" : "")",
          value: Data($0.value.utf8)
        )
      }
    )
    return fields.isEmpty ? "-" : body.digest
  }
}
