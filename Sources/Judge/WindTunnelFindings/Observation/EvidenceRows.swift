// The rows that several rules or figures need. A row that one rule needs is in the rule's file.

extension EvidenceRows {
  /// The rows of this file that have their place behind those of the rules.
  var shared: [any EvidenceRow] {
    [
      showsResponseOf, received, isStale, memory, processorDelay, afterWindow, cancellation,
      notOnCassette,
    ]
  }

  /// The time from a program's start to its first sign at the server: a process has to be created
  /// and its code loaded before there is a client. `nil` if no program was started for the call, or
  /// if the server saw nothing of it.
  public var startUp: Evidence<Duration> { Evidence("startUpMilliseconds", JSONFields.fact) }

  /// The endpoint whose recorded response a successful call returned in place of its own, or
  /// ``Observation/portalPage``; `nil` if it returned none of these, or was not compared.
  public var showsResponseOf: Evidence<String> {
    Evidence("showsResponseOf", JSONFields.fact) { call in
      guard let result = call.success else { return nil }
      // Whatever else the server changed on purpose no client can tell.
      if call.hasMutation {
        return call.bodies.showsPortalPage(result) ? Observation.portalPage : nil
      }
      // What was recorded for it is nothing else.
      return call.bodyMatches == true ? nil : call.bodies.other(result, call.key)
    }
  }

  /// The messages of conversations that the client says it received; `nil` if it does not say.
  public var received: Evidence<ReceivedMessages> {
    Evidence("received", JSONFields.fact) { $0.received }
  }

  /// Whether the call returned an earlier copy; `nil` if the client does not say.
  public var isStale: Evidence<Bool> { Evidence("stale", JSONFields.fact) { $0.isStale } }

  /// The memory of the client's program in the call; `nil` if it was not measured.
  public var memory: Evidence<Observation.Memory> {
    Evidence("memory", JSONFields.fact) { $0.result?.memory }
  }

  /// The time that the client's program waited for a processor in the call, which is the machine's
  /// and not the client's: the longest among its threads since the server first saw it, or since
  /// its start if the server never did (`run_delay` of Linux's scheduler statistics). `nil` if that
  /// was short or not measured.
  public var processorDelay: Evidence<Duration> {
    Evidence("processorDelayMilliseconds", JSONFields.fact) { call in
      call.result?.processorDelay.map { .microseconds($0.wholeMicroseconds) }
    }
  }

  /// The time from the end of the scenario's last time window to the call's end; `nil` if it has
  /// none that ends, or if the call ended before.
  public var afterWindow: Evidence<Duration> {
    Evidence("afterWindowMilliseconds", JSONFields.fact) { $0.afterWindow }
  }

  /// The cancellation of the call by its caller; `nil` if there was none.
  public var cancellation: Evidence<Observation.Cancellation> {
    Evidence("cancelled", JSONFields.fact)
  }

  /// The first request of the call that is not on the cassette, with the nearest one that is; `nil`
  /// if all are, and of a call that crashed or hung. Such a call shows nothing about the client.
  public var notOnCassette: Evidence<String> { Evidence("notOnCassette", JSONFields.fact) }
}

extension Observation {
  /// A program that waited so long for a processor is not judged by its times: clients have
  /// time-outs from a second on, and the last half second of a wait may be unseen.
  static let longestProcessorDelay = Duration.milliseconds(500)
  /// A program gets no more than that for its waits for a processor: one that spins waits as well,
  /// and does not end.
  package static let longestGrant = Duration.seconds(120)

  /// Whether the program waited so long for a processor that its times may be the machine's.
  var isStarved: Bool { self.processorDelay.map { $0 >= Self.longestProcessorDelay } ?? false }
}
