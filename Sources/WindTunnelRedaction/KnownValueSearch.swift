/// Secrets that turn up where nobody expects them: a login that repeats its token in the body, a
/// redirect that carries it in the address.
///
/// All secrets are looked for at once, so the cost does not grow with their number
/// (``WordFinder``). Those that are found in any text by chance are looked for where they stand
/// alone (``WordBoundary``).
struct KnownValueSearch {
  private struct Secret {
    var bytes: Bytes
    var stand: Bytes
    /// Set for one that counts only where it stands alone.
    var alone: WordBoundary?
  }

  /// The kind of a text, by which words occur in it by chance.
  enum Place {
    /// Fields of the protocol, addresses, binary content: what may stand anywhere is looked for.
    case syntax
    /// Text that people read.
    case prose
    /// HTML, scripts and style sheets, full of names of fields.
    case script
    /// A name of a field or a segment of a path: letters alone are such a name by right.
    case name
  }

  /// Secrets that are looked for together.
  private struct Group {
    let secrets: [Secret]
    let finder: WordFinder
    let bytes: Int

    init(_ secrets: [Secret]) {
      self.secrets = secrets
      finder = WordFinder(secrets.map(\.bytes))
      bytes = secrets.reduce(0) { $0 + $1.bytes.count }
    }
  }

  /// The secrets, in groups of which each is at least twice as large as the next, so that there are
  /// few of them and each secret is put into a new one only a few times.
  private var groups: [Group] = []
  /// The first four bytes of each.
  private var beginnings: Set<UInt32> = []
  /// Tells whether any begins with two bytes.
  private var begins = [Bool](repeating: false, count: 1 << 16)
  /// Those that count where they are the whole of a value.
  private var words: [String: String] = [:]

  /// Looks for more of them, or for some that are words in more places.
  mutating func listen(for new: [(secret: String, sought: Pseudonyms.Sought)]) {
    var secrets: [Secret] = []
    for (secret, sought) in new {
      let bytes = Bytes(secret.utf8)
      if sought.reach != .anywhere { words[secret] = sought.stand }
      if sought.reach == .whole || bytes.count < Pseudonyms.aloneBytesMin { continue }
      let alone = sought.reach == .alone ? WordBoundary(bytes) : nil
      secrets.append(Secret(bytes: bytes, stand: Bytes(sought.stand.utf8), alone: alone))
      beginnings.insert(Self.beginning(bytes, 0))
      begins[Int(bytes[0]) << 8 | Int(bytes[1])] = true
    }
    if secrets.isEmpty { return }
    var count = secrets.reduce(0) { $0 + $1.bytes.count }
    while let last = groups.last, last.bytes < 2 * count {
      secrets = last.secrets + secrets
      count += last.bytes
      groups.removeLast()
    }
    groups.append(Group(secrets))
  }

  var isEmpty: Bool { groups.isEmpty && words.isEmpty }

  private static func beginning(_ bytes: Bytes, _ place: Int) -> UInt32 {
    var key: UInt32 = 0
    for offset in 0..<4 { key = key << 8 | UInt32(bytes[place + offset]) }
    return key
  }

  /// Returns the placeholder of a whole value that is a secret, and a word or short.
  func stand(forWhole value: Bytes, in place: Place) -> String? {
    guard place != .syntax, !words.isEmpty,
      let stand = words[String(decoding: value, as: UTF8.self)]
    else { return nil }
    return place == .name && WordBoundary(value).isName ? nil : stand
  }

