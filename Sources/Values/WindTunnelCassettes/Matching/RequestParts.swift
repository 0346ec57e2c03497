internal import Foundation

/// A request taken apart into the texts that count, any of which a recording may have redacted.
struct RequestParts {
  /// A parameter or header field.
  struct Field: Equatable {
    var name: String
    var value: String
    /// Tells whether a `=` stood behind the name.
    var hasValue = true

    /// By bytes: Swift's own `==` takes composed and decomposed letters for the same.
    static func == (left: Field, right: Field) -> Bool {
      left.hasValue == right.hasValue && left.name.utf8.elementsEqual(right.name.utf8)
        && left.value.utf8.elementsEqual(right.value.utf8)
    }
  }

  /// The place at which a text stands.
  enum Place: Hashable {
    case segment(Int)
    case query(Int)
    case header(Int)
    case field(Int)
    /// Places of members and elements, from the top.
    case json([Int])
    /// The body as a whole.
    case text
  }

  private let method: String
  private var segments: [String]
  private var query: [Field]
  private var headers: [Field]
  private var body: ComparedBody

  /// Takes a request apart; where `opens` says so, bodies that are compared by their bytes, too.
  init(_ request: Request, _ matcher: Matcher, opens: Bool) {
    method = matcher.comparesMethod ? request.method : "*"
    segments = PathTemplate.segments(matcher.path(request)).map(String.init)
    query = matcher.queryFields(request.url)
    headers = matcher.headerFields(request)
    body =
      opens && matcher.body.reading(of: request.headers["Content-Type"] ?? "") == .bytes
      ? ComparedBody(opening: request) : ComparedBody(request, matcher.body)
  }

  /// Every place that holds a text.
  var places: [Place] {
    var places = segments.indices.map(Place.segment)
    places += query.indices.map(Place.query) + headers.indices.map(Place.header)
    switch body {
    case .nothing: break
    case .bytes: places.append(.text)
    case .fields(let fields): places += fields.indices.map(Place.field)
    case .json(let json): places += json.stringPlaces.map(Place.json)
    }
    return places
  }

  /// The text at a place; `nil` if there is no such place. A number or a word of JSON is its
  /// own text.
  subscript(place: Place) -> String? {
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

  /// Returns the text that a part of an address means.
  private static func plain(_ text: String) -> String { text.removingPercentEncoding ?? text }

  /// Takes the text out of a place, so that it does not count.
  mutating func clear(_ place: Place) {
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

  /// Everything but the path, in one text.
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
