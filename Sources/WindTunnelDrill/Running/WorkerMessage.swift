internal import Dispatch
internal import Foundation

/// The job of a subject's process, as one JSON object on its standard input.
struct WorkerJob: Codable, Sendable {
  var subject: String
  /// The cassette's file, where it has one.
  var cassetteFile: String?
  /// The cassette's text, where it has no file.
  var cassette: Data
  /// The text of the scenario.
  var scenario: Data
  var stage: String
  var errors: String
  var seed: UInt64
  /// The numbers of the calls to make, in order.
  var calls: [Int]
  var load: Load
  /// The requests with their weights, such as `GET /home=5`.
  var mix: [String]
  var isReadOnly: Bool
  /// The number of calls that make each request at least once; `nil` in a scenario with faults.
  var coveringCalls: Int?
  /// The query parameters that no request is compared by.
  var ignoredQuery: [String] = []
  /// The age of the scenario when the first attempt comes; `nil`: it begins with that.
  var elapsedMilliseconds: Double?
  /// The file of the authority's certificate, for programs that are told whom to trust.
  var authorityFile: String?
  /// The program that is started for each call, or once.
  var command: [String]
  var deadlineMilliseconds: Int
  var attemptTimeoutMilliseconds: Int
  /// The moment at which the scenario began, in nanoseconds of the machine's uptime: what every
  /// offset is from, whichever process tells it.
  var epochNanoseconds: UInt64
  /// The age of the scenario, in nanoseconds, when this process begins, if it runs in virtual time:
  /// the time that the processes before it took. `nil` in real time.
  var worldAge: UInt64?

  /// The moment at which the scenario began, for a process that begins now.
  var epoch: DispatchTime {
    guard let worldAge else { return DispatchTime(uptimeNanoseconds: epochNanoseconds) }
    return DispatchTime(uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds - worldAge)
  }

  /// The longest a harness waits for a call.
  var patience: Duration { DrillCall.patience(.milliseconds(deadlineMilliseconds)) }

  /// Removes what was written for the subject.
  func clearUp() {
    // One that was never written is gone already.
    if let authorityFile { try? FileManager.default.removeItem(atPath: authorityFile) }
  }
}

/// A message of a subject's process to its parent, one line on its standard output, written before
/// what it is about can end the process.
enum WorkerMessage: Sendable {
  /// A call has just begun.
  case began(Int, at: Duration)
  /// An attempt came to the deck.
  case attempt(call: Int, Observation.Attempt)
  /// Some faults of an attempt were not done, and without them its response may be whole.
  case undone(call: Int, place: Int, [Observation.Attempt.Undone], isWhole: Bool = false)
  /// The whole request of an attempt has come, and says something.
  case sent(call: Int, place: Int, Observation.Sent)
  /// An attempt of a call was over.
  case attemptEnded(call: Int, AttemptEnd)
  /// A conversation that an attempt has begun: all that was seen of it so far.
  case conversed(call: Int, place: Int, ConversationLog)
  /// A call ended; its attempts are in the messages before.
  case ended(Observation)
  /// The connections of the calls that were made, counted behind the last of them.
  case connections(Flight.Connections)
  /// The program of a call hangs.
  case hung(call: Int, ProgramHang)
  /// A program runs in a process group of this number, or has ended.
  case program(Int32, runs: Bool)
  /// The stage cannot be set up.
  case refused(String)
  /// The command is not one that can be flown as it is.
  case unfit(String)
  /// A program that is started once ended without an answer: why it is none, where nothing of the
  /// drill has been answered.
  case unanswered(String)

  /// The end of an attempt.
  struct AttemptEnd: Sendable, Hashable {
    /// The attempt's place among those of its call, counted from zero.
    var place: Int
    /// The moment of it.
    var at: Duration
    /// The lengths of its parts.
    var stages = ExchangeStages()
    /// The date in the `Retry-After` that was sent.
    var retryNotBefore: Duration?
    /// The status that was sent, where only the whole request could say it; `nil`: the one that was
    /// told before.
    var status: Int?
    /// The bytes of the content that were sent before the client left; `nil` if it stayed.
    var bytesSent: Int?
  }

  /// The beginning of every message; what a subject prints by itself does not begin so.
  private static let mark = "\u{1}"

