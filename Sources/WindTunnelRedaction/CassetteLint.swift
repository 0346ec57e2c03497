internal import Foundation

/// A secret on a cassette: its place and kind, never its value.
public struct CassetteLeak: Sendable, Hashable {
  /// The number of the interaction, from 1; 0 for the cassette's own notes.
  public var number: Int
  /// The place within the interaction, such as `request header Authorization` or
  /// `response body JSON token`.
  public var place: String
  /// The name of the secret, or the kind of secret that it looks like.
  public var kind: String
  /// The row of the table of detections that found it, such as `field-name`.
  public var rule: String
  /// The length of the value in bytes.
  public var bytes: Int
}

extension CassetteLeak: CustomStringConvertible {
  /// The leak in one line, without the value.
  public var description: String {
    "\(number == 0 ? "" : "#\(number) ")\(place): \(kind), \(bytes) bytes"
  }
}

/// A search for secrets on a cassette: by the names and shapes that recordings are redacted by, and
/// for words that look random.
///
/// ```swift
/// for leak in CassetteLint(cassette).leaks { print(leak) }
/// ```
public struct CassetteLint: Sendable {
  /// The secrets that were found, in the order of the interactions.
  public let leaks: [CassetteLeak]
  /// The bodies that could not be searched, one sentence each.
  public let unopened: [String]

  /// Searches a cassette, or what was added to it or changed in it.
  ///
  /// - Parameters:
  ///   - cassette: The cassette.
  ///   - earlier: The cassette before; an interaction that is unchanged since is not searched. Its
  ///     secrets are searched for in the others all the same.
  ///   - rules: Further rules of redaction.
  public init(
    _ cassette: Cassette,
    since earlier: Cassette = Cassette(),
    rules: RedactionRules = .standard
  ) {
    var redaction = Redaction(continuing: cassette.interactions, rules: rules)
    redaction.log = RedactionLog()
    _ = redaction.notes(ofCassette: cassette.notes)
    _ = redaction.redact(cassette.interactions)
    var isNew = Set(cassette.added(since: earlier))
    if cassette.notes != earlier.notes { isNew.insert(0) }
    // A swift sort keeps the order of equals, but does not promise to.
    let found = redaction.log?.leaks.enumerated().sorted {
      ($0.element.number, $0.offset) < ($1.element.number, $1.offset)
    }
    leaks = found?.map(\.element).filter { isNew.contains($0.number) } ?? []
    unopened = redaction.log?.unopened.filter { isNew.contains($0.number) }.map(\.line) ?? []
  }
}

extension Cassette {
  /// Returns the numbers, counted from 1, of the interactions that did not stand on an earlier
  /// cassette as they stand here. What stood there once and stands here twice was added once.
  package func added(since earlier: Cassette) -> [Int] {
    var known: [Interaction: Int] = [:]
    for interaction in earlier.interactions { known[interaction, default: 0] += 1 }
    return interactions.indices.compactMap { index in
      let count = known[interactions[index], default: 0]
      guard count > 0 else { return index + 1 }
      known[interactions[index]] = count - 1
      return nil
    }
  }
}

/// The secrets that a redaction came across, for a lint, which changes nothing. Values are
/// never in it.
struct RedactionLog {
  private(set) var leaks: [CassetteLeak] = []
  /// The bodies that could not be looked into.
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
  private var knownLines: Set<String> = []
  /// Tells whether the walk is where words look drawn by lot because they are, and no secrets.
  var isAtLot = false
  /// The boundaries of the interaction's multipart bodies (RFC 2046 §5.1.1): drawn by lot, and
  /// public.
  private var boundaries: [Bytes] = []
  /// RFC 2046 §5.1.1 has 70.
  private static let boundaryBytesMax = 200
  /// Each is looked into for each word that looks drawn by lot.
  private static let boundariesMax = 64

  /// Enters a member of a JSON text.
  mutating func enter(_ member: String, of part: String) { (base, self.member) = (part, member) }

  mutating func begin(_ index: Int) {
    number = index + 1
    boundaries = []
  }

  /// Takes note of what parts the bodies of a type.
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
    let line = "#\(number) \(part): in \(coding), which is not opened here"
    if knownLines.insert(line).inserted { unopened.append((number, line)) }
  }

  mutating func lookForEntropy(in bytes: Bytes) {
    guard !isAtLot else { return }
    for run in Entropy.runs(in: bytes) where !isBoundary(bytes[run]) {
      found("entropy", "entropy", bytes: run.count)
    }
  }

  /// Tells whether a word is a boundary or a part of one, with the hyphens that stand around it in
  /// a body.
  private func isBoundary(_ word: ByteSlice) -> Bool {
    guard !boundaries.isEmpty else { return false }
    let isHyphen = { (byte: UInt8) in byte == UInt8(ascii: "-") }
    let core = Bytes(word.drop(while: isHyphen).reversed().drop(while: isHyphen).reversed())
    return boundaries.contains { $0.firstRange(of: core) != nil }
  }
}

