// The text of a recording journal, `NAME.json.journal`, version 1: one JSON object a line.
//
//   {"windtunnelJournal":1,"rewrites":true}
//   {"order":12,"interaction":{"request":{…},"response":{…}}}
//
// The first line begins a recording and states whether the recording rewrites the cassette. Each
// line after it is one interaction in the cassette's format, with the number of its request,
// because responses arrive in another order. A long exchange is written in parts, with "part"
// instead of "order". Each part contains all data up to its time and replaces the previous part,
// and the whole interaction replaces the last part. A recording that was adopted leaves
// {"windtunnelJournal":1,"unfinished":true} until a recording onto the same cassette ends normally.
// A body that is too large for a line is a side file of the cassette. A line that begins with a
// space was withdrawn, or is reserved for the end. A last line without a line feed was incomplete
// when the process ended, and is ignored.
//
// When a recording ends, a line is written before everything else:
//
//   {"windtunnelJournal":1,"ending":{"digest":"…","after":7,"lines":40}}
//
// If the cassette's file has that SHA-256, the cassette is complete. Otherwise the journal contains
// the missing interactions. If the disk had no room for both, `NAME.json.journal.partial` has the
// beginning of the cassette. Its first 7 interactions are older, and the others are the first of
// the 40 lines in order. The missing lines are the last ones of the 40. Other lines in the journal
// may be copies of interactions on the cassette, or parts of them.

internal import Foundation
internal import WindTunnelSymptoms

enum JournalFormat {
  static let version = 1

  /// A recording that did not end normally.
  struct Session: Hashable {
    var rewrites: Bool
    /// Whether the session only states that the cassette is part of a recording.
    var isUnfinished = false
    var lines: [InteractionLine] = []
    /// The state of the cassette that was about to be written; `nil` if the recording has not
    /// ended.
    var ending: PendingCassette?
    /// The range that is reserved for the line about the recording's end.
    var reserve: Range<Int>?

    struct InteractionLine: Hashable {
      var order: Int
      var interaction: Interaction
      /// Whether the exchange had not ended.
      var isPart = false
      /// The line's range in the journal; empty if the journal does not have it.
      var place = 0..<0
    }
  }

  /// The number of a request, and whether its exchange has not ended.
  struct Mark: Hashable {
    var order: Int
    var isPart = false
  }

  /// The facts about a cassette that is about to be written.
  struct PendingCassette: Hashable {
    /// The SHA-256 of its text.
    var digest: String
    /// The number of interactions on the cassette before the journal's own.
    var after: Int
    /// The number of the journal's lines that the cassette will contain.
    var lines: Int
  }

  /// The number of reserved bytes in a journal, because its end needs additional room.
  static let reserveBytes = 32 << 10
  /// The fixed length of the line about a recording's end, so that it can be overwritten.
  static let endingBytes = 512

  static func header(rewrites: Bool) -> [UInt8] {
    line(["windtunnelJournal": .number(version), "rewrites": .bool(rewrites)])
  }

  /// A line which states that the cassette is part of a recording that ended before it was written.
  static let unfinished = line(["windtunnelJournal": .number(version), "unfinished": true])

  /// A line that begins with a space, to be overwritten.
  static let reserve = [UInt8](repeating: UInt8(ascii: " "), count: reserveBytes - 1) + [lineFeed]

