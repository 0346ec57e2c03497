/// The format of a secret value with an ambiguous name.
enum Sense: Hashable {
  /// Random letters and digits.
  case token
  /// Pairs of names and values, or random letters.
  case cookie
  /// A few digits, or random letters.
  case code
  /// Letters with digits or symbols, as chosen by people.
  case pass
  /// The number of a payment card (ISO/IEC 7812).
  case card
  /// Letters with digits or symbols and no spaces, because the name has additional words.
  case near
  /// Long, with lower case, upper case and digits. A value with a name `…Key` may be a credential
  /// or the key of an entry.
  case longKey
  /// A code that is exchanged for a token (RFC 6749 §4.1), as opposed to the code of an error, a
  /// country or a status.
  case exchanged
}

/// The meaning of the names next to a value.
struct Neighbours: OptionSet, Hashable {
  let rawValue: UInt16

  static let login = Neighbours(rawValue: 1)
  static let grant = Neighbours(rawValue: 2)
  static let paging = Neighbours(rawValue: 4)
  static let address = Neighbours(rawValue: 8)
  /// Among messages, labels and descriptions.
  static let told = Neighbours(rawValue: 32)
  /// In a URL to which a browser is redirected.
  static let redirect = Neighbours(rawValue: 64)
  /// Next to a `state`, as in OAuth responses (RFC 6749 §4.1.2).
  static let state = Neighbours(rawValue: 128)
  /// Next to the parameters of a token request with a code (RFC 6749 §4.1.3).
  static let exchange = Neighbours(rawValue: 256)
  /// Next to public data: a checksum, a public key.
  static let published = Neighbours(rawValue: 1024)
  /// Next to the position of a word in a text, as in the tokens of a lexer.
  static let lexer = Neighbours(rawValue: 2048)
  /// In a column of a table.
  static let row = Neighbours(rawValue: 512)

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the meaning of adjacent names.
  init(_ names: some Sequence<String>) {
    self = []
    for name in names {
      let folded = SecretNames.folded(name)
      if let known = Vocabulary.neighbours[folded] { formUnion(known) }
      if folded.hasSuffix("hash") { insert(.published) }
    }
  }
}
