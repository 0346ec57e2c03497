/// The weather that a debug build flies in without any server: for a look at the screens that are
/// seldom seen. Weather from a file is a deck's, whose engine takes the transport's place.
public enum DebugWeather: Sendable, Hashable {
  /// As it is outside.
  case calm
  /// There is no network.
  case offline
  /// Nothing comes within the time-out of an attempt.
  case timeout
  /// Every answer has this status.
  case failure(status: Int)

  /// Reads a word as it stands in a configuration: `calm`, `offline`, `timeout`, `failure` or
  /// `failure 503`; `nil` where it is none of them.
  public init?(_ word: String) {
    let parts = word.split(separator: " ")
    switch (parts.first, parts.count) {
    case ("calm", 1): self = .calm
    case ("offline", 1): self = .offline
    case ("timeout", 1): self = .timeout
    case ("failure", 1): self = .failure(status: 500)
    case ("failure", 2):
      guard let status = Int(parts[1]), 400...599 ~= status else { return nil }
      self = .failure(status: status)
    default: return nil
    }
  }
}