  /// Returns the line about the cassette that is about to be written.
  static func line(_ ending: PendingCassette) -> [UInt8] {
    let json: JSON = [
      "windtunnelJournal": .number(version),
      "ending": [
        "digest": .text(ending.digest), "after": .number(ending.after),
        "lines": .number(ending.lines),
      ],
    ]
    let bytes = json.bytes()
    let spaces = [UInt8](repeating: UInt8(ascii: " "), count: endingBytes - 1 - bytes.count)
    return bytes + spaces + [lineFeed]
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Returns the line of an interaction.
  ///
  /// `sideFile` stores a body that is too large for a line and returns its name. It returns `nil`
  /// for a body that stays in the line.
  static func line(
    _ interaction: Interaction,
    _ mark: Mark,
    sideFile: @escaping (Body) throws -> String? = { _ in nil }
  ) throws -> [UInt8] {
    // Plain text needs less time than structure, and is not meant for people.
    let writer = InteractionWriter(sideFile: sideFile, keepsStructure: false)
    let key = mark.isPart ? "part" : "order"
    return line([key: .number(mark.order), "interaction": try writer.json(interaction)])
  }

  private static func line(_ json: JSON) -> [UInt8] { json.bytes() + [lineFeed] }

  static func decode(
    _ data: Data,
    source: String,
    sideFile: ((String) throws -> Body)? = nil
  ) throws -> [Session] {
    var sessions: [Session] = []
    var number = 0
    for line in data.split(separator: lineFeed, omittingEmptySubsequences: false).dropLast() {
      number += 1
      let begin = line.startIndex - data.startIndex
      let place = begin..<begin + line.count + 1
      if line.first == UInt8(ascii: " "), let last = sessions.indices.last {
        sessions[last].reserve(place)
      }
      if line.isEmpty || line.first == UInt8(ascii: " ") { continue }
      do {
        try read(line, at: place, "line \(number)", source: source, sideFile, into: &sessions)
      } catch {
        // Lines whose interactions are on the cassette are overwritten by others.
        if sessions.last?.ending == nil { throw error }
      }
    }
    for index in sessions.indices { sessions[index].removeReplaced() }
    return sessions
  }

  private static func read(
    _ line: Data,
    at place: Range<Int>,
    _ name: String,
    source: String,
    _ sideFile: ((String) throws -> Body)?,
    into sessions: inout [Session]
  ) throws {
    let json: JSON
    do {
      json = try JSONParser.parse(line)
    } catch {
      throw FormatError(
        source: source,
        place: name,
        problem: "not JSON: \(error.problem)",
        fix: "The remains of a recording cannot be used; move the file away to continue without it."
      )
    }
    var reader = try ObjectReader(json, source: source, path: name)
    if json["windtunnelJournal"] != nil {
      try CassetteFormat.checkVersion(&reader, key: "windtunnelJournal", noun: "journal")
      if var object = try reader.object("ending") {
        guard let last = sessions.indices.last else {
          throw reader.error("ending", "not the end of a recording")
        }
        sessions[last].ending = PendingCassette(
          digest: try object.string("digest") ?? "",
          after: try object.int("after", in: 0...Int.max) ?? 0,
          lines: try object.int("lines", in: 0...Int.max) ?? 0
        )
        sessions[last].reserve = place
        try object.refuseUnknownKeys()
      } else {
        sessions.append(
          Session(
            rewrites: try reader.bool("rewrites") ?? false,
            isUnfinished: try reader.bool("unfinished") ?? false
          )
        )
      }
    } else {
      let part = try reader.int("part", in: 0...Int.max)
      let order = try part ?? reader.int("order", in: 0...Int.max) ?? 0
      guard let json = reader.take("interaction"), let last = sessions.indices.last else {
        throw reader.error("interaction", "not an interaction of a recording")
      }
      let path = reader.place("interaction")
      let interaction = try Interaction(onCassette: json, source: source, path: path) { file in
        if let sideFile { return try sideFile(file) }
        throw FormatError(source: source, place: name, problem: "side file \"\(file)\"")
      }
      sessions[last].lines.append(
        Session.InteractionLine(
          order: order,
          interaction: interaction,
          isPart: part != nil,
          place: place
        )
      )
    }
    try reader.refuseUnknownKeys()
  }

  /// Returns a cassette with the interactions of these recordings, which belong to one run.
  ///
  /// A recording that rewrites the cassette replaces the interactions that it requested again, by
  /// their own data (``RerecordingMerge``), because the journal does not contain the matcher.
  /// Interactions that were not requested again stay.
  static func fold(
    _ sessions: [Session],
    into cassette: Cassette,
    beside run: inout RunRecordings
  ) -> Cassette {
    var cassette = cassette
    for session in sessions {
      var new = session.lines.sorted { $0.order < $1.order }.map(\.interaction)
      // A part does not replace a whole recording.
      if session.rewrites { new.removeParts(beside: cassette.interactions) }
      // As at the end of a recording: refused connections alone are not a recording.
      if new.allSatisfy({ $0.failure?.symptom == .connectionRefused }) { continue }
      if session.rewrites {
        let replacing = RerecordingMerge(rule: .said)
        cassette.interactions = replacing(new, in: cassette.interactions, beside: &run)
      } else {
        cassette.interactions.removeParts(replacedBy: new)
        cassette.interactions += new
        run.add(new)
      }
    }
    return cassette
  }

  /// Returns the number of interactions on a cassette that these recordings added.
  static func count(of sessions: [Session], in folded: Cassette, beside base: Cassette) -> Int {
    let wholes = sessions.map { $0.lines.count { !$0.isPart } }
    return folded == base ? 0 : wholes.reduce(folded.newParts(beside: base), +)
  }
}

extension JournalFormat.Session {
  /// Removes parts that a later line replaces, and copies.
  ///
  /// A line that was moved for the end may exist twice, and the later copy is certainly complete.
  fileprivate mutating func removeReplaced() {
    guard ending != nil || lines.contains(where: \.isPart) else { return }
    let wholes = Set(lines.lazy.filter { !$0.isPart }.map(\.order))
    var orders: Set<Int> = []
    let kept = lines.reversed().filter { line in
      if line.isPart, wholes.contains(line.order) { return false }
      return !line.isPart && ending == nil || orders.insert(line.order).inserted
    }
    lines = kept.reversed()
  }

  /// Records the range of a line that begins with a space.
  fileprivate mutating func reserve(_ place: Range<Int>) {
    if let reserve, reserve.upperBound == place.lowerBound {
      self.reserve = reserve.lowerBound..<place.upperBound
    } else if reserve == nil, place.count >= JournalFormat.endingBytes {
      reserve = place
    }
  }
}
