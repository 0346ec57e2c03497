/// One call, which is one use of the client's API, with everything that was seen of it.
///
/// Times are whole microseconds, and offsets are from the start of the scenario. What was not seen is
/// `nil`, never zero.
public struct Observation: Sendable, Hashable {
  /// The ways in which a call ends.
  public enum CallResult: Sendable, Hashable {
    /// The caller got what it asked for.
    case succeeded
    /// The caller got an error, in the words of its symptom or status.
    case failed(String)
    /// The client's process died in it.
    case crashed
    /// It did not end within its deadline.
    case hung
  }

  /// The number of the call in its scenario, counted from zero.
  public var call: Int
  /// The endpoint that was called, such as `GET /home`.
  public var endpoint: String
  /// Tells whether the endpoint is critical.
  public var isCritical: Bool
  /// The way in which it ended.
  public var ending: CallResult
  /// Tells whether there was something to show for it; a failed call of a critical endpoint that showed
  /// nothing is a blank page.
  public var showed: Bool
  /// From the intended start to the end, without a program's ``startUp``.
  public var latency: Duration
  /// The number of times that the client tried, as the harness saw it; `nil` where it cannot be seen.
  public var attemptCount: Int?
  /// The attempts, as far as they came to the deck.
  public var attempts: [Attempt]
  /// The time at which the call was to begin.
  public var intendedStart: Duration?
  /// The time at which it began; later than it was to where nobody was free.
  public var start: Duration?
  /// From a program's start to the first that the server sees of it: a process has to be made, and its
  /// code to be loaded, before there is a client. `nil` where no program was started for the call, or
  /// where nothing was seen of it.
  public var startUp: Duration?
  /// The number of requests that the client says it meant to send.
  public var clientAttempts: Int?
  /// Tells whether what a successful call brought is what was recorded, byte for byte; `nil` where it was
  /// not compared.
  public var bodyMatches: Bool?
  /// The beginning of what a program printed that is neither a body that was recorded nor a part of one;
  /// empty where it printed nothing, and `nil` where the bodies were compared or could not be.
  public var printed: String?
  /// Tells whether what was shown is a copy from before; `nil` where the client does not say.
  public var isStale: Bool?
  /// The time from the end of the scenario's last time window to the call's end; `nil` where it has none
  /// that ends, or where the call ended before.
  public var afterWindow: Duration?
  /// The caller's giving up, where it gave up.
  public var cancellation: Cancellation?
  /// The first request of the call that is not on the cassette, with the nearest one that is; `nil` where
  /// all are, and of a call that crashed or hung. What comes of such a call says nothing about the client.
  public var notOnCassette: String?

  /// Makes an observation; what is not named here was not seen.
  public init(
    call: Int,
    endpoint: String,
    isCritical: Bool,
    ending: CallResult,
    showed: Bool,
    latency: Duration,
    attemptCount: Int?,
    attempts: [Attempt] = []
  ) {
    self.call = call
    self.endpoint = endpoint
    self.isCritical = isCritical
    self.ending = ending
    self.showed = showed
    self.latency = latency
    self.attemptCount = attemptCount
    self.attempts = attempts
  }

  /// A call that its caller gave up.
  public struct Cancellation: Sendable, Hashable {
    /// The time from the call's start to its being given up.
    public var after: Duration
    /// The time that it took to return from then on.
    public var toReturn: Duration
    /// The number of attempts that began after it had returned.
    public var attemptsAfter: Int?

    /// Makes a cancellation.
    public init(after: Duration, toReturn: Duration, attemptsAfter: Int?) {
      self.after = after
      self.toReturn = toReturn
      self.attemptsAfter = attemptsAfter
    }
  }

  /// The time at which the call ended, where its beginning is known.
  public var end: Duration? { (intendedStart ?? start).map { $0 + (startUp ?? .zero) + latency } }

  /// Tells whether the caller gave it up before it had an end of its own: it counts as cancelled, and
  /// neither as a success nor as a failure, even where its client went on and succeeded.
  public var wasGivenUp: Bool {
    guard cancellation != nil else { return false }
    return ending != .crashed && ending != .hung
  }

  /// Tells whether it counts as a success or as a failure of the client's.
  package var isJudged: Bool { notOnCassette == nil && !wasGivenUp }
}
