/// The looks of a value under an ambiguous name where it is a secret.
enum Sense: Hashable {
  /// Letters and digits drawn by lot.
  case token
  /// Pairs of names and values, or drawn by lot.
  case cookie
  /// A few digits, or drawn by lot.
  case code
  /// Letters with digits or signs, as people choose them.
  case pass
  /// The number of a payment card (ISO/IEC 7812).
  case card
  /// Behind a name with something more to it: letters with digits or signs, and no spaces.
  case near
  /// Behind `…Key`, which opens something as often as it is what something is kept under: long, of
  /// small letters, capitals and digits.
  case longKey
  /// A code that a client gets a token for (RFC 6749 §4.1): none of an error, a country or a
  /// status.
  case exchanged
}

/// The meaning of the names beside a value.
struct Neighbours: OptionSet, Hashable {
  let rawValue: UInt16

  static let login = Neighbours(rawValue: 1)
  static let grant = Neighbours(rawValue: 2)
  static let paging = Neighbours(rawValue: 4)
  static let address = Neighbours(rawValue: 8)
  /// Among messages, labels and descriptions.
  static let told = Neighbours(rawValue: 32)
  /// In an address that a browser is led to.
  static let redirect = Neighbours(rawValue: 64)
  /// Beside a `state`, as OAuth answers have it (RFC 6749 §4.1.2).
  static let state = Neighbours(rawValue: 128)
  /// Beside what a code is exchanged for a token with (RFC 6749 §4.1.3).
  static let exchange = Neighbours(rawValue: 256)
  /// Beside what is for everybody: a checksum, a public key.
  static let published = Neighbours(rawValue: 1024)
  /// Beside the place of a word in a text: what a lexer calls a token.
  static let lexer = Neighbours(rawValue: 2048)
  /// In a column of a table.
  static let row = Neighbours(rawValue: 512)

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Reads names that stand side by side.
  init(_ names: some Sequence<String>) {
    self = []
    for name in names {
      let folded = SecretNames.folded(name)
      if let known = Vocabulary.neighbours[folded] { formUnion(known) }
      if folded.hasSuffix("hash") { insert(.published) }
    }
  }
}
