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
  case connections(ClientRun.Connections)
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
        ["began": .number(call), "atMilliseconds": .milliseconds(moment)]
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
          "atMilliseconds": .milliseconds(end.at),
          "stages": end.stages.json ?? .null,
          "retryNotBeforeMilliseconds": .orNull(end.retryNotBefore),
          "status": .orNull(end.status), "bytesSent": .orNull(end.bytesSent),
        ]
      case .conversed(let call, let place, let log):
        ["conversed": .number(call), "place": .number(place), "seen": log.json]
      case .ended(let observation): ["ended": observation.json]
      case .connections(let seen): ["connections": seen.json]
      case .hung(let call, let hang):
        [
          "hung": .number(call), "waitedMilliseconds": .orNull(hang.waited),
          "asleep": .orNull(hang.asleep),
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
      let json = try? JSON(parsing: line.dropFirst(Self.mark.count).utf8, source: ""),
      case .object(let members) = json, let first = members.first,
      // Only a whole line counts, and of that all reads.
      let message = try? Self(first.name.value, first.value, json)
    else { return nil }
    self = message
  }

  /// Reads a message by its first member; returns `nil` if a value is missing.
  private init?(_ name: String, _ value: JSON, _ json: JSON) throws(FormatError) {
    let (number, place, text) = (value.intValue, json["place"]?.intValue, value.stringValue)
    func time(_ name: String) -> Duration? {
      json[name]?.doubleValue.map { Duration(milliseconds: $0) }
    }
    switch (name, number, place) {
    case ("began", let call?, _):
      guard let moment = time("atMilliseconds") else { return nil }
      self = .began(call, at: moment)
    case ("attempt", let call?, _):
      guard let met = json["met"] else { return nil }
      self = .attempt(call: call, try Observation.Attempt(met))
    case ("undone", let call?, let place?):
      guard case .array(let faults)? = json["faults"] else { return nil }
      // A fault that does not read is left out.
      let undone = faults.compactMap { try? Observation.Attempt.Undone($0) }
      self = .undone(call: call, place: place, undone, isWhole: json["whole"] == true)
    case ("sent", let call?, let place?):
      guard let values = json["values"] else { return nil }
      self = .sent(call: call, place: place, try Observation.Sent(values))
    case ("attemptEnded", let call?, let place?):
      guard let moment = time("atMilliseconds") else { return nil }
      var end = AttemptEnd(place: place, at: moment)
      // Stages that do not read are left out.
      end.stages = json["stages"].flatMap { try? ExchangeStages($0) } ?? ExchangeStages()
      end.retryNotBefore = time("retryNotBeforeMilliseconds")
      (end.status, end.bytesSent) = (json["status"]?.intValue, json["bytesSent"]?.intValue)
      self = .attemptEnded(call: call, end)
    case ("conversed", let call?, let place?):
      guard let seen = json["seen"] else { return nil }
      self = .conversed(call: call, place: place, try ConversationLog(seen))
    case ("ended", _, _): self = .ended(try Observation(value))
    case ("connections", _, _): self = .connections(try ClientRun.Connections(value))
    case ("hung", let call?, _):
      let asleep = json["asleep"]?.stringValue
      self = .hung(call: call, ProgramHang(waited: time("waitedMilliseconds"), asleep: asleep))
    case ("program", let number?, _):
      guard let runs = json["runs"] else { return nil }
      self = .program(Int32(clamping: number), runs: runs == true)
    default:
      switch (name, text) {
      case ("refused", let reason?): self = .refused(reason)
      case ("unfit", let reason?): self = .unfit(reason)
      case ("unanswered", let reason?): self = .unanswered(reason)
      default: return nil
      }
    }
  }
}
