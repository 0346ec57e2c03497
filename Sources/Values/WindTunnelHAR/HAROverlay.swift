// What only a HAR says of an exchange: pages, the times of name look-up and connection, addresses,
// versions and reasons of the protocol, header fields that were taken away because they did not fit
// the body. Nobody plays it, so a recording has no place for it; whoever wants a HAR back as it was
// converts with its secrets kept, and then it stands in a note, "_har", of the cassette and of each
// interaction: the members of the original that the HAR which is written from the rest has
// otherwise or not at all.
//
// It is put back where the entry then says the same as the interaction. Where somebody has changed
// the interaction since, the interaction is right, and what was said of the changed part goes (see
// ``HARPart``).

internal import Foundation
internal import WindTunnelSymptoms

/// The part of an original that stands in it and not in what is written in its place.
enum HAROverlay {
  static let key: JSON.Text = "_har"

  /// Returns the members of an object that another one has otherwise or not at all, down to the
  /// lists, which are taken whole; `nil` if there are none. What may not stand in a HAR is none.
  static func difference(_ original: JSON, from written: JSON, as name: String) -> JSON? {
    guard let original = HARSanitizer.object(original, of: name),
      case .object(let members) = original, case .object = written
    else { return nil }
    return difference(members, from: written)
  }

  /// The names of what is said of the text beside it; where an original does not say it, a null
  /// stands for that.
  private static let codings = ["encoding", "_encoding"]

  private static func difference(_ members: [JSON.Member], from written: JSON) -> JSON? {
    var other = members.compactMap { member -> JSON.Member? in
      guard let there = written[member.name.value] else { return member }
      guard !there.says(member.value) else { return nil }
      guard case .object(let inner) = member.value, case .object = there else { return member }
      return difference(inner, from: there).map { JSON.Member(member.name, $0) }
    }
    let names = Set(members.map(\.name.value))
    other += codings.filter { written[$0] != nil && !names.contains($0) }.map {
      JSON.Member(JSON.Text($0), .null)
    }
    return other.isEmpty ? nil : .object(other)
  }

  /// Returns an object with the members of another one put in.
  static func applied(_ overlay: JSON, to written: JSON) -> JSON {
    guard case .object(let members) = overlay, case .object = written else { return overlay }
    return members.reduce(into: written) { result, member in
      let name = member.name.value
      if member.value == .null, codings.contains(name) {
        result[name] = .none
      } else if let old = result[name] {
        result[name] = applied(member.value, to: old)
      } else {
        result = result.adding([member])
      }
    }
  }

  /// Returns the overlay among some notes, if there is one.
  static func of(_ notes: [JSON.Member]) -> JSON? { notes.first(where: isOverlay)?.value }

  /// Returns the notes without it.
  fileprivate static func without(_ notes: [JSON.Member]) -> [JSON.Member] {
    notes.filter { !isOverlay($0) }
  }

  static func isOverlay(_ note: JSON.Member) -> Bool {
    guard note.name == key, case .object = note.value else { return false }
    return true
  }

  /// Returns an object without the members of some names.
  static func removing(_ names: Set<String>, from json: JSON) -> JSON {
    guard case .object(let members) = json else { return json }
    return .object(members.filter { !names.contains($0.name.value) })
  }
}

extension JSON {
  /// An entry whose form has a text beside its fields: some readers know no form without one, and
  /// an empty one says nothing.
  var withTextOfForm: JSON {
    guard let post = self["request"]?.present("postData"), case .object = post, post["text"] == nil
    else { return self }
    return HAROverlay.applied(["request": ["postData": ["text": ""]]], to: self)
  }
}

extension Interaction {
  /// Notes what its entry says and what is written for it does not, unless something of that name
  /// is noted already.
  mutating func keepOverlay(of entry: JSON) {
    guard !notes.contains(where: { $0.name.value == HAROverlay.key.value }) else { return }
    var writer = HAREntryWriter()
    let written = writer.entry(self)
    // What is ours among it is written again where it is needed.
    let original = HAROverlay.removing([HARAddition.key], from: entry)
    guard let overlay = HAROverlay.difference(original, from: written, as: "entry") else { return }
    notes.append(JSON.Member(HAROverlay.key, HARPart.marked(overlay, of: self)))
  }
}

extension Cassette {
  /// The cassette without what only a HAR says.
  var withoutOverlays: Cassette {
    var cassette = self
    cassette.notes = HAROverlay.without(notes)
    for index in interactions.indices {
      cassette.interactions[index].notes = HAROverlay.without(interactions[index].notes)
    }
    return cassette
  }
}

// Much of a HAR says the same once more in other words: the reason behind the status, the cookies
// and the query as lists, sizes, the sum of the times. Where somebody changes a cassette, such
// words of its HAR are no longer true, and nothing in them shows it. So the note says by what each
// was true: by a digest of that part of the interaction.

