package import Foundation

// Fields that describe the bytes of a body, and their updates when the body changes.
//
// | field                                                       | update                        |
// | `Content-Length`                                            | changes with the body's size  |
// | any with a digest of the old body in hex or base64, `ETag`s | the new body's digest         |
// | a number that is the old body's length (``lengthMin``)      | the new body's length         |
// | `bytes A-B/TOTAL` of the old body's length                  | the new body's range          |
// | a name with checksum, digest, md5, sha, crc or a hash       | removed, unless recomputed    |
//
// A digest of the old body would allow a short secret to be found by trying.

extension HeaderFields {
  /// Returns a body without the content codings of these fields; `nil` if they cannot be decoded.
  package func opened(_ body: Data) -> Inflate.Opened? {
    Inflate.opened(body, coding: values("Content-Encoding").joined(separator: ", "))
  }

  /// Whether a body is gzip and no field describes the compressed bytes: no digest, no range and no
  /// strong validator (RFC 9110 §8.8.1).
  package var haveFreeGzip: Bool {
    guard let coding = self["Content-Encoding"]?.lowercased(), ["gzip", "x-gzip"].contains(coding),
      values("Content-Encoding").count == 1
    else { return false }
    return !contains { field in
      field.isNamed("Content-Range") || BodyChange.vouches(field.name)
        || field.isNamed("ETag") && !field.value.hasPrefix("W/")
    }
  }

  /// Updates the fields for a changed body.
  package mutating func follow(_ change: BodyChange) {
    var change = change
    self = HeaderFields(compactMap { change.followed($0) })
  }

  /// Updates the fields for a body whose size changed by `bodyGrowth` bytes.
  package mutating func follow(bodyGrowth: Int) {
    self = HeaderFields(
      compactMap { field in
        if BodyChange.vouches(field.name) { return nil }
        return field.isNamed("Content-Length") ? field.longer(by: bodyGrowth) : field
      }
    )
  }
}

extension HeaderField {
  /// Returns the field with its length increased by `count`, which may be negative. A truncated
  /// body stays truncated by the same number of bytes.
  fileprivate func longer(by count: Int) -> HeaderField {
    Int(value).map { HeaderField(name, String(max(0, $0.addingReportingOverflow(count).0))) }
      ?? self
  }
}

/// A body before and after a change.
package struct BodyChange {
  /// The minimum length at which an equal number in a field of any name is treated as the body's
  /// length.
  private static let lengthMin = 1000
  /// The maximum position of a body's last byte.
  private static let lastMax = 1 << 53

  /// The body as it was sent, and its decoded content if that differs.
  private let old: [Data]
  private let new: Data
  private var digests: [BodyDigest: [[UInt8]]] = [:]

  /// Creates a change from a body and its decoded content to a new body.
  package init(from body: Data, _ content: Data, to new: Data) {
    (self.old, self.new) = (body == content ? [body] : [body, content], new)
  }

  /// Whether a field of this name contains a digest or a checksum.
  package static func vouches(_ name: String) -> Bool {
    let name = name.lowercased()
    // `Want-*` fields request a digest (RFC 9530 §4) but contain none.
    if name.hasPrefix("want-") { return false }
    if ["checksum", "digest", "md5", "goog-hash", "content-hash"].contains(where: name.contains) {
      return true
    }
    return name.split { $0 == "-" || $0 == "_" }.contains { word in
      guard word.hasPrefix("sha") || word.hasPrefix("crc") else { return false }
      return word.dropFirst(3).first.map { $0.isNumber } ?? true
    }
  }

  /// Returns a field for the new body; `nil` if the field is removed.
  fileprivate mutating func followed(_ field: HeaderField) -> HeaderField? {
    if field.isNamed("Content-Length") { return field.longer(by: new.count - old[0].count) }
    if Self.vouches(field.name) {
      let members = field.value.split(separator: ",").compactMap { rehashed(String($0)) }
      return members.isEmpty ? nil : HeaderField(field.name, members.joined(separator: ","))
    }
    let value = length(of: field) ?? range(field.value) ?? rehashed(field.value)
    return HeaderField(field.name, value ?? field.value)
  }

  private func length(of field: HeaderField) -> String? {
    guard let number = Int(field.value), old.contains(where: { $0.count == number }) else {
      return nil
    }
    let name = field.name.lowercased()
    guard number >= Self.lengthMin || ["length", "size", "bytes"].contains(where: name.contains)
    else { return nil }
    return String(new.count)
  }

  /// Returns an updated range such as `bytes 0-99/1000` (RFC 9110 §14.4); `nil` if the value is not
  /// a range of the old body.
  private func range(_ value: String) -> String? {
    guard !new.isEmpty,
      let match = value.wholeMatch(of: /bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)/)?.output,
      let first = Int(match.1), let last = Int(match.2), first <= last, last <= Self.lastMax,
      old.contains(where: { $0.count - 1 == last - first })
    else { return nil }
    let end = first + new.count
    let total = Int(match.3).map { first == 0 && $0 - 1 == last ? end : max($0, end) }
    return "bytes \(first)-\(end - 1)/\(total.map { "\($0)" } ?? "*")"
  }

  /// Returns a text with the old body's digests replaced by the new body's; `nil` if it contains
  /// none.
  private mutating func rehashed(_ text: String) -> String? {
    let new = text.replacing(/[A-Za-z0-9+\/]+={0,2}/) { match in
      let run = String(match.output)
      return rehashed(run: run) ?? run
    }
    return new == text ? nil : new
  }

  private mutating func rehashed(run: String) -> String? {
    for digest in BodyDigest.allCases {
      let blank = [UInt8](repeating: 0, count: digest.byteCount)
      for spell in Self.spellings where spell(blank).utf8.count == run.utf8.count {
        let known = digests[digest] ?? old.map { digest.hash($0) }
        digests[digest] = known
        if known.contains(where: { spell($0) == run }) { return spell(digest.hash(new)) }
      }
    }
    return nil
  }

  /// Hexadecimal digits, and base64 (RFC 4648 §4) with and without padding.
  private static let spellings: [@Sendable ([UInt8]) -> String] = [
    { hexadecimal($0) }, { hexadecimal($0).uppercased() }, { Data($0).base64EncodedString() },
    { String(Data($0).base64EncodedString().prefix { $0 != "=" }) },
  ]

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map(EncodedText.digits).joined()
  }
}
