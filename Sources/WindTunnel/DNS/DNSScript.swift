/// What a name server answers: the first entry that is about a question, and whose turn it is, says.
/// A name that no entry is about does not exist.
public struct DNSScript: Sendable, Hashable {
  /// The entries, in their order.
  public var entries: [DNSEntry]
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []

  /// Makes a script.
  public init(_ entries: [DNSEntry]) { self.entries = entries }

  /// What one question meets: a pure function of the script and these, whoever asks and when. A lane is
  /// a name's, and the ordinal counts its questions of a type.
  func decide(_ query: DNSQuery, seed: UInt64, ordinal: Int) -> DNSDecision {
    var counts: [String: Int] = [:]
    for entry in entries where entry.isAbout(query.name, query.type) {
      let same = counts[entry.identity, default: 0]
      counts[entry.identity] = same + 1
      let draws = {
        Draws(
          seed: seed,
          scenario: "dns",
          lane: Lane(query.name),
          key: query.typeName,
          ordinal: ordinal,
          rule: "\(entry.identity)#\(same)"
        )
      }
      guard entry.turn.comes(ordinal, draws()) else { continue }
      return DNSDecision(
        name: query.name,
        type: query.typeName,
        ordinal: ordinal,
        entry: entry,
        delay: entry.delay?.resolved(draws().unit(1)).least ?? .zero
      )
    }
    return DNSDecision(
      name: query.name,
      type: query.typeName,
      ordinal: ordinal,
      entry: nil,
      delay: .zero
    )
  }
}

/// What was decided for one question.
public struct DNSDecision: Sendable, Hashable {
  /// The name that was asked for.
  public var name: String
  /// The type of record that was asked for, such as `AAAA`.
  public var type: String
  /// The how-manieth question for both.
  public var ordinal: Int
  /// The entry that answers; `nil` where none is about the name.
  public var entry: DNSEntry?
  /// How long the answer takes.
  public var delay: Duration

  /// One line that says all of it, such as `api.example.com A 2: servfail after 300 ms`.
  public var line: String {
    let answer: String
    if let entry {
      let shown = entry.addresses.filter { $0.type.name == type }.map(\.description)
      let addresses = shown.isEmpty ? "nothing" : shown.joined(separator: " ")
      answer = entry.fault.map(\.rawValue) ?? addresses
    } else {
      answer = DNSFault.nxdomain.rawValue
    }
    let late = delay > .zero ? " after \(Int(delay.inMilliseconds.rounded())) ms" : ""
    return "\(name.isEmpty ? "." : name) \(type) \(ordinal): \(answer)\(late)"
  }
}
