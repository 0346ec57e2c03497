internal import Foundation
internal import WindTunnel

/// Undoes what a body was compressed by (RFC 9110 §8.4): a client finds it done by the platform on
/// the wire, and nobody does it for a `URLProtocol`.
enum ContentCoding {
  /// The coding of an answer's body; `nil` for none.
  static func coding(of head: ResponseHead) -> String? {
    // Most have none, and trimming costs more than to look.
    guard head.headers["Content-Encoding"] != nil else { return nil }
    let coding = head.headers.values("Content-Encoding").joined(separator: ",")
      .trimmingCharacters(in: .whitespaces).lowercased()
    return coding.isEmpty || coding == "identity" ? nil : coding
  }

  /// A body as it is without its coding; `nil` if it is damaged or of a coding nobody knows here.
  static func open(_ body: Data, _ coding: String?) -> Data? {
    guard let coding else { return body }
    return Inflate.open(body, coding: coding)
  }

  /// Why a body cannot be opened although a client's own platform might; `nil` where it could not,
  /// either.
  static func refusal(_ coding: String?) -> (any Error)? {
    guard let coding, coding.contains("br") || coding.contains("zstd") else { return nil }
    return HarnessError(
      """
      The recorded body is compressed by \(coding), which cannot be undone in process. Play the \
      same deck on a loopback server, or record without that coding.
      """
    )
  }
}
