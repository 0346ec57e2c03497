public import Foundation

extension Response {
  /// Creates a response whose content is JSON.
  public static func json(_ json: JSON, status: Int = 200, headers: HeaderFields = [:]) -> Self {
    .data(Data(json.bytes()), type: "application/json", status: status, headers: headers)
  }

  /// Creates a response whose content is plain text.
  public static func text(_ body: Body, status: Int = 200, headers: HeaderFields = [:]) -> Self {
    .data(body.data, type: "text/plain; charset=utf-8", status: status, headers: headers)
  }

  /// Creates a response whose content is plain text.
  public static func text(_ text: String, status: Int = 200) -> Self {
    .text(Body(text), status: status)
  }

  /// Creates a response with bytes of a media type.
  public static func data(
    _ data: Data,
    type: String,
    status: Int = 200,
    headers: HeaderFields = [:]
  ) -> Self {
    // No length if there can be no content (RFC 9110 §8.6).
    if hasNoContent(method: "GET", status: status) { return empty(status, headers: headers) }
    // The given fields replace the default ones.
    let usual: HeaderFields = ["Content-Type": type, "Content-Length": String(data.count)]
    let fields = usual.filter { headers[$0.name] == nil } + Array(headers)
    return Self(status: status, headers: HeaderFields(fields), body: Body(data))
  }

  /// Creates a response without content.
  public static func empty(_ status: Int = 204, headers: HeaderFields = [:]) -> Self {
    Self(status: status, headers: headers)
  }
}
