internal import Dispatch
internal import Foundation
internal import WindTunnelServer

/// The job of a client process, as one JSON object on its standard input.
struct WorkerJob: Codable, Sendable {
  var subject: String
  /// The cassette's file, if it has one.
  var cassetteFile: String?
  /// The cassette's text, if it has no file.
  var cassette: Data
  /// The text of the scenario.
  var scenario: Data
  var stage: String
  var errors: String
  var httpVersions = HTTPVersions.any.rawValue
  var seed: UInt64
  /// The numbers of the calls to make, in order.
  var calls: [Int]
  var load: Load
  /// The requests with their weights, such as `GET /home=5`.
  var mix: [String]
  var isReadOnly: Bool
  /// The number of calls that make each request at least once; `nil` in a scenario with faults.
  var coveringCalls: Int?
  /// The query parameters that are ignored when requests are compared.
  var ignoredQuery: [String] = []
  /// The age of the scenario at the first attempt. `nil` means that the scenario begins with it.
  var elapsedMilliseconds: Double?
  /// The file of the authority's certificate, for programs that can be configured to trust it.
  var authorityFile: String?
  /// The program that is started for each call, or once.
  var command: [String]
  var deadlineMilliseconds: Int
  var attemptTimeoutMilliseconds: Int
  /// The time at which the scenario began, in nanoseconds of the machine's uptime. All offsets of
  /// all processes count from it.
  var epochNanoseconds: UInt64
  /// The age of the scenario in nanoseconds when this process begins, if it runs in virtual time.
  /// It is the time that the earlier processes took. `nil` in real time.
  var worldAge: UInt64?

  /// The time at which the scenario began, for a process that begins now.
  var epoch: DispatchTime {
    guard let worldAge else { return DispatchTime(uptimeNanoseconds: epochNanoseconds) }
    return DispatchTime(uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds - worldAge)
  }

  /// The maximum time that a harness waits for a call.
  var patience: Duration { DrillCall.patience(.milliseconds(deadlineMilliseconds)) }

  /// Removes the files that were written for the client.
  func clearUp() {
    // A file that was never written does not exist.
    if let authorityFile { try? FileManager.default.removeItem(atPath: authorityFile) }
  }
}

/// A message of a client process to its parent, one line on its standard output. It is written
/// before the reported event can end the process.
enum WorkerMessage: Sendable {
  /// A call has just begun.
  case began(Int, at: Duration)
  /// An attempt reached the deck.
  case attempt(call: Int, Observation.Attempt)
  /// Some faults of an attempt were not applied. Without them, its response may be complete.
  case undone(call: Int, place: Int, [Observation.Attempt.UnappliedFault], isWhole: Bool = false)
  /// The whole request of an attempt was received, and has facts to report.
  case sent(call: Int, place: Int, Observation.Sent)
  /// An attempt of a call has ended.
  case attemptEnded(call: Int, AttemptEnd)
  /// A conversation that an attempt has begun, as far as it was observed.
  case conversed(call: Int, place: Int, ConversationLog)
  /// A call ended. Its attempts were in earlier messages.
  case ended(Observation)
  /// The connections of all calls, counted after the last call.
  case connections(ClientRun.Connections)
  /// The program of a call hangs.
  case hung(call: Int, ProgramHang)
  /// A program runs in a process group of this number, or has ended.
  case program(Int32, runs: Bool)
  /// The stage cannot be set up.
  case refused(String)
  /// The command cannot be run as it is.
  case unfit(String)
  /// A program that is started once ended without a response. The text is the reason, if the drill
  /// has had no response at all.
  case unanswered(String)

  /// The end of an attempt.
  struct AttemptEnd: Sendable, Hashable {
    /// The index of the attempt in its call, counted from zero.
    var place: Int
    /// The time of the end.
    var at: Duration
    /// The durations of its stages.
    var stages = ExchangeStages()
    /// The date in the `Retry-After` that was sent.
    var retryNotBefore: Duration?
    /// The status that was sent, if it depends on the whole request. `nil` means the status that
    /// was reported before.
    var status: Int?
    /// The bytes of the content that were sent before the client closed the connection; `nil` if it
    /// did not.
    var bytesSent: Int?
  }

  /// The beginning of every message. Output of a client does not begin with it.
  private static let mark = "\u{1}"

