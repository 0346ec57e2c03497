public import Foundation

/// An observer that writes one line of JSON for each finished attempt and each finished call.
///
/// ```json
/// {"attempt":1,"call":7,"elapsedMilliseconds":31,"engine":"URLSessionTransport","environment":"production","event":"attempt","host":"api.example.test","method":"GET","result":"connectionLost","template":"/users/{id}"}
/// ```
///
/// If the transport measures stages, the line of an attempt has them under `stageMilliseconds`:
/// `nameLookup`, `connect`, `secureConnection`, `send`, `wait` and `receive`.
///
/// Neither full URLs nor header fields nor content are written, so that no secret is.
public final class JSONLines: Observer {
  private struct EventLine: Encodable {
    var event: String
    var call: Int
    var attempt: Int?
    var attempts: Int?
    var method: String
    var template: String
    var host: String?
    var environment: String
    var engine: String?
    var trace: String?
    var span: String?
    var status: Int?
    var result: String
    var businessCode: String?
    var source: String?
    var bytes: Int?
    var elapsedMilliseconds: Int
    var stageMilliseconds: [String: Double]?
  }

  private struct StartupLine: Encodable {
    var event = "startup"
    var name: String
    var probes: Int?
    var elapsedMilliseconds: Int?
  }

  private struct State {
    var keeper = RecordKeeper()
    /// The span of each call's current attempt.
    var spans: [Int: String] = [:]
  }

  private let state = Locked(State())
  private let writeData: @Sendable (Data) -> Void

  /// Creates an observer with a closure that receives whole lines, each with its line feed.
  public init(_ write: @escaping @Sendable (Data) -> Void) { writeData = write }

  /// Writes a line if the event ends an attempt or a call.
  public func observe(_ event: CallEvent) {
    let line = state.withLock { state -> EventLine? in
      guard let record = state.keeper.hear(event) else { return nil }
      switch event.kind {
      case .attemptStarted(_, let request, _):
        state.spans[event.call] = request.spanID
        return nil
      case .attemptEnded(let number, let outcome):
        var line = Self.line("attempt", record, Self.name(outcome))
        line.attempt = number
        line.span = state.spans.removeValue(forKey: event.call)
        line.stageMilliseconds = record.response.stages?.milliseconds
        return line
      case .callEnded(let result, let attempts):
        var line = Self.line("call", record, record.state.rawValue)
        line.attempts = attempts
        switch result {
        case .success(let answer): line.source = "\(answer.source)"
        case .failure(let error):
          line.result = error.name
          if case .business(let code, _) = error { line.businessCode = code }
        }
        return line
      default: return nil
      }
    }
    if let line { write(line) }
  }

  /// Writes a line for an event of the app's start, without its details.
  public func observeStartup(_ event: StartupEvent) {
    var line = StartupLine(name: event.name)
    if case .dialed(let record) = event {
      line.probes = record.candidates.reduce(0) { $0 + $1.requests }
      line.elapsedMilliseconds = Int((record.elapsed.seconds * 1000).rounded())
    }
    write(line)
  }

  private func write(_ line: some Encodable) {
    // Strings and whole numbers can always be encoded.
    guard let data = try? JSONEncoder.ofRequests.encode(line) else { return }
    writeData(data + Data("\n".utf8))
  }

  private static func line(_ event: String, _ record: CallRecord, _ result: String) -> EventLine {
    EventLine(
      event: event,
      call: record.call,
      method: record.request.method,
      template: record.request.template,
      host: record.request.host,
      environment: record.system.environment,
      engine: record.system.engine,
      trace: record.system.traceID,
      status: record.response.status,
      result: result,
      bytes: record.response.status.map { _ in record.response.bytes },
      elapsedMilliseconds: Int((record.counters.elapsed.seconds * 1000).rounded())
    )
  }

  private static func name(_ outcome: AttemptOutcome) -> String {
    switch outcome {
    case .success: "answered"
    case .failure(let error): error.asNetworkError.name
    }
  }
}