/// A part of an interaction, and what an entry says by it.
enum HARPart: String, CaseIterable {
  case url, requestHeaders, requestBody, status, responseHeaders, responseBody, timing, messages

  private static let key: JSON.Text = "_of"

  /// The members of an entry that are true as long as the part is what it was.
  private var members: [String] {
    switch self {
    case .url: ["request.url", "request.queryString"]
    case .requestHeaders: ["request.headers", "request.cookies", "request.headersSize"]
    case .requestBody: ["request.postData", "request._content", "request.bodySize"]
    case .status:
      [
        "response.status", "response.statusText", "response._error", "response._failureText",
        "_error", "_failureText",
      ]
    case .responseHeaders:
      ["response.headers", "response.cookies", "response.redirectURL", "response.headersSize"]
    case .responseBody: ["response.content", "response.bodySize"]
    case .timing: ["time", "timings"]
    case .messages: ["_webSocketMessages"]
    }
  }

  /// Returns an overlay, and by what its members are true.
  fileprivate static func marked(_ overlay: JSON, of interaction: Interaction) -> JSON {
    let parts = allCases.filter { $0.members.contains { overlay.removing($0) != overlay } }
    guard !parts.isEmpty else { return overlay }
    let marks = parts.map { JSON.Member(JSON.Text($0.rawValue), .text($0.digest(of: interaction))) }
    return overlay.adding([JSON.Member(key, .object(marks))])
  }

  /// Returns the part of an overlay that is still true of an interaction. What bears no mark is
  /// taken to be.
  static func standing(_ overlay: JSON, for interaction: Interaction) -> JSON {
    guard let marks = overlay[key.value] else { return overlay }
    var standing = HAROverlay.removing([key.value], from: overlay)
    for part in allCases {
      guard let mark = marks[part.rawValue]?.stringValue, mark != part.digest(of: interaction)
      else { continue }
      standing = part.members.reduce(standing) { $0.removing($1) }
    }
    return standing
  }

  /// Returns an overlay without what a reader makes the messages of.
  static func unread(_ overlay: JSON) -> JSON {
    let paths = [
      "request.method", "request.url", "request.headers", "request.postData", "request._content",
      "request.bodySize", "response.status", "response.headers", "response.content",
      "response.bodySize", "response._error", "response._failureText", "_error", "_failureText",
      "_webSocketMessages",
    ]
    return paths.reduce(overlay) { $0.removing($1) }
  }

  /// Returns the first eight bytes of SHA-256: this is no protection against anybody.
  private func digest(of interaction: Interaction) -> String {
    var digest = SHA256()
    for text in texts(of: interaction) {
      digest.update(text.utf8)
      digest.update(CollectionOfOne(0 as UInt8))
    }
    let body: Body? =
      switch self {
      case .requestBody: interaction.request.body
      case .responseBody: interaction.response?.body
      default: nil
      }
    if let body { digest.update(body.data) }
    return String(digest.hexadecimal().prefix(16))
  }

  private func texts(of interaction: Interaction) -> [String] {
    let response = interaction.response
    switch self {
    case .url: return [interaction.request.url.description]
    case .requestHeaders: return Self.texts(interaction.request.headers)
    case .requestBody: return Self.kind(interaction.request.headers)
    case .status:
      let failure = interaction.failure
      return [
        response.map { String($0.status) } ?? "", failure?.symptom.rawValue ?? "",
        failure?.text ?? "",
      ]
    case .responseHeaders: return Self.texts(response?.headers ?? [:])
    case .responseBody: return Self.kind(response?.headers ?? [:])
    case .timing:
      guard let timing = interaction.timing else { return [] }
      let chunks = timing.chunks.flatMap { [String($0.bytes), Self.text($0.offset)] }
      return [Self.text(timing.firstByte), Self.text(timing.lastByte)] + chunks
    case .messages:
      return interaction.messages.flatMap { message in
        [
          message.sender.rawValue, "\(message.isText)", Self.text(message.offset),
          message.body.data.base64EncodedString(),
        ]
      }
    }
  }

  private static func texts(_ fields: HeaderFields) -> [String] {
    fields.flatMap { [$0.name, $0.value] }
  }

  /// Returns the fields that a body's bytes are read by.
  private static func kind(_ fields: HeaderFields) -> [String] {
    ["Content-Type", "Content-Encoding"].map { fields.values($0).joined(separator: ", ") }
  }

  /// Returns a time as precise as a cassette writes it.
  private static func text(_ time: Duration) -> String {
    JSON.number(time.inMilliseconds, places: 3).spelled ?? ""
  }
}

extension JSON {
  /// Returns the value without a member, whose name stands behind those that lead to it.
  fileprivate func removing(_ path: some StringProtocol) -> JSON {
    let name = String(path.prefix { $0 != "." })
    guard let value = self[name] else { return self }
    let rest = path.dropFirst(name.count + 1)
    var json = self
    json[name] = rest.isEmpty ? .none : .some(value.removing(rest))
    return json
  }
}
