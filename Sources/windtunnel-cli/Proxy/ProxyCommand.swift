internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

enum ProxyCommand: Command {
  static let name = "proxy"
  static let summary = "Fly any client, or a phone, through bad weather: an HTTP proxy."
  static let synopsis =
    "[--scenario NAME …] [--cassette FILE | --record FILE] [--open-tls] [--lan] …"
  static let example = "windtunnel proxy --lan --scenario metro.json --report flight.html"
  static let flags =
    [
      Flag("--scenario", "NAME|FILE", "The weather (default: calm); several: n goes to the next."),
      Flag("--cassette", "FILE", "Answers for the hosts on it; other hosts are passed on to."),
      Flag("--record", "FILE", "Record what passes, closed tunnels aside; FILE is played, too."),
      MatchFlag.flag("method and URL"),
      ServingTLS.openFlag,
      ServingTLS.fileFlag,
      Flag("--upstream-ca", "FILE", "open-tls: trust these certificates, not the machine's (PEM)."),
    ] + RedactionFlags.flags(prefix: "record") + [
      Flag(
        "--dates",
        nil,
        "record: keep in each new interaction the day on which it was recorded."
      ),
      EncodingsFlag.recordFlag,
      Flag(
        IgnoredHost.name,
        "HOST",
        "record: a host whose requests pass unrecorded and in no weather."
      ),
      Flag("--lan", nil, "Listen to the local network, for who gives a code, for two hours."),
      Flag("--bind", "ADDR", "lan: the address to listen at, where there are several."),
      Flag("--client", "ADDR", "lan: the device to serve, without a code."),
      AllowPrivateFlag.flag,
      Flag("--for", "TIME", "End after so long, such as 30m (default: 2h with --lan)."),
      Flag("--report", "FILE", "Write what was seen, as FILE.html or FILE.json."),
      Flag("--seed", "N", "What all draws start from (default: 1)."),
      Flag("--port", "N", "The port; 0 for any that is free (default: 0)."),
      AdminFlag.flag,
    ] + LimitFlags.flags + LimitFlags.originFlags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try ProxyOrder(arguments)
    let recording = try order.recordFile.map {
      try ProxyRecording($0, order.matcher, isDated: order.isDated)
    }
    let deck = try order.deck(recording)
    let flight = ProxyFlight(deck, order.scenarios)
    var options = try order.options()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    options.proxy?.observe = { flight.note($0) }
    options.admin?.swapped = { flight.begin($0) }
    options.proxy?.notice = { flight.note($0) }
    let server = try await ReplayServer(deck, options)
    let start = ContinuousClock.now
    let ends = ProxyEnds(after: order.duration, scenarioCount: order.scenarios.count)
    defer { ends.restore() }
    try order.announce(server)
    for await event in ends.events {
      guard flight.take(event) else { break }
    }
    ends.restore()
    await server.stop()
    // What cannot be written takes nothing else with it.
    var problem: (any Error)?
    var isWhole = true
    do { isWhole = try recording?.keep(deck) ?? true } catch { problem = error }
    let report = flight.report(seed: deck.seed, duration: .now - start)
    for file in order.reports {
      let data = file.pathExtension == "html" ? report.htmlData() : report.jsonData()
      do {
        try FileError.writing(data, to: file)
        Terminal.complain("\(file.relativePath): the report\n")
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
    return deck.tellUnasked(after: isWhole ? .done : .cannotWrite)
  }
}
