internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// What a subject's process tells its parent, one line each on its standard output, written before
/// what it tells of can end the process.
enum WorkerMessage: Sendable {
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
