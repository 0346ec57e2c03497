/// An answer of a deck: a recording, or a function.
public enum Stub: Sendable {
  /// A recording, or one written by hand in its form.
  case recorded(Interaction)
  /// A function that answers every such request; it runs outside the deck's lock and may ask the
  /// deck.
  case computed(Request, @Sendable (Request) -> Response)

  /// A GET that is answered with JSON.
  public static func get(
    _ url: RequestURL,
    status: Int = 200,
    json: JSON,
    then: EndPolicy? = nil
  ) -> Stub {
    .recorded(Interaction(Request("GET", url), .json(json, status: status), then: then))
  }

  /// A GET that a function answers.
  public static func get(
    _ url: RequestURL,
    answer: @escaping @Sendable (Request) -> Response
  ) -> Stub {
    .computed(Request("GET", url), answer)
  }

  /// A POST that a function answers.
  public static func post(
    _ url: RequestURL,
    answer: @escaping @Sendable (Request) -> Response
  ) -> Stub {
    .computed(Request("POST", url), answer)
  }
}

extension Response {
  /// A response of JSON.
  public static func json(_ json: JSON, status: Int = 200) -> Response {
    of(Body(json.description), "application/json", status)
  }

  /// A response of text.
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
