extension FaultKind {
  /// What fails before there is a request.
  static let connections: [FaultKind] =
    [
      FaultKind("host-not-found", .dns, .connection(.hostNotFound)),
      FaultKind("offline", .tcp, .connection(.offline)),
      FaultKind("refused", .tcp, .connection(.refused)),
      FaultKind("connect-timeout", .tcp, .connection(.connectTimeout)),
      FaultKind("lost-syns", .tcp, .connection(.lostSYNs(2))),
    ]
    + TLSFault.allCases.map { fault in
      FaultKind("tls-\(dashed(fault.rawValue))", .tls, .connection(.tls(fault)))
    }

  /// What breaks an answer off.
  static let cuts: [FaultKind] = [
    FaultKind("reset-after-request", .tcp, .reset(.afterRequest)),
    FaultKind("reset-in-status-line", .tcp, .reset(.inStatusLine)),
    FaultKind("reset-in-headers", .tcp, .reset(.inHeaders)),
    FaultKind("reset-in-body", .tcp, .reset(afterBodyBytes: 4)),
    FaultKind("reset-in-chunk", .tcp, .reset(.inChunk)),
    FaultKind("reset-at-byte", .tcp, .reset(afterBytes: 40)),
    FaultKind("close-after-request", .tcp, .close),
    FaultKind("close-in-status-line", .tcp, .close(.inStatusLine)),
    FaultKind("close-in-headers", .tcp, .close(.inHeaders)),
    FaultKind("close-in-body", .tcp, .truncate(afterBodyBytes: 4)),
    FaultKind("close-in-chunk", .tcp, .close(.inChunk)),
    FaultKind("close-at-byte", .tcp, .close(afterBytes: 10)),
    FaultKind("half-close-after-request", .tcp, .halfClose(.afterRequest)),
    FaultKind("half-close-in-body", .tcp, .halfClose(afterBodyBytes: 4)),
    FaultKind("stall-after-request", .tcp, .stall(.afterRequest)),
    FaultKind("stall-in-status-line", .tcp, .stall(.inStatusLine)),
    FaultKind("stall-in-headers", .tcp, .stall(.inHeaders)),
    FaultKind("stall-in-body", .tcp, .stall(afterBodyBytes: 4)),
    FaultKind("stall-in-chunk", .tcp, .stall(.inChunk)),
    FaultKind("idle-close", .tcp, .idle(IdleEnd(.close, .idle(.milliseconds(50))))),
    FaultKind("idle-reset", .tcp, .idle(IdleEnd(.reset, .idle(.milliseconds(50))))),
    FaultKind("close-on-next-request", .tcp, .idle(IdleEnd(.close, .nextRequest))),
    FaultKind("reset-on-next-request", .tcp, .idle(IdleEnd(.reset, .nextRequest))),
  ]

  /// What takes its time and comes whole.
  static let paces: [FaultKind] = [
    FaultKind("delay", .http, .delay(.exactly(.milliseconds(50)))),
    FaultKind("pause-in-headers", .http, .stall(.inHeaders, for: .milliseconds(50))),
    FaultKind("pause-in-body", .http, .stall(afterBodyBytes: 4, for: .milliseconds(50))),
    FaultKind("dribble", .http, .dribble(bytes: 1, every: .milliseconds(5))),
  ]

  /// Other answers than the recorded one.
  static let answers: [FaultKind] =
    [
      FaultKind("status-503", .http, .status(503)),
      FaultKind("status-429", .http, .status(429)),
      FaultKind("retry-after-seconds", .http, .status(503, retryAfter: .seconds(1))),
      FaultKind("retry-after-date", .http, .status(503, retryAfter: .date(inSeconds: 1))),
      FaultKind("retry-after-past-date", .http, .status(503, retryAfter: .pastDate)),
      FaultKind("retry-after-zero", .http, .status(503, retryAfter: .zero)),
      FaultKind("retry-after-huge", .http, .status(503, retryAfter: .huge)),
      FaultKind("retry-after-garbage", .http, .status(503, retryAfter: .garbage)),
      FaultKind("retry-after-negative", .http, .status(503, retryAfter: .negative)),
      FaultKind("retry-after-two-fields", .http, .status(503, retryAfter: .twoFields)),
    ]
    + Substitute.allCases.map { FaultKind(dashed($0.rawValue), .http, .answer($0)) }
    + Alteration.Content.allCases.map { content in
      FaultKind("body-\(dashed(content.rawValue))", .http, .alter(.body(content)))
    }
    + [
      FaultKind("content-type", .http, .alter(.contentType("text/html"))),
      FaultKind("stale", .http, .alter(.stale(seconds: 86_400))),
      FaultKind("many-fields", .http, .alter(.moreFields(1000))),
      FaultKind("huge-field", .http, .alter(.longField(bytes: 600_000))),
      FaultKind("interim-responses", .http, .alter(.interimResponses(100))),
    ]
    + Alteration.Coding.allCases.map { coding in
      FaultKind("content-encoding-\(coding.rawValue)", .http, .alter(.contentEncoding(coding)))
    }
    + [
      FaultKind("mutate-null", .http, .mutate(.null())),
      FaultKind("mutate-missing", .http, .mutate(.missing())),
      FaultKind("mutate-wrong-type", .http, .mutate(.wrongType())),
      FaultKind("mutate-extra", .http, .mutate(.extra())),
      FaultKind("mutate-truncate", .http, .mutate(.truncate())),
      FaultKind("mutate-status", .http, .mutate(.status(nil))),
    ]

  /// Answers that are not HTTP.
  static let malformations: [FaultKind] = Malformation.allCases.map { malformation in
    FaultKind(dashed(malformation.rawValue), .http, .malformed(malformation))
  }
}
