// The text of a recording journal, `NAME.json.journal`, version 1: one JSON object a line.
//
//   {"windtunnelJournal":1,"rewrites":true}
//   {"order":12,"interaction":{"request":{…},"response":{…}}}
//
// The first line begins a recording and says whether it was to make the cassette anew; each line
// after it is one interaction as a cassette has it, with the number of its request, since answers
// come in another order. A recording that was taken up leaves {"windtunnelJournal":1,"unfinished":true}
// until one onto the same cassette comes to its end. A body that is too large for a line is a side file of the cassette. A line that begins with a space was withdrawn. A last line without a line
// feed was being written when the process ended, and counts for nothing.

internal import Foundation
internal import WindTunnelSymptoms

enum JournalFormat {
  static let version = 1

  /// One recording that did not come to its end.
  struct Session: Hashable {
    var rewrites: Bool
    /// Whether it says only that the cassette is part of a recording.
    var isUnfinished = false
    var lines: [Line] = []

    struct Line: Hashable {
      var order: Int
      var interaction: Interaction
    }
  }

  static func header(rewrites: Bool) -> [UInt8] {
    line(["windtunnelJournal": .number(version), "rewrites": .bool(rewrites)])
  }

  /// Says that what stands on the cassette is part of a recording that was ended before it was
  /// written.
  static let unfinished = line([
    "windtunnelJournal": .number(version), "unfinished": true,
  ])

  /// A line; `sideFile` keeps a body that is too large for one and answers its name, or answers `nil`
  /// for one that stays inside.
  static func line(
    _ interaction: Interaction,
    order: Int,
    sideFile: @escaping (Data) throws -> String? = { _ in nil }
  ) throws -> [UInt8] {
    // Plain text costs less than structure, and nobody reads this.
    let writer = InteractionWriter(sideFile: sideFile, keepsStructure: false)
    return line(["order": .number(order), "interaction": try writer.json(interaction)])
  }

  private static func line(_ json: JSON) -> [UInt8] { json.bytes() + [UInt8(ascii: "\n")] }

  static func decode(
    _ data: Data,
    source: String,
    sideFile: ((String) throws -> Data)? = nil
  ) throws -> [Session] {
    var sessions: [Session] = []
    var number = 0
    for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      number += 1
      if line.first == UInt8(ascii: " ") || line.isEmpty { continue }
      let place = "line \(number)"
      let json: JSON
      do {
        json = try JSONParser.parse(line)
      } catch {
        throw FormatError(
          source: source,
          place: place,
          problem: "not JSON: \(error.problem)",
          remedy: "What a recording left cannot be taken up; move the file away to go on without."
        )
      }
      var reader = try ObjectReader(json, source: source, path: place)
      if json["windtunnelJournal"] != nil {
        try CassetteFormat.checkVersion(&reader, key: "windtunnelJournal", noun: "journal")
        sessions.append(
          Session(
            rewrites: try reader.bool("rewrites") ?? false,
            isUnfinished: try reader.bool("unfinished") ?? false
          )
        )
      } else {
        let order = try reader.int("order", in: 0...Int.max) ?? 0
        guard let object = try reader.object("interaction"), !sessions.isEmpty else {
          throw reader.error("interaction", "no interaction of a recording")
        }
        var interactions = InteractionReader { name in
          if let sideFile { return try sideFile(name) }
          throw FormatError(source: source, place: place, problem: "side file \"\(name)\"")
        }
        sessions[sessions.count - 1].lines.append(
          Session.Line(order: order, interaction: try interactions.interaction(object))
        )
      }
      try reader.refuseUnknownKeys()
    }
    return sessions
  }

  /// A cassette with what these recordings had got, all of one run. One that was to make the cassette
  /// anew replaces what it asked for again, by what it says (``Replacing``): what requests are played by
  /// stands in no journal. What it had not come to stays.
  static func fold(
    _ sessions: [Session],
    into cassette: Cassette,
    beside claims: inout Claims
  ) -> Cassette {
    var cassette = cassette
    for session in sessions {
      let new = session.lines.sorted { $0.order < $1.order }.map(\.interaction)
      // As at the end of a recording: refused connections alone are no recording.
      if new.allSatisfy({ $0.failure?.symptom == .connectionRefused }) { continue }
      if session.rewrites {
        let replacing = Replacing(rule: .said)
        cassette.interactions = replacing(new, in: cassette.interactions, beside: &claims)
      } else {
        cassette.interactions += new
        claims.add(new)
      }
    }
    return cassette
  }
}
