internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

enum CassetteSplitCommand: Command {
  static let name = "cassette split"
  static let summary = "Make several cassettes of one; it stays as it is."
  static let synopsis = "FILE --by host|path FOLDER"
  static let example = "windtunnel cassette split all.json --by host Cassettes"
  static let operandsMax = 2
  static let flags = [
    Flag("--by", "KEY", "host: a cassette for each host; path: for each first segment of a path.")
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let path = try arguments.operand(0, "FILE", "which cassette to split")
    let output = try arguments.operand(1, "FOLDER", "where the parts should be written")
    guard
      let key = try arguments.choice(
        "--by",
        ["host": Cassette.SplitKey.host, "path": Cassette.SplitKey.path]
      )
    else { throw Refusal.flagMissing("--by", "host or path") }
    let folder = URL(filePath: output)
    let parts = try CassetteFile.read(path).split(by: key)
    let files = parts.map { folder.appendingPathComponent("\($0.name).json") }
    // Before the first is written, so that none is where not all are.
    for file in files where FileManager.default.fileExists(atPath: file.path) {
      throw Refusal.splitOver(file.relativePath)
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Refusal.noFolder(output)
    }
    for (part, file) in zip(parts, files) {
      try part.cassette.write(to: file)
      Terminal.complain("\(file.relativePath): \(part.cassette.interactions.count) interactions\n")
    }
    return .done
  }
}
