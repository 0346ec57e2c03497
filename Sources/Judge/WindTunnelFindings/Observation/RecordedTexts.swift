internal import Foundation

/// The point at which a stream of events was cut.
package struct CutStream: Sendable, Hashable {
  /// The index of its recording.
  package var interaction: Int
  /// The number of bytes that were received.
  package var bytes: Int

  /// Creates the place of a cut.
  package init(interaction: Int, bytes: Int) {
    (self.interaction, self.bytes) = (interaction, bytes)
  }
}

/// The texts of a cassette, with which the results of calls are compared. Each text is read when it
/// is needed.
package struct RecordedTexts: Sendable {
  /// A recorded stream of events.
  private struct Stream {
    var body: Data
    var format: EventStream.Format
  }

  /// The bodies that may be texts, by request. Requests with a body that cannot be compared are
  /// missing.
  private var bodies: [RequestKey: [Data]] = [:]
  /// The requests with a response whose media type does not define its charset. JSON and event
  /// streams are UTF-8 (RFC 8259 §8.1, WHATWG HTML §9.2.4), and other text may be in any.
  private var withoutCharset: Set<RequestKey> = []
  /// The indices of the streams of a request.
  private var places: [RequestKey: [Int]] = [:]
  /// The streams of events by their indices.
  private var streams: [Int: Stream] = [:]

  /// The indices of the streams of events.
  package var streamPlaces: Set<Int> { Set(streams.keys) }

  /// Reads the texts of a cassette.
  package init(_ cassette: Cassette, matcher: Matcher) {
    var incomparable: Set<RequestKey> = []
    for (place, interaction) in cassette.interactions.enumerated() {
      let key = matcher.key(interaction.request)
      let headers = interaction.response?.headers
      let type = headers?["Content-Type"] ?? ""
      // A body in another coding may be shown without decoding.
      let (content, format) = (ContentType(type), EventStream.Format(contentType: type))
      let isOther = content.charset.map { $0 != "utf-8" } ?? false
      if isOther || headers?["Content-Encoding"] != nil {
        incomparable.insert(key)
        continue
      }
      let isDefined = content.charset != nil || format != nil || content.essence.hasSuffix("json")
      if !isDefined { withoutCharset.insert(key) }
      if let body = interaction.response?.body, body.count > 0, let format {
        streams[place] = Stream(body: body.data, format: format)
        places[key, default: []].append(place)
      }
      let said = interaction.messages.filter { $0.sender == .server && $0.isText }.map(\.body)
      let all = [interaction.response?.body].compactMap(\.self) + said
      bodies[key, default: []] += all.map(\.data).filter { !$0.isEmpty }
    }
    for key in incomparable { bodies[key] = nil }
  }

  /// Returns the texts of a request that contain letters of several bytes. Returns `nil` if a
  /// recorded text already contains U+FFFD.
  private func texts(_ key: RequestKey) -> [[Unicode.Scalar]]? {
    let joined = (places[key] ?? []).compactMap { streams[$0] }
      .flatMap { Self.joined($0.body, $0.format).values }
    // The bytes of an image are not text.
    let texts = (bodies[key] ?? []).compactMap { String(data: $0, encoding: .utf8) } + joined
    let scalars = texts.map { Array($0.unicodeScalars) }
    if scalars.contains(where: { $0.contains(Self.replacement) }) { return nil }
    return scalars.filter { $0.contains { $0.value > 0x7F } }
  }

  // MARK: Letters

  private static let replacement: Unicode.Scalar = "\u{FFFD}"
  /// The number of scalars beside a hole (U+FFFD) that are compared, and the minimum that locates
  /// the hole.
  private static let (contextMax, contextMin) = (8, 4)
  /// The maximum size of a text that is searched, and the maximum number of its holes.
  private static let (scalarsMax, holesMax) = (4 << 20, 64)

  /// Returns whether the result of a call has U+FFFD in place of recorded letters of several bytes.
  /// Returns `nil` if no response has such letters, or if the result contains none of them.
  package func replacesScalars(_ result: CallResult, _ key: RequestKey) -> Bool? {
    guard bodies[key] != nil, let body = result.body, body.count <= Self.scalarsMax,
      // A result that is not text was not decoded by the client.
      let text = String(data: body, encoding: .utf8)
    else { return nil }
    let shown = Array(text.replacing("\\ufffd", with: "\u{FFFD}").unicodeScalars)
    guard shown.contains(where: { $0.value > 0x7F }), let recorded = texts(key), !recorded.isEmpty
    else { return nil }
    guard shown.contains(Self.replacement) else {
      let letters = Set(recorded.joined().filter { $0.value > 0x7F })
      return shown.contains(where: letters.contains) ? false : nil
    }
    var (place, holes) = (0, 0)
    while holes < Self.holesMax, let start = shown[place...].firstIndex(of: Self.replacement) {
      let end = shown[start...].firstIndex { $0 != Self.replacement } ?? shown.count
      let before = shown[place..<start].suffix(Self.contextMax)
      let after = shown[end...].prefix(Self.contextMax).prefix { $0 != Self.replacement }
      let count = end - start
      if recorded.contains(where: {
        Self.fits($0, before, holes: count, after) || Self.hasRun($0, bytes: count)
      }) {
        return true
      }
      (place, holes) = (end, holes + 1)
    }
    return nil
  }

  /// Returns whether the result of a call has recorded letters of several bytes as one letter for
  /// each byte, as Latin-1 and Windows-1252 decode them: `GrÃ¶ÃŸe` for `Größe`.
  package func showsMojibake(_ result: CallResult, _ key: RequestKey) -> Bool {
    guard let body = result.body, body.count <= Self.scalarsMax else { return false }
    // JSON may have escapes in place of letters. Other results have no texts.
    let isEscaped = body.contains(UInt8(ascii: "\\"))
    guard isEscaped || body.contains(where: { $0 > 0x7F }), !withoutCharset.contains(key),
      let recorded = texts(key)
    else { return false }
    let decoded = isEscaped ? (try? JSON(parsing: body, source: ""))?.texts ?? [] : []
    let shown = body + Data(decoded.joined(separator: "\n").utf8)
    let words = recorded.joined().split { $0.value <= 0x7F && !$0.properties.isAlphabetic }
      .filter { $0.contains { $0.value > 0x7F } }.prefix(Self.holesMax)
    return words.contains { word in
      let bytes = Data(String(String.UnicodeScalarView(word)).utf8)
      guard bytes.count >= Self.mojibakeMin, shown.range(of: bytes) == nil else { return false }
      return [String.Encoding.isoLatin1, .windowsCP1252].contains { encoding in
        guard let wrong = String(data: bytes, encoding: encoding).map({ Data($0.utf8) }),
          shown.range(of: wrong) != nil
        else { return false }
        // The server itself may have sent it.
        return !bodies.values.joined().contains { $0.range(of: wrong) != nil }
      }
    }
  }

  /// The minimum length in bytes of a word that is recognised in another charset.
  private static let mojibakeMin = 3

  /// The minimum number of holes that identify a run of letters by themselves.
  private static let runMin = 8

  /// Returns whether a text has a run of letters with a number of bytes. If every letter has
  /// several bytes and each byte is decoded by itself, no letter remains beside a hole.
  private static func hasRun(_ text: [Unicode.Scalar], bytes: Int) -> Bool {
    guard bytes >= runMin else { return false }
    return text.split { $0.value <= 0x7F }.contains { run in
      run.reduce(0) { $0 + UTF8.width($1) } == bytes
    }
  }

  /// Returns whether a text has letters of several bytes between the texts before and after a hole.
  /// Their number is at most that of the hole's scalars. A client may add its own text around them.
  private static func fits(
    _ text: [Unicode.Scalar],
    _ before: ArraySlice<Unicode.Scalar>,
    holes: Int,
    _ after: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    for start in text.indices where text[start].value > 0x7F {
      let left = zip(text[..<start].reversed(), before.reversed()).prefix { $0 == $1 }.count
      var end = start
      while end < text.count, text[end].value > 0x7F, end - start < holes {
        end += 1
        let right = zip(text[end...], after).prefix { $0 == $1 }.count
        if left + right >= contextMin { return true }
      }
    }
    return false
  }

  // MARK: Events

  /// The minimum length of a text that identifies its position.
  private static let partMin = 4

  /// Returns whether the result of a call ends at the cut of its stream. It then ends with the
  /// beginning of an event, or with the joined texts of the received events. Returns `nil` if the
  /// result is empty.
  package func showsCutEvent(_ result: CallResult, _ cut: CutStream) -> Bool? {
    guard let stream = streams[cut.interaction], let shown = result.body, !shown.isEmpty else {
      return nil
    }
    let (body, format) = (stream.body, stream.format)
    let came = body.prefix(cut.bytes)
    let start = EventStream(Data(came), format).events.last?.end ?? 0
    let end = EventStream(body, format).events.first { $0.end > cut.bytes }?.end ?? body.count
    let part = Self.content(of: came.dropFirst(start), format)
    let whole = Self.content(of: body.prefix(end).dropFirst(start), format)
    let earlier = Self.content(of: came.prefix(start), format)
    if part.count >= Self.partMin, earlier.range(of: part) == nil, shown.range(of: part) != nil,
      shown.range(of: whole) == nil
    {
      return true
    }
    let wholes = Self.joined(body, format)
    return Self.joined(Data(came), format).contains { path, text in
      guard let whole = wholes[path], whole != text, text.utf8.count >= Self.joinedMin else {
        return false
      }
      return shown.range(of: Data(text.utf8)) != nil && shown.range(of: Data(whole.utf8)) == nil
    }
  }

  /// The minimum size in bytes of the joined texts of a stream, to compare them.
  private static let joinedMin = 8

  /// Returns the joined texts of a stream's events, by their position in an event, such as the
  /// tokens of a model. A text that is the same in all events, such as a name, is omitted.
  private static func joined(_ body: Data, _ format: EventStream.Format) -> [String: String] {
    var pieces: [String: [String]] = [:]
    var start = 0
    for event in EventStream(body, format).events {
      let content = content(of: body.prefix(event.end).dropFirst(start), format)
      start = event.end
      // Not all events are JSON: a stream may end with a plain word.
      guard let json = try? JSONParser.parse(content) else { continue }
      collect(json, "", &pieces)
    }
    return pieces.filter { Set($0.value.prefix(8)).count > 1 }.mapValues { $0.joined() }
  }

  private static func collect(_ json: JSON, _ path: String, _ pieces: inout [String: [String]]) {
    switch json {
    case .string(let text): pieces[path, default: []].append(text.value)
    case .object(let members):
      for member in members { collect(member.value, "\(path).\(member.name.value)", &pieces) }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        collect(element, "\(path).\(index)", &pieces)
      }
    default: break
    }
  }

  /// Returns the content of events: the values of `data` (WHATWG HTML §9.2.6), or the texts.
  private static func content(of bytes: Data, _ format: EventStream.Format) -> Data {
    guard format == .serverSent else {
      let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? bytes.startIndex
      return Data(bytes[..<end].drop { $0 <= 0x20 })
    }
    return EventFields(Data(bytes)).data ?? Data()
  }
}
