// The text of a recording journal, `NAME.json.journal`, version 1: one JSON object a line.
//
//   {"windtunnelJournal":1,"rewrites":true}
//   {"order":12,"interaction":{"request":{…},"response":{…}}}
//
// The first line begins a recording and says whether it was to make the cassette anew; each line
// after it is one interaction as a cassette has it, with the number of its request, since answers
// come in another order. An exchange that lasts is written in parts, with "part" in
// place of "order": each holds all that arrived by then and replaces the part before, and the
// whole interaction replaces the last. A recording that was taken up leaves
// {"windtunnelJournal":1,"unfinished":true} until one onto the same cassette comes to its end. A
// body that is too large for a line is a side file of the cassette. A line that begins with a space
// was withdrawn, or is kept free for the end. A last line without a line feed was being written
// when the process ended, and counts for nothing.
//
// When a recording comes to its end, a line says so before anything is written:
//
//   {"windtunnelJournal":1,"ending":{"digest":"…","after":7,"lines":40}}
//
// Where the cassette's file has that SHA-256, all is on it. Else what is not there yet stands in
// the journal, and where the disk had no room for both, in `NAME.json.journal.partial`: the
// beginning of the cassette, whose first 7 interactions were there before, and whose others are the
// first of the 40 lines in their order. Of the lines as many as are missing there are to be read,
// the last of them; what the journal holds beside them may be lines that are on the cassette, and
// parts of such.

internal import Foundation
internal import WindTunnelSymptoms

enum JournalFormat {
  static let version = 1

  /// One recording that did not come to its end.
  struct Session: Hashable {
    var rewrites: Bool
    /// Tells whether it says only that the cassette is part of a recording.
    var isUnfinished = false
    var lines: [Line] = []
    /// The state of the cassette when it was to be written.
    var ending: PendingCassette?
    /// The free range for the line that says that the recording ends.
    var reserve: Range<Int>?

    struct Line: Hashable {
      var order: Int
      var interaction: Interaction
      /// Whether the exchange had not ended.
      var isPart = false
      /// The line's range in the journal; empty where it is not in it.
      var place = 0..<0
    }
  }

  /// The number of a request, and whether its exchange has not ended.
  struct Mark: Hashable {
    var order: Int
    var isPart = false
  }

  /// The known facts of a cassette that is about to be written.
  struct PendingCassette: Hashable {
    /// The SHA-256 of its text.
    var digest: String
    /// The number of interactions on it before those of the journal.
    var after: Int
    /// The number of the journal's lines that are to stand on it.
    var lines: Int
  }

  /// The bytes of a journal that are kept free: its end needs them beyond the journal's own room.
  static let reserveBytes = 32 << 10
  /// The line that says that a recording ends has always this length, so that it can be
  /// overwritten.
  static let endingBytes = 512

  static func header(rewrites: Bool) -> [UInt8] {
    line(["windtunnelJournal": .number(version), "rewrites": .bool(rewrites)])
  }

  /// Says that what stands on the cassette is part of a recording that was ended before it was
  /// written.
  static let unfinished = line(["windtunnelJournal": .number(version), "unfinished": true])

  /// A line that begins with a space, to be overwritten.
  static let reserve = [UInt8](repeating: UInt8(ascii: " "), count: reserveBytes - 1) + [lineFeed]

  /// Says what is about to be written.
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

  /// A line; `sideFile` keeps a body that is too large for one and answers its name, or answers
  /// `nil` for one that stays inside.
  static func line(
    _ interaction: Interaction,
    _ mark: Mark,
    sideFile: @escaping (Body) throws -> String? = { _ in nil }
  ) throws -> [UInt8] {
    // Plain text costs less than structure, and nobody reads this.
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
        // Lines that are on the cassette are overwritten by others.
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
        fix: "What a recording left cannot be taken up; move the file away to go on without."
      )
    }
    var reader = try ObjectReader(json, source: source, path: name)
    if json["windtunnelJournal"] != nil {
      try CassetteFormat.checkVersion(&reader, key: "windtunnelJournal", noun: "journal")
      if var object = try reader.object("ending") {
        guard let last = sessions.indices.last else {
          throw reader.error("ending", "no recording that could end")
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
      guard let object = try reader.object("interaction"), let last = sessions.indices.last else {
        throw reader.error("interaction", "no interaction of a recording")
      }
      var interactions = InteractionReader { file in
        if let sideFile { return try sideFile(file) }
        throw FormatError(source: source, place: name, problem: "side file \"\(file)\"")
      }
      let interaction = try interactions.interaction(object)
      sessions[last].lines.append(
        Session.Line(order: order, interaction: interaction, isPart: part != nil, place: place)
      )
    }
    try reader.refuseUnknownKeys()
  }

  /// Returns a cassette with what these recordings had got, all of one run. One that was to make
  /// the cassette anew replaces what it asked for again, by what it says (``RerecordingMerge``):
  /// what requests are played by
  /// stands in no journal. What it had not come to stays.
  static func fold(
    _ sessions: [Session],
    into cassette: Cassette,
    beside run: inout RunRecordings
  ) -> Cassette {
    var cassette = cassette
    for session in sessions {
      var new = session.lines.sorted { $0.order < $1.order }.map(\.interaction)
      // A part takes no whole recording's place.
      if session.rewrites { new.removeParts(beside: cassette.interactions) }
      // As at the end of a recording: refused connections alone are no recording.
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

  /// Returns the number of interactions that a cassette has of these recordings.
  static func count(of sessions: [Session], in folded: Cassette, beside base: Cassette) -> Int {
    let wholes = sessions.map { $0.lines.count { !$0.isPart } }
    return folded == base ? 0 : wholes.reduce(folded.newParts(beside: base), +)
  }
}

extension JournalFormat.Session {
  /// Removes parts behind which more of their exchange was written, and copies: a line that was
  /// moved for the end may stand there twice, and the further one is surely whole.
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

  /// Takes note of a line that begins with a space.
  fileprivate mutating func reserve(_ place: Range<Int>) {
    if let reserve, reserve.upperBound == place.lowerBound {
      self.reserve = reserve.lowerBound..<place.upperBound
    } else if reserve == nil, place.count >= JournalFormat.endingBytes {
      reserve = place
    }
  }
}
