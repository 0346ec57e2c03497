internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// What a subject's process is told to do, as one JSON object on its standard input.
struct Orders: Codable, Sendable {
  var subject: String
  /// The cassette's file, where it has one.
  var cassetteFile: String?
  /// The cassette's text, where it has no file.
  var cassette: Data
  /// The scenario's text.
  var scenario: Data
  var stage: String
  var errors: String
  var seed: UInt64
  /// The numbers of the calls to make, in order.
  var calls: [Int]
  var load: Load
  /// What is called how often, such as `GET /home=5`.
  var mix: [String]
  var isReadOnly: Bool
  /// How old the weather is when the first attempt comes; `nil`: it begins with that.
  var elapsedMilliseconds: Double?
  /// Where the certificate of the run's authority goes, for programs that are told whom to trust.
  var authorityFile: String?
  /// The program that is started for each call.
  var command: [String]
  var deadlineMilliseconds: Int
  var attemptTimeoutMilliseconds: Int
  /// When the scenario began, in nanoseconds of the machine's uptime: what every offset is from,
  /// whichever process tells it.
  var epochNanoseconds: UInt64

  /// A moment, counted from when the scenario began.
  func offset(of moment: DispatchTime) -> Duration {
    let begun = min(epochNanoseconds, moment.uptimeNanoseconds)
    return .microseconds(Int64((moment.uptimeNanoseconds - begun) / 1000))
  }

  /// The longest a harness waits for a call.
  var patience: Duration { CallRunner.patience(.milliseconds(deadlineMilliseconds)) }
}

/// What a subject's process tells its parent, one line each on its standard output, written before
/// what it tells of can end the process.
enum Telegram: Sendable {
  /// A call begins.
  case began(Int)
  /// An attempt came to the deck.
  case attempt(call: Int, Observation.Attempt)
  /// An attempt of a call was over.
  case attemptEnded(call: Int, AttemptEnd)
  /// A call ended; attempts are in the telegrams before.
  case ended(Observation)
  /// A program runs in a process group of this number, or has ended.
  case program(Int32, runs: Bool)
  /// The stage cannot be set up.
  case refused(String)

  /// The end of an attempt.
  struct AttemptEnd: Sendable, Hashable {
    /// Which attempt of its call, counted from zero.
    var place: Int
    /// When.
    var at: Duration
    /// How long its parts took.
    var stages = Observation.Stages()
    /// The date in the `Retry-After` that was sent.
    var retryNotBefore: Duration?
  }

  /// What a subject prints by itself does not begin so.
  private static let mark = "\u{1}"

  var line: String {
    let json: JSON =
      switch self {
      case .began(let call): ["began": .number(call)]
      case .attempt(let call, let attempt):
        ["attempt": .number(call), "met": attempt.json]
      case .attemptEnded(let call, let end):
        [
          "attemptEnded": .number(call), "place": .number(end.place),
          "atMilliseconds": .number(end.at.inMilliseconds, places: 3),
          "stages": end.stages.json ?? .null,
          "retryNotBeforeMilliseconds": end.retryNotBefore
            .map { .number($0.inMilliseconds, places: 3) } ?? .null,
        ]
      case .ended(let observation): ["ended": observation.json]
      case .program(let number, let runs):
        ["program": .number(Int(number)), "runs": .bool(runs)]
      case .refused(let reason): ["refused": .text(reason)]
      }
    return "\(Self.mark)\(json)\n"
  }

  init?(line: String) {
    guard line.hasPrefix(Self.mark),
      // A line that was cut short by the end of the process says nothing.
      let json = try? JSON(parsing: line.dropFirst(Self.mark.count).utf8, source: "")
    else { return nil }
    if let call = json["began"]?.intValue {
      self = .began(call)
    } else if let call = json["attempt"]?.intValue, let met = json["met"],
      // Only a whole line counts, and of that all reads.
      let attempt = try? Observation.Attempt(met)
    {
      self = .attempt(call: call, attempt)
    } else if let call = json["attemptEnded"]?.intValue, let place = json["place"]?.intValue,
      let moment = json["atMilliseconds"]?.doubleValue
    {
      var end = AttemptEnd(place: place, at: Duration(milliseconds: moment))
      // Only a whole line counts, and of that all reads.
      if let stages = json["stages"], stages != .null,
        let seen = try? Observation.Stages(stages)
      {
        end.stages = seen
      }
      let date = json["retryNotBeforeMilliseconds"]?.doubleValue
      end.retryNotBefore = date.map { Duration(milliseconds: $0) }
      self = .attemptEnded(call: call, end)
    } else if let ended = json["ended"],
      // The same: only a whole line counts.
      let observation = try? Observation(line: ended.bytes())
    {
      self = .ended(observation)
    } else if let number = json["program"]?.intValue, let runs = json["runs"] {
      self = .program(Int32(clamping: number), runs: runs == true)
    } else if let reason = json["refused"]?.stringValue {
      self = .refused(reason)
    } else {
      return nil
    }
  }
}
