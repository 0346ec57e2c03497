internal import Foundation

/// A version of a body that a request was answered with.
struct AnsweredVersion: Sendable {
  /// The number of the version.
  var number: Int
  /// The first byte that was asked for, where the request took up what broke off.
  var resumesAt: Int?
  /// The origin of the server that was asked.
  var origin: String?
  /// Tells whether that server had been probed, and had said other things than it must.
  var isOfFailedProbe = false
}

/// A change of a body between two requests, the later of which took it up.
private struct VersionChange: Hashable {
  var from: Int
  var to: Int
  /// The first byte that the later one asked for.
  var at: Int

  /// Returns the changes that a call met, each pair of versions once.
  static func all(in versions: [AnsweredVersion]) -> [VersionChange] {
    var (seen, changes): (Set<Int>, [VersionChange]) = ([], [])
    for version in versions {
      if let at = version.resumesAt {
        for before in seen.sorted() where before != version.number {
          changes.removeAll { $0.from == before && $0.to == version.number }
          changes.append(VersionChange(from: before, to: version.number, at: at))
        }
      }
      seen.insert(version.number)
    }
    return changes
  }
}

/// A comparison of a call's body with the recorded ones.
struct RecordedBodies: Sendable {
  /// A body as it was recorded, and as a program may print it.
  private struct Recorded: Sendable {
    var data: Data
    var printed: Data
    /// As JSON, in the one spelling that all its spellings share.
    var json: JSON?
    /// Tells whether a call that brought it has something to show.
    var shows: Bool

    init(_ data: Data) {
      self.data = data
      printed = RecordedBodies.withoutLineEnd(data)
      json = RecordedBodies.json(data)
      shows = CallResult.good(data).showed
    }
  }

  /// The bodies of the takes of each request; empty where one of them cannot be compared.
  private var bodies: [RequestKey: [Recorded]] = [:]
  /// The requests that are answered with JSON and nothing else.
  private var inJSON: Set<RequestKey> = []

