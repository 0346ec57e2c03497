internal import Foundation

/// A coding that values and texts stand in. It opens a text into spans, and spells what stands in a
/// span afterwards, so that all that is not replaced stays to the byte.
protocol Decoder {
  associatedtype Spans: Sequence<Span> = [Span]
  /// Returns the spans of a text, in their order; `nil` for a text that is not of this coding.
  func spans(in bytes: Bytes) -> Spans?
  /// Returns the spelling of a span that says something else now.
  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes
}

/// A stretch of a coded text, and what it means.
struct Span {
  enum Role {
    /// A value that has a name.
    case value(name: String, SecretNames.Place, Neighbours)
    /// A name, which may repeat a secret and is none.
    case name
    /// Something of a media type, opened in turn.
    case content(type: String)
    /// Words without a name.
    case text
    /// Binary content in which a secret can be found, and nothing replaced.
    case sealed
  }

  /// The place where it stands, with all that must be written anew where it changes, such as a
  /// length.
  var range: Range<Int>
  var meaning: Bytes
  var role: Role
}
