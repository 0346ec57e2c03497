/// A change to an answer that leaves it in good form, or nearly so.
public enum Alteration: Sendable, Hashable {
  /// The body is another, and its length that one's.
  case body(Content)
  /// `Content-Type` says this, whatever the body is.
  case contentType(String)
  /// `Content-Encoding` names a coding that the body is not in.
  case contentEncoding(Coding)
  /// The recording before the due one, where there is one, and an `Age` of so many seconds
  /// (RFC 9111 §5.1).
  case stale(seconds: Int)
  /// So many more fields.
  case moreFields(Int)
  /// One more field, of so many bytes.
  case longField(bytes: Int)
  /// So many `103 Early Hints` in front of the answer (RFC 8297).
  case interimResponses(Int)

  /// What a body is in place of the recorded one.
  public enum Content: String, Sendable, Hashable, CaseIterable {
    /// The same twice.
    case duplicated
    /// Nothing.
    case empty
    /// Bytes that are no UTF-8 behind the same.
    case invalidUTF8
    /// The same and one more bracket, so that JSON does not end where it should.
    case invalidJSON
  }

  /// A coding that a body is said to be in.
  public enum Coding: String, Sendable, Hashable, CaseIterable {
    /// `gzip`.
    case gzip
    /// `deflate`.
    case deflate
    /// One that nobody knows.
    case unknown
  }

  /// The most fields that are added.
  public static let fieldsMax = 100_000
  /// The longest field.
  public static let fieldBytesMax = 16 << 20
  /// The most interim answers.
  public static let interimResponsesMax = 10_000
  /// The longest field that libcurl takes: `CURL_MAX_HTTP_HEADER`. In process a longer one is as
  /// unreadable as it is on the wire.
  static let clientFieldBytesMax = 100 * 1024

  /// Whether the client still gets the recorded answer, so that it is used up.
  var passesAnswer: Bool {
    switch self {
    case .moreFields, .interimResponses: true
    case .body, .contentType, .contentEncoding, .stale, .longField: false
    }
  }
}

extension Fault {
  var isStale: Bool {
    guard case .alter(.stale) = self else { return false }
    return true
  }
}
