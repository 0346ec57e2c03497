enum CassetteConvertCommand: Command {
  static let name = "cassette convert"
  static let summary = "Convert a HAR file to a cassette, or a cassette to a HAR file."
  static let synopsis = "IN.har OUT.json | IN.json OUT.har [--keep-secrets]"
  static let example = "windtunnel cassette convert browser.har Cassettes/browser.json"
  static let operandsMax = 2
  static let flags =
    [
      Flag("--keep-secrets", nil, "Keep credentials and cookies.")
    ] + RedactionFlags.flags

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let input = try arguments.operand(0, "IN", "the file to read")
    let output = try arguments.operand(1, "OUT", "the file to write")
    let (from, to) = (URL(typed: input), URL(typed: output))
    let keeps = arguments.has("--keep-secrets")
    let rules = try RedactionRules(arguments)
    guard !keeps || rules == .standard else {
      throw CommandError.usage(
        "--keep-secrets redacts nothing; pass it without "
          + "\(RedactionFlags.names) and \(RedactionFlags.personalData)."
      )
    }
    let (count, warnings): (Int, [String])
    switch (from.pathExtension.lowercased(), to.pathExtension.lowercased()) {
    case ("har", "json"), ("zip", "json"):
      let result = try HARImport(
        FileError.reading(from, bytesMax: Cassette.fileBytesMax),
        source: from.lastPathComponent,
        keepingSecrets: keeps,
        redaction: rules
      )
      try refuseOver(output)
      try result.cassette.write(to: to)
      (count, warnings) = (result.cassette.interactions.count, result.warnings)
    case ("json", "har"):
      let cassette = try CassetteFile.read(from)
      let result = HARExport(cassette, keepingSecrets: keeps, redaction: rules)
      try refuseOver(output)
      try FileError.writing(result.data, to: to)
      (count, warnings) = (result.interactionCount, result.warnings)
    default:
      if FileManager.default.fileExists(atPath: from.path) {
        let data = try FileError.reading(from, bytesMax: Cassette.fileBytesMax)
        if let refusal = FormatError.ofHAR(data, source: input) { throw refusal }
      }
      throw CommandError.usage(
        "\(input) → \(output): one name must end in .har and the other in .json."
      )
    }
    for warning in warnings { Terminal.complain("\(warning)\n") }
    if keeps { Terminal.complain("\(output): secrets were kept; do not commit it.\n") }
    Terminal.complain("\(output): \(count.counted("interaction"))\n")
    return .done
  }

  /// Refuses to overwrite a file, which may contain earlier work of the user.
  private static func refuseOver(_ output: String) throws(CommandError) {
    guard FileManager.default.fileExists(atPath: URL(typed: output).path) else { return }
    throw CommandError(
      .cannotWrite,
      "\(output) already exists; nothing was written. Name another file, or remove it first."
    )
  }
}
