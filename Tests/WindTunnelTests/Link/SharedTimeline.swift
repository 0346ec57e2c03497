@testable import WindTunnelLink

/// The simulated times of several exchanges on one connection of a link.
///
/// Times have the origin of the exchanges' beginnings.
struct SharedTimeline: Sendable, Hashable {
  /// A request and its response.
  struct Exchange: Sendable, Hashable {
    /// The time of the request.
    var start = Duration.zero
    /// The length of the request, head and body.
    var requestBytes: Int
    /// The length of the response, head and body.
    var responseBytes: Int
    /// The draws that decide about the exchange's packets.
    var draws: ConnectionDraws
  }

  /// The stages of each exchange before its response.
  private(set) var stages: [ExchangeStages] = []
  /// The arrivals of each response's bytes at the client, in order.
  private(set) var arrivals: [[ExchangeTimeline.ReceivedBytes]] = []
  /// The time at which the client has each whole response; `nil` if it never has.
  private(set) var done: [Duration?]

  /// Simulates exchanges, in the order of their beginnings.
  ///
  /// - Parameters:
  ///   - link: The path.
  ///   - isSecure: Whether TLS 1.3 is used, which costs the first exchange one more round trip.
  ///   - exchanges: The exchanges, the earliest first.
  init(_ link: Link, isSecure: Bool = false, _ exchanges: [Exchange]) {
    done = Array(repeating: nil, count: exchanges.count)
    arrivals = Array(repeating: [], count: exchanges.count)
    let connection = LinkConnection()
    var waiting: [(number: Int, at: Duration, path: LinkPath)] = []
    var shapers: [(number: Int, shaper: Shaper)] = []
    var now = exchanges.first?.start ?? .zero
    while true {
      while stages.count < exchanges.count, exchanges[stages.count].start <= now {
        let exchange = exchanges[stages.count]
        var path = LinkPath(link: link, draws: exchange.draws)
        path.exchange = LinkExchange(on: connection, at: exchange.start)
        let travel = path.travel(requestBytes: exchange.requestBytes, isSecure: isSecure)
        if let travel { waiting.append((stages.count, exchange.start + travel, path)) }
        stages.append(path.stages(requestBytes: exchange.requestBytes, isSecure: isSecure))
      }
      for (number, _, path) in waiting.filter({ $0.at <= now }) {
        let exchange = exchanges[number]
        var shaper = path.responseShaper(behind: exchange.requestBytes, isSecure: isSecure)
        _ = shaper.send(max(1, exchange.responseBytes), at: now)
        shapers.append((number, shaper))
      }
      waiting.removeAll { $0.at <= now }
      for index in shapers.indices {
        let (number, bytes) = (shapers[index].number, shapers[index].shaper.arrived(at: now))
        if bytes > arrivals[number].last?.totalBytes ?? 0 {
          arrivals[number].append(.init(at: now, totalBytes: bytes))
        }
        if bytes == max(1, exchanges[number].responseBytes) { done[number] = now }
      }
      shapers.removeAll { done[$0.number] != nil }
      let next = [
        stages.count < exchanges.count ? exchanges[stages.count].start : nil,
        waiting.map(\.at).min(), shapers.first?.shaper.nextMoment,
      ]
      guard let moment = next.compactMap(\.self).min(), moment - now < .seconds(3600) else {
        return
      }
      now = moment
    }
  }
}
