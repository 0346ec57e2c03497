internal import Foundation

extension HeaderFields {
  /// Leaves of what `Accept-Encoding` asks for what can be opened here (RFC 9110 §12.5.3), so that an
  /// answer can be looked through for secrets. Where nothing is left, the content is to come as it is;
  /// where there is no such field, none is made.
  package mutating func acceptOnlyOpenedCodings() {
    let lists = values("Accept-Encoding")
    guard !lists.isEmpty else { return }
    let members = lists.flatMap { $0.split(separator: ",") }.map { $0.trimmingOptionalWhitespace() }
    let known = Inflate.codings
    let opened = members.filter { known.contains(Self.coding($0)) }
    if opened.count == members.count, opened.contains(where: Self.isAccepted) { return }
    self["Accept-Encoding"] =
      opened.contains(where: Self.isAccepted) ? opened.joined(separator: ", ") : "identity"
  }

  private static func coding(_ member: some StringProtocol) -> String {
    String(member.prefix { $0 != ";" }).trimmingOptionalWhitespace().lowercased()
  }

  /// Tells whether a member does not say `q=0` (RFC 9110 §12.4.2).
  private static func isAccepted(_ member: some StringProtocol) -> Bool {
    !member.split(separator: ";").dropFirst().contains { parameter in
      let text = parameter.trimmingOptionalWhitespace().lowercased()
      return text.hasPrefix("q=") && Double(text.dropFirst(2)) == 0
    }
  }

  /// Removes the fields that are made of a content's bytes: of no use where those are gone (RFC 1864,
  /// RFC 3230, RFC 9530).
  package mutating func removeDigests() {
    for name in ["Content-MD5", "Digest", "Content-Digest", "Repr-Digest"] { remove(name) }
  }
}
