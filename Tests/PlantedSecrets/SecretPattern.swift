internal import Foundation
internal import Mutations
internal import WindTunnel

/// A secret drawn by a pattern: `dop_{h64}` is `dop_` and 64 hexadecimal digits.
///
/// Drawn secrets are not in the repository, where scanners of source code would find their shapes.
struct SecretPattern {
  /// The whole secret.
  let text: String
  /// The part of the secret that is searched for: all of it, or the longest drawn group if there
  /// are several groups or if the mark of its kind is long.
  let needle: String

  private static let small = "abcdefghijklmnopqrstuvwxyz"
  private static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  private static let digits = "0123456789"
  private static let mixed = small + capitals + digits

  /// The characters of a group, by its letter.
  private static let alphabets: [Character: String] = [
    "m": mixed, "h": "0123456789abcdef", "H": "0123456789ABCDEF", "d": digits,
    "a": small + digits, "A": capitals + digits, "u": mixed + "-_", "b": mixed + "+/",
    "l": small + capitals, "s": small, "c": capitals, "q": capitals + "234567",
    "x": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "o": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  ]

  /// Draws a secret, which is always the same for a pattern and a seed.
  init(_ pattern: String, seed: Int) {
    let parts = pattern.split(separator: "{", omittingEmptySubsequences: false)
    var text = String(parts[0])
    var groups: [String] = []
    for part in parts.dropFirst() {
      let halves = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      let letters = Array(Self.alphabets[halves[0].first ?? "m"] ?? Self.mixed)
      var lot = Generator(seed: UInt64(seed + groups.count) &* 7919 &+ 11)
      let count = Int(halves[0].dropFirst()) ?? 0
      let group = String((0..<count).map { _ in lot.pick(letters) })
      groups.append(group)
      text += group + (halves.count > 1 ? String(halves[1]) : "")
    }
    self.text = text
    let isGroupSought = groups.count > 1 || (groups.count == 1 && parts[0].count >= 8)
    needle = isGroupSought ? groups.max { $0.count < $1.count } ?? text : text
  }

  /// Returns an interaction with the secret in place of its marks.
  func filling(_ interaction: Interaction) -> Interaction {
    let (request, response) = (interaction.request, interaction.response ?? Response())
    var filled = Interaction(
      Request(
        request.method,
        RequestURL(filling(request.url.description)),
        headers: filling(request.headers),
        body: filling(request.body)
      ),
      Response(
        status: response.status,
        headers: filling(response.headers),
        body: filling(response.body)
      )
    )
    filled.messages = interaction.messages
    for (index, message) in interaction.messages.enumerated() {
      filled.messages[index].body = filling(message.body)
    }
    return filled
  }

  private func filling(_ fields: HeaderFields) -> HeaderFields {
    HeaderFields(fields.map { HeaderField($0.name, filling($0.value)) })
  }

  private func filling(_ body: Body) -> Body { Body(filling(body.text ?? "")) }

  /// Replaces `§` with the secret. The text between `⟦` and `⟧` becomes base64, the text between
  /// `⟪` and `⟫` base64 in a form. `¶` is `PRIVATE KEY`, for which scanners of source code search.
  private func filling(_ template: String) -> String {
    var filled = template.replacing("§", with: text).replacing("¶", with: "PRIVATE KEY")
    while let start = filled.firstIndex(where: { $0 == "⟦" || $0 == "⟪" }),
      let end = filled[start...].firstIndex(where: { $0 == "⟧" || $0 == "⟫" })
    {
      var coded = Data(filled[filled.index(after: start)..<end].utf8).base64EncodedString()
      if filled[start] == "⟪" {
        coded = coded.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? coded
      }
      filled.replaceSubrange(start...end, with: coded)
    }
    return filled
  }
}
