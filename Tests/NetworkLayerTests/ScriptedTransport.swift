import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

/// Answers the n-th request with the n-th step, and keeps when it was asked. With a session, the
/// session answers the requests without a step of their own.
final class ScriptedTransport: Transport, @unchecked Sendable {
  struct Step {
    /// `nil`: the session's.
    var outcome: AttemptOutcome?
    var takes = Duration.zero

    static func recorded(takes: Duration = .zero) -> Step { Step(takes: takes) }

    static func status(
      _ status: Int,
      _ headers: Headers = [:],
      body: String = "",
      takes: Duration = .zero
    ) -> Step {
      let answer = ServerResponse(status: status, headers: headers, body: Data(body.utf8))
      return Step(outcome: .success(answer), takes: takes)
    }

    static func symptom(_ symptom: Symptom, takes: Duration = .zero) -> Step {
      Step(outcome: .failure(.failed(symptom, text: symptom.rawValue)), takes: takes)
    }
  }

  private let lock = NSLock()
  private let script: [Step]
  private let session: URLSessionTransport?
  private let time: ManualTime
  private var kept: [(instant: Duration, request: URLRequest)] = []

  init(_ script: [Step], _ session: URLSession? = nil, time: ManualTime) {
    self.script = script
    self.session = session.map { URLSessionTransport(session: $0) }
    self.time = time
  }

  /// When each attempt came.
  var instants: [Duration] { lock.withLock { kept.map(\.instant) } }
  /// What each attempt sent.
  var requests: [URLRequest] { lock.withLock { kept.map(\.request) } }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    let number = lock.withLock {
      kept.append((time.uptime, request))
      return kept.count
    }
    let step = number <= script.count ? script[number - 1] : Step()
    if step.takes > .zero {
      do { try await time.sleep(for: step.takes) } catch { throw .cancelled }
    }
    if let outcome = step.outcome { return try outcome.get() }
    guard let session else { throw .failed(.unknown, text: "past the script's end") }
    do throws(TransportError) {
      let answer = try await session.send(request)
      return ServerResponse(status: answer.status, headers: answer.headers, body: answer.body)
    } catch {
      // The words of a session differ by system.
      if case .failed(let symptom, _) = error { throw .failed(symptom, text: symptom.rawValue) }
      throw error
    }
  }
}

extension Fixture {
  /// What each request had in a header field.
  func sent(_ field: String) -> [String?] {
    transport.requests.map { $0.value(forHTTPHeaderField: field) }
  }
}
