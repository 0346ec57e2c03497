internal import Foundation
internal import Mutations
public import WindTunnel

/// A secret that is hard to see for what it is: under an odd name, in a shape of its own, in a coding
/// that hides it, or echoed in part. All are invented.
public struct HardSecret: Sendable {
  /// Which kind of difficulty it is, such as `name with a tail`.
  public var kind: String
  /// What holds it, in a few words.
  public var title: String
  /// What must stand on no cassette, in whatever spelling.
  public var secrets: [String]
  /// What was recorded, in this order.
  public var interactions: [Interaction]

  init(_ kind: String, _ title: String, _ secrets: [String], _ interactions: [Interaction]) {
    (self.kind, self.title) = (kind, title)
    (self.secrets, self.interactions) = (secrets, interactions)
  }
}

/// What looks like a secret by a word in it, and is none: it stays to the byte.
public struct HarmlessAnswer: Sendable {
  /// Which kind of likeness it is, such as `a word of a schema`.
  public var kind: String
  /// What it is, in a few words.
  public var title: String
  /// What was recorded, in this order.
  public var interactions: [Interaction]

  init(_ kind: String, _ title: String, _ interactions: [Interaction]) {
    (self.kind, self.title, self.interactions) = (kind, title, interactions)
  }
}

/// Two requests that differ in one value alone, which has a name that secrets have, too, and is none;
/// each has an answer of its own.
public struct HarmlessPair: Sendable {
  /// Which value it is.
  public var title: String
  /// One.
  public var first: Interaction
  /// The other.
  public var second: Interaction

  init(_ title: String, _ first: Interaction, _ second: Interaction) {
    (self.title, self.first, self.second) = (title, first, second)
  }
}

/// Characters that a secret of these lists is drawn of, always the same for a seed.
enum Lot {
  static let small = "abcdefghijklmnopqrstuvwxyz"
  static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  static let digits = "0123456789"
  static let hexadecimal = "0123456789abcdef"
  static let mixed = small + capitals + digits

  static func draw(_ seed: UInt64, _ count: Int, of letters: String = mixed) -> String {
    var lot = Generator(seed: seed &* 7919 &+ 11)
    let letters = Array(letters)
    return String((0..<count).map { _ in letters.randomElement(using: &lot) ?? "a" })
  }

  /// A request and the answer that it got.
  static func exchange(
    _ method: String = "GET",
    _ url: String = "https://api.example.test/a",
    _ headers: HeaderFields = [:],
    _ body: Body = .empty,
    status: Int = 200,
    answer: Body = .empty,
    type: String? = nil,
    answerHeaders: HeaderFields = [:]
  ) -> Interaction {
    var fields = answerHeaders
    if let type { fields.append("Content-Type", type) }
    return Interaction(
      Request(method, RequestURL(url), headers: headers, body: body),
      Response(status: status, headers: fields, body: answer)
    )
  }

  /// An answer of a body alone.
  static func answer(_ body: String, _ type: String = "application/json") -> Interaction {
    exchange(answer: Body(body), type: type)
  }

  /// An answer of bytes.
  static func answer(bytes: [UInt8], _ type: String) -> Interaction {
    exchange(answer: Body(Data(bytes)), type: type)
  }

  /// A form that was sent.
  static func form(_ text: String, answer: String = "") -> Interaction {
    exchange(
      "POST",
      "https://api.example.test/form",
      ["Content-Type": "application/x-www-form-urlencoded"],
      Body(text),
      answer: Body(answer)
    )
  }
}
