internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

extension CassettePlace {
  /// What a loopback server of a deck needs: where it records, the server that it stands in front of.
  ///
  /// - Throws: `CassetteProblem` where nobody says which server that is, or where it cannot be used.
  func wire(for deck: Deck, _ settings: CassetteSettings) throws -> ReplayServer.Options {
    var options = Tunnel.standardOptions
    guard records(deck) else { return options }
    guard let (name, place) = settings.upstream(of: deck.origin) else {
      throw CassetteProblem(
        """
        On the wire \(file.path) cannot be recorded: requests name only the loopback server, and \
        nothing says which server it stands for. Name it, \
        .cassette(…, mapping: ["api.example.com": "https://api.example.com"]), or record in process, \
        without .onTheWire.
        """
      )
    }
    do {
      options.upstream = try Upstream(place)
    } catch {
      throw CassetteProblem("On the wire \(file.path) cannot be recorded. \(error)")
    }
    if name.origin != place.origin { options.recordedOrigin = name }
    return options
  }
}

extension CassetteSettings {
  /// The server that a recording on the wire stands in front of: what it is called on the cassette, and
  /// where it is. `nil` where neither the cassette nor the only host that is mapped tells.
  func upstream(of origin: RequestURL?) -> (name: RequestURL, place: RequestURL)? {
    if let origin, let host = origin.host {
      let names = (origin.effectivePort.map { ["\(host):\($0)"] } ?? []) + [host]
      // The name with a port says more. Keys that differ in case alone have an order, too.
      let keys = options.mapping.keys.sorted()
      let key = names.lazy.compactMap { name in keys.first { $0.lowercased() == name } }.first
      let mapped = key.flatMap { options.mapping[$0] }
      return (origin, mapped ?? origin)
    }
    guard options.mapping.count == 1, let (name, place) = options.mapping.first else { return nil }
    // What is mapped is a host; it is asked for by https, or as a server that bears its own name.
    let isItself = place.host == RequestURL("http://\(name)").host
    return (RequestURL("\(isItself ? place.scheme ?? "https" : "https")://\(name)"), place)
  }
}
