/// What a redaction came across, for whoever wants to know and not to change anything. Values are
/// never in it.
struct RedactionLog {
  private(set) var leaks: [CassetteLeak] = []
  /// Which bodies could not be looked into.
  private(set) var unopened: [(number: Int, line: String)] = []
  /// Where the walk is within an interaction.
  var part: String {
    get { member.map { "\(base) JSON \(SecretNames.slug($0))" } ?? base }
    set { (base, member) = (newValue, nil) }
  }
  private var base = ""
  /// The member of a JSON text that the walk is in; what it is called is written when it is wanted.
  private var member: String?
  private var number = 0
  private var known: Set<CassetteLeak> = []

  /// Enters a member of a JSON text.
  mutating func enter(_ member: String, of part: String) { (base, self.member) = (part, member) }

  mutating func begin(_ index: Int) { number = index + 1 }

  mutating func found(_ kind: String, bytes: Int) {
    let leak = CassetteLeak(number: number, place: part, kind: kind, bytes: bytes)
    if known.insert(leak).inserted { leaks.append(leak) }
  }

  mutating func unopened(_ coding: String) {
    let line = "#\(number) \(part): in \(coding), which is not opened here"
    if !unopened.contains(where: { $0.line == line }) { unopened.append((number, line)) }
  }

  mutating func lookForEntropy(in bytes: [UInt8]) {
    for run in Entropy.runs(in: bytes) { found("entropy", bytes: run.count) }
  }
}
