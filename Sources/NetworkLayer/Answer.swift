public import Foundation

/// What a call brought: an answer whose status is below 400.
public struct Answer: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// How many times the request was sent for it, the last time included.
  public var attempts: Int

  /// Makes an answer of its parts.
  public init(status: Int, headers: Headers = [:], body: Data = Data(), attempts: Int = 1) {
    self.status = status
    self.headers = headers
    self.body = body
    self.attempts = attempts
  }
}
