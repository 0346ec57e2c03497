internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

enum CassetteMergeCommand: Command {
  static let name = "cassette merge"
  static let summary = "Make one cassette of several."
  static let synopsis = "A B … OUT"
  static let example = "windtunnel cassette merge login.json shop.json all.json"
  static let operandsMax = Int.max
  static let flags: [Flag] = []

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let inputs = arguments.operands.dropLast()
    guard let output = arguments.operands.last, inputs.count >= 2 else {
      throw Refusal.mergeOperands
    }
    let file = URL(filePath: output)
    let isInput = inputs.contains {
      URL(filePath: $0).standardizedFileURL == file.standardizedFileURL
    }
    // `merge *.json` would write over the last one.
    if !isInput, FileManager.default.fileExists(atPath: file.path) {
      throw Refusal.mergeOver(output)
    }
    let cassettes = try inputs.map { path in
      let input = URL(filePath: path)
      let isOutput = input.standardizedFileURL == file.standardizedFileURL
      return (path, try isOutput ? CassetteFile.readForWriting(input) : CassetteFile.read(input))
    }
    let merge: CassetteMerge
    do { merge = try CassetteMerge(cassettes) } catch { throw Refusal(.data, "\(error)") }
    try merge.cassette.write(to: file)
    if merge.repeatedCount > 0 {
      Terminal.complain(
        "\(merge.repeatedCount) interactions stood on an earlier cassette already\n"
      )
    }
    Terminal.complain("\(output): \(merge.cassette.interactions.count) interactions\n")
    return .done
  }
}