  var line: String {
    let (name, value, call, place): (JSON.Text, JSON, Int?, Int?) =
      switch self {
      case .began(let call, let moment): ("began", .milliseconds(moment), call, nil)
      case .attempt(let call, let attempt): ("attempt", attempt.json, call, nil)
      case .undone(let call, let place, let faults, let isWhole):
        (isWhole ? "undoneWhole" : "undone", .array(faults.map(\.json)), call, place)
      case .sent(let call, let place, let sent): ("sent", sent.json ?? [:], call, place)
      case .attemptEnded(let call, let end): ("attemptEnded", end.json, call, nil)
      case .conversed(let call, let place, let log): ("conversed", log.json, call, place)
      case .ended(let observation): ("ended", observation.json, nil, nil)
      case .connections(let seen): ("connections", seen.json, nil, nil)
      case .hung(let call, let hang): ("hung", hang.json, call, nil)
      case .program(let number, let runs): ("program", .bool(runs), Int(number), nil)
      case .refused(let reason): ("refused", .text(reason), nil, nil)
      case .unfit(let reason): ("unfit", .text(reason), nil, nil)
      case .unanswered(let reason): ("unanswered", .text(reason), nil, nil)
      }
    var members = [JSON.Member(name, value)]
    members.add("number", call.map { .number($0) })
    members.add("place", place.map { .number($0) })
    return "\(Self.mark)\(JSON.object(members))\n"
  }

  init?(line: String) {
    guard line.hasPrefix(Self.mark),
      // A line that was cut off by the end of the process is ignored.
      let json = try? JSON(parsing: line.dropFirst(Self.mark.count).utf8, source: ""),
      case .object(let members) = json, let first = members.first,
      // A message counts only if all of its line is valid.
      let message = try? Self(first.name.value, first.value, json)
    else { return nil }
    self = message
  }

  /// Reads a message by its first member; returns `nil` if a value is missing.
  private init?(_ name: String, _ value: JSON, _ json: JSON) throws(FormatError) {
    switch (name, value, json["number"]?.intValue, json["place"]?.intValue) {
    case ("began", _, let call?, _):
      guard let moment = value.doubleValue else { return nil }
      self = .began(call, at: Duration(milliseconds: moment))
    case ("attempt", _, let call?, _): self = .attempt(call: call, try Observation.Attempt(value))
    case ("undone", .array(let all), let call?, let place?),
      ("undoneWhole", .array(let all), let call?, let place?):
      // Faults that cannot be read are omitted.
      let faults = all.compactMap { try? Observation.Attempt.UnappliedFault($0) }
      self = .undone(call: call, place: place, faults, isWhole: name == "undoneWhole")
    case ("sent", _, let call?, let place?):
      self = .sent(call: call, place: place, try Observation.Sent(value))
    case ("attemptEnded", _, let call?, _): self = .attemptEnded(call: call, try AttemptEnd(value))
    case ("conversed", _, let call?, let place?):
      self = .conversed(call: call, place: place, try ConversationLog(value))
    case ("ended", _, _, _): self = .ended(try Observation(value))
    case ("connections", _, _, _): self = .connections(try ClientRun.Connections(value))
    case ("hung", _, let call?, _): self = .hung(call: call, try ProgramHang(value))
    case ("program", .bool(let runs), let number?, _):
      self = .program(Int32(clamping: number), runs: runs)
    case ("refused", .string(let reason), _, _): self = .refused(reason.value)
    case ("unfit", .string(let reason), _, _): self = .unfit(reason.value)
    case ("unanswered", .string(let reason), _, _): self = .unanswered(reason.value)
    default: return nil
    }
  }
}

extension WorkerMessage.AttemptEnd: JSONObject {
  static let blank = Self(place: 0, at: .zero)

  mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = ("place", "an end requires its place and its time")
    try fields.int("place", &place, in: 0...Int.max, missing)
    try fields.time("atMilliseconds", &at, missing)
    if fields.isReading {
      stages = try fields.object.object("stages").map(ExchangeStages.init(reading:)) ?? stages
    } else {
      fields.write("stages", stages.json)
    }
    try fields.time("retryNotBeforeMilliseconds", &retryNotBefore)
    try fields.int("status", &status, in: 0...999)
    try fields.int("bytesSent", &bytesSent, in: 0...Int.max)
  }
}

extension ProgramHang: JSONObject {
  static let blank = Self()

  mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.time("waitedMilliseconds", &waited)
    try fields.string("asleep", &asleep)
  }
}
