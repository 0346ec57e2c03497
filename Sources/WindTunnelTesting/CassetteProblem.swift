public import Foundation

/// What a test has to be told about its cassette, in a sentence or two.
public struct CassetteProblem: LocalizedError, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String
  /// The same, for whoever prints errors the platform's way.
  public var errorDescription: String? { description }

  init(_ description: String) { self.description = description }
}
