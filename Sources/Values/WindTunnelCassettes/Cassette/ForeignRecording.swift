package import Foundation

/// The file of another tool that records HTTP, told by what stands in it.
///
/// Only its beginning is looked at, and nothing of it is read as a recording: whoever gives one by
/// mistake, or hopes that it plays, is told what it is and which way leads here.
package enum ForeignRecording: String, Sendable, Hashable, CaseIterable {
  case har = "HAR file"
  case polly = "Polly.js recording"
  case vcrpy = "vcrpy cassette"
  case vcr = "VCR (Ruby) cassette"
  case betamax = "Betamax (Python) cassette"
  case betamaxTape = "Betamax (JVM) tape"
  case goVCR = "go-vcr cassette"
  case wireMock = "WireMock mapping"
  case hoverfly = "Hoverfly simulation"
  case nock = "nock recording"
  case mitmproxy = "mitmproxy flow file"

  /// Returns the reason why a file is no cassette of ours; `nil` where it is nobody else's either,
  /// as far as one can tell.
  package static func refusal(of data: Data, source: String) -> FormatError? {
    guard let recording = ForeignRecording(data) else { return nil }
    return FormatError(
      source: source,
      place: "",
      problem: "this is a \(recording.rawValue) and no cassette of WindTunnel's",
      fix: recording.fix(for: source)
    )
  }

  private func fix(for source: String) -> String {
    let words = source.split(separator: ".")
    let stem = words.count > 1 ? words.dropLast().joined(separator: ".") : source
    let convert = "windtunnel cassette convert \(stem).har \(stem).json"
    switch self {
    case .har, .polly:
      let isNamedSo = source.lowercased().hasSuffix(".har")
      return isNamedSo
        ? "To make one of it: \(convert)" : "Name it \(stem).har, and make one of it: \(convert)"
    case .mitmproxy:
      return "To make one of it: mitmdump -nr \(source) --set hardump=\(stem).har, then \(convert)"
    case .vcrpy, .vcr, .betamax, .betamaxTape, .goVCR, .wireMock, .hoverfly, .nock:
      return "It is not read here; to record anew: windtunnel record URL --cassette \(stem).json"
    }
  }

  private init?(_ data: Data) {
    let bytes = data.prefix(Self.bytesMax)
    // Only what is whole can be told by its members; a text of a cassette of ours has its own key.
    if data.count <= Self.bytesMax, let json = try? JSON(parsing: bytes, source: "") {
      guard let found = Self.byMembers(json) else { return nil }
      self = found
    } else if Self.isFlow(bytes) {
      self = .mitmproxy
    } else if let found = Self.byLines(bytes) {
      self = found
    } else {
      return nil
    }
  }

  /// The number of bytes that are read to recognise a format.
  private static let bytesMax = 64 << 20
  /// The number of lines that are read; in YAML a body may stand before the line that shows the
  /// format.
  private static let linesMax = 200_000

  // MARK: JSON

  private static func byMembers(_ json: JSON) -> ForeignRecording? {
    if case .array(let list) = json {
      // https://github.com/nock/nock#recording, `output_objects`.
      guard let first = list.first, first["scope"] != nil, first["method"] != nil,
        first["status"] != nil || first["response"] != nil
      else { return nil }
      return .nock
    }
    guard json["windtunnel"] == nil else { return nil }
    if let log = json["log"], log["entries"] != nil || log["creator"] != nil {
      let isPolly =
        log["_recordingName"] != nil || log["creator"]?["name"]?.stringValue == "Polly.JS"
      return isPolly ? .polly : .har
    }
    if let data = json["data"], data["pairs"] != nil, json["meta"] != nil { return .hoverfly }
    if json["http_interactions"] != nil {
      let recorder = json["recorded_with"]?.stringValue?.lowercased() ?? ""
      return recorder.hasPrefix("betamax") ? .betamax : .vcr
    }
    if case .array(let list)? = json["interactions"], let request = list.first?["request"] {
      if request["uri"] != nil { return .vcrpy }
      return request["url"] != nil && json["version"] != nil ? .goVCR : nil
    }
    if json["mappings"] != nil { return .wireMock }
    guard let request = json["request"], json["response"] != nil else { return nil }
    let names: [String] = ["url", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate"]
    return names.contains { request[$0] != nil } ? .wireMock : nil
  }

  // MARK: YAML

  /// Tells by the keys that stand at the beginnings of lines: no YAML is read.
  private static func byLines(_ bytes: Data) -> ForeignRecording? {
    var (isInteractions, isHTTP, isTape, isVersioned) = (false, false, false, false)
    var keys: Set<Substring.SubSequence> = []
    for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard number < linesMax else { break }
      Work.read(line.count + 1)
      let line = String(decoding: line.prefix(200), as: UTF8.self)
      if line.hasPrefix("interactions:") { isInteractions = true }
      if line.hasPrefix("http_interactions:") { isHTTP = true }
      if line.hasPrefix("!tape") { isTape = true }
      if line.hasPrefix("version:") { isVersioned = true }
      let key = line.drop { $0 == " " || $0 == "-" }.prefix { $0 != ":" }
      if ["uri", "url", "request", "proto", "form"].contains(key) { keys.insert(key) }
      if isInteractions || isHTTP, !keys.isDisjoint(with: ["uri", "url"]), keys.contains("request")
      {
        break
      }
    }
    if isTape { return .betamaxTape }
    guard isInteractions || isHTTP, keys.contains("request") else { return nil }
    if isHTTP { return .vcr }
    if keys.contains("url") { return .goVCR }
    return keys.contains("uri") || isVersioned ? .vcrpy : nil
  }

  // MARK: mitmproxy

  /// Tells whether it is a tnetstring of a dictionary whose first key is a text, `;`, which only
  /// mitmproxy has: `1803:9:websocket;0:~…}`.
  private static func isFlow(_ bytes: Data) -> Bool {
    var rest = bytes.prefix(64)
    func number() -> Int? {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      guard (1...12).contains(digits.count), rest.popFirst() == UInt8(ascii: ":") else {
        return nil
      }
      return Int(String(decoding: digits, as: UTF8.self))
    }
    guard number() != nil, let length = number(), (1...32).contains(length) else { return false }
    let key = rest.prefix(length)
    let isName = key.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") }
    return isName && rest.dropFirst(length).first == UInt8(ascii: ";")
  }
}
