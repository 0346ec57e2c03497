internal import Foundation
internal import WindTunnelSymptoms

// What a stage makes of a recorded failure.
extension Script {
  /// Returns how a connection ends so that a client sees a symptom. A client that left once is kept
  /// waiting until it leaves again.
  func ending(_ symptom: Symptom) -> Delivery.Step {
    switch (stage, symptom) {
    case (_, .cancelled): .stall
    case (.inProcess, _): .fail(symptom)
    case (.onTheWire, .connectionLost): .reset
    case (.onTheWire, .timedOut): .stall
    case (.onTheWire, _): .close
    }
  }

  mutating func fail(_ symptom: Symptom) {
    switch (stage, symptom) {
    case (.inProcess, _), (.onTheWire, .connectionLost), (.onTheWire, .timedOut),
      (.onTheWire, .emptyAnswer), (.onTheWire, .malformedResponse), (.onTheWire, .cancelled):
      recordedCut = Cut(
        offset: nil,
        ending: ending(symptom),
        isMalformed: symptom == .malformedResponse
      )
    case (.onTheWire, _):
      refuse("The recorded failure \(symptom.rawValue) happens before there is a request")
    }
  }

  /// Says why a recording cannot be replayed on a connection.
  mutating func refuse(_ reason: String) {
    let notice = Self.notice(502, reason + "; a server cannot replay it on a connection it has.\n")
    (head, body) = (notice.head, notice.body.data)
  }
}
