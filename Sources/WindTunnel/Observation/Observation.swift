/// What became of one call: one use of the client's API, with everything that was seen of it.
public struct Observation: Sendable, Hashable {
  /// How a call ended.
  public enum Ending: Sendable, Hashable {
    /// The caller got what it asked for.
    case succeeded
    /// The caller got an error, in the words of its symptom or status.
    case failed(String)
    /// The client's process died in it.
    case crashed
    /// It did not end within its deadline.
    case hung
  }

  /// One attempt that the harness saw.
  public struct Attempt: Sendable, Hashable {
    /// What was decided about it, as the story tells it.
    public var decision: String
    /// What was dealt, such as `recording 3`, `withheld 3` or `unmatched`.
    public var take: String

    /// Makes an attempt.
    public init(decision: String, take: String) {
      self.decision = decision
      self.take = take
    }
  }

  /// The number of the call in its scenario, counted from zero.
  public var call: Int
  /// What was called, such as `GET /home`.
  public var endpoint: String
  /// Whether the endpoint is critical.
  public var isCritical: Bool
  /// How it ended.
  public var ending: Ending
  /// Whether there was something to show for it; a failed call of a critical endpoint that showed
  /// nothing is a blank page.
  public var showed: Bool
  /// From the intended start to the end.
  public var latency: Duration
  /// How often the client tried, as the harness saw it; `nil` where it cannot be seen.
  public var attemptCount: Int?
  /// The attempts, as far as they came to the deck.
  public var attempts: [Attempt]

  /// Makes an observation.
  public init(
    call: Int,
    endpoint: String,
    isCritical: Bool,
    ending: Ending,
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
}
