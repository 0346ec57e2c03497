public import Foundation

/// What a call brought: an answer that keeps to the endpoint's rules.
public struct Answer: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// How many times the request was sent for it, the last time included.
  public var attempts: Int
  /// Where it comes from.
  public var source: Source

  /// Where an answer comes from.
  public enum Source: Sendable, Hashable {
    /// From the server, just now.
    case network
    /// From the cache, where it was fresh.
    case cache
    /// From the cache, and the server said that it is still good.
    case revalidated
    /// From the cache although it is no longer fresh: a newer one is being fetched, or could not be
    /// had.
    case stale
  }

  /// Makes an answer of its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    attempts: Int = 1,
    source: Source = .network
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.attempts = attempts
    self.source = source
  }

  /// Whether this may be out of date, and a screen should say so.
  public var isStale: Bool { source == .stale }
}
