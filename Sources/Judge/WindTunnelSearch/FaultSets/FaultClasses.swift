internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// The kinds of faults that a client in process can distinguish, by request. If the client receives
/// the same response at the same time for several kinds, only one of them runs.
struct FaultClasses {
  /// Kinds with the same effect, one of which represents the others.
  struct Class: Sendable, Hashable {
    /// The kind that runs: the first in the list, which begins with mild and frequent kinds.
    var kind: FaultKind
    /// The names of the other kinds.
    var others: [String]
  }

  /// The kinds that no flow runs with, each with the reason.
  private(set) var notCarried: [(kind: String, reason: String)] = []
  /// The kinds that are tried, before kinds with the same effect are combined.
  let kinds: [FaultKind]
  private let cassette: Cassette
  private let matcher: Matcher
  private let errors: Symptom.Platform
  private var known: [String: [Class]] = [:]

  init(_ cassette: Cassette, _ matcher: Matcher, errors: Symptom.Platform) {
    (self.cassette, self.matcher, self.errors) = (cassette, matcher, errors)
    var kinds: [FaultKind] = []
    for kind in Self.frequent + FaultKind.all where !kinds.contains(where: { $0.name == kind.name })
    {
      let scenario = Scenario("", rules: [.always(.always, kind.fault)])
      if scenario.hasUnboundedBodies {
        notCarried.append((kind.name, "It fills the memory of a client without a limit."))
      } else if kind.fault.ability(lackingOn: .inProcess) != nil {
        notCarried.append((kind.name, "It requires a socket."))
      } else {
        kinds.append(kind)
      }
    }
    self.kinds = kinds
  }

  /// The first kinds: mild before severe ones, and frequent before rare ones. Kinds that are not in
  /// the catalogue differ from it in a parameter.
  private static let frequent: [FaultKind] =
    known("status-503") + late(2) + known("reset-after-request")
    + [500, 502, 504, 401, 404, 409].map { FaultKind("status-\($0)", .http, .status($0)) }
    + known("status-429", "retry-after-seconds") + late(10, 30)
    + known("stall-after-request", "refused", "close-in-body", "reset-in-body")
    + known("close-after-request")

  static func known(_ names: String...) -> [FaultKind] {
    names.compactMap { FaultKind.named($0) }
  }

  private static func late(_ seconds: Int...) -> [FaultKind] {
    seconds.map { FaultKind("delay-\($0)s", .http, .delay(.seconds($0))) }
  }

  /// Returns the classes of a request, by its key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - request: A request with that key.
  /// - Returns: The classes, the mildest and most frequent first.
  mutating func classes(of key: String, _ request: Request) -> [Class] {
    if let known = known[key] { return known }
    let calm = handed(request, nil)
    var places: [DeliveredResult: Int] = [:]
    var classes: [Class] = []
    for kind in kinds {
      let handed = handed(request, kind.fault)
      if handed == calm { continue }
      if case .failure(.impossible(let reason))? = handed.result {
        if !notCarried.contains(where: { $0.kind == kind.name }) {
          notCarried.append((kind.name, reason))
        }
        continue
      }
      if let place = places[handed] {
        classes[place].others.append(kind.name)
      } else {
        places[handed] = classes.count
        classes.append(Class(kind: kind, others: []))
      }
    }
    known[key] = classes
    return classes
  }

  /// Returns everything that a client receives for a request.
  private func handed(_ request: Request, _ fault: Fault?) -> DeliveredResult {
    let rules = fault.map { [FaultRule.on("/**", .always, $0)] } ?? []
    let deck = Deck(
      cassette,
      scenario: Scenario("class", rules: rules),
      options: PlaybackOptions(matcher: matcher, then: .repeat, keepsRequests: false)
    )
    let exchange = DirectExchange(deck, lane: .deck, errors: errors)
    return exchange.handed(for: request, at: DrillPlan.beginning)
  }
}
