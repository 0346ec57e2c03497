internal import Foundation

/// A format that contains values and texts.
///
/// A decoder splits a text into spans and encodes changed spans again. All other bytes stay
/// unchanged.
protocol Decoder {
  associatedtype Spans: Sequence<Span> = [Span]
  /// Returns the spans of a text in order; `nil` if the text is not in this format.
  func spans(in bytes: Bytes) -> Spans?
  /// Returns the encoding of a span with changed content.
  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes
}

/// A range of an encoded text, and its decoded content.
struct Span {
  enum Role {
    /// A value with a name.
    case value(name: String, SecretNames.Location, Neighbours)
    /// A name, which may repeat a secret but is not one itself.
    case name
    /// Content of a media type, which is decoded in turn.
    case content(type: String)
    /// Text without a name.
    case text
    /// Binary content, in which a secret can be found but not replaced.
    case sealed
  }

  /// The range of all bytes that must be encoded again if the content changes, such as a length.
  var range: Range<Int>
  var meaning: Bytes
  var role: Role
}
