import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct CheckReleaseTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let strip = ["/usr/bin/strip", "/usr/bin/llvm-strip"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The modules that the tool links, and an app must not.
  private static let modules = line(
    "CWindTunnelClock CWindTunnelConsole CWindTunnelFiles CWindTunnelVirtual WindTunnel",
    "WindTunnelCassettes WindTunnelCommandLine WindTunnelDrill WindTunnelFindings WindTunnelHAR",
    "WindTunnelLink WindTunnelMutants WindTunnelRedaction WindTunnelReferenceSubject",
    "WindTunnelRelease",
    "WindTunnelReports WindTunnelSearch WindTunnelServer WindTunnelURLSession",
    "WindTunnelVirtualTime"
  )

  private static let advice =
    "A release may link only WindTunnelNetworkLayer and WindTunnelNetworkLayerSockets; link the "
    + "other products only in tests and debug builds.\n"

  private static let resources =
    "Do not copy these files into the release; tests can read them from their own folders.\n"
  private static let refusal =
    "The check does not pass, because some files were not checked.\n"
  private static let unpacking =
    "If a file with an unknown format is an archive, unpack it and check the folder.\n"

  private func modules(foundBy run: Program.Run, in file: String) -> [String] {
    run.out.split(separator: "\n").filter { $0.hasPrefix("\(file): ") }.compactMap { line in
      line.components(separatedBy: ": ").last?.components(separatedBy: ", ").first
    }
  }

  @Test(.referenceClient) func `the tool itself is found to hold every module that it links`()
    async throws
  {
    try FileManager.default.copyItem(at: Program.executable(), to: scratch.file("Shop"))
    let run = try await scratch.run("check-release Shop").exits(1)
    expectEqual(run.err, Self.advice)
    expectEqual(modules(foundBy: run, in: "Shop"), Self.modules)
  }

  @Test(.referenceClient, .enabled(if: strip != nil, "there is no strip"))
  func `a program without symbols is seen through`() async throws {
    try FileManager.default.copyItem(at: Program.executable(), to: scratch.file("Shop"))
    let strip = try #require(Self.strip)
    let stripped = try await scratch.run([strip, "Shop"], isTool: false)
    try #require(stripped.code == 0, "\(stripped)")
    let run = try await scratch.run("check-release Shop").exits(1)
    expectEqual(modules(foundBy: run, in: "Shop"), Self.modules)
  }

  @Test func `a program without the package passes, and is said to hold nothing of it`()
    async throws
  {
    try scratch.makeFolder("App")
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try scratch.write("{}", to: "App/strings.json")
    try await scratch.expect(
      "check-release App",
      out: "App: 1 program in 2 files: nothing of WindTunnel\n"
    )
  }

  @Test func `a cassette and a scenario are found by what they are, wherever they lie`()
    async throws
  {
    try scratch.makeFolder("App/Resources")
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try scratch.write(Texts.cassette, to: "App/Resources/data.bin")
    try scratch.write(#"{"windtunnelScenario": 1, "rules": []}"#, to: "App/weather\u{1B}.json")
    // What a link leads to would be copied.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("App/link").path,
      withDestinationPath: Repository.shop
    )
    try await scratch.expect(
      "check-release App",
      code: 1,
      out: "App/Resources/data.bin: a cassette\nApp/link: a cassette\n"
        + "App/weather\\u{1B}.json: a scenario\n",
      err: Self.resources
    )
    let asJSON = try await scratch.run("check-release --json App")
    #expect(asJSON.code == 1 && asJSON.err == Self.resources)
    let report = try JSON(parsing: asJSON.out.utf8, source: "check-release")
    expectEqual(
      report,
      [
        "windtunnelRelease": 1, "verdict": "found", "files": 4,
        "programs": [["file": "App/shop", "modules": []]],
        "findings": [
          ["file": "App/Resources/data.bin", "module": nil, "reason": "a cassette"],
          ["file": "App/link", "module": nil, "reason": "a cassette"],
          ["file": "App/weather\u{1B}.json", "module": nil, "reason": "a scenario"],
        ],
        "unread": [], "passedOver": [], "failures": [],
      ]
    )
  }

  @Test func `what was not looked through does not pass`() async throws {
    try scratch.write("text", to: "notes.txt")
    try await scratch.expect(
      "check-release notes.txt",
      code: 65,
      err: "notes.txt was not checked: it is not a program in ELF or Mach-O format, or an "
        + "archive of programs. Name the released app, archive or program.\n"
    )
    try scratch.makeFolder("empty")
    try await scratch.expect(
      "check-release empty",
      code: 65,
      err: "empty was not checked: not one of its 0 files is a program in ELF or Mach-O "
        + "format, or an archive of programs. Name the released app, archive or program.\n"
    )
    // The first bytes of a Mach-O file.
    try Data([0xCF, 0xFA, 0xED, 0xFE, 7]).write(to: scratch.file("cut"))
    try await scratch.expect(
      "check-release cut",
      code: 65,
      err: "cut is truncated: its header would be after its end.\n" + Self.refusal
    )
  }

  @Test func `a format that is not read is refused with advice`() async throws {
    var tar = Data(count: 512)
    tar.replaceSubrange(257..<262, with: Array("ustar".utf8))
    for (bytes, name) in [
      (tar, "a tar archive"), (Data("!<arch>\ndebian-binary   ".utf8), "a Debian package"),
      (Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), "xz"),
      (Data(Self.windows), "a program for Windows"),
    ] {
      try bytes.write(to: scratch.file("shop"))
      let run = try await scratch.run("check-release shop")
      let sentence = "shop is \(name), a format that cannot be checked.\n"
      expectEqual(
        run,
        Program.Run(code: 65, out: "", err: sentence + Self.refusal + Self.unpacking)
      )
    }
  }

  @Test func `check-release exits with 1 for a finding, even if another file is unreadable`()
    async throws
  {
    try scratch.write(Texts.cassette, to: "a.json")
    try Data(Self.windows).write(to: scratch.file("b.dll"))
    let run = try await scratch.run("check-release b.dll a.json")
    #expect(run.code == 1 && run.out == "a.json: a cassette\n")
    #expect(run.err.hasPrefix("b.dll is a program for Windows"))
    let other = try await scratch.run("check-release a.json b.dll")
    #expect(other.code == 1 && other.out == run.out)
  }

  @Test func `a file that is not there, and none at all, are refused`() async throws {
    let missing = try await scratch.run("check-release Shop.ipa")
    expectEqual(
      missing,
      Program.Run(code: 66, out: "", err: "windtunnel: Shop.ipa: no such file.\n")
    )
    let none = try await scratch.run("check-release")
    #expect(none.code == 64 && none.out == "")
    #expect(none.err.hasPrefix("windtunnel: FILE is missing: "))
  }

  @Test func `a missing file does not hide findings in the others`() async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    try await scratch.expect(
      "check-release Shop.ipa a.json",
      code: 1,
      out: "a.json: a cassette\n",
      err: "windtunnel: Shop.ipa: no such file.\n" + Self.resources
    )
    try Data(Self.program).write(to: scratch.file("shop"))
    let other = try await scratch.run("check-release shop Shop.ipa")
    expectEqual(other, Program.Run(code: 66, out: "", err: "windtunnel: Shop.ipa: no such file.\n"))
    let json = try await scratch.run("check-release shop Shop.ipa --json")
    let report = try JSON(parsing: json.out.utf8, source: "check-release")
    #expect(json.code == 66 && report["verdict"] == "refused")
    #expect(report["failures"] == ["Shop.ipa: no such file."] && report["files"] == 1)
  }

  @Test func `a program and its resources pass together, and no folder without a file`()
    async throws
  {
    for folder in ["Res", "empty"] {
      try scratch.makeFolder(folder)
    }
    try Data(Self.program).write(to: scratch.file("shop"))
    try scratch.write("text", to: "Res/strings")
    try await scratch.expect(
      "check-release shop Res",
      out: "shop: 1 program in 1 file: nothing of WindTunnel\n"
        + "Res: 0 programs in 1 file: nothing of WindTunnel\n"
    )
    let alone = try await scratch.run("check-release Res")
    #expect(alone.code == 65 && alone.err.contains("its only file is not a program"))
    let empty = try await scratch.run("check-release shop empty")
    expectEqual(
      empty,
      Program.Run(code: 65, out: "", err: "empty is empty; omit it, or name another.\n")
    )
  }

  @Test func `what is not read blocks until it is passed over by name`() async throws {
    try scratch.makeFolder("App/Data")
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]).write(to: scratch.file("App/Data/map"))
    let sentence = "App/Data/map is xz, a format that cannot be checked"
    let run = try await scratch.run("check-release App")
    expectEqual(
      run,
      Program.Run(code: 65, out: "", err: "\(sentence).\n" + Self.refusal + Self.unpacking)
    )
    for path in ["App/Data/map", "App/Data", "App/Data/"] {
      try await scratch.expect(
        "check-release App --pass-over \(path)",
        out: "\(sentence): skipped because of --pass-over\n"
          + "App: 1 program in 2 files: nothing of WindTunnel\n"
      )
    }
    let unused = try await scratch.run(
      "check-release App --pass-over App/Data/map --pass-over App/Dat"
    )
    #expect(unused.code == 64 && unused.out == "\(sentence): skipped because of --pass-over\n")
    #expect(unused.err.hasPrefix("windtunnel: --pass-over App/Dat matches no unreadable file"))
    // What is found there is found all the same.
    try scratch.write(Texts.cassette, to: "App/Data/users")
    let found = try await scratch.run("check-release App --pass-over App")
    #expect(found.code == 1 && found.out.hasPrefix("App/Data/users: a cassette\n"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `links out of a folder are followed once, and others are told`() async throws {
    for folder in ["App/Inner", "Shared"] { try scratch.makeFolder(folder) }
    try Data(Self.program).write(to: scratch.file("App/shop"))
    try scratch.write(Texts.cassette, to: "Shared/users.json")
    for (link, target) in [
      ("App/a-inside", "Inner"), ("App/Inner/up", ".."), ("App/b-shared", "../Shared"),
      ("App/c-again", "../Shared/users.json"), ("Shared/itself", "."), ("App/d-gone", "../Gone"),
      ("App/e-all", "/"), ("App/f-null", "/dev/null"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: scratch.file(link).path,
        withDestinationPath: target
      )
    }
    let run = try await scratch.run("check-release App")
    #expect(run.code == 1 && run.out == "App/b-shared/users.json: a cassette\n")
    expectEqual(
      run.err,
      """
      App/d-gone is a link to ../Gone, which is missing.
      App/e-all is a link to /, which contains the link.
      App/f-null is a link to /dev/null, which is a device, not a file.

      """ + Self.resources + Self.refusal
    )
  }

  /// A program for Windows, as far as its headers.
  private static let windows: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: 0x44)
    for (place, byte) in [(0, 0x4D), (1, 0x5A), (0x3C, 0x40), (0x40, 0x50), (0x41, 0x45)]
      as [(Int, UInt8)]
    {
      bytes[place] = byte
    }
    return bytes
  }()

  /// The first bytes of an ELF file of 64 bits.
  private static let program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]
}
