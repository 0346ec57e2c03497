// A name server's script, version 1.
//
//   { "windtunnelDNS": 1,
//     "entries": [
//       { "name": "api.example.com", "type": "AAAA", "when": { "first": 1 }, "fault": "drop" },
//       { "name": "api.example.com", "addresses": ["127.0.0.1", "::1"], "ttlSeconds": 0,
//         "delayMilliseconds": 2000 },
//       { "name": "*.example.com", "fault": "servfail" } ] }
//
// The first entry that matches a question determines the response. A name may be "*" or begin with
// "*.". A type is "A" or "AAAA"; without one, an entry matches any type. "when" supports "first",
// "attempt", "every" and "probability", counted for each name and type. A fault is one of
// `DNSFault`. With "throughMilliseconds", a delay is drawn between the two values.

public import Foundation
public import WindTunnel

/// A script of a name server's responses: the first entry that matches a question determines the
/// response. A name without an entry does not exist.
public struct DNSScript: Sendable, Hashable {
  /// The entries, in their order.
  public var entries: [DNSEntry]
  /// The members of the file whose names begin with `_`, unchanged.
  public var notes: [JSON.Member] = []

  /// Creates a script from entries.
  public init(_ entries: [DNSEntry]) { self.entries = entries }

  /// Returns the decision about one question. It is a pure function of the script and the
  /// arguments, independent of the client and the time.
  ///
  /// The lane is the name, and the ordinal counts the questions of a type.
  func decide(_ query: DNSQuery, seed: UInt64, ordinal: Int) -> DNSDecision {
    var decision = DNSDecision(
      name: query.name,
      type: query.typeName,
      ordinal: ordinal,
      entry: nil,
      delay: .zero
    )
    var counts: [String: Int] = [:]
    for entry in entries where entry.isAbout(query.name, query.type) {
      let same = counts[entry.identity, default: 0]
      counts[entry.identity] = same + 1
      let draws = {
        Draws(
          seed: seed,
          scenario: "dns",
          lane: Lane(query.name),
          key: query.typeName,
          ordinal: ordinal,
          rule: "\(entry.identity)#\(same)"
        )
      }
      guard entry.turn.comes(ordinal, draws()) else { continue }
      decision.entry = entry
      decision.delay = entry.delay?.resolved(draws().unit(1)).least ?? .zero
      break
    }
    return decision
  }
}

/// The decision about one question.
public struct DNSDecision: Sendable, Hashable {
  /// The name in the question.
  public var name: String
  /// The type of the requested record, such as `AAAA`.
  public var type: String
  /// The ordinal of the question among those for its name and type, from 1.
  public var ordinal: Int
  /// The entry that matches; `nil` if the name has none.
  public var entry: DNSEntry?
  /// The delay of the response.
  public var delay: Duration

  /// The decision in one line, such as `api.example.com A 2: servfail after 300 ms`.
  public var line: String {
    let answer: String
    if let entry {
      let shown = entry.addresses.filter { $0.type.name == type }.map(\.description)
      let addresses = shown.isEmpty ? "nothing" : shown.joined(separator: " ")
      answer = entry.fault.map(\.rawValue) ?? addresses
    } else {
      answer = DNSFault.nxdomain.rawValue
    }
    let late = delay > .zero ? " after \(Int(delay.inMilliseconds.rounded())) ms" : ""
    return "\(name.isEmpty ? "." : name) \(type) \(ordinal): \(answer)\(late)"
  }
}

extension DNSScript {
  /// The maximum size of a script's file in bytes; a larger file is rejected without reading it.
  public static let fileBytesMax = 4 << 20
  /// The maximum numbers of entries in a script, and of addresses in an entry.
  public static let (entriesMax, addressesMax) = (10_000, 1000)
  private static let version = 1

  /// Reads a script's file, version 1.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent)
  }

  /// Reads a script from bytes.
  public init(data: Data, source: String) throws(FormatError) {
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "windtunnelDNS", noun: "name server's script")
    self.init([])
    guard let list = try top.array("entries"), !list.isEmpty else {
      throw top.error("entries", "should be a list with at least one entry")
    }
    guard list.count <= Self.entriesMax else {
      throw top.error("entries", "\(list.count) entries exceed the maximum of \(Self.entriesMax)")
    }
    try top.refuseUnknownKeys()
    notes = top.notes
    for (index, json) in list.enumerated() {
      let path = "entries[\(index)]"
      entries.append(try DNSEntry(reading: ObjectReader(json, source: source, path: path)))
    }
  }

  /// Returns the contents of the script's file.
  public func data() -> Data { Data(json.fileBytes()) }

  /// The object in a script's file.
  package var json: JSON {
    .object(
      JSON.members(["windtunnelDNS": .number(Self.version)]) + notes
        + JSON.members(["entries": .array(entries.map(\.json))])
    )
  }
}

extension DNSEntry: JSONObject {
  private enum Kind: String, CaseIterable {
    case a = "A"
    case aaaa = "AAAA"

    var type: DNSType { self == .a ? .a : .aaaa }
  }

  package static let blank = Self("")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem =
      "should be a name such as api.example.com, *.example.com or *, without a final dot"
    try fields.string("name", &name, ("name", problem))
    try fields.refuse(!Self.isName(name), "name", problem)
    name = name.lowercased()
    var kind = type.flatMap { Kind(rawValue: $0.name) }
    try fields.choice("type", &kind)
    type = kind?.type
    var when = turn.members.isEmpty ? nil : turn
    try fields.nested("when", &when)
    turn = when ?? Turn()
    let isListed = fields.isReading ? try fields.object.array("addresses") != nil : false
    try fields.texts("addresses", &addresses) { json, place, object throws(FormatError) in
      if let text = json.stringValue, let address = DNSAddress(text) { return address }
      throw object.error(place, "\(json) is not an address such as \"127.0.0.1\" or \"::1\"")
    }
    let most = DNSScript.addressesMax
    try fields.refuse(
      addresses.count > most,
      "addresses",
      "has more than \(most) addresses"
    )
    var ttl = seconds > 0 ? Int(seconds) : nil
    try fields.int("ttlSeconds", &ttl, in: 0...2_147_483_647)
    seconds = UInt32(clamping: ttl ?? 0)
    try fields.choice("fault", &fault)
    try fields.spread("delayMilliseconds", &delay) { "the delay of \($0)" }
    try fields.refuseUnknownKeys()
    fields.notes(&notes)
    guard fields.isReading else { return }
    if let fault {
      try fields.refuse(
        fault.bearsAddresses != isListed,
        "addresses",
        fault.bearsAddresses
          ? "\"\(fault.rawValue)\" changes a response, so addresses are required"
          : "a response of \"\(fault.rawValue)\" cannot have addresses"
      )
    } else if addresses.isEmpty {
      throw fields.object.error(
        ofAll: "addresses or a fault are required",
        fix: "For example: \"addresses\": [\"127.0.0.1\"] or \"fault\": \"nxdomain\"."
      )
    }
  }

  /// Whether a question can have this name (RFC 1035 §2.3.4).
  private static func isName(_ text: String) -> Bool {
    let name = text == "*" ? "a" : text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
    return name.utf8.allSatisfy { $0 < 128 && $0 != UInt8(ascii: ":") }
      && HostName(name)?.text == name.lowercased()
  }
}

extension DNSEntry.Turn: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let counts = 1...1_000_000_000
    try fields.int("first", &first, in: counts)
    try fields.int("attempt", &attempt, in: counts)
    try fields.int("every", &every, in: counts)
    try fields.double("probability", &probability, in: 0...1)
  }
}
