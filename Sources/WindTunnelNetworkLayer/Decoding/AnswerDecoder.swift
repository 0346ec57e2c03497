public import Foundation

/// Makes a value of an answer's content.
public struct AnswerDecoder<Value: Sendable>: Sendable {
  private let work: @Sendable (Answer) throws(NetworkError) -> Value

  /// Decodes by a closure.
  public init(_ work: @escaping @Sendable (Answer) throws(NetworkError) -> Value) {
    self.work = work
  }

  /// Makes the value, or says what is wrong with the answer.
  public func decode(_ answer: Answer) throws(NetworkError) -> Value { try work(answer) }
}

extension AnswerDecoder where Value: Decodable {
  /// Decodes the content as JSON; `decoder` makes one with the strategies of the API.
  public static func json(
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> AnswerDecoder {
    AnswerDecoder { answer throws(NetworkError) in
      do { return try decoder().decode(Value.self, from: answer.body) } catch {
        throw .decode(DecodeFault(error))
      }
    }
  }

  /// Opens an envelope and decodes what lies in it.
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
