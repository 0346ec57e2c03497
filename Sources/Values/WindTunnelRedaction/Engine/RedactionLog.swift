internal import Foundation

/// A secret on a cassette: its place and kind, never its value.
public struct CassetteLeak: Sendable, Hashable, CustomStringConvertible {
  /// The number of the interaction, from 1; 0 for the cassette's own notes.
  public var number: Int
  /// The place within the interaction, such as `request header Authorization` or
  /// `response body JSON token`.
  public var place: String
  /// The name of the secret, or the kind of secret that its value looks like.
  public var kind: String
  /// The row of the detection table that found it, such as `field-name`.
  public var rule: String
  /// The length of the value in bytes.
  public var bytes: Int

  /// The leak in one line, without the value.
  public var description: String {
    "\(number == 0 ? "" : "#\(number) ")\(place): \(kind), \(bytes) bytes"
  }
}

/// The secrets that a redaction found, for a lint, which changes nothing. It never contains values.
struct RedactionLog {
  private(set) var leaks: [CassetteLeak] = []
  /// The bodies that could not be searched.
  private(set) var unopened: [(number: Int, line: String)] = []
  /// The current place within an interaction.
  var part: String {
    get { member.map { "\(base) JSON \(SecretNames.slug($0))" } ?? base }
    set { (base, member) = (newValue, nil) }
  }
  private var base = ""
  /// The current member of a JSON text. Its name is formatted on demand.
  private var member: String?
  private var number = 0
  private var known: Set<CassetteLeak> = []
  private var knownLines: Set<String> = []
  /// Whether words at this place look random but are not secrets.
  var isAtLot = false
  /// The boundaries of the interaction's multipart bodies (RFC 2046 §5.1.1), which are random but
  /// public.
  private var boundaries: [Bytes] = []
  /// RFC 2046 §5.1.1 allows 70 characters.
  private static let boundaryBytesMax = 200
  /// The maximum number of boundaries. Each random word is compared with all of them.
  private static let boundariesMax = 64

  /// Enters a member of a JSON text.
  mutating func enter(_ member: String, of part: String) { (base, self.member) = (part, member) }

  mutating func begin(_ index: Int) {
    number = index + 1
    boundaries = []
  }

  /// Records the boundary of a type.
  mutating func meet(_ type: ContentType) {
    guard type.essence.hasPrefix("multipart/"),
      let boundary = type["boundary"].map({ Bytes($0.utf8) }),
      boundary.count <= Self.boundaryBytesMax, boundaries.count < Self.boundariesMax,
      !boundaries.contains(boundary)
    else { return }
    boundaries.append(boundary)
  }

  mutating func found(_ kind: String, _ rule: String, bytes: Int) {
    let leak = CassetteLeak(number: number, place: part.read, kind: kind, rule: rule, bytes: bytes)
    if known.insert(leak).inserted { leaks.append(leak) }
  }

  mutating func unopened(_ coding: String) {
    leaveOff("\(part): in \(coding), which cannot be decoded here")
  }

  /// Records an interaction that is not searched completely.
  mutating func leaveOff(_ reason: String) {
    let line = "#\(number) \(reason)"
    if knownLines.insert(line).inserted { unopened.append((number, line)) }
  }

  mutating func lookForEntropy(in bytes: Bytes) {
    guard !isAtLot else { return }
    for run in Entropy.runs(in: bytes) where !isBoundary(bytes[run]) {
      found("entropy", "entropy", bytes: run.count)
    }
  }

  /// Whether a word is a boundary or a part of one, possibly with surrounding hyphens.
  private func isBoundary(_ word: ByteSlice) -> Bool {
    guard !boundaries.isEmpty else { return false }
    let isHyphen = { (byte: UInt8) in byte == "-" }
    let core = Bytes(word.drop(while: isHyphen).reversed().drop(while: isHyphen).reversed())
    return boundaries.contains { $0.firstRange(of: core) != nil }
  }
}
