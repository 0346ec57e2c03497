public import Foundation

/// What a test has to be told about its cassette, in a sentence or two.
public struct CassetteProblem: LocalizedError, Sendable, CustomStringConvertible {
  /// The sentences.
  public let description: String
  /// What the test itself has thrown, mostly because of this; `nil` where it has not.
  public let underlyingError: (any Error)?
  /// The same, for whoever prints errors the platform's way.
  public var errorDescription: String? { description }

  init(_ description: String) { (self.description, underlyingError) = (description, nil) }

  /// Several problems, and what the test has thrown for them.
  init(_ problems: [String], beside error: (any Error)? = nil) {
    let thrown = error.map { ["What was tested has thrown: \($0)"] } ?? []
    description = (problems + thrown).joined(separator: "\n\n")
    underlyingError = error
  }
}