/// Words that look drawn by lot: 24 to 200 characters of base64 with small letters, capitals and at
/// least two digits, at 4.2 bits a character or more.
///
/// A word of hexadecimal digits has at most 4 bits a character and is never one: it is an id as
/// often as a secret.
enum Entropy {
  /// Bits a character from which on a word is reported.
  static let bitsMin = 4.2
  /// The lengths of a word that is reported.
  static let lengths = 24...200

  static func runs(in bytes: Bytes) -> [Range<Int>] {
    Base64Text.runs(in: bytes, lengthMin: lengths.lowerBound).filter { run in
      let word = bytes[run]
      return lengths.contains(word.count) && !word.starts(with: "REDACTED-".utf8)
        && isMixed(word) && !isDigest(word) && !isData(bytes, run) && bits(word) >= bitsMin
        && !isPath(word) && !isText(word)
    }
  }

  private static func isMixed(_ word: ByteSlice) -> Bool {
    word.contains { 0x61...0x7A ~= $0 } && word.contains { 0x41...0x5A ~= $0 }
      && word.count { $0.isASCIIDigit } >= 2
  }

  /// `sha384-…`, as in `integrity` (Subresource Integrity §3.1): of something public.
  private static func isDigest(_ word: ByteSlice) -> Bool {
    ["sha1-", "sha256-", "sha384-", "sha512-"].contains { word.starts(with: $0.utf8) }
  }

  /// `data:image/png;base64,…` (RFC 2397 §2): a picture, however small.
  private static func isData(_ bytes: Bytes, _ run: Range<Int>) -> Bool {
    let before = bytes[max(0, run.lowerBound - 60)..<run.lowerBound]
    return before.suffix(8).elementsEqual(";base64,".utf8)
      && ["data:image/", "data:font/", "data:audio/", "data:video/"].contains {
        before.firstRange(of: Bytes($0.utf8)) != nil
      }
  }

  /// Tells whether a word is the base64 of a text, which has been looked into by then.
  private static func isText(_ word: ByteSlice) -> Bool {
    guard let decoded = Base64Text.decoded(word) else { return false }
    return String(utf8: decoded) != nil && decoded.allSatisfy { $0 >= 0x20 || $0 == 0x0A }
  }

  /// Tells whether a word is a path or a name of several words: it has a separator every few
  /// letters.
  private static func isPath(_ word: ByteSlice) -> Bool {
    let parts = word.split { "/-_".utf8.contains($0) }
    return parts.allSatisfy { $0.count < 16 } && parts.count > 2
  }

  /// Shannon's entropy of the characters.
  static func bits(_ word: some Collection<UInt8>) -> Double {
    var counts: [UInt8: Int] = [:]
    for byte in word { counts[byte, default: 0] += 1 }
    let total = Double(word.count)
    return counts.values.reduce(0) { sum, count in
      let share = Double(count) / total
      return sum - share * log2(share)
    }
  }
}

/// The placeholders of a cassette, each with its places and its reason, so that a wrongly redacted
/// value can be kept the next time.
public struct CassetteReview: Sendable {
  /// A placeholder and the reason for which its value was redacted.
  public struct Placeholder: Sendable, Hashable {
    /// The text of the placeholder, such as `REDACTED-token-1`.
    public let text: String
    /// The row of the table of detections that redacted its value, such as `field-name`.
    public let rule: String
    /// The reason in a few words.
    public let reason: String
    /// The places of the placeholder, such as `#2 response body $.session.token`.
    public fileprivate(set) var places: [String]
    /// The value of `--keep` that keeps such a value the next time.
    public let keep: String
  }

  /// The placeholders, in the order of their first places.
  public let placeholders: [Placeholder]
  /// The numbers, from 1, of recordings that differ only in redacted values, so that the order of
  /// requests decides which of them a request gets.
  public let alike: [[Int]]

  /// Collects the placeholders of a cassette.
  public init(_ cassette: Cassette) {
    var finder = PlaceholderFinder()
    for (index, interaction) in cassette.interactions.enumerated() {
      finder.look(at: interaction, number: index + 1)
    }
    placeholders = finder.found
    alike = Self.alike(cassette.interactions)
  }

  /// Requests that are one once the ordinals are gone, and were not recorded for the same value.
  private static func alike(_ interactions: [Interaction]) -> [[Int]] {
    var groups: [Request: [Int]] = [:]
    for (index, interaction) in interactions.enumerated() {
      guard RedactedText.mayBeIn(interaction.request.url.description.read.utf8) else { continue }
      let plain = interaction.renumbered { _ in 0 }.request
      groups[plain, default: []].append(index)
    }
    return groups.values.filter { group in
      Set(group.map { interactions[$0].request }).count > 1
    }.map { $0.map { $0 + 1 } }.sorted { $0[0] < $1[0] }
  }
}

