/// A default value for a field that is missing or null.
public protocol FallbackSource {
  /// The type of the field.
  associatedtype Value: Decodable & Sendable
  /// The default value of the field.
  static var fallback: Value { get }
}

/// A field with a default value, used where the field is missing or null. A value of another type
/// is still an error, since then the server and the client disagree.
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

  /// Makes a field of its value.
  public init(wrappedValue: Source.Value) { self.wrappedValue = wrappedValue }

  /// Decodes the value; null is none.
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

/// The default value of an empty text.
public enum EmptyText: FallbackSource {
  /// The empty text as the value.
  public static var fallback: String { "" }
}

/// The default value of zero.
public enum Nought: FallbackSource {
  /// The number zero as the value.
  public static var fallback: Int { 0 }
}

/// The default value of `false`.
public enum No: FallbackSource {
  /// `false` as the value.
  public static var fallback: Bool { false }
}

/// The default value of an empty array.
public enum NoItems<Item: Decodable & Sendable>: FallbackSource {
  /// An empty array as the value.
  public static var fallback: [Item] { [] }
}
