public import WindTunnelSymptoms

/// What can go wrong with an attempt, as the key of a policy's table.
public enum RetryReason: Sendable, Hashable {
  /// No answer came.
  case symptom(Symptom)
  /// An answer of this status came.
  case status(Int)

  /// Names what an attempt met; a cancellation is nothing that went wrong.
  public init?(_ outcome: AttemptOutcome) {
    switch outcome {
    case .success(let answer): self = .status(answer.status)
    case .failure(.failed(let symptom, _)): self = .symptom(symptom)
    case .failure(.cancelled): return nil
    }
  }
}
