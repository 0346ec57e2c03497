internal import Dispatch
internal import Foundation
internal import WindTunnel

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
  /// The age of the scenario when the first attempt comes; `nil`: it begins with that.
  var elapsedMilliseconds: Double?
  /// The file of the authority's certificate, for programs that are told whom to trust.
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
  var patience: Duration { DrillCall.patience(.milliseconds(deadlineMilliseconds)) }

  /// Removes what was written for the subject.
  func clearUp() {
    // One that was never written is gone already.
    if let authorityFile { try? FileManager.default.removeItem(atPath: authorityFile) }
  }
}
