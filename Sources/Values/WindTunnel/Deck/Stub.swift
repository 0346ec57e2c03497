public import Foundation

/// A request with a response or a sequence of responses, written in Swift.
///
/// ```swift
/// let stubs: [Stub] = [
///   .get("/users/{id}", json: ["id": 7, "name": "Ada"]),
///   .post("/users") { request in
///     Response(status: request.headers["Idempotency-Key"] == nil ? 400 : 201)
///   },
/// ]
/// ```
///
/// Call a method like a function. The response can be JSON, text, data, a file, a status alone, a
/// ``StubResponse`` or a closure.
///
/// ```swift
/// let more: [Stub] = [
///   .get("/slow", json: ["id": 7], delay: .seconds(1)),
///   .delete("/users/{id}", status: 204),
///   .get("/jobs/7", .responses([.status(503), .json(["done": true])])),
///   .any("/down/{page}", .failure(.timedOut)),
/// ]
/// ```
public struct Stub: Sendable {
  /// One response of a stub, or a function that computes it.
  struct Part: Sendable {
    var interaction: Interaction
    var delay: Duration?
    var function: (@Sendable (Request) -> Response)?
  }

  /// The responses to equal requests, in order.
  let parts: [Part]

  /// Creates a stub of a recording, or of an interaction written by hand.
  public static func recorded(_ interaction: Interaction) -> Stub {
    Stub(parts: [Part(interaction: interaction)])
  }

  /// Creates a stub of a GET.
  public static let get = Method("GET")
  /// Creates a stub of a POST.
  public static let post = Method("POST")
  /// Creates a stub of a PUT.
  public static let put = Method("PUT")
  /// Creates a stub of a PATCH.
  public static let patch = Method("PATCH")
  /// Creates a stub of a DELETE.
  public static let delete = Method("DELETE")
  /// Creates a stub of a HEAD, whose content is not sent.
  public static let head = Method("HEAD")
  /// Creates a stub for every method that has no other stub for the URL.
  public static let any = Method(Request.anyMethod)

  /// A method of requests. Call it to create a stub.
  public struct Method: Sendable {
    private let name: String

    /// Creates a method from its name, such as `PROPFIND`.
    public init(_ name: String) { self.name = name }
  }
}

extension Stub.Method {
  /// Creates a stub.
  ///
  /// - Parameters:
  ///   - url: The URL, which may omit the host and have `{name}` for a segment of the path.
  ///   - response: The response, or several in order.
  ///   - delay: The time before each response, at any pace of the deck.
  ///   - then: The policy after the last response; `nil` for the response's own, or the deck's.
  /// - Returns: The stub.
  public func callAsFunction(
    _ url: RequestURL,
    _ response: StubResponse,
    delay: Duration? = nil,
    then: EndPolicy? = nil
  ) -> Stub {
    var parts = response.answers.map { answer in
      Stub.Part(interaction: Interaction(Request(name, url), answer), delay: delay)
    }
    if let last = parts.indices.last { parts[last].interaction.then = then ?? response.then }
    return Stub(parts: parts)
  }

  /// Creates a stub whose content is JSON.
  public func callAsFunction(
    _ url: RequestURL,
    status: Int = 200,
    headers: HeaderFields = [:],
    json: JSON,
    delay: Duration? = nil,
    then: EndPolicy? = nil
  ) -> Stub {
    self(url, .json(json, status: status, headers: headers), delay: delay, then: then)
  }

  /// Creates a stub whose content is plain text.
  public func callAsFunction(
    _ url: RequestURL,
    status: Int = 200,
    headers: HeaderFields = [:],
    text: String
  ) -> Stub {
    self(url, .text(text, status: status, headers: headers))
  }

  /// Creates a stub whose content is bytes of a media type.
  public func callAsFunction(
    _ url: RequestURL,
    status: Int = 200,
    headers: HeaderFields = [:],
    data: Data,
    type: String
  ) -> Stub {
    self(url, .data(data, type: type, status: status, headers: headers))
  }

  /// Creates a stub whose content is a file's bytes
  /// (``StubResponse/file(_:type:status:headers:)``).
  public func callAsFunction(
    _ url: RequestURL,
    status: Int = 200,
    headers: HeaderFields = [:],
    file: String,
    type: String? = nil
  ) -> Stub {
    self(url, .file(file, type: type, status: status, headers: headers))
  }

  /// Creates a stub without content.
  public func callAsFunction(
    _ url: RequestURL,
    status: Int,
    headers: HeaderFields = [:]
  ) -> Stub {
    self(url, .status(status, headers: headers))
  }

  /// Creates a stub with a function that computes each response.
  ///
  /// The function is called outside the deck's lock and may use the deck.
  public func callAsFunction(
    _ url: RequestURL,
    delay: Duration? = nil,
    response: @escaping @Sendable (Request) -> Response
  ) -> Stub {
    let interaction = Interaction(Request(name, url), Response())
    return Stub(parts: [.init(interaction: interaction, delay: delay, function: response)])
  }
}
