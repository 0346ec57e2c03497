internal import WindTunnelSymptoms

/// A violation of HTTP's syntax, or a contradiction, in a response. The connection ends with the
/// response.
public enum Malformation: String, Sendable, Hashable, CaseIterable {
  /// Bytes that are not the beginning of a response.
  case garbage
  /// The body alone, as HTTP/0.9 sent it.
  case noStatusLine
  /// A status line whose status is a word.
  case badStatusLine
  /// A status of five digits.
  case badStatusCode
  /// A version that does not exist: `HTTP/9.9`.
  case badVersion
  /// A line among the fields that has no colon.
  case fieldWithoutColon
  /// A NUL in a field's value (RFC 9110 §5.5).
  case nulInField
  /// The field `Content-Length: -5`.
  case negativeLength
  /// A `Content-Length` of two bytes more than are sent.
  case lengthTooLong
  /// A `Content-Length` of half of the bytes that are sent.
  case lengthTooShort
  /// Two different lengths (RFC 9112 §6.3); the second is two bytes more than are sent.
  case twoLengths
  /// A length and `Transfer-Encoding: chunked` (RFC 9112 §6.1).
  case lengthAndChunked
  /// A body without a length that ends half-way: a truncation that no client can detect.
  case silentTruncation
  /// A body without a length, and a reset half-way.
  case resetWithoutLength
  /// A size of the second chunk that is not a number (RFC 9112 §7.1).
  case badChunkSize
  /// A chunk without the line end after its bytes.
  case missingChunkEnd
  /// A chunked body without the last chunk, of size zero.
  case missingLastChunk
  /// Fields after the last chunk (RFC 9112 §7.1.2), which are well-formed.
  ///
  /// They crash a process that uses the `URLSession` of swift-corelibs-foundation up to 6.3, so
  /// in-process stages do not play them.
  case chunkedTrailers
  /// A 204, which must not have content, with content (RFC 9110 §15.3.5).
  case noContentWithContent
  /// A 304, which must not have content, with content (RFC 9110 §15.4.5).
  case notModifiedWithContent
  /// A `100 Continue`, and then the end of the connection.
  case interimOnly

  /// Whether the malformation needs a body, so that it is not possible with a response without
  /// content.
  var needsContent: Bool {
    switch self {
    case .lengthTooLong, .lengthTooShort, .twoLengths, .lengthAndChunked, .silentTruncation,
      .resetWithoutLength, .badChunkSize, .missingChunkEnd, .missingLastChunk, .chunkedTrailers:
      true
    case .garbage, .noStatusLine, .badStatusLine, .badStatusCode, .badVersion, .fieldWithoutColon,
      .nulInField, .negativeLength, .noContentWithContent, .notModifiedWithContent, .interimOnly:
      false
    }
  }

  /// Whether a client can detect the malformation.
  var isSeen: Bool { self != .silentTruncation && self != .lengthTooShort }

  // MARK: In the catalogue

  /// The catalogue's entries, one for each case.
  static let kinds = allCases.map { malformation in
    FaultKind(FaultKind.dashed(malformation.rawValue), .http, .malformed(malformation))
  }

  /// The results of the malformation in clients.
  var expected: FaultExpectation {
    switch self {
    case .garbage, .noStatusLine, .badStatusLine, .badStatusCode, .badVersion:
      FaultExpectation(.malformedResponse, apple: .malformedResponse, 1)
    case .fieldWithoutColon, .nulInField, .negativeLength:
      FaultExpectation(.malformedResponse, apple: .malformedResponse, 8)
    case .lengthTooLong, .twoLengths, .missingLastChunk:
      FaultExpectation(.truncated, apple: .connectionLost, 18)
    case .lengthTooShort, .lengthAndChunked, .silentTruncation: FaultExpectation(200)
    case .resetWithoutLength: FaultExpectation(.connectionLost, apple: .connectionLost, 56)
    case .badChunkSize, .missingChunkEnd:
      FaultExpectation(.malformedResponse, apple: .malformedResponse, 56)
    case .chunkedTrailers: FaultExpectation(apple: .answer(200), linux: .crash, curl: [0])
    case .noContentWithContent: FaultExpectation(204)
    case .notModifiedWithContent: FaultExpectation(304)
    case .interimOnly: FaultExpectation(.emptyAnswer, apple: .connectionLost, 52)
    }
  }
}
