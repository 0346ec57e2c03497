package import Foundation

/// A response that is added in front of a cassette while a deck plays, and removed by its name.
///
/// It is the response to every request that matches its pattern, any number of times. The scenario
/// applies faults to it as to a recording. If several stubs match, the stub that was added last is
/// used.
public struct NamedStub: Sendable, Hashable {
  /// The name, which identifies the stub when it is replaced or removed.
  public var name: String
  /// The pattern of the stub's requests.
  public var requests: RequestPattern
  /// The response to each request.
  public var response: Response

  /// Creates a stub from a name, a pattern and a response.
  public init(_ name: String, _ requests: RequestPattern, _ response: Response) {
    (self.name, self.requests, self.response) = (name, requests, response)
  }

  /// The maximum number of stubs of a deck, because each request is compared with every stub.
  public static let countMax = 1000
  /// The maximum length of a name, in Unicode scalars.
  public static let nameLengthMax = 200
  /// The maximum size of a stub's JSON, in bytes.
  public static let bytesMax = 16 << 20

  /// Returns whether a text can be the name of a stub.
  ///
  /// A name has 1 to ``nameLengthMax`` Unicode scalars and no control characters. It is not a path
  /// segment that URLs resolve away (RFC 3986 §5.2.4).
  package static func isName(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    return 1...nameLengthMax ~= scalars.count && !scalars.contains { $0.value < 32 }
      && text != "." && text != ".."
  }

  /// Parses a stub: `{"request": "GET /users/*", "response": {…}}`, with the response as on a
  /// cassette.
  ///
  /// - Throws: `FormatError` if the data is not a valid stub.
  package init(named name: String, data: Data) throws {
    let source = "stub"
    guard data.count <= Self.bytesMax else {
      throw FormatError(
        source: source,
        place: "",
        problem: "\(data.count) bytes exceed the maximum of a stub, \(Self.bytesMax)"
      )
    }
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    let request = try top.string("request")
    let response = top.take("response")
    try top.refuseUnknownKeys()
    guard let request else {
      throw top.error("request", "the pattern of requests is missing, such as \"GET /users/*\"")
    }
    let pattern = try top.pattern(request, at: "request")
    guard let response else { throw top.error("response", "the response is missing") }
    self.init(name, pattern, try Response(onCassette: response, of: top))
  }
}

/// The stubs of a deck, in the order in which they were added.
struct NamedStubs: Sendable {
  private(set) var all: [NamedStub] = []

  var isEmpty: Bool { all.isEmpty }

  /// Returns the response of the stub that was added last among the matching ones.
  func response(to request: Request) -> Response? {
    all.last { $0.requests.matches(request) }?.response
  }

  /// Adds a stub in front of all others, or replaces the one with its name; false if there are too
  /// many.
  mutating func put(_ stub: NamedStub) -> Bool {
    var others = all.filter { $0.name != stub.name }
    guard others.count < NamedStub.countMax else { return false }
    others.append(stub)
    all = others
    return true
  }

  /// Removes a stub; returns false if no stub has the name.
  mutating func remove(named name: String) -> Bool {
    let count = all.count
    all.removeAll { $0.name == name }
    return all.count < count
  }

  mutating func removeAll() { all = [] }
}
