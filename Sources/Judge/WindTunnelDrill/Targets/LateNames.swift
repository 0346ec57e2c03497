internal import WindTunnelServer

/// The host names of programs' calls, in a network of their own. Each call's name resolves to the
/// address of the loopback interface, after a delay.
///
/// The program's own name resolution is late by this delay, as it would be for its user. Its
/// separate timeouts for resolution, connections and responses therefore each measure their own
/// part.
final class LateNames: Sendable {
  /// The network that the programs are started in.
  let network: PrivateNetwork
  /// A reserved domain that does not exist (RFC 6761 §6.2).
  static let domain = "drill.test"
  private static let prefix = "call-"
  private let server: DNSServer

  /// Creates the network and its name server.
  ///
  /// - Parameters:
  ///   - delay: The delay of each response.
  ///   - asked: Receives each query: the number of its call, and the time until its response.
  /// - Throws: `DrillError` if the network cannot be created.
  init(
    after delay: Duration,
    asked: @escaping @Sendable (_ call: Int, _ delay: Duration) -> Void
  ) async throws {
    do throws(PrivateNetwork.Unavailable) {
      network = try PrivateNetwork()
    } catch {
      throw DrillError.harness(
        "this system does not allow a separate network for the program: \(error)"
      )
    }
    let entry = DNSEntry(
      "*.\(Self.domain)",
      // A client that caches names can keep it for as long as a call takes.
      addresses: [DNSAddress("127.0.0.1")].compactMap { $0 },
      seconds: 60,
      delay: delay
    )
    server = try await DNSServer(DNSScript([entry]), in: network) { decision in
      if let call = Self.call(of: decision.name) { asked(call, decision.delay) }
    }
  }

  /// Returns the host name of a call's lane.
  func host(of lane: Lane) -> String {
    "\(Self.prefix)\(lane.call.map(String.init) ?? "").\(Self.domain)"
  }

  private static func call(of name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(".\(domain)") else { return nil }
    return Int(name.dropFirst(prefix.count).dropLast(domain.count + 1))
  }

  /// Stops the name server.
  func stop() async { await server.stop() }
}

extension Scenario {
  /// Whether name resolution is delayed in the scenario.
  var looksUpLate: Bool { (link?.dnsDelay ?? .zero) > .zero }

  /// The same scenario for calls whose names are resolved before they reach the deck.
  var withoutLookUps: Scenario {
    var scenario = self
    scenario.link?.dnsDelay = .zero
    return scenario
  }
}
