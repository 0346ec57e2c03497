internal import Foundation
internal import WindTunnel

/// The place at which a stream of events was cut.
struct CutStream: Sendable, Hashable {
  /// The place of its recording.
  var interaction: Int
  /// The number of bytes that came of it.
  var bytes: Int
}

/// The texts of a cassette, for what a call shows to be held against.
struct RecordedTexts: Sendable {
  /// The texts with letters that take several bytes, by request; empty where one of them cannot be
  /// compared.
  private var texts: [RequestKey: [[Unicode.Scalar]]] = [:]
  /// The streams of events by their places.
  private var streams: [Int: (body: Data, format: EventStream.Format)] = [:]

  /// The places of the streams of events.
  var streamPlaces: Set<Int> { Set(streams.keys) }

  init(_ cassette: Cassette, matcher: Matcher) {
    var incomparable: Set<RequestKey> = []
    for (place, interaction) in cassette.interactions.enumerated() {
      let key = matcher.key(interaction.request)
      let headers = interaction.response?.headers
      let type = headers?["Content-Type"] ?? ""
      let isCoded = headers?["Content-Encoding"] != nil
      if let body = interaction.response?.body, !isCoded,
        let format = EventStream.Format(contentType: type)
      {
        streams[place] = (body.data, format)
      }
      let isOther = ContentType(type).charset.map { $0 != "utf-8" } ?? false
      let said = interaction.messages.filter { $0.sender == .server && $0.isText }.map(\.body)
      for body in [interaction.response?.body].compactMap(\.self) + said {
        guard !isCoded, !isOther, let text = body.text else {
          // Bytes of a picture are no text, and what is in another coding may be shown as it is.
          if isCoded || isOther { incomparable.insert(key) }
          continue
        }
        let scalars = Array(text.unicodeScalars)
        if scalars.contains(Self.replacement) { incomparable.insert(key) }
        if scalars.contains(where: { $0.value > 0x7F }) { texts[key, default: []].append(scalars) }
      }
    }
    for key in incomparable { texts[key] = nil }
  }

  // MARK: Letters

  private static let replacement: Unicode.Scalar = "\u{FFFD}"
  /// So many scalars beside a hole are looked at, and so many of them tell where in a text it is.
  private static let (contextMax, contextMin) = (8, 4)
  /// The greatest size of a text that is looked through.
  private static let scalarsMax = 4 << 20

  /// Tells whether what a call showed has U+FFFD where a recorded text has letters that take
  /// several bytes; `nil` where it was answered none, or shows none of them.
  func replacesScalars(_ result: CallResult, _ key: RequestKey) -> Bool? {
    guard let recorded = texts[key], let body = result.body, body.count <= Self.scalarsMax,
      // What is no text was decoded by nobody.
      let text = String(data: body, encoding: .utf8)
    else { return nil }
    let shown = Array(text.replacing("\\ufffd", with: "\u{FFFD}").unicodeScalars)
    guard shown.contains(Self.replacement) else {
      let letters = Set(recorded.joined().filter { $0.value > 0x7F })
      return shown.contains(where: letters.contains) ? false : nil
    }
    var place = 0
    while let start = shown[place...].firstIndex(of: Self.replacement) {
      let end = shown[start...].firstIndex { $0 != Self.replacement } ?? shown.count
      let before = shown[place..<start].suffix(Self.contextMax)
      let after = shown[end...].prefix(Self.contextMax).prefix { $0 != Self.replacement }
      if recorded.contains(where: { Self.fits($0, before, holes: end - start, after) }) {
        return true
      }
      place = end
    }
    return nil
  }

  /// Tells whether a text has at most so many letters of several bytes between the ends of what
  /// stands before and behind them: what a client puts around a text is its own.
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

  /// The least length of a text that tells where it stands.
  private static let partMin = 4

  /// Tells whether what a call showed has the beginning of an event in which its stream was cut,
  /// and not all of it; `nil` where it showed nothing.
  func showsCutEvent(_ result: CallResult, _ cut: CutStream) -> Bool? {
    guard let (body, format) = streams[cut.interaction], let shown = result.body,
      !shown.isEmpty
    else { return nil }
    let came = body.prefix(cut.bytes)
    let start = EventStream(Data(came), format).events.last?.end ?? 0
    let end = EventStream(body, format).events.first { $0.end > cut.bytes }?.end ?? body.count
    let part = Self.content(of: came.dropFirst(start), format)
    let whole = Self.content(of: body.prefix(end).dropFirst(start), format)
    let earlier = Self.content(of: came.prefix(start), format)
    guard part.count >= Self.partMin, earlier.range(of: part) == nil else { return false }
    return shown.range(of: part) != nil && shown.range(of: whole) == nil
  }

  /// Returns what a client shows of events: the values of `data` (WHATWG HTML §9.2.6), or the
  /// texts.
  private static func content(of bytes: Data, _ format: EventStream.Format) -> Data {
    guard format == .serverSent else {
      return Data(bytes.drop { $0 <= 0x20 }).trimmed
    }
    let lines = bytes.split(omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x0D }
    let values = lines.compactMap { line -> Data? in
      guard line.starts(with: "data:".utf8) else { return nil }
      let value = line.dropFirst("data:".utf8.count)
      return Data(value.first == UInt8(ascii: " ") ? value.dropFirst() : value)
    }
    return Data(values.joined(separator: [0x0A]))
  }
}

extension Data {
  /// Without white space at the end.
  fileprivate var trimmed: Data {
    var data = self
    while let last = data.last, last <= 0x20 { data.removeLast() }
    return data
  }
}
