internal import WindTunnelServer

/// The names of the calls of programs, in a network of their own: each call's has the address of
/// the loopback interface, and whoever looks it up is told so late.
///
/// A program's own look-up is late by that, as its user's would be, and its limits for look-ups,
/// for connections and for answers each see what is theirs.
final class LateNames: Sendable {
  /// The network that the programs are started in.
  let network: PrivateNetwork
  /// A domain that nobody can have (RFC 6761 §6.2).
  static let domain = "drill.test"
  private static let prefix = "call-"
  private let server: DNSServer

  /// Makes the network and answers in it.
  ///
  /// - Parameters:
  ///   - delay: How long each answer takes.
  ///   - asked: Told of each question: of which call, and when it will have its answer from now on.
  /// - Throws: `DrillError` where there is no such network.
  init(
    after delay: Duration,
    asked: @escaping @Sendable (_ call: Int, _ delay: Duration) -> Void
  ) async throws {
    do throws(PrivateNetwork.Refusal) {
      network = try PrivateNetwork()
    } catch {
      throw DrillError.harness("a network of the program's own is not to be had: \(error)")
    }
    let entry = DNSEntry(
      "*.\(Self.domain)",
      // It can be kept for as long as a call takes, by whoever keeps names.
      addresses: [DNSAddress("127.0.0.1")].compactMap { $0 },
      seconds: 60,
      delay: delay
    )
    server = try await DNSServer(DNSScript([entry]), in: network) { decision in
      if let call = Self.call(of: decision.name) { asked(call, decision.delay) }
    }
  }

  /// Returns the name of a call's lane.
  func host(of lane: Lane) -> String {
    "\(Self.prefix)\(lane.call.map(String.init) ?? "").\(Self.domain)"
  }

  private static func call(of name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(".\(domain)") else { return nil }
    return Int(name.dropFirst(prefix.count).dropLast(domain.count + 1))
  }

  /// Stops the server that answers.
  func stop() async { await server.stop() }
}

extension Scenario {
  /// Tells whether look-ups of names are delayed in it.
  var looksUpLate: Bool { (link?.dnsDelay ?? .zero) > .zero }

  /// The same weather where names have been looked up in front of the deck.
  var withoutLookUps: Scenario {
    var scenario = self
    scenario.link?.dnsDelay = .zero
    return scenario
  }
}
