internal import WindTunnel
internal import WindTunnelSymptoms

/// What a decision comes down to for one answer: its status, how much of it, and how it breaks off.
struct Dealt: Sendable, Hashable {
  private(set) var status: Int?
  private(set) var bytes: Int?
  private(set) var symptom: Symptom?
  private(set) var retryAfter: Duration?
  /// The date in `Retry-After`, as time since 1970.
  private(set) var retryDate: Duration?
  /// The second in which it is sent, since 1970.
  private let now: Duration?

  /// Composes faults over a recorded answer in their order.
  init(_ faults: [Fault], recorded: Interaction?, now: Duration? = nil) {
    self.now = now
    let response = recorded?.response
    status = response?.status
    bytes = response?.body.count
    symptom = recorded?.failure?.symptom
    let text = response?.headers["Retry-After"]
    // A date there is on the server's clock, and nobody knows that here.
    retryAfter = text.flatMap { Int($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    for fault in faults { meet(fault) }
  }

  private mutating func meet(_ fault: Fault) {
    switch fault {
    case .status(let status, let retryAfter):
      (self.status, self.retryAfter) = (status, retryAfter?.wait)
      retryDate = retryAfter?.date(now: now)
      (bytes, symptom) = (nil, nil)
    case .reset(let offset): cut(at: offset, .connectionLost)
    case .close: cut(at: nil, .emptyAnswer)
    case .stall(let offset): cut(at: offset, .timedOut)
    case .truncate(let offset): cut(at: offset, .truncated)
    case .connection(let fault):
      (status, retryAfter, bytes) = (nil, nil, 0)
      retryDate = nil
      symptom = fault.symptom
    case .delay, .dribble, .idle: break
    case .answer: (status, bytes, retryAfter, retryDate) = (nil, nil, nil, nil)
    // What comes of it is not known before it is sent.
    default: bytes = nil
    }
  }

  private mutating func cut(at offset: Int?, _ symptom: Symptom) {
    self.symptom = symptom
    guard let offset else {
      (status, retryAfter, bytes) = (nil, nil, 0)
      retryDate = nil
      return
    }
    bytes = bytes.map { min($0, offset) }
  }
}

extension RetryAfter {
  /// How long a client should wait by it; `nil` where it says nothing that can be kept to.
  fileprivate var wait: Duration? {
    switch self {
    case .seconds(let count), .date(inSeconds: let count): .seconds(max(0, count))
    default: nil
    }
  }
}
