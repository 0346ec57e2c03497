import TestSupport
import WindTunnel

/// The column "Swift" of the page of faults, compiled: a line here is what the page says.
@Suite struct FaultSpellingTests {
  @Test func `a fault is what the page says it is in Swift`() throws {
    let rows = try Repository.page("Faults").components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") }
    expectEqual(Self.spelled.map(\.name), FaultKind.all.map(\.name))
    let lines = try Self.spellings()
    for (name, fault) in Self.spelled {
      expectEqual(FaultKind.named(name)?.fault, fault, "\(name)")
      let spelling = try #require(lines[name], "\(name) has no line of its own here")
      #expect(
        rows.contains { $0.hasPrefix("| `\(name)` |") && $0.contains(" | `\(spelling)` | ") },
        "\(name)"
      )
    }
  }

  @Test func `a fault is what the page says it is in JSON`() throws {
    let text = try Repository.page("Faults")
    for kind in FaultKind.all {
      let row = try #require(
        text.components(separatedBy: "\n").first { $0.hasPrefix("| `\(kind.name)` |") },
        "\(kind.name)"
      )
      let cells = row.components(separatedBy: " | ").map { $0.trimming("| `") }
      let file = """
        { "windtunnelScenario": 1, "name": "one", "rules": [
          { "when": { "first": 1 }, "faults": [\(cells[2])] }
        ] }
        """
      let scenario = try Scenario(data: Data(file.utf8), source: "one.json")
      expectEqual(scenario.rules.map(\.faults), [[kind.fault]], "\(row)")
    }
  }

  /// The text of each line of the list below, by the name in it.
  private static func spellings() throws -> [String: String] {
    var found: [String: String] = [:]
    for line in try String(contentsOfFile: #filePath, encoding: .utf8).components(separatedBy: "\n")
    {
      guard line.hasPrefix("    (\""), line.hasSuffix("),"),
        let end = line.range(of: "\", ")
      else { continue }
      let name = line[line.index(line.startIndex, offsetBy: 6)..<end.lowerBound]
      found[String(name)] = String(line[end.upperBound...].dropLast(2))
    }
    return found
  }

  // A line is a fault, as the page has it.
  // swift-format-ignore
  private static let spelled: [(name: String, fault: Fault)] = [
    ("host-not-found", .connection(.hostNotFound)),
    ("offline", .connection(.offline)),
    ("refused", .connection(.refused)),
    ("connect-timeout", .connection(.connectTimeout)),
    ("lost-syns", .connection(.lostSYNs(2))),
    ("tls-handshake-failure", .connection(.tls(.alert(.handshakeFailure)))),
    ("tls-plaintext", .connection(.tls(.plaintext))),
    ("tls-garbage", .connection(.tls(.garbage))),
    ("tls-truncated-record", .connection(.tls(.truncatedRecord))),
    ("tls-stall-after-client-hello", .connection(.tls(.stallAfterClientHello))),
    ("tls-close-after-client-hello", .connection(.tls(.closeAfterClientHello))),
    ("tls-reset-after-client-hello", .connection(.tls(.resetAfterClientHello))),
    ("tls-untrusted", .connection(.tls(.untrusted))),
    ("tls-self-signed", .connection(.tls(.selfSigned))),
    ("tls-wrong-host", .connection(.tls(.wrongHost))),
    ("tls-expired", .connection(.tls(.expired))),
    ("tls-not-yet-valid", .connection(.tls(.notYetValid))),
    ("tls-unknown-root", .connection(.tls(.unknownRoot))),
    ("tls-incomplete-chain", .connection(.tls(.incompleteChain))),
    ("tls-weak-signature", .connection(.tls(.weakSignature))),
    ("tls-old-protocol", .connection(.tls(.oldProtocol))),
    ("tls-client-certificate-required", .connection(.tls(.clientCertificateRequired))),
    ("tls-alert-close-notify", .connection(.tls(.alert(.closeNotify)))),
    ("tls-alert-user-canceled", .connection(.tls(.alert(.userCanceled)))),
    ("tls-alert-unexpected-message", .connection(.tls(.alert(.unexpectedMessage)))),
    ("tls-alert-bad-record-mac", .connection(.tls(.alert(.badRecordMAC)))),
    ("tls-alert-record-overflow", .connection(.tls(.alert(.recordOverflow)))),
    ("tls-alert-bad-certificate", .connection(.tls(.alert(.badCertificate)))),
    ("tls-alert-unsupported-certificate", .connection(.tls(.alert(.unsupportedCertificate)))),
    ("tls-alert-certificate-revoked", .connection(.tls(.alert(.certificateRevoked)))),
    ("tls-alert-certificate-expired", .connection(.tls(.alert(.certificateExpired)))),
    ("tls-alert-certificate-unknown", .connection(.tls(.alert(.certificateUnknown)))),
    ("tls-alert-illegal-parameter", .connection(.tls(.alert(.illegalParameter)))),
    ("tls-alert-unknown-ca", .connection(.tls(.alert(.unknownCA)))),
    ("tls-alert-access-denied", .connection(.tls(.alert(.accessDenied)))),
    ("tls-alert-decode-error", .connection(.tls(.alert(.decodeError)))),
    ("tls-alert-decrypt-error", .connection(.tls(.alert(.decryptError)))),
    ("tls-alert-protocol-version", .connection(.tls(.alert(.protocolVersion)))),
    ("tls-alert-insufficient-security", .connection(.tls(.alert(.insufficientSecurity)))),
    ("tls-alert-internal-error", .connection(.tls(.alert(.internalError)))),
    ("tls-alert-inappropriate-fallback", .connection(.tls(.alert(.inappropriateFallback)))),
    ("tls-alert-missing-extension", .connection(.tls(.alert(.missingExtension)))),
    ("tls-alert-unsupported-extension", .connection(.tls(.alert(.unsupportedExtension)))),
    ("tls-alert-unrecognized-name", .connection(.tls(.alert(.unrecognizedName)))),
    ("tls-alert-bad-certificate-status-response", .connection(.tls(.alert(.badCertificateStatusResponse)))),
    ("tls-alert-unknown-pskidentity", .connection(.tls(.alert(.unknownPSKIdentity)))),
    ("tls-alert-certificate-required", .connection(.tls(.alert(.certificateRequired)))),
    ("tls-alert-no-application-protocol", .connection(.tls(.alert(.noApplicationProtocol)))),
    ("reset-after-request", .reset(.afterRequest)),
    ("reset-in-status-line", .reset(.inStatusLine)),
    ("reset-in-headers", .reset(.inHeaders)),
    ("reset-in-body", .reset(afterBodyBytes: 4)),
    ("reset-in-chunk", .reset(.inChunk)),
    ("reset-at-byte", .reset(afterBytes: 40)),
    ("close-after-request", .close(.afterRequest)),
    ("close-in-status-line", .close(.inStatusLine)),
    ("close-in-headers", .close(.inHeaders)),
    ("close-in-body", .truncate(afterBodyBytes: 4)),
    ("close-in-chunk", .close(.inChunk)),
    ("close-at-byte", .close(afterBytes: 10)),
    ("half-close-after-request", .halfClose(.afterRequest)),
    ("half-close-in-body", .halfClose(afterBodyBytes: 4)),
    ("stall-after-request", .stall(.afterRequest)),
    ("stall-in-status-line", .stall(.inStatusLine)),
    ("stall-in-headers", .stall(.inHeaders)),
    ("stall-in-body", .stall(afterBodyBytes: 4)),
    ("stall-in-chunk", .stall(.inChunk)),
    ("reset-after-events", .reset(afterEvents: 2)),
    ("close-after-events", .close(afterEvents: 2)),
    ("stall-after-events", .stall(afterEvents: 2)),
    ("idle-close", .idle(IdleEnd(.close, .idle(.milliseconds(50))))),
    ("idle-reset", .idle(IdleEnd(.reset, .idle(.milliseconds(50))))),
    ("close-on-next-request", .idle(IdleEnd(.close, .nextRequest))),
    ("reset-on-next-request", .idle(IdleEnd(.reset, .nextRequest))),
    ("delay", .delay(.milliseconds(50))),
    ("pause-in-headers", .stall(.inHeaders, for: .milliseconds(50))),
    ("pause-in-body", .stall(afterBodyBytes: 4, for: .milliseconds(50))),
    ("dribble", .dribble(bytes: 1, every: .milliseconds(5))),
    ("throttle", .throttle(bytesPerSecond: 100)),
    ("status-503", .status(503)),
    ("status-429", .status(429)),
    ("retry-after-seconds", .status(503, retryAfter: .seconds(1))),
    ("retry-after-date", .status(503, retryAfter: .date(inSeconds: 1))),
    ("retry-after-past-date", .status(503, retryAfter: .pastDate)),
    ("retry-after-zero", .status(503, retryAfter: .seconds(0))),
    ("retry-after-huge", .status(503, retryAfter: .huge)),
    ("retry-after-garbage", .status(503, retryAfter: .garbage)),
    ("retry-after-negative", .status(503, retryAfter: .negative)),
    ("retry-after-two-fields", .status(503, retryAfter: .twoFields)),
    ("proxy-authentication", .answer(.proxyAuthentication)),
    ("captive-portal-redirect", .answer(.captivePortalRedirect)),
    ("captive-portal-page", .answer(.captivePortalPage)),
    ("redirect-loop", .answer(.redirectLoop)),
    ("redirect-without-location", .answer(.redirectWithoutLocation)),
    ("redirect-elsewhere", .answer(.redirectElsewhere)),
    ("redirect-to-http", .answer(.redirectToHTTP)),
    ("body-duplicated", .alter(.body(.duplicated))),
    ("body-large", .alter(.body(.large))),
    ("body-empty", .alter(.body(.empty))),
    ("body-invalid-utf8", .alter(.body(.invalidUTF8))),
    ("body-invalid-json", .alter(.body(.invalidJSON))),
    ("body-error-event", .alter(.body(.errorEvent))),
    ("body-retry-zero", .alter(.body(.retryZero))),
    ("body-retry-negative", .alter(.body(.retryNegative))),
    ("body-retry-huge", .alter(.body(.retryHuge))),
    ("body-retry-garbage", .alter(.body(.retryGarbage))),
    ("body-missing-event-ids", .alter(.body(.missingEventIDs))),
    ("body-empty-event-ids", .alter(.body(.emptyEventIDs))),
    ("content-type", .alter(.contentType("text/html"))),
    ("stale", .alter(.stale(seconds: 86400))),
    ("version", .alter(.version(2))),
    ("many-fields", .alter(.moreFields(1000))),
    ("lowercase-field-names", .alter(.lowercaseFieldNames)),
    ("huge-field", .alter(.longField(bytes: 600000))),
    ("interim-responses", .alter(.interimResponses(100))),
    ("endless-body", .alter(.endlessBody(bytes: 100))),
    ("gzip-bomb", .alter(.gzipBomb(bytes: 1000))),
    ("content-encoding-gzip", .alter(.contentEncoding(.gzip))),
    ("content-encoding-deflate", .alter(.contentEncoding(.deflate))),
    ("content-encoding-unknown", .alter(.contentEncoding(.unknown))),
    ("mutate-null", .mutate(.null())),
    ("mutate-missing", .mutate(.missing())),
    ("mutate-wrong-type", .mutate(.wrongType())),
    ("mutate-extra", .mutate(.extra())),
    ("mutate-truncate", .mutate(.truncate())),
    ("mutate-status", .mutate(.status(nil))),
    ("garbage", .malformed(.garbage)),
    ("no-status-line", .malformed(.noStatusLine)),
    ("bad-status-line", .malformed(.badStatusLine)),
    ("bad-status-code", .malformed(.badStatusCode)),
    ("bad-version", .malformed(.badVersion)),
    ("field-without-colon", .malformed(.fieldWithoutColon)),
    ("nul-in-field", .malformed(.nulInField)),
    ("negative-length", .malformed(.negativeLength)),
    ("length-too-long", .malformed(.lengthTooLong)),
    ("length-too-short", .malformed(.lengthTooShort)),
    ("two-lengths", .malformed(.twoLengths)),
    ("length-and-chunked", .malformed(.lengthAndChunked)),
    ("silent-truncation", .malformed(.silentTruncation)),
    ("reset-without-length", .malformed(.resetWithoutLength)),
    ("bad-chunk-size", .malformed(.badChunkSize)),
    ("missing-chunk-end", .malformed(.missingChunkEnd)),
    ("missing-last-chunk", .malformed(.missingLastChunk)),
    ("chunked-trailers", .malformed(.chunkedTrailers)),
    ("no-content-with-content", .malformed(.noContentWithContent)),
    ("not-modified-with-content", .malformed(.notModifiedWithContent)),
    ("interim-only", .malformed(.interimOnly)),
    ("websocket-wrong-accept", .conversation(.handshake(.wrongAccept))),
    ("websocket-unasked-subprotocol", .conversation(.handshake(.unaskedSubprotocol))),
    ("websocket-unasked-extension", .conversation(.handshake(.unaskedExtension))),
    ("websocket-reset", .conversation(.end(.reset, before: 2))),
    ("websocket-close", .conversation(.end(.close, before: 2))),
    ("websocket-stall", .conversation(.end(.stall, before: 2))),
    ("websocket-close-frame", .conversation(.end(.frame(1011), before: 2))),
    ("websocket-reserved-close-code", .conversation(.end(.frame(1005), before: 2))),
    ("websocket-one-byte-close", .conversation(.end(.oneByteFrame, before: 2))),
    ("websocket-masked", .conversation(.form(.masked, of: 2))),
    ("websocket-reserved-bit", .conversation(.form(.reservedBit, of: 2))),
    ("websocket-reserved-opcode", .conversation(.form(.reservedOpcode, of: 2))),
    ("websocket-long-length", .conversation(.form(.longLength, of: 2))),
    ("websocket-huge-length", .conversation(.form(.hugeLength, of: 2))),
    ("websocket-fragmented-ping", .conversation(.form(.fragmentedPing, of: 2))),
    ("websocket-invalid-utf8", .conversation(.form(.invalidUTF8, of: 2))),
    ("websocket-fragmented", .conversation(.form(.fragmented, of: 2))),
    ("websocket-duplicate", .conversation(.message(.duplicate, 2))),
    ("websocket-drop", .conversation(.message(.drop, 2))),
    ("websocket-swap", .conversation(.message(.swap, 1))),
    ("websocket-late", .conversation(.message(.late(.milliseconds(50)), 2))),
    ("websocket-no-pong", .conversation(.control(.noPong))),
    ("websocket-late-pong", .conversation(.control(.latePong(.milliseconds(50))))),
    ("websocket-ping-flood", .conversation(.control(.pingFlood))),
    ("websocket-unanswered-close", .conversation(.control(.unansweredClose))),
    ("mutate-empty-lists", .mutate(.emptyLists)),
    ("mutate-hollow", .mutate(.hollow)),
    ("body-of", .alter(.bodyOf(recording: 2))),
    ("mutate-values", .mutate(.values)),
  ]
}

extension String {
  /// The text without these characters at both ends.
  fileprivate func trimming(_ characters: String) -> String {
    trimmingCharacters(in: CharacterSet(charactersIn: characters))
  }
}
