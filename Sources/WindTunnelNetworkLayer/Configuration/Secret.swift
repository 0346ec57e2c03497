/// A value that no log, dump or public view shows.
public struct Secret: Sendable, Hashable, Codable {
  /// The value itself.
  public var value: String

  /// Hides a value.
  public init(_ value: String) { self.value = value }

  /// Reads a text.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes the value itself: only a sealed export does that.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// That there is a secret, and nothing about it.
  public var description: String { "(secret)" }
  /// That there is a secret, and nothing about it.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
