/// A search for secrets at unexpected places: a login response that repeats its token in the body,
/// or a redirect with the token in its URL.
///
/// All secrets are searched at once, so the cost does not grow with their number (``WordFinder``).
/// Secrets that occur in texts by coincidence are only replaced between word boundaries
/// (``WordBoundary``).
struct KnownValueSearch {
  private struct Secret {
    var bytes: Bytes
    var stand: Bytes
    /// Set if the secret only counts between word boundaries.
    var alone: WordBoundary?
  }

  /// The kind of a text, which affects coincidental matches.
  enum Context {
    /// Fields of the protocol, URLs and binary content, which may contain a secret at any position.
    case syntax
    /// Text that people read.
    case prose
    /// HTML, scripts and style sheets, which contain many field names.
    case script
    /// A field name or a path segment, for which letters alone are usual.
    case name
  }

  /// Secrets that are searched together.
  private struct Group {
    var secrets: [Secret]
    let finder: WordFinder
    let bytes: Int

    init(_ secrets: [Secret]) {
      self.secrets = secrets
      finder = WordFinder(secrets.map(\.bytes))
      bytes = secrets.reduce(0) { $0 + $1.bytes.count }
    }
  }

  /// The secrets in groups, each at least twice as large as the next. So there are few groups, and
  /// each secret is moved to a new group only a few times.
  ///
  /// A large group is not rebuilt, because other tasks may wait meanwhile.
  private var groups: [Group] = []
  /// The minimum number of bytes of a large group.
  private static let largeBytesMin = 64 << 10
  /// The first four bytes of each secret.
  private var beginnings: Set<UInt32> = []
  /// A bit for each pair of bytes with which any secret begins.
  private var begins = [UInt64](repeating: 0, count: 1 << 10)
  /// The secrets that only count as whole values.
  private var words: [String: String] = [:]

  /// Adds secrets, or extends the reach of known ones.
  ///
  /// - Parameters:
  ///   - new: The secrets.
  ///   - copy: A search that was given exactly these secrets last, and their placeholders here. If
  ///     it built a large group, the group is reused.
  mutating func listen(
    for new: [(secret: String, sought: Pseudonyms.SearchedSecret)],
    as copy: (search: KnownValueSearch, sought: [String: Pseudonyms.SearchedSecret])? = nil
  ) {
    var secrets: [Secret] = []
    for (secret, sought) in new {
      let bytes = Bytes(secret.utf8)
      if sought.reach != .anywhere { words[secret] = sought.stand }
      if sought.reach == .whole || bytes.count < Pseudonyms.aloneBytesMin { continue }
      let alone = sought.reach == .alone ? WordBoundary(bytes) : nil
      secrets.append(Secret(bytes: bytes, stand: Bytes(sought.stand.utf8), alone: alone))
      beginnings.insert(Self.beginning(bytes, 0))
      let pair = Int(bytes[0]) << 8 | Int(bytes[1])
      begins[pair >> 6] |= 1 << UInt64(pair & 63)
    }
    if secrets.isEmpty { return }
    if let copy, var group = copy.search.groups.last, group.bytes >= Self.largeBytesMin {
      for (index, secret) in group.secrets.enumerated() {
        let sought = copy.sought[secret.bytes.text]
        if let sought { group.secrets[index].stand = Bytes(sought.stand.utf8) }
      }
      return groups.insert(group, at: 0)
    }
    var count = secrets.reduce(0) { $0 + $1.bytes.count }
    while let last = groups.last, last.bytes < min(2 * count, Self.largeBytesMin) {
      secrets = last.secrets + secrets
      count += last.bytes
      groups.removeLast()
    }
    groups.append(Group(secrets))
  }

  var isEmpty: Bool { groups.isEmpty && words.isEmpty }

  private static func beginning(_ bytes: Bytes, _ place: Int) -> UInt32 {
    (place..<place + 4).reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
  }

  /// Returns the placeholder of a whole value that is a secret but short or a word; `nil` if it is
  /// not a secret.
  func stand(forWhole value: Bytes, in place: Context) -> String? {
    guard place != .syntax, !words.isEmpty,
      let stand = words[value.text]
    else { return nil }
    return place == .name && WordBoundary(value).isName ? nil : stand
  }

