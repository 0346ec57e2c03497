public import Foundation

/// A function from an answer's content to a value.
public struct AnswerDecoder<Value: Sendable>: Sendable {
  private let work: @Sendable (Answer) throws(NetworkError) -> Value

  /// Makes a decoder of a closure.
  public init(_ work: @escaping @Sendable (Answer) throws(NetworkError) -> Value) {
    self.work = work
  }

  /// Decodes an answer; throws the problem where it cannot.
  public func decode(_ answer: Answer) throws(NetworkError) -> Value { try work(answer) }
}

extension AnswerDecoder where Value: Decodable {
  /// Makes a decoder of JSON content; `decoder` returns a `JSONDecoder` with the API's strategies.
  public static func json(
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> AnswerDecoder {
    AnswerDecoder { answer throws(NetworkError) in
      do { return try decoder().decode(Value.self, from: answer.body) } catch {
        throw .decode(DecodeFault(error))
      }
    }
  }

  /// Makes a decoder that opens an envelope and decodes the data in it.
  public static func envelope(
    _ envelope: Envelope = Envelope(),
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> AnswerDecoder {
    AnswerDecoder { answer throws(NetworkError) in
      let decoder = decoder()
      decoder.userInfo[.envelope] = envelope
      do {
        return try decoder.decode(Enveloped<Value>.self, from: answer.body).value
      } catch let refusal as Envelope.Refusal {
        throw .business(code: refusal.code, message: refusal.message)
      } catch {
        throw .decode(DecodeFault(error))
      }
    }
  }
}

/// A value in its envelope.
private struct Enveloped<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    let envelope = decoder.userInfo[.envelope] as? Envelope ?? Envelope()
    value = try envelope.open(Value.self, from: decoder)
  }
}

extension CodingUserInfoKey {
  fileprivate static var envelope: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "NetworkLayer.envelope") else {
      preconditionFailure("Any text is a key.")
    }
    return key
  }
}

/// An object that many servers put around every answer: a code, a message, and the data.
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
    self.code = code
    self.message = message
    self.data = data
    self.successCodes = successCodes
    self.layers = max(1, layers)
  }

  /// The code and the words of a server's refusal.
  fileprivate struct Refusal: Error {
    var code: String
    var message: String
  }

  /// Opens all layers and decodes what lies in the innermost.
  fileprivate func open<Value: Decodable>(_ type: Value.Type, from decoder: any Decoder) throws
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

/// A value without data, for calls whose envelope has a code alone.
public struct Nothing: Sendable, Hashable, Decodable {
  /// Makes the value; all are equal.
  public init() {}

  /// Decodes the value from any content.
  public init(from decoder: any Decoder) throws {}
}
