internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// The kinds of fault as a client in process can tell them apart, by the request that meets them:
/// of several of which it is handed the same at the same time, one is flown for all.
struct FaultClasses {
  /// Kinds of which one stands for the others.
  struct Class: Sendable, Hashable {
    /// The one that is flown: the first in the list, which begins with what is mild and frequent.
    var kind: FaultKind
    /// The names of the others.
    var others: [String]
  }

  /// The kinds that no flow is flown with, each with the reason.
  private(set) var notCarried: [(kind: String, reason: String)] = []
  /// The kinds that are tried, before equal ones are put together.
  let kinds: [FaultKind]
  private let cassette: Cassette
  private let matcher: Matcher
  private let errors: Symptom.Platform
  private var known: [String: [Class]] = [:]

  init(_ cassette: Cassette, _ matcher: Matcher, errors: Symptom.Platform) {
    (self.cassette, self.matcher, self.errors) = (cassette, matcher, errors)
    var kinds: [FaultKind] = []
    var notCarried: [(kind: String, reason: String)] = []
    for kind in Self.frequent + FaultKind.all where !kinds.contains(where: { $0.name == kind.name })
    {
      let scenario = Scenario("", rules: [.always(.always, kind.fault)])
      if scenario.hasUnboundedBodies {
        notCarried.append((kind.name, "It fills the memory of whoever sets no limit."))
      } else if kind.fault.ability(lackingOn: .inProcess) != nil {
        notCarried.append((kind.name, "Only a socket can carry it."))
      } else {
        kinds.append(kind)
      }
    }
    (self.kinds, self.notCarried) = (kinds, notCarried)
  }

  /// The kinds that stand first: mild ones before grave ones, and what happens every day before
  /// what does not. Those that the catalogue does not have differ in a parameter.
  private static let frequent: [FaultKind] = {
    func known(_ name: String) -> [FaultKind] { FaultKind.named(name).map { [$0] } ?? [] }
    return known("status-503")
      + [FaultKind("delay-2s", .http, .delay(.seconds(2)))]
      + known("reset-after-request")
      + [
        FaultKind("status-500", .http, .status(500)),
        FaultKind("status-502", .http, .status(502)),
        FaultKind("status-504", .http, .status(504)),
        FaultKind("status-401", .http, .status(401)),
        FaultKind("status-404", .http, .status(404)),
        FaultKind("status-409", .http, .status(409)),
      ]
      + known("status-429") + known("retry-after-seconds")
      + [
        FaultKind("delay-10s", .http, .delay(.seconds(10))),
        FaultKind("delay-30s", .http, .delay(.seconds(30))),
      ]
      + known("stall-after-request") + known("refused") + known("close-in-body")
      + known("reset-in-body") + known("close-after-request")
  }()

  /// Returns the classes of a request, by its key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - request: A request of that key.
  /// - Returns: The classes, the mildest and most frequent first.
  mutating func classes(of key: String, _ request: Request) -> [Class] {
    if let known = known[key] { return known }
    let calm = handed(request, nil)
    var places: [Handed: Int] = [:]
    var classes: [Class] = []
    for kind in kinds {
      let handed = handed(request, kind.fault)
      if handed == calm { continue }
      if case .impossible(let reason) = handed.ending {
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

  /// Returns the things that a client is handed that sends a request.
  private func handed(_ request: Request, _ fault: Fault?) -> Handed {
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