  /// Returns the replacements of the secrets in a text.
  func found(in bytes: Bytes, _ place: Context = .syntax) -> [Edit] {
    guard let first = candidate(in: bytes) else { return [] }
    var hits = groups.map { $0.finder.hits(in: bytes, from: first) }
    if hits.allSatisfy(\.isEmpty) { return [] }
    var edits: [Edit] = []
    var start = 0
    while start + 4 <= bytes.count {
      if bytes[start] == "R", let end = Self.pseudonymEnd(bytes, start) {
        start = end
      } else if start >= first, let secret = secret(at: start, in: bytes, place, among: &hits) {
        edits.append(Edit(start..<start + secret.bytes.count, secret.stand))
        start += secret.bytes.count
      } else {
        start += 1
      }
    }
    return edits
  }

  /// Returns the first position at which a secret may begin. Most texts have none.
  private func candidate(in bytes: Bytes) -> Int? {
    guard bytes.count >= 4, !groups.isEmpty else { return nil }
    var pair = Int(bytes[0])
    for place in 0...bytes.count - 4 {
      pair = (pair << 8 | Int(bytes[place + 1])) & 0xFFFF
      if begins[pair >> 6] & 1 << UInt64(pair & 63) != 0,
        beginnings.contains(Self.beginning(bytes, place))
      {
        return place
      }
    }
    return nil
  }

  /// Returns the longest secret that counts at a position.
  ///
  /// `hits` contains the matches from this position on, the last one first.
  private func secret(
    at start: Int,
    in bytes: Bytes,
    _ place: Context,
    among hits: inout [[WordFinder.Hit]]
  ) -> Secret? {
    var longest: Secret?
    for (index, group) in groups.enumerated() {
      while let hit = hits[index].last, hit.place < start { hits[index].removeLast() }
      guard let hit = hits[index].last, hit.place == start else { continue }
      var word: Int? = hit.word
      while let known = word {
        let secret = group.secrets[known]
        let range = start..<start + secret.bytes.count
        if let longest, longest.bytes.count >= range.count { break }
        if secret.alone?.stands(at: range, of: bytes, in: place) != false {
          longest = secret
          break
        }
        word = group.finder.shorter(than: known)
      }
    }
    return longest
  }

  /// Returns the end of the pseudonym at a position; `nil` if there is none. A secret may be a word
  /// that occurs in a pseudonym.
  private static func pseudonymEnd(_ bytes: Bytes, _ place: Int) -> Int? {
    guard bytes.has("REDACTED-", at: place) else { return nil }
    return bytes.run(from: place + 9) { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == "-" }.endIndex
  }

  /// Returns the placeholder of a whole number that is a secret; `nil` for other numbers and for
  /// short ones.
  func stand(forNumber number: Bytes) -> String? {
    guard number.count >= Pseudonyms.anywhereBytesMin, let edit = found(in: number).first,
      edit.range == 0..<number.count
    else { return nil }
    return edit.bytes.text
  }

  /// Returns a text without secrets that are wrapped over several lines; `nil` if there are none.
  func unwrapped(_ bytes: Bytes, _ place: Context) -> Bytes? {
    guard !groups.isEmpty, let text = EscapedText(bytes, .wrapped) else { return nil }
    let edits = text.inOriginal(found(in: text.bytes, place)).compactMap { edit -> Edit? in
      // The line break after the secret is not part of it.
      let own = bytes[edit.range].lastIndex { $0 > 0x20 }.map { edit.range.lowerBound..<$0 + 1 }
      return own.flatMap { bytes[$0].contains(0x0A) ? Edit($0, edit.bytes) : nil }
    }
    return edits.isEmpty ? nil : Edit.applied(edits, to: bytes)
  }

  /// Returns a text without secrets in any escaping; `nil` if there are none.
  func replaced(in bytes: Bytes, _ place: Context = .syntax) -> Bytes? {
    guard !groups.isEmpty else { return nil }
    return EscapedText.Spelling.allCases.reduce(nil) { result, spelling in
      guard let text = EscapedText(result ?? bytes, spelling) else { return result }
      let edits = found(in: text.bytes, place)
      return edits.isEmpty ? result : Edit.applied(text.inOriginal(edits), to: result ?? bytes)
    }
  }
}
