import Mutations
import TestSupport

@testable import WindTunnel

/// How many files come to harm, and which.
private enum Effort {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static let count = setting("WINDTUNNEL_FUZZ")
  static let minutes = 5 + Int(min(count ?? 0, 100_000_000) / 1000)

  static let seeds: Range<UInt64> = {
    let first = min(setting("WINDTUNNEL_FUZZ_FROM") ?? 1, 1 << 60)
    return first..<first + min(count ?? 100, 1 << 40)
  }()
}

/// Good files come to harm, and no reader does worse than a refusal in words: no crash, no hang, no
/// file written; and what is taken can be written and is read back as it was.
///
/// `WINDTUNNEL_FUZZ=100000` tries so many a reader, `WINDTUNNEL_FUZZ_FROM=4711` begins with that
/// seed: a failure names its own.
@Suite(.world, .timeLimit(.minutes(Effort.minutes))) struct ReaderFuzzTests {
  @Test(arguments: FuzzedReader.allCases)
  func `a reader accepts a damaged file or explains its refusal`(reader: FuzzedReader) throws {
    let folder = FileManager.default.currentDirectoryPath
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    var takenCount = 0
    for seed in Effort.seeds {
      // A crash names no seed, so a long run tells how far it has come.
      if Effort.count != nil, seed.isMultiple(of: 1000) {
        FileHandle.standardError.write(Data("\(reader) \(seed), \(takenCount) taken\n".utf8))
      }
      var generator = Generator(seed: seed)
      let good = try reader.good(&generator)
      let bytes = generator.damaged(good, try reader.good(&generator))
      let name: Comment = "\(reader), seed \(seed): WINDTUNNEL_FUZZ=1 WINDTUNNEL_FUZZ_FROM=\(seed)"
      do {
        if try reader.read(bytes, name) { takenCount += 1 }
      } catch let error as FormatError {
        let words = error.description
        #expect(words.hasPrefix(reader.rawValue) && !error.problem.isEmpty, name)
        // A sentence, not the file, and for a terminal.
        #expect(words.unicodeScalars.count < 1000, name)
        #expect(!words.unicodeScalars.contains { $0.value < 0x20 }, name)
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
    // Else only the first key of each would be tried.
    if Effort.seeds.count >= 100 { #expect(takenCount > Effort.seeds.count / 50) }
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder).sorted(), before)
  }

  @Test(arguments: FuzzedReader.allCases)
  func `a good file is taken`(reader: FuzzedReader) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var generator = Generator(seed: seed)
      let good = try reader.good(&generator)
      do { #expect(try reader.read(good, "seed \(seed)")) } catch {
        // What is shipped to be refused.
        let isHostile = try shipped("hostile").contains { try Data(contentsOf: $0) == Data(good) }
        let isBeside = String(decoding: good, as: UTF8.self).contains("\"file\"")
        #expect(isHostile || isBeside, "seed \(seed): \(error)")
      }
    }
  }
}
