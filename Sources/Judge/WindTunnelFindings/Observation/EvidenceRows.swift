// The rows that several rules or figures need. A row that one rule needs is in the rule's file.

extension EvidenceRows {
  /// The rows of this file that reports list after the rows of the rules.
  var shared: [any EvidenceRow] {
    [
      showsResponseOf, received, isStale, memory, processorDelay, afterWindow, cancellation,
      notOnCassette,
    ]
  }

  /// The time from a program's start to its first sign at the server. The system must create a
  /// process and load its code before there is a client. `nil` if no program was started for the
  /// call, or if the server received no sign of it.
  public var startUp: Evidence<Duration> { Evidence("startUpMilliseconds", JSONFields.fact) }

  /// The request whose recorded response a successful call returned in place of its own, such as
  /// `GET /items?page=2`, or ``Observation/portalPage``. `nil` if it returned none of these, or if
  /// it was not compared.
  public var showsResponseOf: Evidence<String> {
    Evidence("showsResponseOf", JSONFields.fact) { call in
      guard let result = call.success else { return nil }
      // A client cannot recognise any other response that was changed intentionally.
      if call.hasMutation {
        return call.bodies.showsPortalPage(result) ? Observation.portalPage : nil
      }
      // The recorded response of the call itself is not another response.
      return call.bodyMatches == true ? nil : call.bodies.other(result, call.key)
    }
  }

  /// The messages of conversations that the client reports as received, or `nil` if it reports
  /// none.
  public var received: Evidence<ReceivedMessages> {
    Evidence("received", JSONFields.fact) { $0.received }
  }

  /// Whether the call returned an earlier copy, or `nil` if the client does not report it.
  public var isStale: Evidence<Bool> { Evidence("stale", JSONFields.fact) { $0.isStale } }

  /// The memory of the client's program during the call, or `nil` if it was not measured.
  public var memory: Evidence<Observation.Memory> {
    Evidence("memory", JSONFields.fact) { $0.result?.memory }
  }

  /// The time that the client's program waited for a processor during the call. It is caused by the
  /// machine and not by the client.
  ///
  /// It is the longest wait among its threads (`run_delay` of Linux's scheduler statistics). It
  /// counts from the first sign at the server, or from the program's start if there was no sign.
  /// `nil` if the wait was short or not measured.
  public var processorDelay: Evidence<Duration> {
    Evidence("processorDelayMilliseconds", JSONFields.fact) { call in
      call.result?.processorDelay.map { .microseconds($0.wholeMicroseconds) }
    }
  }

  /// The time from the end of the scenario's last time window to the call's end. `nil` if no window
  /// ends, or if the call ended earlier.
  public var afterWindow: Evidence<Duration> {
    Evidence("afterWindowMilliseconds", JSONFields.fact) { $0.afterWindow }
  }

  /// The cancellation of the call by its caller, or `nil` if there was none.
  public var cancellation: Evidence<Observation.Cancellation> {
    Evidence("cancelled", JSONFields.fact)
  }

  /// The first request of the call that is not on the cassette, with the most similar recorded
  /// request. `nil` if all requests are on the cassette, or if the call crashed or hung. Such a
  /// call shows nothing about the client.
  public var notOnCassette: Evidence<String> { Evidence("notOnCassette", JSONFields.fact) }
}

extension Observation {
  /// The minimum wait for a processor after which a program is not judged by its times. Clients
  /// have timeouts from one second on, and the last half second of a wait may not be measured.
  static let longestProcessorDelay = Duration.milliseconds(500)
  /// The maximum extra time of a program for its waits. A program in a busy loop waits as well, and
  /// does not end.
  package static let longestGrant = Duration.seconds(120)

  /// Whether the program waited so long for a processor that its times may be caused by the
  /// machine.
  var isStarved: Bool { self.processorDelay.map { $0 >= Self.longestProcessorDelay } ?? false }
}
