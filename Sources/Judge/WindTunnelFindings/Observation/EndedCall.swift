package import Foundation

/// The result of a call, as the client reports it.
package struct CallResult: Sendable {
  /// The way in which the call ended. The harness reports it for a client that crashed.
  package var ending: Observation.CallResult
  /// The body that the call returned.
  package var body: Data?
  /// Whether the body is the output of a program, which need not be the body of a response.
  package var isPrinted = false
  /// Whether the client chooses its requests, so that its body may be of any of them.
  package var isOfAnyRequest = false
  /// Whether the call shows content, if its body does not decide that.
  package var isShown: Bool?
  /// The number of requests that the client intended to send, if it reports it.
  package var attempts: Int?
  /// The memory of its program, if it was measured.
  package var memory: Observation.Memory?
  /// The time that its program waited for a processor, if it was measured.
  package var processorDelay: Duration?
  /// The system call in which its hung program sleeps without any deadline, or `nil` in all other
  /// cases.
  package var sleepWithoutLimit: String?

  /// Creates a result from an ending and a body.
  package init(ending: Observation.CallResult, body: Data?) {
    (self.ending, self.body) = (ending, body)
  }

  /// Returns the result of a call that succeeded.
  package static func good(_ body: Data) -> CallResult {
    CallResult(ending: .succeeded, body: body)
  }

  /// Returns the result of a call that failed: a symptom's name or `status 503`.
  package static func bad(_ reason: String) -> CallResult {
    CallResult(ending: .failed(reason), body: nil)
  }

  /// Whether the call succeeded and shows any content.
  package var hasContent: Bool { isShown ?? (ending == .succeeded && body?.isEmpty == false) }

  /// Whether the call shows content: a body that is not empty and, if it looks like JSON, can be
  /// decoded.
  package var showed: Bool {
    if let isShown { return isShown }
    guard ending == .succeeded, let body, let first = body.first else { return false }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
    // A body that cannot be decoded cannot be shown, for any reason.
    return (try? JSON(parsing: body, source: "")) != nil
  }
}

/// The observations of a call at its end. Evidence is derived from them.
package struct EndedCall: Sendable {
  /// The result; `nil` if the call did not return.
  package let result: CallResult?
  /// The key of the request that the call is for.
  package let key: RequestKey
  /// The bodies on the cassette.
  package let bodies: RecordedBodies
  /// The texts on the cassette.
  package let texts: RecordedTexts
  /// Whether the server intentionally changed a response to another valid one.
  package let hasMutation: Bool
  /// Whether a successful call returned a recorded body; `nil` if they were not compared.
  package let bodyMatches: Bool?
  /// The first requests. The client may print their secrets.
  package var requests: [Request] = []
  /// The versions of bodies in the responses, in order.
  package var versions: [AnsweredVersion] = []
  /// The point at which the last response was cut, if that was a stream of events.
  package var cut: CutStream?
  /// Whether the last response was a stream that ended with an error event.
  package var endsInErrorEvent = false
  /// The origins of the servers whose responses at an app's start are all changed.
  package var rogues: Set<String> = []
  /// The origins of the servers that failed a probe.
  package var failedProbes: Set<String> = []
  /// The configurations that an app's start received and that the call used.
  package var configuration: Observation.ConfigurationUse?
  /// Whether the call returned an earlier copy, if the client reports it.
  package var isStale: Bool?
  /// The messages of conversations that the client reports as received.
  package var received: ReceivedMessages?
  /// The time from the end of the scenario's last time window to the call's end.
  package var afterWindow: Duration?

  /// Creates a call from its result and the recordings with which it is compared.
  package init(
    _ result: CallResult?,
    of key: RequestKey,
    against bodies: RecordedBodies,
    _ texts: RecordedTexts,
    hasMutation: Bool
  ) {
    (self.result, self.key, self.bodies, self.texts) = (result, key, bodies, texts)
    self.hasMutation = hasMutation
    let isCompared = !hasMutation && result?.ending == .succeeded
    bodyMatches = isCompared ? result.flatMap { bodies.match($0, key) } : nil
  }

  /// The result of a call that succeeded.
  var success: CallResult? { result?.ending == .succeeded ? result : nil }

  /// The result of a successful call, if it can be compared with the recordings.
  var comparable: CallResult? { hasMutation ? nil : success }
}
