internal import Foundation
internal import WindTunnel

/// The content of a request that is never here as a whole: it goes on to the upstream while it comes,
/// or is thrown away where nobody wants it.
final class Upload {
  /// Requests of up to so much content are read whole first, so that they can be sent once more.
  static let wholeBytesMax = 256 * 1024

  /// How much there is; `nil` where only the end tells.
  let length: Int?
  /// Whether it goes on.
  let isPassedOn: Bool
  /// What came and was not passed on yet.
  private(set) var waiting = ByteQueue()
  /// Whether all of it has come.
  var isWhole = false
  /// Whether its end has been passed on.
  var isEndPassed = false

  init(_ framing: Framing, isPassedOn: Bool) {
    length = if case .length(let length) = framing { length } else { nil }
    self.isPassedOn = isPassedOn
  }

  /// Whether the client has to wait.
  func isFull(_ limits: Limits) -> Bool { waiting.count > limits.queuedBytesMax }

  func append(_ data: Data) { if isPassedOn { waiting.append(data) } }

  func take(atMost count: Int) -> Data { waiting.take(atMost: count) }
}