/// A search for placeholders and their names.
private struct PlaceholderFinder {
  private(set) var found: [CassetteReview.Placeholder] = []
  private var indices: [String: Int] = [:]
  private var names = SecretNames(.standard)

  mutating func look(at interaction: Interaction, number: Int) {
    let request = interaction.request
    look(in: request.url.description, "#\(number) request URL", nil)
    look(in: request.headers, request.body, "#\(number) request")
    if let response = interaction.response {
      look(in: response.headers, response.body, "#\(number) response")
    }
    look(in: interaction.failure?.text ?? "", "#\(number) failure text", nil)
    for (index, message) in interaction.messages.enumerated() {
      look(in: message.body, "#\(number) message \(index)")
    }
    look(in: .object(interaction.notes), "#\(number) notes", "$", nil)
  }

  private mutating func look(in headers: HeaderFields, _ body: Body, _ part: String) {
    for field in headers {
      let place = "\(part) header \(field.name)"
      guard field.isNamed("Cookie") || field.isNamed("Set-Cookie") else {
        look(in: field.value, place, field.name)
        continue
      }
      // The name of the one cookie: that of the field would keep all of them.
      for cookie in field.value.split(whereSeparator: { ";,".contains($0) }) {
        let name = cookie.split(separator: "=", omittingEmptySubsequences: false)[0]
        let isNamed = name.endIndex < cookie.endIndex
        look(in: String(cookie), place, isNamed ? String(name.trimmingOptionalWhitespace()) : nil)
      }
    }
    look(in: body, "\(part) body")
  }

  private mutating func look(in body: Body, _ part: String) {
    guard body.count <= Body.openedBytesMax, PseudonymText.mayBeIn(Bytes(body.data)) else { return }
    // What is no JSON is a text like any other.
    if let json = try? JSONParser.parse(Bytes(body.data)) {
      look(in: json, part, "$", nil)
    } else {
      look(in: body.text ?? "", part, nil)
    }
  }

  private mutating func look(in json: JSON, _ part: String, _ path: String, _ name: String?) {
    switch json {
    case .object(let members):
      for member in members where Self.mayHold(member.value) {
        let name = member.name.value
        look(in: member.value, part, "\(path.read).\(name.prefix(80))", name)
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() where Self.mayHold(element) {
        look(in: element, part, "\(path.read)[\(index)]", name)
      }
    default: look(in: json.stringValue ?? "", "\(part) \(path)", name)
    }
  }

  /// Tells whether it is worth writing down where a value stands.
  private static func mayHold(_ json: JSON) -> Bool {
    switch json {
    case .object, .array: true
    default: RedactedText.mayBeIn((json.stringValue ?? "").read.utf8)
    }
  }

  private mutating func look(in text: String, _ place: String, _ name: String?) {
    guard RedactedText.mayBeIn(text.read.utf8) else { return }
    for (_, found) in PseudonymText.found(in: Bytes(text.utf8)) {
      add("REDACTED-\(found.name)-\(found.ordinal)", found.name, place, name)
    }
    for (_, inner) in RedactedText.packed(in: text) {
      for stand in inner.stands { look(in: stand, "\(place) in base64", nil) }
    }
  }

  private mutating func add(_ text: String, _ slug: String, _ place: String, _ name: String?) {
    if let index = indices[text.read] {
      // One place is looked through at once.
      if found[index].places.last != place.read { found[index].places.append(place) }
      return
    }
    indices[text] = found.count
    let (rule, reason) = reason(slug)
    found.append(
      CassetteReview.Placeholder(
        text: text,
        rule: rule,
        reason: reason,
        places: [place],
        keep: name ?? slug
      )
    )
  }

  /// Returns the row that a placeholder's name tells.
  private func reason(_ slug: String) -> (rule: String, reason: String) {
    if let row = DetectionRow.all.first(where: { $0.id == slug }) { return (row.id, row.finds) }
    switch slug {
    case "authorization", "proxy-authorization", "authentication":
      return ("credentials", "what follows the scheme of \(slug)")
    case "userinfo": return ("user-info", "user and password of an address")
    case "email", "phone": return ("personal-data", "what a person is reached by")
    case "hook", "slack-hook": return ("web-hook", "the secret part of an address")
    default: break
    }
    switch names.kind(of: slug, in: .query) ?? names.kind(of: slug, in: .header) {
    case .certain: return ("field-name", "\(slug) is a name that only secrets have")
    case .ambiguous:
      return ("likely-name", "\(slug) may be a secret's name, and the value looked like one")
    default: return ("told", "a rule named it, or it was the value of a cookie")
    }
  }
}