  /// Returns the place where secrets stand, and what should.
  func found(in bytes: Bytes, _ place: Place = .syntax) -> [Edit] {
    guard let first = candidate(in: bytes) else { return [] }
    var hits = groups.map { $0.finder.hits(in: bytes, from: first) }
    if hits.allSatisfy(\.isEmpty) { return [] }
    var edits: [Edit] = []
    var start = 0
    while start + 4 <= bytes.count {
      if bytes[start] == UInt8(ascii: "R"), let end = Self.pseudonymEnd(bytes, start) {
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

  /// Returns the first place of something that a secret begins with. Most texts have nothing of the
  /// kind.
  private func candidate(in bytes: Bytes) -> Int? {
    guard bytes.count >= 4, !groups.isEmpty else { return nil }
    return (0...bytes.count - 4).first { place in
      begins[Int(bytes[place]) << 8 | Int(bytes[place + 1])]
        && beginnings.contains(Self.beginning(bytes, place))
    }
  }

  /// Returns the longest secret that counts at a place; `hits` are those that begin there or later,
  /// the last ones first.
  private func secret(
    at start: Int,
    in bytes: Bytes,
    _ place: Place,
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

  private static let mark = Bytes("REDACTED-".utf8)

  /// Returns the place where a pseudonym ends that begins at a place: a secret may be a word that
  /// occurs in one.
  private static func pseudonymEnd(_ bytes: Bytes, _ place: Int) -> Int? {
    guard bytes[place...].starts(with: mark) else { return nil }
    var end = place + mark.count
    while end < bytes.count, bytes[end].isSlug { end += 1 }
    return end
  }

  /// Returns the placeholder of a whole number that is a secret. A short one is a number like any
  /// other.
  func stand(forNumber number: Bytes) -> String? {
    guard number.count >= Pseudonyms.anywhereBytesMin, let edit = found(in: number).first,
      edit.range == 0..<number.count
    else { return nil }
    return String(decoding: edit.bytes, as: UTF8.self)
  }

  /// Returns a text without the secrets that are broken into lines in it; `nil` if there are none.
  func unwrapped(_ bytes: Bytes, _ place: Place) -> Bytes? {
    guard !groups.isEmpty, let text = EscapedText(bytes, .wrapped) else { return nil }
    let edits = text.inOriginal(found(in: text.bytes, place)).compactMap { edit -> Edit? in
      // The break of a line behind it is not its own.
      let own = bytes[edit.range].lastIndex { $0 > 0x20 }.map { edit.range.lowerBound..<$0 + 1 }
      return own.flatMap { bytes[$0].contains(0x0A) ? Edit($0, edit.bytes) : nil }
    }
    return edits.isEmpty ? nil : Edit.applied(edits, to: bytes)
  }

  /// Returns a text without secrets, in whatever spelling they stand in it; `nil` if there are
  /// none.
  func replaced(in bytes: Bytes, _ place: Place = .syntax) -> Bytes? {
    guard !groups.isEmpty else { return nil }
    var bytes = bytes
    var isChanged = false
    for spelling in EscapedText.Spelling.allCases {
      guard let text = EscapedText(bytes, spelling) else { continue }
      let edits = found(in: text.bytes, place)
      guard !edits.isEmpty else { continue }
      bytes = Edit.applied(text.inOriginal(edits), to: bytes)
      isChanged = true
    }
    return isChanged ? bytes : nil
  }
}

extension UInt8 {
  fileprivate var isSlug: Bool {
    0x61...0x7A ~= self || 0x30...0x39 ~= self || self == UInt8(ascii: "-")
  }
}

/// A secret that is a word or short, and so occurs in texts by chance: a password `test`, a PIN
/// `2024`, a token `pass-phrase`.
///
/// It counts where it stands alone, between spaces, quotation marks, brackets, `=`, `&` and
/// whatever else is no part of a word. What joins words, joins it, too, so that a date, a version,
/// a host and a media type stay whole.
///
/// - Letters alone (`test`, `password`) may be a name as well. They stay where names stand: before
///   `:` and `=`, behind `<`, as a JSON key, as a segment of a path, and in HTML and scripts except
///   where they are the whole of a value.
/// - Digits alone stay in numbers, dates, times and ports.
/// - Anything else is no name and no number, and goes wherever it stands alone.
struct WordBoundary {
  private enum Kind { case letters, digits, other }

  private let kind: Kind

  init(_ bytes: Bytes) {
    let isNumber = bytes.allSatisfy(\.isASCIIDigit)
    let isWord = bytes.allSatisfy { $0.isASCIILetter || $0 >= 0x80 }
    kind = isWord ? .letters : isNumber ? .digits : .other
  }

  /// Tells whether it may be the name of something.
  var isName: Bool { kind == .letters }

  /// The signs that make one word of two.
  private var joints: StaticString {
    switch kind {
    case .letters: "-./'@"
    case .digits: "-./'@,:+%"
    case .other: "-."
    }
  }

  /// Tells whether it stands alone in a text.
  func stands(at range: Range<Int>, of bytes: Bytes, in place: KnownValueSearch.Place) -> Bool {
    switch place {
    case .syntax: return false
    case .prose: break
    case .script, .name: if isName { return false }
    }
    if isJoined(bytes, range.lowerBound - 1, -1) || isJoined(bytes, range.upperBound, 1) {
      return false
    }
    return !isName || !Self.names(bytes, range)
  }

  private func isJoined(_ bytes: Bytes, _ index: Int, _ step: Int) -> Bool {
    func isPart(_ index: Int) -> Bool {
      bytes.indices.contains(index)
        && (bytes[index].isWord || bytes[index] >= 0x80 || bytes[index] == UInt8(ascii: "_"))
    }
    if isPart(index) { return true }
    guard bytes.indices.contains(index) else { return false }
    let isJoint = joints.withUTF8Buffer { $0.contains(bytes[index]) }
    return isJoint && isPart(index + step)
  }

  /// Tells whether a word stands where the name of a value or an element does.
  private static func names(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
    if range.lowerBound > 0, "</".utf8.contains(bytes[range.lowerBound - 1]) { return true }
    let rest = bytes[range.upperBound...].prefix(4)
      .drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }.drop { $0 == 0x20 }
    return rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: "=")
  }
}

/// A filter that shows for most texts, without another pass over them, that a word is not in them.
///
/// Each run of four bytes sets one of many bits; a word that needs a bit which is not set is not
/// there. So learning a secret costs a few bits a line, however long the lines are.
package struct NGramFilter {
  private static let gram = Pseudonyms.aloneBytesMin
  /// The limit of the room for a large body: eight megabytes.
  private static let wordsMax = 1 << 20
  /// The limit of a map of bytes, such as CBOR, in base64: what is larger and no text is media.
  private static let mapBytesMax = 1 << 20
  private var bits: [UInt64]
  /// Tells whether there is content that could not be looked into.
  private var isBlind = false

  /// Looks at everything of an interaction that may repeat a secret, in every spelling of it.
  package init(_ interaction: Interaction) {
    var texts = [
      Bytes("\(interaction.request.url)".utf8), Bytes((interaction.failure?.text ?? "").utf8),
    ]
    let notes = interaction.notes + interaction.innerNotes.values.flatMap(\.self)
    texts.append(Bytes(JSON.object(notes).bytes()))
    texts += interaction.messages.map { Bytes($0.body.data) }
    var isBlind = false
    var streams: [(body: Body, batches: EventBatches)] = []
    func add(_ headers: HeaderFields, _ body: Body) {
      texts += headers.map { Bytes($0.value.utf8) }
      if let batches = EventBatches(large: body, of: headers) {
        streams.append((body, batches))
        return
      }
      if body.count > Body.openedBytesMax {
        isBlind = true
        return
      }
      let opened = headers.opened(body.data)
      if opened == nil { isBlind = true }
      texts.append(Bytes(opened?.content ?? body.data))
      if let opened { texts.append(Bytes(opened.surplus)) }
    }
    add(interaction.request.headers, interaction.request.body)
    if let response = interaction.response { add(response.headers, response.body) }
    let count = texts.reduce(0) { $0 + $1.count } + streams.reduce(0) { $0 + $1.body.count }
    bits = [UInt64](repeating: 0, count: min(max(1, (count + count / 2) / 4), Self.wordsMax))
    self.isBlind = isBlind
    for text in texts { lookThrough(text) }
    for stream in streams {
      for batch in stream.batches { lookThrough(Bytes(stream.body.bytes(batch))) }
    }
  }

  /// Looks at a text and at those in it that are spelled in base64.
  private mutating func lookThrough(_ text: Bytes) {
    look(in: text)
    for run in Base64Text.runs(in: text) {
      guard let inner = EncodedText.decoded(text[run]) else { continue }
      // A picture and the like has no text in it that is spelled in a way of its own.
      let isMedia = inner.count > Self.mapBytesMax && String(utf8: inner) == nil
      if isMedia { Self.grams(of: inner) { set($0) } } else { look(in: inner) }
    }
  }

  /// Looks at a text in every spelling, one after the other: each is as large as the text.
  private mutating func look(in text: Bytes) {
    for spelling in EscapedText.Spelling.allCases {
      EscapedText(text, spelling).map { Self.grams(of: $0.bytes) { set($0) } }
    }
  }

  /// Tells whether a word may be there; where this is false it is not.
  package func mayContain(_ word: String) -> Bool {
    if isBlind { return true }
    var isThere = true
    Self.grams(of: Bytes(word.utf8)) { gram in
      isThere = isThere && bits[place(gram).word] & place(gram).bit != 0
    }
    return isThere
  }

  private mutating func set(_ gram: UInt64) {
    let place = place(gram)
    bits[place.word] |= place.bit
  }

  private func place(_ gram: UInt64) -> (word: Int, bit: UInt64) {
    // Fibonacci hashing: the high bits of a product with the golden ratio are well mixed.
    let hash = gram &* 0x9E37_79B9_7F4A_7C15
    return (Int((hash >> 16) % UInt64(bits.count)), 1 << (hash >> 58))
  }

  private static func grams(of text: Bytes, _ body: (UInt64) -> Void) {
    guard text.count >= gram else { return }
    var window: UInt64 = 0
    for (index, byte) in text.enumerated() {
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF
      if index >= gram - 1 { body(window) }
    }
  }
}
