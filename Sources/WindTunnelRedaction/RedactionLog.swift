/// What a redaction came across, for whoever wants to know and not to change anything. Values are
/// never in it.
struct RedactionLog {
  private(set) var leaks: [CassetteLeak] = []
  /// Which bodies could not be looked into.
  private(set) var unopened: [(number: Int, line: String)] = []
  /// The place where the walk is within an interaction.
  var part: String {
    get { member.map { "\(base) JSON \(SecretNames.slug($0))" } ?? base }
    set { (base, member) = (newValue, nil) }
  }
  private var base = ""
  /// The member of a JSON text that the walk is in; what it is called is written when it is wanted.
  private var member: String?
  private var number = 0
  private var known: Set<CassetteLeak> = []
  /// Tells whether the walk is where words look drawn by lot because they are, and no secrets.
  var isAtLot = false
  /// What parts the multipart bodies of the interaction (RFC 2046 §5.1.1): drawn by lot, and public.
  private var boundaries: [[UInt8]] = []

  /// Enters a member of a JSON text.
  mutating func enter(_ member: String, of part: String) { (base, self.member) = (part, member) }

  mutating func begin(_ index: Int) {
    number = index + 1
    boundaries = []
  }

  /// Takes note of what parts the bodies of a type.
  mutating func meet(_ type: String) {
    guard MediaType.essence(type).hasPrefix("multipart/"),
      let boundary = MediaType.parameter("boundary", of: type)
    else { return }
    boundaries.append(Array(boundary.utf8))
  }

  mutating func found(_ kind: String, _ rule: String, bytes: Int) {
    let leak = CassetteLeak(number: number, place: part, kind: kind, rule: rule, bytes: bytes)
    if known.insert(leak).inserted { leaks.append(leak) }
  }

  mutating func unopened(_ coding: String) {
    let line = "#\(number) \(part): in \(coding), which is not opened here"
    if !unopened.contains(where: { $0.line == line }) { unopened.append((number, line)) }
  }

  mutating func lookForEntropy(in bytes: [UInt8]) {
    guard !isAtLot else { return }
    for run in Entropy.runs(in: bytes) where !isBoundary(bytes[run]) {
      found("entropy", "entropy", bytes: run.count)
    }
  }

  /// Tells whether a word is a boundary or a part of one, with the hyphens that stand around it in a body.
  private func isBoundary(_ word: ArraySlice<UInt8>) -> Bool {
    guard !boundaries.isEmpty else { return false }
    let isHyphen = { (byte: UInt8) in byte == UInt8(ascii: "-") }
    let core = Array(word.drop(while: isHyphen).reversed().drop(while: isHyphen).reversed())
    return boundaries.contains { $0.firstRange(of: core) != nil }
  }
}
