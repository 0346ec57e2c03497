internal import Foundation

/// A version of a body in a response.
package struct AnsweredVersion: Sendable {
  /// The number of the version.
  package var number: Int
  /// The first requested byte, if the request resumed an earlier response.
  package var resumesAt: Int?
  /// The origin of the server.
  package var origin: String?
  /// Whether that server had failed a probe.
  package var isOfFailedProbe = false

  /// Creates a version with a number.
  package init(number: Int) { self.number = number }
}

/// A change of a body between two requests, the second of which resumed the first response.
private struct VersionChange: Hashable {
  var from: Int
  var to: Int
  /// The first byte that the second request is for.
  var at: Int

  /// Returns the changes in a call, each pair of versions once.
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
package struct RecordedBodies: Sendable {
  /// A recorded body, and its form when a program prints it.
  private struct Recorded: Sendable {
    var data: Data
    var printed: Data
    /// The body as JSON in its canonical spelling; `nil` if it is not JSON.
    var json: JSON?
    /// Whether a call that returned the body shows content.
    var shows: Bool

    init(_ data: Data) {
      self.data = data
      printed = RecordedBodies.withoutLineEnd(data)
      json = RecordedBodies.json(data)
      shows = CallResult.good(data).showed
    }
  }

  /// The bodies of the recordings of each request; empty if one of them cannot be compared.
  private var bodies: [RequestKey: [Recorded]] = [:]
  /// The maximum length of an output that is searched for another response.
  private var searchedBytes = 1 << 20
  /// The requests whose responses are all JSON.
  private var inJSON: Set<RequestKey> = []

  /// Reads the bodies of a cassette.
  package init(_ cassette: Cassette, matcher: Matcher) {
    var (incomparable, otherwise): (Set<RequestKey>, Set<RequestKey>) = ([], [])
    for interaction in cassette.interactions {
      let key = matcher.key(interaction.request)
      // A redirect leads to another response, and a client decodes a coded body.
      guard let response = interaction.response, 200..<300 ~= response.status,
        response.headers["Content-Encoding"] == nil
      else {
        incomparable.insert(key)
        continue
      }
      let body = Recorded(response.body.data)
      bodies[key, default: []].append(body)
      searchedBytes = max(searchedBytes, 8 * body.data.count)
      if body.json != nil { inJSON.insert(key) } else { otherwise.insert(key) }
    }
    for key in incomparable { bodies[key] = nil }
    inJSON.subtract(incomparable.union(otherwise))
  }

  /// Returns whether a call returned a recorded body, or `nil` if that is unknown. Program output
  /// that is neither a recorded body nor its beginning may be derived from one, so it is unknown.
  ///
  /// Most programs end their output with a line feed, and many print JSON in a layout of their own.
  /// Both still count as the same body.
  package func match(_ result: CallResult, _ key: RequestKey) -> Bool? {
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

  /// The minimum length of a body that identifies its recording. Shorter bodies such as `[]` or
  /// `{"ok":true}` do not.
  private static let tellingBytes = 16

  /// Returns the request whose recorded response a call returned in place of its own, such as
  /// `GET /items?page=2`, or the name of a portal's page. Returns `nil` for its own response or a
  /// part of it. Also returns `nil` for a body that is not recorded, is much longer than all
  /// recorded bodies, or may be of any request.
  func other(_ result: CallResult, _ key: RequestKey) -> String? {
    guard let body = result.body, body.count <= searchedBytes, let recorded = bodies[key] else {
      return nil
    }
    let shown = Self.withoutLineEnd(body)
    guard shown.count >= Self.tellingBytes, match(result, key) != true,
      !recorded.contains(where: { $0.printed.starts(with: shown) })
    else { return nil }
    if showsPortalPage(result) { return Observation.portalPage }
    if result.isOfAnyRequest { return nil }
    let json = Self.json(shown)
    let shows = bodies.filter { _, bodies in
      bodies.contains { $0.printed == shown || json != nil && $0.json == json }
    }
    // A client may write its own response anew.
    return shows[key] != nil ? nil : shows.keys.map(\.withoutSecretQuery).min()
  }

  /// Returns whether a call returned the beginning of one version of a recorded body, followed by a
  /// later version or its rest. Returns `nil` if no request resumed one version and received
  /// another. Also returns `nil` for a body that does not consist of versions.
  package func joins(_ result: CallResult, _ key: RequestKey, _ versions: [AnsweredVersion])
    -> Bool?
  {
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
        // In another layout, the client has reported the position of the cut.
        let joined = old.prefix(change.at) + new.dropFirst(change.at)
        if json == Self.json(Data(joined)) { isJoined = true }
      }
    }
    return isJoined ? true : nil
  }

  /// Returns whether a body mixes two versions. It may begin as the old version and continue as the
  /// new one of the same length. Or it has all of the new version after a part of the old one.
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

