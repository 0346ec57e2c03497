internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

enum RecordCommand: Command {
  static let name = "record"
  static let summary = "Stand in front of a real server and record what passes."
  static let synopsis = "--upstream URL --cassette FILE [--as URL] [--port N] [-- CMD …]"
  static let example =
    "windtunnel record --upstream http://127.0.0.1:8000 --cassette api.json "
    + "--as https://api.example.test -- curl -s {url}/users"
  static let takesCommand = true
  static let flags = [
    Flag("--upstream", "URL", "The real server, such as http://127.0.0.1:8000."),
    Flag("--cassette", "FILE", "Where the recording is written, at the end and in one step."),
    Flag("--as", "URL", "The origin that stands on the tape instead of the upstream's."),
    Flag("--mode", "MODE", "once, new-episodes or rewrite (default: once)."),
    Flag("--dates", nil, "Keep in each new interaction the day it was recorded."),
    Flag("--port", "N", "The port; 0 for any that is free (default: 0)."),
    Flag("-- CMD", nil, "Run a command with {url} and $WINDTUNNEL_URL, and stop when it ends."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let upstreamURL = RequestURL(try arguments.required("--upstream", "which server to record"))
    let path = try arguments.required("--cassette", "where the recording should be written")
    let file = URL(filePath: path)
    let mode =
      try arguments.choice(
        "--mode",
        ["once": RecordMode.once, "new-episodes": .newEpisodes, "rewrite": .rewrite]
      ) ?? .once
    var options = ReplayServer.Options()
    options.port = try arguments.int("--port", in: 0...65535) ?? 0
    options.recordedOrigin = try origin(arguments)
    // Read even where it is written anew: what is no cassette must not be lost to a misspelt name.
    let exists = FileManager.default.fileExists(atPath: file.path)
    let tape = exists ? try Cassette(contentsOf: file) : Cassette()
    try FileError.probeWriting(to: file)
    options.upstream = try Upstream(upstreamURL)
    if mode == .once, !tape.interactions.isEmpty {
      Terminal.complain(
        "\(path) has \(tape.interactions.count) interactions and is played. "
          + "To record it anew: --mode rewrite\n"
      )
    }
    let deck = Deck(tape, matcher: .pathAndQuery, then: .repeat, mode: mode)
    let server = try await ReplayServer(deck, options)
    let status: Int32
    if arguments.command.isEmpty {
      Terminal.answer("\(server.url)\n")
      await Interruption.wait()
      status = 0
    } else {
      status = try await Client.run(arguments.command, url: server.url)
    }
    await server.stop()
    try write(deck, over: tape, to: file, dated: arguments.has("--dates"))
    if status != 0 { Terminal.complain("\(arguments.command[0]) ended with status \(status).\n") }
    return status == 0 ? .done : .software
  }

  private static func origin(_ arguments: Arguments) throws -> RequestURL? {
    guard let text = try arguments.value("--as") else { return nil }
    let url = RequestURL(text)
    guard let scheme = url.scheme, ["http", "https"].contains(scheme), url.host?.isEmpty == false,
      url.target == "/"
    else {
      throw Refusal.usage(
        "--as \(text): an origin such as https://api.example.test should stand here."
      )
    }
    return url
  }

  private static func write(
    _ deck: Deck,
    over tape: Cassette,
    to file: URL,
    dated: Bool
  ) throws {
    var (recorded, leftOut) = deck.recorded()
    if dated { recorded.date(Date(), whereNotIn: tape) }
    for line in leftOut { Terminal.complain("left out: \(line)\n") }
    // Nothing new: the old text stays as it is, to the byte.
    guard recorded != tape else { return }
    guard !recorded.interactions.isEmpty else {
      Terminal.complain("Nothing was recorded; \(file.relativePath) is as it was.\n")
      return
    }
    try recorded.write(to: file)
    Terminal.complain("\(file.relativePath): \(recorded.interactions.count) interactions\n")
  }
}

/// A command that is run against the server while it records.
private enum Client {
  static func run(_ command: [String], url: String) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command.map { $0.replacing("{url}", with: url) }
    var environment = ProcessInfo.processInfo.environment
    environment["WINDTUNNEL_URL"] = url
    process.environment = environment
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }
}
