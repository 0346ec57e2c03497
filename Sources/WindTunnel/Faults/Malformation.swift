internal import WindTunnelSymptoms

/// A way for an answer not to be HTTP, or to contradict itself. Its connection ends with it.
public enum Malformation: String, Sendable, Hashable, CaseIterable {
  /// Bytes that begin no answer.
  case garbage
  /// The body alone, as HTTP/0.9 sent it.
  case noStatusLine
  /// A status line whose status is a word.
  case badStatusLine
  /// A status of five digits.
  case badStatusCode
  /// A version that nobody speaks: `HTTP/9.9`.
  case badVersion
  /// A line among the fields that has no colon.
  case fieldWithoutColon
  /// A NUL in a field's value (RFC 9110 §5.5).
  case nulInField
  /// The field `Content-Length: -5`.
  case negativeLength
  /// `Content-Length` says two bytes more than come.
  case lengthTooLong
  /// `Content-Length` says half of what comes.
  case lengthTooShort
  /// Two different lengths (RFC 9112 §6.3); the second says two bytes more than come.
  case twoLengths
  /// A length and `Transfer-Encoding: chunked` (RFC 9112 §6.1).
  case lengthAndChunked
  /// No length at all, and the end comes after half of the body: a truncation that no client can
  /// see.
  case silentTruncation
  /// No length at all, and a reset after half of the body.
  case resetWithoutLength
  /// The second chunk's size is no number (RFC 9112 §7.1).
  case badChunkSize
  /// No line end behind a chunk's bytes.
  case missingChunkEnd
  /// The last chunk, of size zero, does not come.
  case missingLastChunk
  /// Fields behind the last chunk (RFC 9112 §7.1.2): good form, which ends a process that asks by
  /// swift-corelibs-foundation's `URLSession` up to 6.3, so that no stage without a wire plays it.
  case chunkedTrailers
  /// 204, which has no content, with content (RFC 9110 §15.3.5).
  case noContentWithContent
  /// 304, which has no content, with content (RFC 9110 §15.4.5).
  case notModifiedWithContent
  /// `100 Continue`, and then the end.
  case interimOnly

  /// Tells whether it is about a body, so that an answer without content gives it no room.
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

  /// Tells whether a client can tell what came from what it should have got.
  var isSeen: Bool { self != .silentTruncation && self != .lengthTooShort }
}

// MARK: In the catalogue

extension Malformation {
  /// The catalogue's entries, one for each case.
  static let kinds = allCases.map { malformation in
    FaultKind(FaultKind.dashed(malformation.rawValue), .http, .malformed(malformation))
  }

  /// The clients' views of it.
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
