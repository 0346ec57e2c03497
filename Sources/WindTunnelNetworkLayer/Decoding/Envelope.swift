internal import Foundation

/// An object that many servers put around every answer: a code, words, and what was asked for.
///
/// ```json
/// { "retcode": 0, "retdesc": "ok", "data": { … } }
/// ```
///
/// A code that is not among the good ones is ``NetworkError/business(code:message:)`` although the
/// status is 200. Codes may be numbers or texts; they are compared as texts.
public struct Envelope: Sendable, Hashable {
  /// The name of the field with the code.
  public var code: String
  /// The name of the field with the words.
  public var message: String
  /// The name of the field with what was asked for.
  public var data: String
  /// The codes that mean success.
  public var successCodes: Set<String>
  /// How many envelopes lie in each other: a gateway's and the service's are two.
  public var layers: Int

  /// Names the fields; by default `retcode`, `retdesc` and `data`, where `0` is success.
  public init(
    code: String = "retcode",
    message: String = "retdesc",
    data: String = "data",
    successCodes: Set<String> = ["0"],
    layers: Int = 1
  ) {
    self.code = code
    self.message = message
    self.data = data
    self.successCodes = successCodes
    self.layers = max(1, layers)
  }

  /// What a server said in an envelope.
  struct Refusal: Error {
    var code: String
    var message: String
  }

  /// Opens all layers and decodes what lies in the innermost.
  func open<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws -> Value {
    var fields = try decoder.container(keyedBy: FieldName.self)
    for _ in 1..<layers {
      try check(fields)
      fields = try fields.nestedContainer(keyedBy: FieldName.self, forKey: FieldName(data))
    }
    try check(fields)
    // A server that has nothing to say often leaves the field out.
    if let none = Nothing() as? Value { return none }
    return try fields.decode(Value.self, forKey: FieldName(data))
  }

  private func check(_ fields: KeyedDecodingContainer<FieldName>) throws {
    let code = try fields.decode(Code.self, forKey: FieldName(self.code)).text
    guard !successCodes.contains(code) else { return }
    // Words that are missing or odd do not hide the code.
    let words = try? fields.decodeIfPresent(String.self, forKey: FieldName(message))
    throw Refusal(code: code, message: (words ?? nil) ?? "")
  }

  private struct Code: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      // A number where it is one, else the text; what is neither fails as a text.
      if let number = try? value.decode(Int64.self) {
        text = String(number)
      } else {
        text = try value.decode(String.self)
      }
    }
  }
}

/// What is asked for where only the code of an envelope matters.
public struct Nothing: Sendable, Hashable, Decodable {
  /// Makes it; all are alike.
  public init() {}

  /// Takes anything.
  public init(from decoder: any Decoder) throws {}
}
