package import Foundation

/// A response that is put in front of a cassette while a deck plays, and taken away again by its
/// name.
///
/// It answers every request of its pattern, any number of times, and the scenario acts on it as on
/// a recording. Of several that fit, the one that was put last answers.
public struct NamedStub: Sendable, Hashable {
  /// The name, by which it is replaced and removed.
  public var name: String
  /// The requests that it answers.
  public var requests: RequestPattern
  /// The response to each of them.
  public var response: Response

  /// Creates a stub of a name, a pattern and a response.
  public init(_ name: String, _ requests: RequestPattern, _ response: Response) {
    (self.name, self.requests, self.response) = (name, requests, response)
  }

  /// The maximum number of stubs of a deck, since each request is held against every one.
  public static let countMax = 1000
  /// The maximum length of a name, in Unicode scalars.
  public static let nameLengthMax = 200
  /// The maximum size of a stub's JSON, in bytes.
  public static let bytesMax = 16 << 20

  /// Whether a text may name a stub: 1 to ``nameLengthMax`` Unicode scalars, none of which
  /// controls, and not a path segment that URLs resolve away (RFC 3986 §5.2.4).
  package static func isName(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    return 1...nameLengthMax ~= scalars.count && !scalars.contains { $0.value < 32 }
      && text != "." && text != ".."
  }

  /// Reads a stub: `{"request": "GET /users/*", "response": {…}}`, the response as it stands on a
  /// cassette.
  ///
  /// - Throws: `FormatError` for what is no stub.
  package init(named name: String, data: Data) throws {
    let source = "stub"
    guard data.count <= Self.bytesMax else {
      throw FormatError(
        source: source,
        place: "",
        problem: "\(data.count) bytes are more than the \(Self.bytesMax) of a stub",
        fix: nil
      )
    }
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let request = try top.string("request")
    let response = try top.object("response")
    try top.refuseUnknownKeys()
    guard let request else {
      throw top.error("request", "the pattern of requests is missing, such as \"GET /users/*\"")
    }
    let pattern = try top.pattern(request, at: "request")
    guard let response else { throw top.error("response", "the response is missing") }
    self.init(name, pattern, try Response(onCassette: response))
  }
}

/// The stubs of a deck, in the order in which they were put.
struct NamedStubs: Sendable {
  private(set) var all: [NamedStub] = []

  var isEmpty: Bool { all.isEmpty }

  /// Returns the response of the stub that was put last among those that fit.
  func response(to request: Request) -> Response? {
    all.last { $0.requests.matches(request) }?.response
  }

  /// Puts a stub in front of all others, in place of one of the same name; false where there are
  /// too many.
  mutating func put(_ stub: NamedStub) -> Bool {
    var others = all.filter { $0.name != stub.name }
    guard others.count < NamedStub.countMax else { return false }
    others.append(stub)
    all = others
    return true
  }

  /// Removes a stub; false if there is none of the name.
  mutating func remove(named name: String) -> Bool {
    let count = all.count
    all.removeAll { $0.name == name }
    return all.count < count
  }

  mutating func removeAll() { all = [] }
}
