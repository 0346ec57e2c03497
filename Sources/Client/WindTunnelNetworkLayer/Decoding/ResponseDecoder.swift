public import Foundation

/// A decoder that converts a response's content to a value.
public struct ResponseDecoder<Value: Sendable>: Sendable {
  private let work: @Sendable (CallResponse) throws(NetworkError) -> Value

  /// Creates a decoder with a closure.
  public init(_ work: @escaping @Sendable (CallResponse) throws(NetworkError) -> Value) {
    self.work = work
  }

  /// Decodes a response, or throws the error.
  public func decode(_ answer: CallResponse) throws(NetworkError) -> Value { try work(answer) }
}

extension ResponseDecoder where Value: Decodable {
  /// Creates a decoder of JSON content. `decoder` returns a `JSONDecoder` with the API's
  /// strategies.
  public static func json(
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> ResponseDecoder {
    ResponseDecoder { answer throws(NetworkError) in
      do { return try decoder().decode(Value.self, from: answer.body) } catch {
        throw .decode(DecodeFault(error))
      }
    }
  }

  /// Creates a decoder that opens an envelope and decodes its data.
  public static func envelope(
    _ envelope: Envelope = Envelope(),
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> ResponseDecoder {
    let whole = ResponseDecoder<Enveloped<Value>>.wholeEnvelope(envelope, decoder)
    return ResponseDecoder { answer throws(NetworkError) in try whole.decode(answer).value }
  }

  /// Creates a decoder that opens an envelope and returns its code and message with the data.
  public static func wholeEnvelope<Data: Decodable & Sendable>(
    _ envelope: Envelope = Envelope(),
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> ResponseDecoder where Value == Enveloped<Data> {
    ResponseDecoder { answer throws(NetworkError) in
      let decoder = decoder()
      decoder.userInfo[.envelope] = envelope
      do {
        return try decoder.decode(Value.self, from: answer.body)
      } catch let refusal as Envelope.ServerRefusal {
        throw .business(code: refusal.code, message: refusal.message)
      } catch {
        throw .decode(DecodeFault(error))
      }
    }
  }
}

/// A value with the code and the message of its envelope.
public struct Enveloped<Value: Decodable & Sendable>: Decodable, Sendable {
  /// The code, which is one of the envelope's success codes.
  public let code: String
  /// The message, such as a text to show; empty if there is none.
  public let message: String
  /// The data of the envelope.
  public let value: Value

  /// Opens the envelope that ``ResponseDecoder/envelope(_:_:)`` was created with.
  public init(from decoder: any Decoder) throws {
    let envelope = decoder.userInfo[.envelope] as? Envelope ?? Envelope()
    value = try envelope.open(Value.self, from: decoder)
    (code, message) = try envelope.words(from: decoder)
  }
}
