internal import Foundation
internal import Symptoms
internal import WindTunnel
internal import WindTunnelServer

enum RecordCommand: Command {
  static let name = "record"
  static let summary = "Stand in front of a real server and record what passes."
  static let synopsis =
    "--upstream URL --cassette FILE [--as URL] [--mode MODE] [--port N] [-- CMD …]"
  static let example =
    "windtunnel record --upstream http://127.0.0.1:8000 --cassette a.json -- curl {url}/users"
  static let takesCommand = true
  static let flags = [
    Flag("--upstream", "URL", "The real server, such as http://127.0.0.1:8000."),
    Flag("--cassette", "FILE", "Where the recording is written, at the end and in one step."),
    Flag("--as", "URL", "The origin that stands on the tape instead of the upstream's."),
    Flag("--mode", "MODE", "once, new-episodes or rewrite (default: once)."),
    Flag("--redact", "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
    Flag("--personal-data", nil, "Take out e-mail addresses, telephone numbers and names, too."),
    Flag("--dates", nil, "Keep in each new interaction the day it was recorded."),
    Flag("--port", "N", "The port; 0 for any that is free (default: 0)."),
    Flag("-- CMD", nil, "Run a command with {url} and $WINDTUNNEL_URL, and stop when it ends."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let order = try RecordOrder(arguments)
    let command =
      arguments.command.isEmpty ? nil : try ClientCommand(arguments.command)
    // Read even where it is written anew: what is no cassette must not be lost to a misspelt name.
    let exists = FileManager.default.fileExists(atPath: order.file.path)
    let tape = exists ? try Cassette(contentsOf: order.file) : Cassette()
    try FileError.probeWriting(to: order.file)
    let deck = Deck(
      tape,
      matcher: .pathAndQuery,
      then: .repeat,
      mode: order.mode,
      redaction: order.redaction
    )
    let server = try await ReplayServer(deck, try order.options())
    if order.mode == .once, !tape.interactions.isEmpty {
      Terminal.complain(
        "\(order.path) has \(tape.interactions.count) interactions and is played. "
          + "To record it anew: --mode rewrite\n"
      )
    }
    let code = try await serve(server, to: command)
    await server.stop()
    try keep(deck, over: tape, order)
    return code
  }

  private static func serve(
    _ server: ReplayServer,
    to command: ClientCommand?
  ) async throws -> ExitCode {
    guard let command else {
      let interruption = Interruption()
      Terminal.answer("\(server.url)\n")
      await interruption.wait()
      return .done
    }
    let ending = try await command.run(url: server.url)
    if let complaint = ending.complaint { Terminal.complain("\(command.name) \(complaint).\n") }
    return ending.complaint == nil ? .done : .found
  }

  private static func keep(_ deck: Deck, over tape: Cassette, _ order: RecordOrder) throws {
    var (recorded, leftOut) = deck.recorded()
    if order.isDated { recorded.date(Date(), whereNotIn: tape) }
    for line in leftOut { Terminal.complain("left out: \(line)\n") }
    // Nothing new: the old text stays as it is, to the byte.
    guard recorded != tape else { return }
    let new = recorded.interactions.filter { !tape.interactions.contains($0) }
    guard !new.isEmpty else {
      return Terminal.complain("Nothing was recorded; \(order.path) is as it was.\n")
    }
    // A tape of refused connections is nobody's wish, least of all in place of a good one.
    guard !new.allSatisfy(\.isRefused) else {
      throw Refusal.upstreamGone(order.upstream.origin ?? "", order.path)
    }
    try recorded.write(to: order.file)
    Terminal.complain("\(order.path): \(recorded.interactions.count) interactions\n")
  }
}

/// What is to be recorded, where to and how.
private struct RecordOrder {
  let upstream: RequestURL
  let path: String
  let mode: RecordMode
  let redaction: RedactionRules
  let isDated: Bool
  private let origin: RequestURL?
  private let port: Int

  var file: URL { URL(filePath: path) }

  init(_ arguments: Arguments) throws(Refusal) {
    let upstream = try arguments.required("--upstream", "which server to record")
    guard let url = Self.origin(upstream, schemes: ["http"]) else {
      throw .value("--upstream", upstream, shouldBe: "a plain HTTP server as http://127.0.0.1:8000")
    }
    self.upstream = url
    path = try arguments.required("--cassette", "where the recording should be written")
    let modes: KeyValuePairs = [
      "once": RecordMode.once, "new-episodes": .newEpisodes, "rewrite": .rewrite,
    ]
    mode = try arguments.choice("--mode", modes) ?? .once
    origin = try arguments.value("--as").map { text throws(Refusal) in
      guard let url = Self.origin(text, schemes: ["http", "https"]) else {
        throw .value("--as", text, shouldBe: "an origin such as https://api.example.test")
      }
      return url
    }
    isDated = arguments.has("--dates")
    port = try arguments.int("--port", in: 0...65535) ?? 0
    redaction = try RedactionRules(arguments)
  }

  func options() throws -> ReplayServer.Options {
    var options = ReplayServer.Options()
    options.port = port
    options.recordedOrigin = origin
    options.upstream = try Upstream(upstream)
    return options
  }

  /// A whole server's address, without a path.
  private static func origin(_ text: String, schemes: [String]) -> RequestURL? {
    let url = RequestURL(text)
    guard let scheme = url.scheme, schemes.contains(scheme), url.host?.isEmpty == false,
      url.target == "/"
    else { return nil }
    return url
  }
}

extension Interaction {
  fileprivate var isRefused: Bool {
    guard case .failure(let failure) = answer else { return false }
    return failure.symptom == .connectionRefused
  }
}

extension ClientCommand.Ending {
  /// What went wrong, as the rest of a sentence.
  fileprivate var complaint: String? {
    switch self {
    case .exited(0), .interrupted: nil
    case .exited(let status): "ended with status \(status)"
    case .signalled(let signal): "was ended by signal \(signal)"
    }
  }
}
