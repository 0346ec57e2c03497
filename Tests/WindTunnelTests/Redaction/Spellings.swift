import Foundation

@testable import WindTunnel

/// Looks for a secret in written bytes as somebody would who wants it: in each spelling, and in
/// whatever base64, gzip and deflate hide.
enum Spellings {
  static func of(_ secret: String) -> [String] {
    let quoted = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    var all = [
      secret, quoted, quoted.lowercased(), secret.replacing("/", with: "%2F"),
      secret.replacing("+", with: "%2B"), secret.replacing("/", with: "\\/"),
      secret.replacing("+", with: " "), quoted.replacing("%", with: "%25"),
      // Most of a secret is too much of it.
      String(secret.dropFirst(4).prefix(12)),
    ]
    // In base64 at each of the three places in which a group may begin.
    for shift in 0..<3 {
      let text = Data([UInt8](repeating: 0, count: shift) + Array(secret.utf8))
        .base64EncodedString()
      let inner = String(text.dropFirst(shift == 0 ? 0 : 4).dropLast(4))
      all += [inner, inner.replacing("+", with: "-").replacing("/", with: "_")]
    }
    return all
  }

  /// Everything that can be read in a written cassette.
  static func texts(_ cassette: Cassette) -> [String] {
    var texts = [String(decoding: cassette.data(), as: UTF8.self)]
    for interaction in cassette.interactions {
      let bodies = [interaction.request.body, interaction.response?.body ?? .empty]
      for body in bodies + interaction.messages.map(\.body) { add(body.data, to: &texts, depth: 0) }
    }
    return texts
  }

  private static func add(_ data: Data, to texts: inout [String], depth: Int) {
    guard depth < 4, !data.isEmpty else { return }
    texts.append(String(decoding: data, as: UTF8.self))
    if let opened = Inflate.open(data, coding: "gzip") {
      add(opened, to: &texts, depth: depth + 1)
    }
    for run in Base64Text.runs(in: Array(data)) {
      if let decoded = Base64Text.decoded(Array(data)[run]) {
        add(Data(decoded), to: &texts, depth: depth + 1)
      }
    }
  }
}
