/// The possible fault-set elements of a flow, given the requests that it makes.
struct FaultSetElements {
  private let plan: SearchPlan
  private var classes: FaultClasses
  private var requests: [String: Request] = [:]
  private var noted: Set<String> = []
  /// The kinds that represent others, for the requests that were observed.
  private(set) var equals: [SearchReport.Equals] = []

  /// Creates the elements for a plan's cassette.
  init(_ drill: DrillPlan, _ plan: SearchPlan) {
    self.plan = plan
    classes = FaultClasses(drill.cassette, drill.matcher, errors: drill.errors)
    for interaction in drill.cassette.interactions {
      let key = drill.matcher.key(interaction.request).text
      requests[key] = requests[key] ?? interaction.request
    }
  }

  /// The kinds that no flow can run with, and the reasons.
  var notCarried: [SearchReport.NotCarried] {
    classes.notCarried.map { SearchReport.NotCarried($0.kind, $0.reason) }
  }

  /// Returns the elements that can be added to a fault set after a run of the flow, each with its
  /// rank. A lower rank means a more frequent fault.
  mutating func all(after run: FlowRun, beside others: [FaultSetElement]) -> [(
    FaultSetElement, Int
  )] {
    var elements: [(FaultSetElement, Int)] = []
    var keys: [String] = []
    var credentials: Set<String> = []
    for (place, attempt) in zip(run.places, run.attempts) {
      if attempt.sent?.credentials.isEmpty == false { credentials.insert(place.key) }
      if !keys.contains(place.key) { keys.append(place.key) }
      for (rank, one) in classes(of: place.key).enumerated() {
        elements.append((element(place.key, .attempt(place.ordinal), one.kind), rank))
      }
    }
    let refusal = FaultKind("status-401", .http, .status(401))
    for key in keys {
      for (rank, one) in classes(of: key).enumerated() where one.kind.fault.replacesOrCuts {
        elements.append((element(key, .every, one.kind), rank + 4))
      }
      if credentials.contains(key) { elements.append((element(key, .untilRenewed, refusal), 0)) }
    }
    if !credentials.isEmpty, keys.count > 1 {
      elements.append((element(nil, .untilRenewed, refusal), 0))
    }
    // An outage with another element is only tried by adding the other element to the outage.
    if others.allSatisfy(\.isOutage) { elements += outages(in: run).map { ($0, 8) } }
    elements += interruptions(of: run).map { ($0, 2) }
    return elements
  }

  private func element(
    _ key: String?,
    _ reach: FaultSetElement.Reach,
    _ kind: FaultKind
  ) -> FaultSetElement {
    .fault(FaultSetElement.FaultElement(key: key, reach: reach, kind: kind.name, fault: kind.fault))
  }

  private mutating func classes(of key: String) -> [FaultClasses.Class] {
    guard let request = requests[key] else { return [] }
    let found = classes.classes(of: key, request)
    if noted.insert(key).inserted {
      equals += found.map {
        SearchReport.Equals(request: key, kind: $0.kind.name, others: $0.others)
      }
    }
    return found
  }

  /// The kinds of outages, and below their durations.
  private static let outages = FaultClasses.known("status-503", "refused", "stall-after-request")
  private static let outageTimes: [Duration] = [.seconds(2), .seconds(15), .seconds(120)]

  /// Returns outages of a host and of its endpoints for some time. The client must recover when
  /// they end.
  private func outages(in run: FlowRun) -> [FaultSetElement] {
    var (starts, keys): (Set<Duration>, Set<String>) = ([], [])
    var elements: [FaultSetElement] = []
    for (place, attempt) in zip(run.places, run.attempts) {
      let start = (attempt.start ?? .zero) - run.start
      let ofAll: [String?] = starts.insert(start).inserted ? [nil] : []
      for key in ofAll + (keys.insert(place.key).inserted ? [place.key] : []) {
        for time in Self.outageTimes {
          for kind in Self.outages {
            elements.append(element(key, .window(start, start + time), kind))
          }
        }
      }
    }
    return elements
  }

  /// Returns interruptions by the user: during a request, and between two requests.
  private func interruptions(of run: FlowRun) -> [FaultSetElement] {
    let moments = run.moments
    var elements: [FaultSetElement] = []
    if plan.restarts { elements += moments.map { .interruption(.restart(after: $0)) } }
    guard plan.cancels else { return elements }
    for step in run.steps {
      guard let end = step.end else { continue }
      for moment in moments where moment > step.start && moment < end {
        let after = moment - step.start
        elements.append(.interruption(.cancel(step: step.name, after: after)))
      }
    }
    if run.steps.isEmpty {
      elements += moments.map { .interruption(.cancel(step: nil, after: $0)) }
    }
    return elements
  }
}

extension FlowRun {
  /// The times between two events of the flow: in the middle of each request and each pause,
  /// including the pause before the first request.
  fileprivate var moments: [Duration] {
    var events: Set<Duration> = [.zero]
    for attempt in attempts {
      if let moment = attempt.start { events.insert(moment - start) }
      if let moment = attempt.end { events.insert(moment - start) }
    }
    events.insert(observation.latency)
    let sorted = events.sorted()
    return zip(sorted, sorted.dropFirst()).compactMap { before, after in
      let middle = before + (after - before) / 2
      return middle > before && middle < after && middle < observation.latency ? middle : nil
    }
  }
}
