import Foundation
import Testing
import WindTunnel

@Suite(.timeLimit(.minutes(10))) struct CheckReleaseTests {
  private static let strip = ["/usr/bin/strip", "/usr/bin/llvm-strip"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The modules that the tool links, and an app must not.
  private static let modules = [
    "WindTunnel", "WindTunnelCassettes", "WindTunnelCommandLine", "WindTunnelComparison",
    "WindTunnelCore", "WindTunnelDrill", "WindTunnelFindings", "WindTunnelHTTP",
    "WindTunnelImports", "WindTunnelLink", "WindTunnelRedaction", "WindTunnelRelease",
    "WindTunnelReports", "WindTunnelSearch", "WindTunnelServer", "WindTunnelURLSession",
    "WindTunnelVirtualTime",
  ]

  private static let advice =
    "A release links the product NetworkLayer alone; leave the others to tests and debug builds.\n"

  private func modules(foundBy run: Program.Run, in file: String) -> [String] {
    run.out.split(separator: "\n").filter { $0.hasPrefix("\(file) (") }.compactMap { line in
      line.components(separatedBy: "): ").last?.components(separatedBy: ", ").first
    }
  }

  @Test func `the tool itself is found to hold every module that it links`() async throws {
    let scratch = try Scratch()
    try FileManager.default.copyItem(at: Program.executable(), to: scratch.file("Shop"))
    let run = try await Program.run("check-release", "Shop", in: scratch)
    #expect(run.code == 1)
    #expect(run.err == Self.advice)
    #expect(modules(foundBy: run, in: "Shop") == Self.modules)
  }

  @Test(.enabled(if: strip != nil, "there is no strip"))
  func `a program without symbols is seen through`() async throws {
    let scratch = try Scratch()
    try FileManager.default.copyItem(at: Program.executable(), to: scratch.file("Shop"))
    let strip = try #require(Self.strip)
    let stripped = try await Program.run([strip, "Shop"], in: scratch, isTool: false)
    try #require(stripped.code == 0, "\(stripped)")
    let run = try await Program.run("check-release", "Shop", in: scratch)
    #expect(run.code == 1)
    #expect(modules(foundBy: run, in: "Shop") == Self.modules)
  }

  @Test func `a program without the package passes, and is said to hold nothing of it`()
    async throws
  {
    let scratch = try Scratch()
    let file = scratch.file("App")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try scratch.write("{}", to: "App/strings.json")
    let run = try await Program.run("check-release", "App", in: scratch)
    #expect(
      run
        == Program.Run(code: 0, out: "App: 1 program in 2 files: nothing of WindTunnel\n", err: "")
    )
  }

  @Test func `a cassette and a scenario are found by what they are, wherever they lie`()
    async throws
  {
    let scratch = try Scratch()
    let folder = scratch.file("App/Resources")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try scratch.write(Texts.cassette, to: "App/Resources/data.bin")
    try scratch.write(#"{"windtunnelScenario": 1, "rules": []}"#, to: "App/weather\u{1B}.json")
    // What a link leads to is in the release by itself, or is not released.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("App/link").path,
      withDestinationPath: Repository.shop
    )
    let run = try await Program.run("check-release", "App", in: scratch)
    #expect(
      run
        == Program.Run(
          code: 1,
          out: "App/weather\\u{1B}.json: a scenario\nApp/Resources/data.bin: a cassette\n",
          err: ""
        )
    )
    let asJSON = try await Program.run("check-release", "--json", "App", in: scratch)
    #expect(asJSON.code == 1 && asJSON.err == "")
    let report = try JSON(parsing: asJSON.out.utf8, source: "check-release")
    #expect(
      report == [
        "windtunnelRelease": 1, "files": 3,
        "programs": [["file": "App/shop", "architecture": "x86_64", "modules": []]],
        "findings": [
          [
            "file": "App/weather\u{1B}.json", "architecture": nil, "module": nil,
            "reason": "a scenario",
          ],
          [
            "file": "App/Resources/data.bin", "architecture": nil, "module": nil,
            "reason": "a cassette",
          ],
        ],
        "unread": [], "passedOver": [],
      ]
    )
  }

  @Test func `what was not looked through does not pass`() async throws {
    let scratch = try Scratch()
    try scratch.write("text", to: "notes.txt")
    let text = try await Program.run("check-release", "notes.txt", in: scratch)
    #expect(
      text
        == Program.Run(
          code: 65,
          out: "",
          err: "notes.txt was not looked through: it is no program in ELF or Mach-O, or "
            + "an archive of them; name the app, the archive or the program that is released.\n"
        )
    )
    try FileManager.default.createDirectory(
      at: scratch.file("empty"),
      withIntermediateDirectories: true
    )
    let empty = try await Program.run("check-release", "empty", in: scratch)
    #expect(
      empty
        == Program.Run(
          code: 65,
          out: "",
          err: "empty was not looked through: none of its 0 files is a program in ELF or "
            + "Mach-O, or an archive of them; name the app, the archive or the program that is "
            + "released.\n"
        )
    )
    let refusal = "What was not looked through could hold anything: nothing is passed.\n"
    try Data(Self.program.dropLast(3)).write(to: scratch.file("cut"))
    let cut = try await Program.run("check-release", "cut", in: scratch)
    #expect(
      cut
        == Program.Run(
          code: 65,
          out: "",
          err: "cut is cut short: a segment would lie beyond its end.\n" + refusal
        )
    )
    try Data("MZ and more".utf8).write(to: scratch.file("shop.exe"))
    let windows = try await Program.run("check-release", "shop.exe", in: scratch)
    #expect(
      windows
        == Program.Run(
          code: 65,
          out: "",
          err: "shop.exe is a program for Windows, a format that this does not look through.\n"
            + refusal
        )
    )
  }

  @Test func `what is found is worse than what cannot be read, and both are told`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    try Data("MZ".utf8).write(to: scratch.file("b.dll"))
    let run = try await Program.run("check-release", "b.dll", "a.json", in: scratch)
    #expect(run.code == 1 && run.out == "a.json: a cassette\n")
    #expect(run.err.hasPrefix("b.dll is a program for Windows"))
    let other = try await Program.run("check-release", "a.json", "b.dll", in: scratch)
    #expect(other.code == 1 && other.out == run.out)
  }

  @Test func `a file that is not there, and none at all, are refused`() async throws {
    let scratch = try Scratch()
    let missing = try await Program.run("check-release", "Shop.ipa", in: scratch)
    #expect(
      missing == Program.Run(code: 66, out: "", err: "windtunnel: Shop.ipa: no such file.\n")
    )
    let none = try await Program.run("check-release", in: scratch)
    #expect(none.code == 64 && none.out == "")
    #expect(none.err.hasPrefix("windtunnel: FILE is missing: "))
  }

  /// An ELF file of 64 bits with one segment, and nothing in it.
  private static let program: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: 128)
    bytes.replaceSubrange(0..<7, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1])
    for (place, byte) in [
      (16, 2), (18, 62), (20, 1), (32, 64), (52, 64), (54, 56), (56, 1), (58, 64),
      (64, 1), (96, 128), (104, 128),
    ] as [(Int, UInt8)] {
      bytes[place] = byte
    }
    return bytes
  }()
}
