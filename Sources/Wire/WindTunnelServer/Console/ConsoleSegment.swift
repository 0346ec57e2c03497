internal import Foundation
package import WindTunnel

/// A segment of a console's history, from one change of the scenario to the next.
package struct ConsoleSegment: Sendable, Hashable {
  /// The maximum number of rules that are described.
  static let rulesMax = 50

  /// The number of the segment, from 1.
  package var number: Int
  /// The scenario of the segment.
  package var scenario: Scenario
  /// The seed of the random draws.
  package var seed: UInt64
  /// The start time, relative to the start of the console.
  package var at: Duration

  package var json: JSON {
    [
      "number": .number(number), "scenario": .text(scenario.name),
      "summary": .orNull(scenario.summary), "hash": .text(scenario.hash(seed: seed)),
      "seed": .number(seed),
      "at": .milliseconds(at), "link": scenario.link.map { ConsoleLink($0).json } ?? .null,
      "rules": .texts(scenario.rules.prefix(Self.rulesMax).map(\.words)),
    ]
  }
}

/// The numbers of a link that a console displays and changes.
struct ConsoleLink: Sendable, Hashable {
  /// The maximum values: a delay of a minute, and 10 Gbit/s.
  private static let (delayMax, rateMax) = (60_000.0, 10_000_000.0)

  /// The sum of the delays in both directions and its variation, in milliseconds.
  var latency: Double?
  var jitter: Double?
  /// The share of lost packets, from 0 to 1.
  var loss: Double?
  /// The rates in kbit/s.
  var down: Double?
  var up: Double?

  init(_ link: Link) {
    latency = link.roundTrip.inMilliseconds
    jitter = link.down.jitter?.length.inMilliseconds
    loss = link.down.lossProbability
    down = link.down.bitsPerSecond.map { $0 / 1000 }
    up = link.up.bitsPerSecond.map { $0 / 1000 }
  }

  /// Parses the numbers to change; the others are `nil`.
  init(data: Data) throws(FormatError) {
    let source = "link"
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    latency = try top.double("latency", in: 0...Self.delayMax)
    jitter = try top.double("jitter", in: 0...Self.delayMax)
    loss = try top.double("loss", in: 0...1)
    down = try top.double("down", in: 0...Self.rateMax)
    up = try top.double("up", in: 0...Self.rateMax)
    try top.refuseUnknownKeys()
  }

  /// Returns a link with these numbers in place of its own; a rate of 0 means no limit.
  func changing(_ link: Link?) -> Link {
    var link = link ?? Link(up: .init(), down: .init())
    for way in [\Link.up, \Link.down] {
      if let latency { link[keyPath: way].delay = Duration(milliseconds: latency / 2) }
      if let jitter {
        link[keyPath: way].jitter = Self.varied(link[keyPath: way].jitter, by: jitter)
      }
      if let loss { link[keyPath: way].lossProbability = loss }
    }
    if let down { link.down.bitsPerSecond = down > 0 ? down * 1000 : nil }
    if let up { link.up.bitsPerSecond = up > 0 ? up * 1000 : nil }
    return link
  }

  /// Returns a variation of this length with the previous shape.
  private static func varied(_ jitter: Jitter?, by milliseconds: Double) -> Jitter? {
    guard milliseconds > 0 else { return nil }
    var varied = jitter ?? Jitter(.zero)
    varied.length = Duration(milliseconds: milliseconds)
    return varied
  }

  var json: JSON {
    func number(_ value: Double?) -> JSON { value.map { .number($0, places: 4) } ?? .null }
    return [
      "latency": number(latency), "jitter": number(jitter), "loss": number(loss),
      "down": number(down), "up": number(up),
    ]
  }
}

extension FaultRule {
  /// A description of the rule in one line: its requests and its faults.
  fileprivate var words: String { "\(place): \(faults.map(\.words).joined(separator: ", "))" }

  /// The requests that the rule applies to.
  var place: String { trigger.request?.description ?? "every request" }
}

extension Fault {
  /// A readable description of the fault: its members without JSON punctuation.
  var words: String {
    guard case .object(let members) = json else { return "\(json)" }
    return members.map { member in
      switch member.value {
      case .bool(true): member.name.value
      case .string(let text): "\(member.name.value) \(text.value)"
      default: "\(member.name.value) \(member.value)"
      }
    }.joined(separator: " ")
  }
}