  init(_ cassette: Cassette, matcher: Matcher) {
    var (incomparable, otherwise): (Set<RequestKey>, Set<RequestKey>) = ([], [])
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      // A redirect's answer is another's, and a client opens what is coded.
      guard let response = interaction.response, 200..<300 ~= response.status,
        response.headers["Content-Encoding"] == nil
      else {
        incomparable.insert(key)
        continue
      }
      let body = Recorded(response.body.data)
      bodies[key, default: []].append(body)
      if body.json != nil { inJSON.insert(key) } else { otherwise.insert(key) }
    }
    for key in incomparable { bodies[key] = nil }
    inJSON.subtract(incomparable.union(otherwise))
  }

  /// Tells whether what a call brought is one of the bodies that were recorded; `nil` where that
  /// cannot be told: what a program printed may be made of a body, unless it is one or the
  /// beginning of one.
  ///
  /// Most programs end what they print with a line feed, and many print JSON in a layout of their
  /// own: neither makes it another body.
  func match(_ result: CallResult, _ key: RequestKey) -> Bool? {
    guard let body = result.body, let recorded = bodies[key] else { return nil }
    if recorded.contains(where: { $0.data == body }) { return true }
    guard result.isPrinted else { return false }
    let printed = Self.withoutLineEnd(body)
    if recorded.contains(where: { $0.printed == printed }) { return true }
    if recorded.contains(where: { $0.json != nil }), let json = Self.json(printed),
      recorded.contains(where: { $0.json == json })
    {
      return true
    }
    return !printed.isEmpty && recorded.contains { $0.printed.starts(with: printed) } ? false : nil
  }

  /// The bodies of fewer bytes say nothing about where they come from: `[]`, `{"ok":true}`.
  private static let tellingBytes = 16

  /// Returns the endpoint whose answer a call brought in place of its own, or the name of a
  /// portal's page; `nil` where it brought its own or a part of that, or something that no request
  /// here is answered with.
  func other(_ result: CallResult, _ key: RequestKey) -> String? {
    guard let body = result.body, let recorded = bodies[key] else { return nil }
    let shown = Self.withoutLineEnd(body)
    guard shown.count >= Self.tellingBytes, match(result, key) != true,
      !recorded.contains(where: { $0.printed.starts(with: shown) })
    else { return nil }
    if showsPortalPage(result) { return Observation.portalPage }
    let json = Self.json(shown)
    let others = bodies.filter { _, bodies in
      bodies.contains { $0.printed == shown || json != nil && $0.json == json }
    }
    return others.keys.map { String($0.text.prefix { $0 != "?" }) }.min()
  }

  /// Tells whether what a call brought is the beginning of one version of a recorded body with a
  /// later one, or the rest of it, behind it; `nil` where no request took up one version and was
  /// answered with another, and where it brought neither that nor a version.
  func joins(_ result: CallResult, _ key: RequestKey, _ versions: [AnsweredVersion]) -> Bool? {
    let changes = VersionChange.all(in: versions)
    guard !changes.isEmpty, let body = result.body, let recorded = bodies[key]
    else { return nil }
    func form(_ data: Data) -> Data { result.isPrinted ? Self.withoutLineEnd(data) : data }
    let shown = form(body)
    let json = result.isPrinted ? Self.json(shown) : nil
    var isJoined = false
    for take in recorded {
      for change in changes {
        let old = form(ResponseEdit.version(change.from, of: take.data))
        let new = form(ResponseEdit.version(change.to, of: take.data))
        if shown == old || shown == new { return false }
        if Self.isJoined(shown, of: old, and: new) { isJoined = true }
        guard let json else { continue }
        if json == Self.json(old) || json == Self.json(new) { return false }
        // In another layout of its own; where it was cut the client has said.
        let joined = old.prefix(change.at) + new.dropFirst(change.at)
        if json == Self.json(Data(joined)) { isJoined = true }
      }
    }
    return isJoined ? true : nil
  }

  /// Tells whether a body that is neither of two of the same length begins as the one and goes on
  /// as the other, or has all of the other behind a part of the one which is none of the other.
  private static func isJoined(_ shown: Data, of old: Data, and new: Data) -> Bool {
    if shown.count == old.count, old.count == new.count {
      let beginning = zip(shown, old).prefix { $0 == $1 }.count
      let rest = zip(shown.reversed(), new.reversed()).prefix { $0 == $1 }.count
      return beginning + rest >= shown.count
    }
    let count = shown.count - new.count
    guard count > 0, count < old.count else { return false }
    let beginning = shown.prefix(count)
    return beginning == old.prefix(count) && beginning != new.prefix(count)
      && shown.dropFirst(count) == new
  }

  /// Tells whether a call brought the page of a captive portal, by itself or as a text within JSON.
  func showsPortalPage(_ result: CallResult) -> Bool {
    guard let body = result.body else { return false }
    let page = Self.withoutLineEnd(Data(ReplacementResponse.portalPage.utf8))
    if body.range(of: page) != nil { return true }
    // What is no JSON has no texts.
    let json = try? JSON(parsing: body, source: "")
    let text = String(decoding: page, as: UTF8.self)
    return json?.texts.contains { $0.contains(text) } ?? false
  }

  /// Tells whether a call brought a version of a recorded body that was recorded nowhere: by
  /// itself, in a layout of its own, as a part of other JSON, or as a text or bytes within.
  func shows(version number: Int, _ result: CallResult, _ key: RequestKey) -> Bool {
    guard let body = result.body, let recorded = bodies[key], match(result, key) != true else {
      return false
    }
    let shown = Self.json(body)
    return recorded.contains { take in
      let version = Self.withoutLineEnd(ResponseEdit.version(number, of: take.data))
      guard version.count >= Self.tellingBytes,
        !bodies.values.contains(where: { $0.contains { $0.printed == version } })
      else { return false }
      if body.range(of: version) != nil { return true }
      guard let shown else { return false }
      if let json = Self.json(version), shown.holds(json) { return true }
      let text = String(decoding: version, as: UTF8.self)
      return shown.texts.contains { $0.contains(text) }
    }
  }

  /// The greatest number of printed characters that are told.
  private static let printedMax = 40

  /// Returns the beginning of what a program printed in place of a recorded body, without what
  /// looks like a secret and without those of the requests by which it asked; `nil` where the two
  /// were compared, or there is nothing to compare with.
  func printed(
    _ result: CallResult,
    _ key: RequestKey,
    asking requests: [Request] = []
  ) -> String? {
    guard result.isPrinted, let body = result.body, bodies[key] != nil,
      match(result, key) == nil
    else { return nil }
    // More than is told: of a secret that is cut in the middle nothing can be seen.
    let text = String(decoding: body.prefix(8 * Self.printedMax), as: UTF8.self)
    // In one of these a secret lies where only its media type could tell.
    guard !Self.isNoText(text) else { return "\(body.count) bytes that are no text" }
    let lines = text.withoutSecrets(of: requests).split(whereSeparator: \.isNewline)
    let line = lines.first { $0.contains { !$0.isWhitespace } } ?? ""
    return line.count > Self.printedMax ? "\(line.prefix(Self.printedMax))…" : String(line)
  }

  /// Tells whether what was decoded is no text, whose last character may be cut; colours are text.
  private static func isNoText(_ text: String) -> Bool {
    text.dropLast(3).unicodeScalars.contains { scalar in
      scalar == "\u{FFFD}"
        || scalar.value < 0x20 && scalar != "\u{1B}" && !scalar.properties.isWhitespace
    }
  }

  /// Without one line feed at the end, and the carriage return before it.
  private static func withoutLineEnd(_ data: Data) -> Data {
    guard data.last == UInt8(ascii: "\n") else { return data }
    let line = data.dropLast()
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  private static func json(_ body: Data) -> JSON? {
    // Why it is none does not matter here.
    (try? JSON(parsing: body, source: ""))?.canonical()
  }

  /// Tells whether a call has something to show: a body that is not empty and decodes.
  func shows(_ result: CallResult, _ key: RequestKey) -> Bool {
    // What was recorded has been looked at.
    if result.isShown == nil, result.ending == .succeeded, let body = result.body,
      let recorded = bodies[key]?.first(where: { $0.data == body })
    {
      return recorded.shows
    }
    return result.showed && (result.isShown != nil || decodes(result, key))
  }

  /// Tells whether a client that knows what it asked for can make something of what came. Of what a
  /// program printed only a page says that it cannot: the rest may be the program's own words.
  private func decodes(_ result: CallResult, _ key: RequestKey) -> Bool {
    guard let body = result.body, inJSON.contains(key) else { return true }
    // Why it is none does not matter here.
    return result.isPrinted ? !Self.isPage(body) : (try? JSON(parsing: body, source: "")) != nil
  }

  private static func isPage(_ body: Data) -> Bool {
    let head = String(decoding: body.prefix(200), as: UTF8.self).drop { $0.isWhitespace }
    return ["<!doctype html", "<html"].contains { head.lowercased().hasPrefix($0) }
  }
}

extension JSON {
  /// Tells whether it is another one in the same spelling, or has it as a part.
  fileprivate func holds(_ other: JSON) -> Bool {
    if self == other { return true }
    return switch self {
    case .object(let members): members.contains { $0.value.holds(other) }
    case .array(let parts): parts.contains { $0.holds(other) }
    case .string, .number, .bool, .null: false
    }
  }
}
