internal import Foundation

/// An object that many servers put around every response: a code, a message, and the data.
///
/// ```json
/// { "retcode": 0, "retdesc": "ok", "data": { … } }
/// ```
///
/// A code that does not mean success leads to ``NetworkError/business(code:message:)``, even if the
/// status is 200. Codes may be numbers or strings; they are compared as strings.
public struct Envelope: Sendable, Hashable, Codable {
  /// The name of the field with the code.
  public var code: String
  /// The name of the field with the message.
  public var message: String
  /// The name of the field with the data.
  public var data: String
  /// The codes that mean success.
  public var successCodes: Set<String>
  /// The number of nested envelopes: two if a gateway adds one around the service's.
  public var layers: Int

  /// Creates an envelope with field names; by default `retcode`, `retdesc` and `data`, and `0` for
  /// success.
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

  /// The code and the message of an error from the server.
  struct ServerRefusal: Error {
    var code: String
    var message: String
  }

  /// Opens all layers and decodes the data of the innermost one.
  func open<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws
    -> Value
  {
    var fields = try decoder.container(keyedBy: FieldName.self)
    for _ in 1..<layers {
      try check(fields)
      fields = try fields.nestedContainer(keyedBy: FieldName.self, forKey: FieldName(data))
    }
    try check(fields)
    // Servers often omit the field if there is no data.
    if let none = EmptyValue() as? Value { return none }
    return try fields.decode(Value.self, forKey: FieldName(data))
  }

  /// Returns the code and the message in an envelope's JSON, for any code; `nil` if there is no
  /// code.
  func words(in body: Data) -> (code: String, message: String)? {
    let decoder = JSONDecoder()
    decoder.userInfo[.envelope] = self
    // Anything other than an envelope has no code.
    guard let words = try? decoder.decode(EnvelopeWords.self, from: body) else { return nil }
    return (words.code, words.message)
  }

  /// Returns the code and message of the innermost layer that has a code.
  func words(from decoder: any Decoder) throws -> (code: String, message: String) {
    var fields = try decoder.container(keyedBy: FieldName.self)
    var words = try words(of: fields)
    for _ in 1..<layers {
      // An error of the gateway contains no envelope of the service.
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
    // A missing or invalid message does not hide the code.
    let words = try? fields.decodeIfPresent(String.self, forKey: FieldName(message))
    return (code, (words ?? nil) ?? "")
  }

  private func check(_ fields: KeyedDecodingContainer<FieldName>) throws {
    let words = try words(of: fields)
    guard !successCodes.contains(words.code) else { return }
    throw ServerRefusal(code: words.code, message: words.message)
  }

  private struct Code: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      // Decodes an integer or else a string; other values fail as a string.
      text = try (try? value.decode(Int64.self)).map { String($0) } ?? value.decode(String.self)
    }
  }
}

/// A value without data, for calls whose envelope has only a code.
public struct EmptyValue: Sendable, Hashable, Decodable {
  /// Creates the value; all values are equal.
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
