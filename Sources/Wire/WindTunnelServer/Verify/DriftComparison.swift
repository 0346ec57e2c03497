internal import Foundation
package import WindTunnel
internal import WindTunnelSymptoms

extension Drift.Status {
  /// Compares the response of an origin with the recorded one.
  ///
  /// The live response is redacted like a recording. So neither a verdict nor a report can reveal a
  /// secret, and parts that are redacted on both sides agree.
  ///
  /// - Parameters:
  ///   - recorded: The interaction of the cassette.
  ///   - asked: The request as it was sent, including secrets.
  ///   - live: The result of that request.
  ///   - rules: Additional rules for redacting the result. The built-in rules always apply.
  ///   - names: Further header fields that are not compared, in lower case.
  package init(
    _ recorded: Interaction,
    asked: Request,
    live: RecordedResult,
    _ rules: RedactionRules = .standard,
    volatile names: Set<String> = []
  ) {
    var redaction = Redaction(continuing: [recorded], rules: rules)
    guard let live = redaction.redact([Interaction(asked, live)]).first else {
      self = .skipped("its live response contains a credential and cannot be shown")
      return
    }
    var comparison = DriftComparison(volatile: names)
    comparison.compare(recorded, live)
    self = comparison.differences.isEmpty ? .same : .drifted(comparison.differences)
  }
}

/// A comparison that collects the differences between a recorded response and a live one.
private struct DriftComparison {
  private(set) var differences: [Drift.Difference] = []
  private let volatile: Set<String>

  init(volatile: Set<String> = []) { self.volatile = volatile }

  private mutating func note(_ place: String, _ recorded: String?, _ live: String?) {
    // The live value at the place of a redacted part may be the secret in another form.
    let hides = recorded?.contains("REDACTED-") == true && live != nil
    let excerpts = Excerpts(recorded, live, charactersMax: Self.charactersMax)
    differences.append(
      Drift.Difference(
        place,
        recorded: excerpts.old,
        live: hides ? "another value, which is not shown" : excerpts.new
      )
    )
  }

  /// The maximum number of characters of a value in a report.
  private static let charactersMax = 79

  mutating func compare(_ recorded: Interaction, _ live: Interaction) {
    let (recorded, live) = (recorded.steady(without: volatile), live.steady(without: volatile))
    guard case .response(let there) = recorded.result, case .response(let here) = live.result else {
      let (there, here) = (Self.name(recorded.result), Self.name(live.result))
      if there != here { note("answer", there, here) }
      return
    }
    if there.status != here.status { note("status", "\(there.status)", "\(here.status)") }
    compare(there.headers, here.headers, "header")
    compare(there.trailers, here.trailers, "trailer")
    let isBodiless = Response.hasNoContent(method: recorded.request.method, status: here.status)
    // The body of a response with another status adds nothing.
    if !isBodiless, there.status == here.status { compareBodies(there, here) }
  }

  private static func name(_ answer: RecordedResult) -> String {
    switch answer {
    case .response(let response): "status \(response.status)"
    case .failure(let failure): failure.symptom.rawValue
    case .cut(let response, let failure):
      "status \(response.status), then \(failure.symptom.rawValue)"
    }
  }

  private mutating func compare(_ recorded: HeaderFields, _ live: HeaderFields, _ noun: String) {
    // Some platforms join repeated fields and sort names.
    var seen = Self.framing
    for name in (Array(recorded) + Array(live)).map({ $0.name.lowercased() })
    where seen.insert(name).inserted {
      let (there, here) = (Self.joined(recorded, name), Self.joined(live, name))
      if let there, let here, there.agrees(with: here) { continue }
      note("\(noun) \(name)", there, here)
    }
  }

  private static func joined(_ fields: HeaderFields, _ name: String) -> String? {
    fields[name].map { _ in fields.values(name).joined(separator: ", ") }
  }

  /// The fields of the connection and of the body's encoding for it. The body itself is compared.
  private static let framing: Set<String> = [
    "connection", "keep-alive", "trailer", "transfer-encoding", "content-encoding",
    "content-length",
  ]

  private mutating func compareBodies(_ recorded: Response, _ live: Response) {
    let (there, here) = (Self.opened(recorded), Self.opened(live))
    if there == here { return }
    if let there = Self.structure(there), let here = Self.structure(here) {
      // The order of keys and the spelling of numbers have no meaning.
      for change in JSONChange.of(there, here, path: "$", step: Self.step, agree: Self.agree) {
        note("body \(change.path)", change.old?.description, change.new?.description)
      }
      return
    }
    guard let there = String(utf8: there), let here = String(utf8: here) else {
      let shared = zip(there, here).prefix { $0 == $1 }.count
      return note("body byte \(shared)", "\(there.count) bytes", "\(here.count) bytes")
    }
    let (lines, others) = (Self.lines(there), Self.lines(here))
    for index in 0..<max(lines.count, others.count) {
      let (one, other) = (lines.dropFirst(index).first, others.dropFirst(index).first)
      if let one, let other, one.agrees(with: other) { continue }
      // Only the first difference is reported: after an insertion every other line differs.
      return note("body line \(index + 1)", one, other)
    }
  }

  /// Returns the body without its content coding, which is not compared.
  private static func opened(_ response: Response) -> Data {
    response.headers.opened(response.body.data)?.content ?? response.body.data
  }

  private static func structure(_ data: Data) -> JSON? {
    guard data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") else { return nil }
    // A body that is not JSON is compared as text, so the reason does not matter.
    return try? JSONParser.parse(data)
  }

  private static func agree(_ recorded: JSON, _ live: JSON) -> Bool {
    switch (recorded, live) {
    case (.string(let there), .string(let here)): there.value.agrees(with: here.value)
    case (.number(let there), .number(let here)):
      there == here || (Double(there) != nil && Double(there) == Double(here))
    // A redacted value may have been of any kind.
    case (.string(let there), _): there.value.agrees(with: "")
    default: recorded == live
    }
  }

  /// Returns `.name`, or `["na me"]` if the name is not a plain word.
  private static func step(_ name: String) -> String {
    let isWord =
      name.first?.isNumber == false && name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
    return isWord ? ".\(name)" : "[\"\(JSON.escaped(name))\"]"
  }

  /// Splits by bytes, because CR and LF together are one character.
  private static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}
