/// A value that stands in for a field that is missing or null.
public protocol FallbackSource {
  /// The type of the field.
  associatedtype Value: Decodable & Sendable
  /// The value that stands in.
  static var fallback: Value { get }
}

/// A field with a default: where it is missing or null the fallback stands in, while a value of
/// another type is still an error, since then the server and the client disagree.
///
/// ```swift
/// struct Item: Decodable {
///   var name: String
///   @Fallback<EmptyText> var note: String
/// }
/// ```
@propertyWrapper public struct Fallback<Source: FallbackSource>: Decodable, Sendable {
  /// The value of the field, or the fallback.
  public var wrappedValue: Source.Value

  /// Makes a field of its value.
  public init(wrappedValue: Source.Value) { self.wrappedValue = wrappedValue }

  /// Reads the value; null is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? Source.fallback : try container.decode(Source.Value.self)
  }
}

extension Fallback: Equatable where Source.Value: Equatable {}
extension Fallback: Hashable where Source.Value: Hashable {}

extension KeyedDecodingContainer {
  /// Reads a field with a default; synthesised decoders call this one.
  public func decode<Source>(
    _ type: Fallback<Source>.Type,
    forKey key: Key
  ) throws -> Fallback<Source> {
    try decodeIfPresent(type, forKey: key) ?? Fallback(wrappedValue: Source.fallback)
  }
}

/// Stands in with an empty text.
public enum EmptyText: FallbackSource {
  /// The empty text as the value.
  public static var fallback: String { "" }
}

/// Stands in with nought.
public enum Nought: FallbackSource {
  /// Nought as the value.
  public static var fallback: Int { 0 }
}

/// Stands in with `false`.
public enum No: FallbackSource {
  /// `false` as the value.
  public static var fallback: Bool { false }
}

/// Stands in with no items.
public enum NoItems<Item: Decodable & Sendable>: FallbackSource {
  /// An empty array as the value.
  public static var fallback: [Item] { [] }
}
