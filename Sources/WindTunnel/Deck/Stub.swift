/// An answer of a deck: a recording, or a function.
///
/// ```swift
/// let stubs: [Stub] = [
///   .get("/users/{id}", json: ["id": 7, "name": "Ada"]),
///   .post("/users") { request in
///     Response(status: request.headers["Idempotency-Key"] == nil ? 400 : 201)
///   },
/// ]
/// ```
public enum Stub: Sendable {
  /// A recording, or an interaction written by hand.
  case recorded(Interaction)
  /// A function that answers every request like this one. It runs outside the deck's lock and may
  /// use the deck.
  case computed(Request, @Sendable (Request) -> Response)

  /// Makes a stub that answers a GET with JSON.
  public static func get(
    _ url: RequestURL,
    status: Int = 200,
    json: JSON,
    then: EndPolicy? = nil
  ) -> Stub {
    .recorded(Interaction(Request("GET", url), .json(json, status: status), then: then))
  }

  /// Makes a stub that answers a GET by a function.
  public static func get(
    _ url: RequestURL,
    answer: @escaping @Sendable (Request) -> Response
  ) -> Stub {
    .computed(Request("GET", url), answer)
  }

  /// Makes a stub that answers a POST by a function.
  public static func post(
    _ url: RequestURL,
    answer: @escaping @Sendable (Request) -> Response
  ) -> Stub {
    .computed(Request("POST", url), answer)
  }
}

extension Response {
  /// Makes a response whose content is JSON.
  public static func json(_ json: JSON, status: Int = 200) -> Response {
    of(Body(json.description), "application/json", status)
  }

  /// Makes a response whose content is plain text.
  public static func text(_ body: Body, status: Int = 200) -> Response {
    of(body, "text/plain; charset=utf-8", status)
  }

  private static func of(_ body: Body, _ type: String, _ status: Int) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": type, "Content-Length": String(body.data.count)],
      body: body
    )
  }
}
