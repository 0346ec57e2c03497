/// A default value for a field that is missing or null.
public protocol FallbackSource {
  /// The type of the field.
  associatedtype Value: Decodable & Sendable
  /// The default value of the field.
  static var fallback: Value { get }
}

/// A field with a default value, used if the field is missing or null.
///
/// A value of another type is still an error, because the server and the client then disagree.
///
/// ```swift
/// struct Item: Decodable {
///   var name: String
///   @Fallback<EmptyText> var note: String
/// }
/// ```
@propertyWrapper public struct Fallback<Source: FallbackSource>: Decodable, Sendable {
  /// The value of the field, or the default.
  public var wrappedValue: Source.Value

  /// Creates a field with a value.
  public init(wrappedValue: Source.Value) { self.wrappedValue = wrappedValue }

  /// Decodes the value, or uses the default for null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? Source.fallback : try container.decode(Source.Value.self)
  }
}

extension Fallback: Equatable where Source.Value: Equatable {}
extension Fallback: Hashable where Source.Value: Hashable {}

extension KeyedDecodingContainer {
  /// Decodes a field with a default value; synthesised decoders call this function.
  public func decode<Source>(
    _ type: Fallback<Source>.Type,
    forKey key: Key
  ) throws -> Fallback<Source> {
    try decodeIfPresent(type, forKey: key) ?? Fallback(wrappedValue: Source.fallback)
  }
}

/// A default value that is the empty string.
public enum EmptyText: FallbackSource {
  /// The empty string as the value.
  public static var fallback: String { "" }
}

/// A default value that is zero.
public enum Zero: FallbackSource {
  /// The number zero as the value.
  public static var fallback: Int { 0 }
}

/// A default value that is `false`.
public enum False: FallbackSource {
  /// The Boolean `false` as the value.
  public static var fallback: Bool { false }
}

/// A default value that is an empty array.
public enum NoItems<Item: Decodable & Sendable>: FallbackSource {
  /// An empty array as the value.
  public static var fallback: [Item] { [] }
}
