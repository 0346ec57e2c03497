internal import WindTunnelSymptoms

extension FaultKind {
  /// What clients make of it.
  public var expected: FaultExpectation {
    switch fault {
    case .connection(let fault): Self.expected(of: fault)
    case .status(let status, _): FaultExpectation(status)
    case .delay, .dribble, .idle: FaultExpectation(200)
    case .mutate: FaultExpectation(apple: .someAnswer, linux: .someAnswer, curl: [0])
    case .reset: Self.expected(of: Fault.Cut(.reset, at: .afterRequest))
    case .close: Self.expected(of: Fault.Cut(.close, at: .afterRequest))
    case .stall: Self.expected(of: Fault.Cut(.stall(nil), at: .afterRequest))
    case .truncate(let count): Self.expected(of: Fault.Cut(.close, at: .body(count)))
    case .cut(let cut): Self.expected(of: cut)
    case .answer(let substitute): Self.expected(of: substitute)
    case .alter(let alteration): Self.expected(of: alteration)
    case .malformed(let malformation): Self.expected(of: malformation)
    }
  }

  private static func expected(of cut: Fault.Cut) -> FaultExpectation {
    if case .stall(_?) = cut.ending { return FaultExpectation(200) }
    return switch (cut.ending, cut.point) {
    case (.reset, _): FaultExpectation(.connectionLost, apple: .connectionLost, 56)
    case (.stall, _): FaultExpectation(.timedOut, apple: .timedOut, 28)
    case (.close, .inHeaders), (.halfClose, .inHeaders):
      // libcurl takes what came for a whole answer; the platform's own code traps on it.
      FaultExpectation(apple: .failure(.connectionLost), linux: .crash, curl: [0, 52])
    case (.close, .body), (.close, .inChunk), (.halfClose, .body), (.halfClose, .inChunk):
      FaultExpectation(.truncated, apple: .connectionLost, 18)
    case (.close, _), (.halfClose, _):
      FaultExpectation(.emptyAnswer, apple: .connectionLost, 52)
    }
  }

  private static func expected(of substitute: Substitute) -> FaultExpectation {
    switch substitute {
    case .proxyAuthentication: FaultExpectation(407)
    case .captivePortalRedirect, .captivePortalPage: FaultExpectation(200)
    case .redirectLoop: FaultExpectation(.tooManyRedirects, apple: .tooManyRedirects, 47)
    case .redirectWithoutLocation: FaultExpectation(302)
    }
  }

  private static func expected(of alteration: Alteration) -> FaultExpectation {
    switch alteration {
    case .body, .contentType, .stale, .moreFields, .interimResponses: FaultExpectation(200)
    case .contentEncoding: FaultExpectation(.undecodableBody, apple: .undecodableBody, 61)
    case .longField: FaultExpectation(.malformedResponse, apple: .malformedResponse, 27, 56)
    }
  }

  private static func expected(of malformation: Malformation) -> FaultExpectation {
    switch malformation {
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

  private static func expected(of fault: ConnectionFault) -> FaultExpectation {
    switch fault {
    // Real connections fail so where there is no network; Linux has no word for it.
    case .offline: FaultExpectation(.connectionRefused, apple: .offline, 7)
    case .refused: FaultExpectation(.connectionRefused, apple: .connectionRefused, 7)
    case .hostNotFound: FaultExpectation(.hostNotFound, apple: .hostNotFound, 6)
    case .connectTimeout: FaultExpectation(.timedOut, apple: .timedOut, 28)
    case .lostSYNs: FaultExpectation(200)
    case .tls(let fault): expected(of: fault)
    }
  }

  private static func expected(of fault: TLSFault) -> FaultExpectation {
    let symptom = FaultExpectation.Sight.failure(fault.symptom)
    let failed = FaultExpectation.Sight.failure(.secureConnectionFailed)
    return switch fault {
    case .alert(.certificateExpired): FaultExpectation(apple: failed, linux: symptom, curl: [60])
    case .alert(.certificateRequired): FaultExpectation(apple: failed, linux: symptom, curl: [98])
    case .stallAfterClientHello: FaultExpectation(.timedOut, apple: .timedOut, 28)
    case .alert, .plaintext, .garbage, .truncatedRecord, .closeAfterClientHello,
      .resetAfterClientHello, .oldProtocol:
      FaultExpectation(apple: failed, linux: symptom, curl: [35])
    case .clientCertificateRequired:
      // TLS 1.3 tells it after the client has finished (RFC 8446 §4.4.2.4).
      FaultExpectation(apple: symptom, linux: symptom, curl: [56, 55, 35])
    case .untrusted, .selfSigned, .wrongHost, .expired, .notYetValid, .unknownRoot,
      .incompleteChain, .weakSignature:
      FaultExpectation(apple: symptom, linux: symptom, curl: [60])
    }
  }
}
