/// A way for an exchange to go wrong. Several compose in the order they stand in.
public enum Fault: Sendable, Hashable {
  /// Nothing is sent for a while before the answer.
  case delay(Spread)
  /// This status instead of the recorded answer, with `Retry-After` where it is given
  /// (RFC 9110 §10.2.3).
  case status(Int, retryAfter: RetryAfter? = nil)
  /// The connection is reset (TCP RST) after this many bytes of the body; `nil`: instead of an
  /// answer, which is written `.reset(.afterRequest)`.
  case reset(afterBodyBytes: Int?)
  /// The connection is closed (TCP FIN) once the request has been read, without an answer.
  case close
  /// Nothing more is sent after this many bytes of the body, and the connection stays open; `nil`:
  /// no answer at all, which is written `.stall(.afterRequest)`.
  case stall(afterBodyBytes: Int?)
  /// The connection is closed after this many bytes of the body, though more were announced.
  case truncate(afterBodyBytes: Int)
  /// The connection attempt fails.
  case connection(ConnectionFault)
  /// The answer comes whole and in good form, and is not the recorded one.
  case mutate(Mutation)
  /// The answer breaks off, or pauses, at a place that need not be in its body.
  case cut(Cut)
  /// The body comes so many bytes at a time: the first at once, and the next each so much later.
  case dribble(bytes: Int, every: Duration)
  /// The answer is not HTTP, or contradicts itself.
  case malformed(Malformation)
  /// Another answer in place of the recorded one.
  case answer(Substitute)
  /// The recorded answer with something in it changed.
  case alter(Alteration)
  /// The answer is whole, and the connection that was to be kept ends.
  case idle(IdleEnd)

  /// A length of time, fixed or drawn evenly from a range.
  public struct Spread: Sendable, Hashable {
    /// The least.
    public var least: Duration
    /// The most; the same as the least where nothing is drawn.
    public var most: Duration

    /// Makes a range; `most` is raised to `least` where it is less.
    public init(_ least: Duration, through most: Duration) {
      self.least = least
      self.most = max(least, most)
    }

    /// One length.
    public static func exactly(_ length: Duration) -> Spread { Spread(length, through: length) }

    /// A length and how far it strays to both sides.
    public static func around(_ length: Duration, jitter: Duration) -> Spread {
      Spread(max(.zero, length - jitter), through: length + jitter)
    }

    func resolved(_ draw: Double) -> Spread {
      let span = Double((most - least).inNanoseconds) / 1000
      return .exactly(least + .microseconds(Int64((span * draw).rounded())))
    }
  }
}

extension Fault {
  /// Whether the recorded answer does not reach the client whole and as it is, so that it is dealt
  /// without being used up and a retry gets it.
  public var replacesOrCuts: Bool {
    switch self {
    case .delay, .dribble, .idle: false
    case .connection(let fault) where fault.symptom == nil: false
    case .cut(let cut): if case .stall(_?) = cut.ending { false } else { true }
    case .alter(let alteration): !alteration.passesAnswer
    case .status, .reset, .close, .stall, .truncate, .connection, .mutate, .malformed, .answer: true
    }
  }

  /// Whether it takes the place of an answer that nobody has seen yet, so that a live origin need
  /// not be asked. A change wants an answer, and a live one passes before it is known whole.
  var forestallsOrigin: Bool {
    switch self {
    case .mutate, .alter: false
    default: replacesOrCuts
    }
  }

  /// With everything random in it drawn.
  func resolved(_ draw: () -> Double) -> Fault {
    switch self {
    case .delay(let spread) where spread.least < spread.most: .delay(spread.resolved(draw()))
    case .mutate(let mutation): .mutate(mutation.resolved(draw))
    default: self
    }
  }
}
