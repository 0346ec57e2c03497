/// A name that a certificate can be made out to: a DNS name or an address.
///
/// Clients send any bytes as a server name (RFC 6066 §3), and a certificate's extensions are made
/// from a text with commas and colons in it: nothing gets there that has not passed here.
struct HostName: Sendable, Hashable {
  /// In lower case, without a final dot; an IPv6 address without brackets.
  let text: String
  let isAddress: Bool

  private static let bytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// A name of letters, digits, hyphens and underscores in labels of at most 63 bytes and 253 in
  /// all (RFC 1035 §2.3.4), or an address literal; `nil` for anything else.
  init?(_ text: String) {
    if let address = SocketAddress(text, port: 0) {
      (self.text, isAddress) = (address.host, true)
      return
    }
    let name = text.lowercased()
    let bytes = name.utf8.last == UInt8(ascii: ".") ? name.utf8.dropLast() : name.utf8[...]
    guard (1...253).contains(bytes.count) else { return nil }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count)
        && label.allSatisfy { Self.bytes.contains($0) }
    }
    guard isName else { return nil }
    (self.text, isAddress) = (String(Substring(bytes)), false)
  }

  /// The names of this machine for itself.
  static let own = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) }

  /// As an entry of a subject's alternative names (RFC 5280 §4.2.1.6).
  var alternativeName: String { "\(isAddress ? "IP" : "DNS"):\(text)" }
}