  /// Returns whether a call returned the page of a captive portal, by itself or as a text in JSON.
  func showsPortalPage(_ result: CallResult) -> Bool {
    guard let body = result.body, body.count <= searchedBytes else { return false }
    let page = Self.withoutLineEnd(Data(ReplacementResponse.portalPage.utf8))
    if body.range(of: page) != nil { return true }
    // A body that is not JSON has no texts.
    let json = try? JSON(parsing: body, source: "")
    let text = String(decoding: page, as: UTF8.self)
    return json?.texts.contains { $0.contains(text) } ?? false
  }

  /// Returns whether a call returned a version of a recorded body that is not recorded itself. It
  /// may be the body, the body in another layout, a part of other JSON, or a text or bytes in it.
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

  /// The maximum number of characters that are reported.
  private static let printedMax = 40

  /// Returns the beginning of a program's output, without secrets and without the secrets of its
  /// requests. Returns `nil` if the output was compared with a recorded body, or if there is no
  /// recorded body.
  package func printed(
    _ result: CallResult,
    _ key: RequestKey,
    asking requests: [Request] = []
  ) -> String? {
    guard result.isPrinted, let body = result.body, bodies[key] != nil,
      match(result, key) == nil
    else { return nil }
    // More text than is reported, because a secret that is cut in the middle is not recognised.
    let text = String(decoding: body.prefix(8 * Self.printedMax), as: UTF8.self)
    // In binary data, a secret could only be found with its media type.
    guard !Self.isNoText(text) else { return "\(body.count) bytes that are not text" }
    let lines = text.withoutSecrets(of: requests).split(whereSeparator: \.isNewline)
    let line = lines.first { $0.contains { !$0.isWhitespace } } ?? ""
    return line.count > Self.printedMax ? "\(line.prefix(Self.printedMax))…" : String(line)
  }

  /// Returns whether a decoded string is binary data. Its last character may be cut. Colour
  /// sequences count as text.
  private static func isNoText(_ text: String) -> Bool {
    text.dropLast(3).unicodeScalars.contains { scalar in
      scalar == "\u{FFFD}"
        || scalar.value < 0x20 && scalar != "\u{1B}" && !scalar.properties.isWhitespace
    }
  }

  /// Returns data without one line feed at the end, and the carriage return before it.
  private static func withoutLineEnd(_ data: Data) -> Data {
    guard data.last == UInt8(ascii: "\n") else { return data }
    let line = data.dropLast()
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// The maximum size of a body without content, such as `{"ok":true,"items":[]}`.
  private static let hollowBytesMax = 1024

  /// Whether a body is white space, or JSON without a text, a number or a state.
  static func isHollow(_ body: Data) -> Bool {
    guard body.count <= hollowBytesMax else { return false }
    return String(decoding: body, as: UTF8.self)
      .replacing(/"(?:ok|success)"\s*:\s*true|"[^"]*"\s*:|null/, with: "")
      .allSatisfy { $0.isWhitespace || "[]{},\"".contains($0) }
  }

  private static func json(_ body: Data) -> JSON? {
    // The reason for the error does not matter here.
    (try? JSON(parsing: body, source: ""))?.canonical()
  }

  /// Returns whether a call shows content: a body that is not empty and can be decoded.
  ///
  /// Printed white space, and printed JSON without a text or a number, show nothing in place of
  /// recorded content that no response had (`isServed` is `false`).
  package func shows(_ result: CallResult, _ key: RequestKey, isServed: Bool = true) -> Bool {
    // A recorded body was checked when it was read.
    if result.isShown == nil, result.ending == .succeeded, let body = result.body,
      let recorded = bodies[key]?.first(where: { $0.data == body })
    {
      return recorded.shows
    }
    if result.isPrinted, !isServed, let body = result.body, let recorded = bodies[key],
      Self.isHollow(body), !recorded.contains(where: { Self.isHollow($0.data) })
    {
      return false
    }
    return result.showed && (result.isShown != nil || decodes(result, key))
  }

  /// Returns whether a client can decode a body as the recorded media type. The output of a program
  /// counts as decoded unless it is an HTML page, because it may be the program's own text.
  private func decodes(_ result: CallResult, _ key: RequestKey) -> Bool {
    guard let body = result.body, inJSON.contains(key) else { return true }
    // The reason for the error does not matter here.
    return result.isPrinted ? !Self.isPage(body) : (try? JSON(parsing: body, source: "")) != nil
  }

  private static func isPage(_ body: Data) -> Bool {
    let head = String(decoding: body.prefix(200), as: UTF8.self).drop { $0.isWhitespace }
    return ["<!doctype html", "<html"].contains { head.lowercased().hasPrefix($0) }
  }
}

extension RequestKey {
  /// The text, without the query if that contains a secret.
  fileprivate var withoutSecretQuery: String {
    let url = RequestURL(String(text.drop { $0 != " " }.dropFirst()))
    return url.withoutSecrets == url ? text : String(text.prefix { $0 != "?" })
  }
}

extension JSON {
  /// Returns whether the value equals another value, or contains it.
  fileprivate func holds(_ other: JSON) -> Bool {
    if self == other { return true }
    return switch self {
    case .object(let members): members.contains { $0.value.holds(other) }
    case .array(let parts): parts.contains { $0.holds(other) }
    case .string, .number, .bool, .null: false
    }
  }
}
