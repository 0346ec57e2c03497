internal import Foundation

/// An object that many servers put around every answer: a code, a message, and the data.
///
/// ```json
/// { "retcode": 0, "retdesc": "ok", "data": { … } }
/// ```
///
/// A code that is not among the good ones is ``NetworkError/business(code:message:)`` although the
/// status is 200. Codes may be numbers or texts; they are compared as texts.
public struct Envelope: Sendable, Hashable, Codable {
  /// The name of the field with the code.
  public var code: String
  /// The name of the field with the message.
  public var message: String
  /// The name of the field with the data.
  public var data: String
  /// The codes that mean success.
  public var successCodes: Set<String>
  /// The number of nested envelopes: with a gateway's and the service's it is two.
  public var layers: Int

  /// Makes an envelope of the fields' names; by default `retcode`, `retdesc` and `data`, where `0`
  /// is success.
  public init(
    code: String = "retcode",
    message: String = "retdesc",
    data: String = "data",
    successCodes: Set<String> = ["0"],
    layers: Int = 1
  ) {
    (self.code, self.message, self.data, self.successCodes) = (code, message, data, successCodes)
    self.layers = max(1, layers)
  }

  /// The code and the words of a server's refusal.
  struct Refusal: Error {
    var code: String
    var message: String
  }

  /// Opens all layers and decodes what lies in the innermost.
  func open<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws
    -> Value
  {
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

  /// Returns the code and the message in an envelope's JSON, whatever the code says; `nil` where
  /// there is no code.
  func words(in body: Data) -> (code: String, message: String)? {
    let decoder = JSONDecoder()
    decoder.userInfo[.envelope] = self
    // What is no envelope has no code, however it is none.
    guard let words = try? decoder.decode(EnvelopeWords.self, from: body) else { return nil }
    return (words.code, words.message)
  }

  /// Returns the words of the innermost layer that has a code.
  func words(from decoder: any Decoder) throws -> (code: String, message: String) {
    var fields = try decoder.container(keyedBy: FieldName.self)
    var words = try words(of: fields)
    for _ in 1..<layers {
      // The gateway's own refusal has no service's in it.
      guard successCodes.contains(words.code),
        let inner = try? fields.nestedContainer(
          keyedBy: FieldName.self,
          forKey: FieldName(data)
        ), let own = try? self.words(of: inner)
      else { break }
      (fields, words) = (inner, own)
    }
    return words
  }

  private func words(
    of fields: KeyedDecodingContainer<FieldName>
  ) throws -> (code: String, message: String) {
    let code = try fields.decode(Code.self, forKey: FieldName(code)).text
    // Words that are missing or odd do not hide the code.
    let words = try? fields.decodeIfPresent(String.self, forKey: FieldName(message))
    return (code, (words ?? nil) ?? "")
  }

  private func check(_ fields: KeyedDecodingContainer<FieldName>) throws {
    let words = try words(of: fields)
    guard !successCodes.contains(words.code) else { return }
    throw Refusal(code: words.code, message: words.message)
  }

  private struct Code: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      // A number where it is one, else the text; what is neither fails as a text.
      text = try (try? value.decode(Int64.self)).map { String($0) } ?? value.decode(String.self)
    }
  }
}

/// A value without data, for calls whose envelope has a code alone.
public struct Nothing: Sendable, Hashable, Decodable {
  /// Makes the value; all are equal.
  public init() {}

  /// Decodes the value from any content.
  public init(from decoder: any Decoder) throws {}
}

/// The code and the message of an envelope.
private struct EnvelopeWords: Decodable {
  let code: String
  let message: String

  init(from decoder: any Decoder) throws {
    let envelope = decoder.userInfo[.envelope] as? Envelope ?? Envelope()
    (code, message) = try envelope.words(from: decoder)
  }
}

extension CodingUserInfoKey {
  static var envelope: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "NetworkLayer.envelope") else {
      preconditionFailure("Any text is a key.")
    }
    return key
  }
}