  var line: String {
    let json: JSON =
      switch self {
      case .began(let call, let moment):
        ["began": .number(call), "atMilliseconds": .number(moment.inMilliseconds, places: 3)]
      case .attempt(let call, let attempt):
        ["attempt": .number(call), "met": attempt.json]
      case .undone(let call, let place, let faults, let isWhole):
        [
          "undone": .number(call), "place": .number(place), "faults": .array(faults.map(\.json)),
          "whole": .bool(isWhole),
        ]
      case .sent(let call, let place, let sent):
        ["sent": .number(call), "place": .number(place), "values": sent.json ?? [:]]
      case .attemptEnded(let call, let end):
        [
          "attemptEnded": .number(call), "place": .number(end.place),
          "atMilliseconds": .number(end.at.inMilliseconds, places: 3),
          "stages": end.stages.json ?? .null,
          "retryNotBeforeMilliseconds": end.retryNotBefore
            .map { .number($0.inMilliseconds, places: 3) } ?? .null,
          "status": end.status.map { .number($0) } ?? .null,
          "bytesSent": end.bytesSent.map { .number($0) } ?? .null,
        ]
      case .conversed(let call, let place, let log):
        ["conversed": .number(call), "place": .number(place), "seen": log.json]
      case .ended(let observation): ["ended": observation.json]
      case .connections(let seen): ["connections": seen.json]
      case .hung(let call, let hang):
        [
          "hung": .number(call),
          "waitedMilliseconds": hang.waited.map { .number($0.inMilliseconds, places: 3) } ?? .null,
          "asleep": hang.asleep.map { .text($0) } ?? .null,
        ]
      case .program(let number, let runs):
        ["program": .number(Int(number)), "runs": .bool(runs)]
      case .refused(let reason): ["refused": .text(reason)]
      case .unfit(let reason): ["unfit": .text(reason)]
      case .unanswered(let reason): ["unanswered": .text(reason)]
      }
    return "\(Self.mark)\(json)\n"
  }

  init?(line: String) {
    guard line.hasPrefix(Self.mark),
      // A line that was cut short by the end of the process says nothing.
      let json = try? JSON(parsing: line.dropFirst(Self.mark.count).utf8, source: "")
    else { return nil }
    if let call = json["began"]?.intValue, let moment = json["atMilliseconds"]?.doubleValue {
      self = .began(call, at: Duration(milliseconds: moment))
    } else if let call = json["attempt"]?.intValue, let met = json["met"],
      // Only a whole line counts, and of that all reads.
      let attempt = try? Observation.Attempt(met)
    {
      self = .attempt(call: call, attempt)
    } else if let call = json["undone"]?.intValue, let place = json["place"]?.intValue,
      case .array(let faults)? = json["faults"]
    {
      self = .undone(
        call: call,
        place: place,
        // Only a whole line counts, and of that all reads.
        faults.compactMap { fault in
          try? Observation.Attempt.Undone(
            reading: ObjectReader(fault, source: "a subject's process", path: "")
          )
        },
        isWhole: json["whole"] == true
      )
    } else if let call = json["sent"]?.intValue, let place = json["place"]?.intValue,
      let values = json["values"],
      // Only a whole line counts, and of that all reads.
      let sent = try? Observation.Sent(values)
    {
      self = .sent(call: call, place: place, sent)
    } else if let call = json["attemptEnded"]?.intValue, let place = json["place"]?.intValue,
      let moment = json["atMilliseconds"]?.doubleValue
    {
      var end = AttemptEnd(place: place, at: Duration(milliseconds: moment))
      // Only a whole line counts, and of that all reads.
      if let stages = json["stages"], stages != .null,
        let seen = try? ExchangeStages(stages)
      {
        end.stages = seen
      }
      let date = json["retryNotBeforeMilliseconds"]?.doubleValue
      end.retryNotBefore = date.map { Duration(milliseconds: $0) }
      end.status = json["status"]?.intValue
      end.bytesSent = json["bytesSent"]?.intValue
      self = .attemptEnded(call: call, end)
    } else if let call = json["conversed"]?.intValue, let place = json["place"]?.intValue,
      let seen = json["seen"],
      // The same: only a whole line counts.
      let log = try? ConversationLog(seen)
    {
      self = .conversed(call: call, place: place, log)
    } else if let ended = json["ended"],
      // The same: only a whole line counts.
      let observation = try? Observation(line: ended.bytes())
    {
      self = .ended(observation)
    } else if let seen = json["connections"],
      // The same: only a whole line counts.
      let connections = try? Flight.Connections(seen)
    {
      self = .connections(connections)
    } else if let call = json["hung"]?.intValue {
      let waited = json["waitedMilliseconds"]?.doubleValue.map { Duration(milliseconds: $0) }
      self = .hung(call: call, ProgramHang(waited: waited, asleep: json["asleep"]?.stringValue))
    } else if let number = json["program"]?.intValue, let runs = json["runs"] {
      self = .program(Int32(clamping: number), runs: runs == true)
    } else if let reason = json["refused"]?.stringValue {
      self = .refused(reason)
    } else if let reason = json["unfit"]?.stringValue {
      self = .unfit(reason)
    } else if let reason = json["unanswered"]?.stringValue {
      self = .unanswered(reason)
    } else {
      return nil
    }
  }
}
