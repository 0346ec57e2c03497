public import WindTunnelSymptoms

/// A failure of a connection before it has a request.
public enum ConnectionFault: Sendable, Hashable {
  /// The device has no network.
  case offline
  /// No process listens at the port.
  case refused
  /// The host name has no address.
  case hostNotFound
  /// The attempt to connect receives no reply, and ends when the client gives up.
  case connectTimeout
  /// A number of attempts to connect (SYN, RFC 9293 §3.5) are lost before one receives a reply,
  /// from 1 to ``lostSYNsMax``.
  ///
  /// Each costs the time that the client's system waits before it tries again. Linux since 6.5
  /// waits one second each time. Earlier versions and other systems wait one second and then twice
  /// as long each time (RFC 6298 §2.1, §5.5). In process it is one second for each.
  case lostSYNs(Int)
  /// The TLS handshake fails.
  case tls(TLSFault)

  /// The maximum number of attempts to connect that can be lost.
  ///
  /// Up to this number each costs one second on Linux; later waits double.
  public static let lostSYNsMax = 4

  /// The stage of connecting that fails, from the first to the last.
  public enum Layer: String, Sendable, Hashable, CaseIterable {
    /// The resolution of the host name.
    case dns
    /// The TCP connection, which is late or never opens.
    case tcp
    /// The TLS handshake, which fails by its bytes.
    case tls
    /// The TLS handshake, which fails by its certificate or parameters and so needs a TLS library.
    case certificate
  }

  /// One fault of each kind, with every TLS alert.
  public static let examples: [ConnectionFault] =
    [.offline, .refused, .hostNotFound, .connectTimeout, .lostSYNs(2)]
    + TLSFault.allCases.map { .tls($0) }

  /// The kind's name, such as `connectTimeout` or `tls/expired`.
  public var name: String {
    switch self {
    case .offline, .refused, .hostNotFound, .connectTimeout: "\(self)"
    case .lostSYNs: "lostSYNs"
    case .tls(let fault): "tls/\(fault.rawValue)"
    }
  }

  /// The stage of connecting that fails.
  public var layer: Layer {
    switch self {
    case .hostNotFound: .dns
    case .offline, .refused, .connectTimeout, .lostSYNs: .tcp
    case .tls(let fault): fault.needsCertificate ? .certificate : .tls
    }
  }

  /// The symptom of the client's error; `nil` if the connection is only late.
  public var symptom: Symptom? {
    switch self {
    case .offline: .offline
    case .refused: .connectionRefused
    case .hostNotFound: .hostNotFound
    case .connectTimeout: .timedOut
    case .lostSYNs: nil
    case .tls(let fault): fault.symptom
    }
  }

  /// The delay of a connection that is opened in the end.
  public var delay: Duration {
    if case .lostSYNs(let count) = self { .seconds(count) } else { .zero }
  }

  // MARK: In the catalogue

  /// The kinds that fail before there is a request.
  static let kinds: [FaultKind] =
    [
      FaultKind("host-not-found", .dns, .connection(.hostNotFound)),
      FaultKind("offline", .tcp, .connection(.offline)),
      FaultKind("refused", .tcp, .connection(.refused)),
      FaultKind("connect-timeout", .tcp, .connection(.connectTimeout)),
      FaultKind("lost-syns", .tcp, .connection(.lostSYNs(2))),
    ]
    + TLSFault.allCases.map { fault in
      FaultKind("tls-\(FaultKind.dashed(fault.rawValue))", .tls, .connection(.tls(fault)))
    }

  /// The results of the fault in clients.
  var expected: FaultExpectation {
    switch self {
    // A real connection without a network has this error; Linux has no error of its own for it.
    case .offline: FaultExpectation(.connectionRefused, apple: .offline, 7)
    case .refused: FaultExpectation(.connectionRefused, apple: .connectionRefused, 7)
    case .hostNotFound: FaultExpectation(.hostNotFound, apple: .hostNotFound, 6)
    case .connectTimeout: FaultExpectation(.timedOut, apple: .timedOut, 28)
    case .lostSYNs: FaultExpectation(200)
    case .tls(let fault): fault.expected
    }
  }

  var json: JSON {
    switch self {
    case .offline, .refused: ["connect": .text(name)]
    case .connectTimeout: ["connect": "timeout"]
    case .lostSYNs(let count): ["lostSYNs": .number(count)]
    case .hostNotFound: ["dns": .text(name)]
    case .tls(let fault): ["tls": .text(fault.rawValue)]
    }
  }
}

// MARK: In a scenario's file

// { "connect": "offline" | "refused" | "timeout" }   { "lostSYNs": 2 }
// { "dns": "hostNotFound" }   { "tls": NAME }

private let attempts: [(word: String, value: ConnectionFault)] = [
  ("offline", .offline), ("refused", .refused), ("timeout", .connectTimeout),
]

private let lookUps: [(word: String, value: ConnectionFault)] = [("hostNotFound", .hostNotFound)]

extension Fault {
  static func connections(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    var found: [ConnectionFault] = []
    if let attempt = try object.row("connect", of: attempts) { found.append(attempt.value) }
    if let count = try object.int("lostSYNs", in: 1...ConnectionFault.lostSYNsMax) {
      found.append(.lostSYNs(count))
    }
    if let lookUp = try object.row("dns", of: lookUps) { found.append(lookUp.value) }
    if let fault = try object.choice("tls", TLSFault.self) { found.append(.tls(fault)) }
    return found.map { .connection($0) }
  }
}
