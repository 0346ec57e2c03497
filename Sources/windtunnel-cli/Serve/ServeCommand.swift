internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "Play a cassette on a port, for clients in any language."
  static let operandsMax = 1
  static let synopsis = "FILE [--scenario NAME|FILE] [--match FILE] [--port N] [--tls]"
  static let example = "windtunnel serve Cassettes/examples/shop.json --port 8080"
  static let flags =
    [
      Flag("--cassette", "FILE", "What is played; the same as FILE alone."),
      Flag("--scenario", "NAME|FILE", "The weather (default: calm)."),
      MatchFlag.flag("method, path and query"),
      Flag("--refresh-dates", nil, "Move dates in answers by the time that has gone by since."),
      Flag("--seed", "N", "What all draws start from (default: 1)."),
      Flag("--speed", "K", "1: as slow as recorded, 2: twice as fast, 0: at once (default: 0)."),
      Flag("--port", "N", "The port; 0 for any that is free (default: 0)."),
      BindFlag.flag,
      AllowOriginFlag.flag,
      ServingTLS.flag,
      ServingTLS.fileFlag,
      Flag("--watch", nil, "Read cassette, rules and scenario again when they are saved."),
      AdminFlag.flag,
    ] + LimitFlags.flags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let tls = try ServingTLS(arguments)
    let order = try ServeOrder(arguments)
    let reload = arguments.has("--watch") ? try Reload(order) : nil
    let cassette = try order.loadCassette()
    let clock: @Sendable () -> Date = { Date() }
    let unanswered = Unanswered()
    let deck = Deck(
      cassette,
      scenario: try order.scenario(),
      seed: UInt64(try arguments.int("--seed", in: 0...Int.max) ?? 1),
      options: PlaybackOptions(
        matcher: try order.matcher(),
        then: .repeat,
        pace: try arguments.number("--speed", in: 0...1000).map { .times($0) } ?? .immediately,
        refreshingDates: arguments.has("--refresh-dates") ? clock : nil
      ),
      observe: { unanswered.observe($0) }
    )
    var options = ReplayServer.Options()
    options.port = try arguments.int("--port", in: 0...65535) ?? 0
    options.host = try BindFlag.host(arguments) ?? options.host
    options.origins = try AllowOriginFlag.policy(arguments)
    options.isReloaded = reload != nil
    options.limits = try LimitFlags.limits(arguments)
    options.admin = try AdminFlag.admin(arguments) { order.refusal(ofNext: $0) }
    options.tls = try tls.begin()
    if let sentence = OpenFiles.raise() { Terminal.complain("\(sentence)\n") }
    let server = try await ReplayServer(deck, options)
    if arguments.has("--refresh-dates") { complainOfUndated(cassette, order.cassette.relativePath) }
    let interruption = Interruption()
    let following = Task { await reload?.follow(server, deck, playing: cassette) }
    try Terminal.announce(server.addresses)
    await interruption.wait()
    following.cancel()
    await server.stop()
    unanswered.end()
    return .done
  }

  private static func complainOfUndated(_ cassette: Cassette, _ path: String) {
    let (count, all) = (cassette.undatedCount, cassette.interactions.count)
    guard count > 0 else { return }
    Terminal.complain(
      "\(path): answers with neither Date nor recordedAt, whose dates stay as they are: \(count) of "
        + "\(all). Give each its \"recordedAt\", or record them anew with record --dates.\n"
    )
  }
}
