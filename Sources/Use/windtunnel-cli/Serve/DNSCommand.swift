enum DNSCommand: Command {
  static let name = "dns"
  static let summary = "Answer DNS queries from a script, for your own resolvers."
  static let synopsis = "--script FILE [--port N] [--seed N]"
  static let example = "windtunnel dns --script names.json --port 5353"
  static let flags = [
    Flag("--script", "FILE", "Script with the records and faults for each client."),
    Flag("--seed", "N", "Seed of all random draws (default: 1)."),
    Flag("--port", "N", "Port to listen on, with UDP and TCP; 0 for any free one (default: 0)."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let file = URL(typed: try arguments.required("--script", "the DNS script"))
    let seed = try arguments.seed()
    let port = try arguments.int("--port", in: 0...65535) ?? 0
    let script: DNSScript
    do { script = try DNSScript(contentsOf: file) } catch let error as FormatError {
      throw CommandError.usage("\(error)")
    }
    try ToolEnvironment.needProcess()
    let server = try await DNSServer(script, seed: seed, port: port) { decision in
      Terminal.complain("\(decision.line)\n")
    }
    let interruption = Interruption()
    try Terminal.announce("127.0.0.1:\(server.port)\n")
    await interruption.wait()
    await server.stop()
    return .done
  }
}
