import Foundation
import Testing
import WindTunnel

/// Bad input is told in one sentence on standard error, and nothing on standard output.
@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
  /// Words that are asked wrongly, and the sentence.
  struct Usage: CustomTestStringConvertible {
    var words: [String]
    var sentence: String
    var command: String

    var testDescription: String { words.joined(separator: " ") }

    init(_ words: String, _ sentence: String, help command: String = "") {
      self.words = words.split(separator: " ").map(String.init)
      self.sentence = sentence
      self.command = command.isEmpty ? "windtunnel" : "windtunnel \(command)"
    }
  }

  static let names = Shipped.preRelease.joined(separator: ", ")

  /// Each of them whole, to be copied.
  static let cassetteCommands = """
    windtunnel cassette show, windtunnel cassette explain, windtunnel cassette convert, \
    windtunnel cassette lint, windtunnel cassette review, windtunnel cassette verify, \
    windtunnel cassette diff, windtunnel cassette merge, windtunnel cassette split, \
    windtunnel cassette prune or windtunnel cassette migrate
    """

  @Test(arguments: [
    Usage("drlil", "There is no command \"drlil\". Did you mean drill?"),
    Usage("--verison", "Unknown flag --verison. Did you mean --version?"),
    Usage(
      "cassette",
      "cassette is no command by itself: write \(cassetteCommands).",
      help: "cassette"
    ),
    Usage(
      "scenarios",
      "scenarios is no command by itself: write windtunnel scenarios list or "
        + "windtunnel scenarios show.",
      help: "scenarios"
    ),
    Usage(
      "metrics --json",
      "metrics is no command by itself: write windtunnel metrics list.",
      help: "metrics"
    ),
    Usage(
      "cassette shwo a.json",
      "There is no command \"cassette shwo\". Did you mean cassette show?",
      help: "cassette"
    ),
    Usage(
      "drill --secnario calm",
      "Unknown flag --secnario. Did you mean --scenario?",
      help: "drill"
    ),
    Usage(
      "drill --scenario calm ../client.py",
      "Unexpected argument \"../client.py\". Behind -- stands a command to run, as in "
        + "-- ../client.py {url}.",
      help: "drill"
    ),
    Usage(
      "drill ./client --calls=5",
      "Unexpected argument \"./client\". Behind -- stands a command to run, as in "
        + "-- ./client {url}.",
      help: "drill"
    ),
    Usage(
      "drill python3 -u client.py",
      "Unexpected argument \"python3\". Behind -- stands a command to run, as in "
        + "-- python3 … {url}.",
      help: "drill"
    ),
    Usage(
      "record http://127.0.0.1:1 --cassette a.json curl -s {url}/users",
      "Unexpected argument \"curl\". Behind -- stands a command to run, as in -- curl … {url}.",
      help: "record"
    ),
    Usage(
      "record http://127.0.0.1:1 --cassette a.json {url}/users",
      "Unexpected argument \"{url}/users\". Behind -- stands a command to run.",
      help: "record"
    ),
    // Here the command is given.
    Usage("drill stray", "Unexpected argument \"stray\".", help: "drill"),
    Usage("drill tapes/api.json", "Unexpected argument \"tapes/api.json\".", help: "drill"),
    Usage("drill stray -- curl {url}", "Unexpected argument \"stray\".", help: "drill"),
    Usage("drill --calls", "--calls wants N after it.", help: "drill"),
    Usage("drill --cassette --json", "--cassette wants FILE after it.", help: "drill"),
    Usage("drill --cassette=", "--cassette wants FILE after it.", help: "drill"),
    Usage("drill --json=yes", "--json takes no value.", help: "drill"),
    Usage("drill --seed 1 --seed 2", "--seed is given 2 times.", help: "drill"),
    Usage(
      "drill --calls 0",
      "--calls 0: a whole number from 1 to 1000000 should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --seed -1",
      "--seed -1: a whole number of at least 0 should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --timeout 0.1ms",
      "--timeout 0.1ms: a length of time such as 500ms, 10s or 2m should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --subject urlsesion",
      "--subject urlsesion: there are network-layer, urlsession, exec. Did you mean urlsession?",
      help: "drill"
    ),
    Usage(
      "drill --subject network-layer:socket",
      "--subject network-layer:socket: there are network-layer:urlsession, network-layer:sockets. "
        + "Did you mean network-layer:sockets?",
      help: "drill"
    ),
    Usage(
      "drill --subject urlsession --subject urlsession",
      "--subject urlsession --subject urlsession: a client is not compared with itself.",
      help: "drill"
    ),
    Usage(
      "drill --subject urlsession --subject exec -- curl {url}",
      "--subject exec flies alone: what a program is good for is not what a client in Swift is.",
      help: "drill"
    ),
    Usage(
      "drill --subject network-layer:sockets --clock virtual",
      "Sockets have the machine's time. Fly it without --clock virtual.",
      help: "drill"
    ),
    Usage(
      "drill --subject network-layer:sockets --stage in-process --scenario calm",
      "Scenario \"calm\" cannot be flown in process by network-layer:sockets, which sends by sockets "
        + "alone. Fly it with --stage wire.",
      help: "drill"
    ),
    Usage(
      "drill --subject exec",
      "--subject exec wants a command behind --, such as -- curl -sf --retry 3 {url}.",
      help: "drill"
    ),
    Usage(
      "drill --subject urlsession -- curl {url}",
      "Behind -- stands a command, and only --subject exec starts one.",
      help: "drill"
    ),
    Usage(
      "drill --rate 5 --concurrency 5",
      "--rate and --concurrency say two things about the same; give one of them.",
      help: "drill"
    ),
    Usage(
      "drill --duration 5s --calls 5",
      "--duration and --calls say two things about the same; give one of them.",
      help: "drill"
    ),
    Usage(
      "drill --rate 0",
      "--rate 0: a number from 0.001 to 10000 should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --mix GET",
      "--mix GET: a request and its weight, as in GET /home=5, should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --shard 9/8",
      "--shard 9/8: a part from 1/N to N/N, or env, should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --stage wier",
      "--stage wier: there are auto, in-process, wire. Did you mean wire?",
      help: "drill"
    ),
    Usage(
      "drill --report a.yaml",
      "--report a.yaml: a name that ends in .json, .html, .md, .xml, .csv or .txt should stand here.",
      help: "drill"
    ),
    Usage(
      "drill --gate sucessRate==1",
      "gate \"sucessRate==1\", column 1: there is no metric \"sucessRate\". "
        + "Did you mean successRate?",
      help: "drill"
    ),
    Usage(
      "drill --scenario clam",
      "There is no scenario \"clam\". Did you mean calm? There are \(names); "
        + "a file's name ends in .json.",
      help: "drill"
    ),
    Usage("serve", "The cassette to play is missing: windtunnel serve FILE.", help: "serve"),
    Usage(
      "serve --cassette \(Repository.shop) --speed=-1",
      "--speed -1: a number from 0 to 1000 should stand here.",
      help: "serve"
    ),
    Usage(
      "record",
      "The server to record is missing: windtunnel record http://… --cassette FILE -- CMD.",
      help: "record"
    ),
    Usage(
      "record --upstream http://127.0.0.1:1",
      "--cassette is missing: where the recording should be written.",
      help: "record"
    ),
    Usage(
      "record --upstream 127.0.0.1:80 --cassette a.json",
      "--upstream 127.0.0.1:80: a server such as http://127.0.0.1:8000 should stand here.",
      help: "record"
    ),
    Usage(
      "record --upstream http://127.0.0.1:1 --cassette a.json --as example.test",
      "--as example.test: an origin such as https://api.example.test should stand here.",
      help: "record"
    ),
    Usage(
      "record --upstream http://127.0.0.1:1 --cassette a.json --",
      "-- wants a command after it.",
      help: "record"
    ),
    Usage("report", "FILE is missing: which report to show.", help: "report"),
    Usage("cassette show", "FILE is missing: which cassette to show.", help: "cassette show"),
    Usage("cassette show a.json b.json", "Unexpected argument \"b.json\".", help: "cassette show"),
    Usage("cassette convert", "IN is missing: which file to read.", help: "cassette convert"),
    Usage(
      "cassette convert a.har",
      "OUT is missing: which file to write.",
      help: "cassette convert"
    ),
    Usage(
      "cassette convert a.json b.json",
      "a.json → b.json: one should end in .har and the other in .json.",
      help: "cassette convert"
    ),
  ])
  func `what is asked wrongly ends with 64 and the way to help`(usage: Usage) async throws {
    let run = try await Program.run(usage.words, in: Scratch())
    let err = "windtunnel: \(usage.sentence)\nFor help: \(usage.command) --help\n"
    #expect(run == Program.Run(code: 64, out: "", err: err))
  }

  @Test(arguments: [
    (
      "{\"windtunnel\":1,\n \"interactions\":[}]}",
      ", line 2, column 18: not JSON: '}' cannot begin a value.\n"
    ),
    (
      #"{"windtunnel":1,"interaction":[]}"#,
      ", interaction: unknown key. Did you mean \"interactions\"?\n"
    ),
    (
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"respnse":{}}]}"#,
      ", interactions[0].respnse: unknown key. Did you mean \"response\"?\n"
    ),
    (
      #"{"windtunnel":9,"interactions":[]}"#,
      ": this is a version 9 cassette, and this windtunnel reads version 1. Update windtunnel.\n"
    ),
    ("[]", ": an object should stand here.\n"),
  ])
  func `a cassette that does not read ends with 65 and says where`(
    text: String,
    sentence: String
  ) async throws {
    let scratch = try Scratch()
    try scratch.write(text, to: "users.json")
    for words in [
      ["cassette", "show", "users.json"], ["serve", "--cassette", "users.json"],
      ["drill", "--cassette", "users.json"],
      ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "users.json"],
    ] {
      let run = try await Program.run(words, in: scratch)
      #expect(run.code == 65)
      #expect(run.out.isEmpty)
      #expect(run.err.hasPrefix("windtunnel: users.json\(sentence)"), "\(run.err)")
      #expect(run.err.count { $0 == "\n" } == 1)
    }
    #expect(try scratch.text("users.json") == text)
  }

  @Test func `a file that is not there or is a folder ends with 66`() async throws {
    let scratch = try Scratch()
    for words in [
      ["cassette", "show"], ["report"], ["serve", "--cassette"], ["drill", "--cassette"],
    ] {
      let missing = try await Program.run(words + ["nowhere.json"], in: scratch)
      #expect(
        missing
          == Program.Run(code: 66, out: "", err: "windtunnel: nowhere.json: no such file.\n")
      )
      let folder = try await Program.run(words + ["."], in: scratch)
      #expect(
        folder
          == Program.Run(
            code: 66,
            out: "",
            err: "windtunnel: . cannot be read: it is a directory.\n"
          )
      )
    }
  }

  @Test(arguments: [
    (
      #"{"windtunnelScenario":1,"name":"x","rules":[{"faults":[{"statsu":503}]}]}"#,
      "rain.json, rules[0].faults[0].statsu: unknown key. Did you mean \"status\"?"
    ),
    (
      #"{"windtunnelScenario":7,"name":"x"}"#,
      "rain.json: this is a version 7 scenario, and this windtunnel reads version 1. "
        + "Update windtunnel."
    ),
  ])
  func `a bad scenario file is a usage error`(text: String, sentence: String) async throws {
    let scratch = try Scratch()
    try scratch.write(text, to: "rain.json")
    for words in [["drill"], ["serve", "--cassette", Repository.shop]] {
      let run = try await Program.run(words + ["--scenario", "rain.json"], in: scratch)
      let err = "windtunnel: \(sentence)\nFor help: windtunnel \(words[0]) --help\n"
      #expect(run == Program.Run(code: 64, out: "", err: err))
    }
  }

  @Test func `serve refuses weather that one port cannot make`() async throws {
    let words = ["serve", "--cassette", Repository.shop, "--scenario", "dns-failure"]
    let run = try await Program.run(words, in: Scratch())
    #expect(run.code == 64)
    #expect(run.err.contains("fly it with windtunnel drill --scenario dns-failure.\n"))
  }

  @Test func `a report that cannot be written is told before the drill starts`() async throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      at: scratch.file("folder.json"),
      withIntermediateDirectories: true
    )
    // A drill would say "flown" of each row.
    let nowhere = try await Program.run("drill", "--report", "nowhere/a.json", in: scratch)
    #expect(nowhere.code == 73)
    #expect(nowhere.out.isEmpty)
    #expect(
      nowhere.err.hasPrefix("windtunnel: nowhere/a.json cannot be written: there is no folder ")
    )
    #expect(nowhere.err.count { $0 == "\n" } == 1)
    let folder = try await Program.run("drill", "--report", "folder.json", in: scratch)
    let err = "windtunnel: folder.json cannot be written: it is a directory.\n"
    #expect(folder == Program.Run(code: 73, out: "", err: err))
  }

  @Test func `a cassette that cannot be written is told before anything is recorded`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(Texts.har, to: "a.har")
    let words = ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "nowhere/a.json"]
    let record = try await Program.run(words + ["--", "touch", "was-run"], in: scratch)
    #expect(!scratch.has("was-run"))
    let convert = try await Program.run(
      "cassette",
      "convert",
      "a.har",
      "nowhere/a.json",
      in: scratch
    )
    for run in [record, convert] {
      #expect(run.code == 73)
      #expect(run.out.isEmpty)
      #expect(run.err.hasPrefix("windtunnel: nowhere/a.json cannot be written: "))
      #expect(run.err.count { $0 == "\n" } == 1)
    }
  }

  @Test func `a command that is not there is told before the server starts`() async throws {
    let run = try await Program.run(
      ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "a.json", "--", "no-such-word"],
      in: Scratch()
    )
    let err = "windtunnel: no-such-word: no such command.\n"
    #expect(run == Program.Run(code: 66, out: "", err: err))
  }

  @Test func `a command that is there and cannot be executed is told what it lacks`() async throws {
    let scratch = try Scratch()
    try scratch.write("print(1)\n", to: "client.py")
    try FileManager.default.createDirectory(
      at: scratch.file("folder"),
      withIntermediateDirectories: true
    )
    let record = ["record", "http://127.0.0.1:1", "--cassette", "a.json", "--"]
    for words in [record, ["drill", "--scenario", "calm", "--"]] {
      let run = try await Program.run(words + ["./client.py", "{url}"], in: scratch)
      let err =
        "windtunnel: ./client.py is there but cannot be executed: chmod +x ./client.py, or name its "
        + "interpreter before it.\n"
      #expect(run == Program.Run(code: 66, out: "", err: err))
      // A name without a slash is looked for on PATH alone, and a folder is no command.
      for name in ["client.py", "./gone.py", "./folder"] {
        let run = try await Program.run(words + [name, "{url}"], in: scratch)
        let err = "windtunnel: \(name): no such command.\n"
        #expect(run == Program.Run(code: 66, out: "", err: err))
      }
    }
  }
}
