internal import Foundation

// What exporters write beyond the specification.
extension HAREntryReader {
  /// Chrome's form: "type", "time" in seconds since 1970, "opcode" and "data". Playwright writes the same
  /// with a time in milliseconds.
  mutating func messages(_ entry: JSON) -> [WebSocketMessage] {
    guard let list = entry.present("_webSocketMessages")?.elements, !list.isEmpty else { return [] }
    let phases = ["blocked", "dns", "connect", "send", "wait"]
    let handshake = phases.reduce(0.0) { sum, phase in
      // "ssl" is a part of "connect".
      sum + max(0, entry["timings"]?[phase]?.measure ?? 0)
    }
    let first = list.lazy.compactMap { Self.seconds($0["time"]) }.first ?? 0
    let start = date.map { ($0.inMilliseconds + handshake) / 1000 } ?? first
    var messages: [WebSocketMessage] = []
    for message in list {
      let text = message["data"]?.stringValue ?? ""
      let isText = message["opcode"]?.wholeValue != 2
      let body = isText ? Body(text) : Data(tolerantBase64: text).map { Body($0) }
      guard ["send", "receive"].contains(message["type"]?.stringValue),
        [1, 2].contains(message["opcode"]?.wholeValue ?? 1), let body
      else { continue }
      let offset = ((Self.seconds(message["time"]) ?? start) - start) * 1000
      messages.append(
        WebSocketMessage(
          from: message["type"] == "send" ? .client : .server,
          body,
          isText: isText,
          offset: Duration(milliseconds: 0...1e9 ~= offset ? offset : 0)
        )
      )
    }
    let others = list.count - messages.count
    if others > 0 {
      warn("\(others) of \(list.count) WebSocket messages carry no data that is kept")
    }
    return messages
  }

  /// As seconds, such a number would be a day thirty thousand years ahead.
  private static func seconds(_ time: JSON?) -> Double? {
    time?.measure.map { $0 >= 1e12 ? $0 / 1000 : $0 }
  }

  /// Messages in a file of their own, one a line, as Playwright attaches them.
  mutating func readAttachedMessages(_ entry: JSON) -> [JSON] {
    let response = entry["response"]
    guard entry.present("_webSocketMessages") == nil, response?["status"]?.wholeValue == 101,
      let name = response?["content"]?.present("_file")?.stringValue,
      let data = attached(name, "the list of WebSocket messages")
    else { return [] }
    return data.split(separator: UInt8(ascii: "\n")).map { line in
      // What is no message is counted with those that cannot be kept.
      (try? JSONParser.parse(Array(line))) ?? .null
    }
  }

  private static let entryKeys: Set<String> = [
    HARAddition.key, "_webSocketMessages", "_initiator", "_error", "_failureText",
  ]

  /// The notes of an interaction.
  static func notes(_ entry: JSON) -> [JSON.Member] { notes(entry, but: entryKeys) }

  /// The notes within, at the places they have on a cassette.
  static func innerNotes(_ entry: JSON, of interaction: Interaction) -> [String: [JSON
    .Member]]
  {
    let answer = interaction.response == nil ? "failure" : "response"
    var places = [
      "request": notes(entry["request"], but: ["_content"]),
      answer: notes(entry["response"], but: ["_error", "_failureText"]),
    ]
    if interaction.timing != nil { places["timing"] = notes(entry["timings"], but: []) }
    return places.filter { !$0.value.isEmpty }
  }

  /// The keys that begin with `_` and that nobody here understands; of equal ones the first.
  static func notes(_ json: JSON?, but understood: Set<String>) -> [JSON.Member] {
    guard case .object(let members) = json else { return [] }
    var seen = understood
    return members.filter { member in
      let name = member.name.value
      return name.hasPrefix("_") && member.value != .null && seen.insert(name).inserted
    }
  }
}
