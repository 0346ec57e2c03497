internal import WindTunnel

extension DrillPlan {
  /// Refuses weights and gates that speak of requests which no call makes: such a weight would change
  /// nothing, and such a gate could not be told, however many calls are flown.
  func refuseWhatNothingIs() throws(DrillError) {
    let recorded = cassette.interactions.map(\.request)
    for share in mix.shares where !recorded.contains(where: { share.request.matches($0) }) {
      throw .plan(
        "--mix \(share.text): nothing on the cassette is \(share.request). There are "
          + "\(Self.list(recorded.map(\.endpointName)))."
      )
    }
    let called = itinerary.all
    for gate in gates where !called.contains(where: { gate.isAbout($0) }) {
      let why =
        asked.isReadOnly && !mix.isReadOnly
        ? " A program whose command has no {method} is given the GETs alone." : ""
      throw .plan(
        "gate \"\(gate)\": no call is of such a request. There are "
          + "\(Self.list(called.map(\.endpointName))).\(why)"
      )
    }
  }

  private static let listedMax = 10

  private static func list(_ names: [String]) -> String {
    var seen: Set<String> = []
    let all = names.filter { seen.insert($0).inserted }
    return all.prefix(listedMax).joined(separator: ", ") + (all.count > listedMax ? ", …" : "")
  }
}

extension Request {
  /// Such as `GET /home`.
  fileprivate var endpointName: String { "\(method) \(url.path)" }
}
