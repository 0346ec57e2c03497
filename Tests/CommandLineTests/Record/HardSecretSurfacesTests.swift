import PlantedSecrets
import TestSupport
import WindTunnelDrill
import WindTunnelServer

/// Secrets that are hard to see, on everything that the tool writes, prints and tells of them.
@Suite(.timeLimit(.minutes(5))) struct HardSecretSurfacesTests {
  /// Those that redaction does not find; `HardSecretTests` counts them.
  private static let known: Set<String> = [
    "Chinese in GBK", "percent signs of percent signs", "bytes of Node as numbers", "redis-cli",
  ]

  /// Those that a program prints and whose media type alone tells that they are secret.
  private static let printedAlone: Set<String> = [
    "text of gRPC-web", "text of gRPC-web in two pieces of base64",
  ]

  private func leaking(_ cases: [HardSecret] = HardTraffic.travelling, told: [String]) -> [String] {
    HardTraffic.leaking(cases, told: told, except: Self.known)
  }

  /// Everything in a folder, the names of the files and what runs printed there included.
  private func leaking(
    _ cases: [HardSecret] = HardTraffic.travelling,
    in scratch: Scratch
  ) throws -> [String] {
    let texts = try Spellings.texts(in: scratch.folder)
    #expect(texts.contains { $0.contains("REDACTED-") })
    return HardTraffic.leaking(cases, in: texts, except: Self.known)
  }

  private func tell(_ admin: String) async -> [String] {
    var told: [String] = []
    for path in ["requests", "interactions", "metrics", "health", "scenario"] {
      told.append(await ask("\(admin)/\(path)").body)
    }
    return told
  }

  private func statuses(_ interactions: [Interaction]) -> [Int?] {
    interactions.map { $0.response?.status }
  }

  @Test
  func `the search finds no secret in an empty text, and all secrets in an unredacted cassette`()
    throws
  {
    expectEqual(HardSecret.all.count - HardTraffic.travelling.count, 3)
    let cassette = Cassette(HardTraffic.numbered())
    let found = HardTraffic.leaking(in: Spellings.texts(cassette))
    // The rest lies in codings that whoever looks here does not open, either.
    #expect(found.count >= HardTraffic.travelling.count - 7)
    expectEqual(HardTraffic.leaking(in: []), [])
  }

  @Test(.world)
  func `no hard secret that passes record is written or told, nor when it is recorded anew`()
    async throws
  {
    let (scratch, interactions) = (try Scratch(), HardTraffic.numbered())
    let origin = try await HardTraffic.server(interactions)
    for mode in ["once", "rewrite"] {
      let words = ["record", origin.url, "--cassette", "a.json", "--as", HardTraffic.origin]
      let (flight, url) = try await scratch.start(
        words + ["--admin-port", "0", "--mode", mode],
        with: ["TMPDIR": scratch.folder.path]
      )
      let admin = try #require(try await flight.line())
      let asked = try await HardTraffic.ask(interactions.map(\.request), of: url)
      expectEqual(asked, statuses(interactions))
      #expect(scratch.has("a.json.journal") && scratch.has("a.json") == (mode == "rewrite"))
      try expectEqual(leaking(in: scratch), [])
      expectEqual(leaking(told: await tell(admin)), [])
      let run = try await flight.interrupt()
      // What cannot be rewritten is left out by name.
      #expect(run.code == 0 || run.err.contains("skipped: "), "\(run.err)")
      try expectEqual(leaking(in: scratch), [])
    }
    await origin.stop(grace: .zero)
    let tape = try Cassette(contentsOf: scratch.file("a.json"))
    #expect(tape.interactions.count >= HardTraffic.travelling.count - 3)
  }

  @Test(.world) func `no hard secret in a large body is written beside the cassette`() async throws
  {
    let texts = HardTraffic.travelling.filter { hard in
      let answer = hard.interactions[0].response
      return answer?.headers["Content-Encoding"] == nil
        && answer?.headers["Content-Type"]?.hasPrefix("application/json") == true
        && answer?.body.data.first == UInt8(ascii: "{")
    }
    let cases = texts.enumerated().filter { $0.offset % 20 == 0 }.map(\.element)
    #expect(cases.count >= 5)
    let padding = Data(repeating: UInt8(ascii: " "), count: 256 << 10)
    let interactions = HardTraffic.numbered(cases).map { interaction in
      var interaction = interaction
      guard let response = interaction.response else { return interaction }
      let body = Body(padding + response.body.data)
      let large = Response(status: response.status, headers: response.headers, body: body)
      interaction.result = .response(large)
      return interaction
    }
    let scratch = try Scratch()
    let origin = try await HardTraffic.server(interactions)
    let (flight, url) = try await scratch.start(["record", origin.url, "--cassette", "a.json"])
    let asked = try await HardTraffic.ask(interactions.map(\.request), of: url)
    expectEqual(asked, statuses(interactions))
    try expectEqual(leaking(cases, in: scratch), [])
    try await flight.interrupt()
    await origin.stop(grace: .zero)
    #expect(scratch.has("a.bodies"))
    try expectEqual(leaking(cases, in: scratch), [])
  }

  @Test(.world) func `no hard secret that passes the proxy is on its tape or in its report`()
    async throws
  {
    let (scratch, interactions) = (try Scratch(), HardTraffic.numbered())
    let origin = try await HardTraffic.server(interactions)
    let words = ["proxy", "--record", "a.json", "--report", "b.html", "--report", "b.json"]
    let (flight, url) = try await scratch.start(words + ["--admin-port", "0"])
    let admin = try #require(try await flight.line())
    let requests = interactions.map(\.request)
    let asked = try await HardTraffic.ask(requests, of: url, asProxyFor: origin.url)
    expectEqual(asked, statuses(interactions))
    try expectEqual(leaking(in: scratch), [])
    expectEqual(leaking(told: await tell(admin)), [])
    try await flight.interrupt()
    await origin.stop(grace: .zero)
    #expect(scratch.has("b.html") && scratch.has("b.json"))
    try expectEqual(leaking(in: scratch), [])
  }

  @Test(.world) func `no hard secret of an address that could not be recorded is told`()
    async throws
  {
    let cases = HardTraffic.travelling { Request("GET", $0.request.url) }
    #expect(cases.count >= 10)
    let origin = try await HardTraffic.server(HardTraffic.numbered(cases))
    // Ten of them are named.
    for start in stride(from: 0, to: cases.count, by: 10) {
      let scratch = try Scratch()
      let words = ["record", origin.url, "--cassette", "a.json"]
      let (flight, url) = try await scratch.start(words)
      let upgrade: HeaderFields = [
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ]
      let requests = cases[start...].prefix(10).map {
        Request("GET", $0.interactions[0].request.url, headers: upgrade)
      }
      _ = try await HardTraffic.ask(requests, of: url)
      let run = try await flight.interrupt()
      expectEqual(leaking(told: [run.out, run.err]), [])
    }
    await origin.stop(grace: .zero)
  }

  @Test(.world) func `no hard secret comes through a HAR, nor is one told on the way`() async throws
  {
    let (scratch, all) = (try Scratch(), HardSecret.all)
    let interactions = all.flatMap(\.interactions)
    try Cassette(interactions).write(to: scratch.file("raw.json"))
    try HardTraffic.har(interactions).write(to: scratch.file("browser.har"))
    for (from, to, keeps) in [
      ("raw.json", "clean.har", false), ("browser.har", "browser.json", false),
      ("browser.har", "whole.json", true), ("whole.json", "again.har", false),
    ] {
      let words = ["cassette", "convert", from, to] + (keeps ? ["--keep-secrets"] : [])
      let run = try await scratch.run(words).exits(0)
      expectEqual(leaking(all, told: [run.out, run.err]), [], "\(words)")
      let texts = Spellings.texts(try Data(contentsOf: scratch.file(to)))
      let found = HardTraffic.leaking(all, in: texts, except: Self.known)
      // Where they are kept they are found: it is looked for them rightly.
      #expect(keeps ? found.count >= all.count - 20 : found == [], "\(words): \(found.count)")
    }
  }

  @Test(.world) func `lint and review print no hard secret of an unredacted copy`() async throws {
    let (scratch, all) = (try Scratch(), HardSecret.all)
    try Cassette(all.flatMap(\.interactions)).write(to: scratch.file("a.json"))
    var told: [String] = []
    for words in [
      ["lint", "a.json", "--explain"], ["lint", "a.json", "--sarif"],
      ["lint", "a.json", "--personal-data", "--json"], ["review", "a.json"],
      ["review", "a.json", "--json"],
    ] {
      let run = try await scratch.run(["cassette"] + words)
      expectEqual(run.code, (words[0] == "review" ? 0 : 1), "\(words): \(run.err)")
      #expect(!run.out.isEmpty)
      told += [run.out, run.err]
    }
    expectEqual(HardTraffic.leaking(all, told: told), [])
  }

  @Test(.world, arguments: ["path", "query", "header", "body"])
  func `serve reports no hard secret of unmatched requests`(part: String) async throws {
    let (scratch, interactions) = (try Scratch(), HardTraffic.numbered())
    let few = interactions.enumerated().filter { $0.offset % 20 == 0 }.map(\.element)
    try Cassette(few).redacted().cassette.write(to: scratch.file("a.json"))
    let rules = ["header": #","headers":["X-Case"]"#, "body": #","body":"byType""#]
    try scratch.write(#"{"match":1\#(rules[part] ?? "")}"#, to: "match.json")
    let words = ["serve", "a.json", "--match", "match.json", "--admin-port", "0"]
    let (flight, url) = try await scratch.start(words)
    let admin = try #require(try await flight.line())
    let requests = interactions.map { missed($0, by: part) }
    let asked = try await HardTraffic.ask(requests, of: url)
    #expect(asked.count { $0 == 501 } >= (part == "body" ? 350 : requests.count))
    let told = await tell(admin)
    #expect(told[0].contains(#""source": "unmatched""#))
    expectEqual(leaking(told: told), [])
    let run = try await flight.interrupt()
    #expect(run.err.contains("501: "))
    expectEqual(HardTraffic.leaking(told: [run.out, run.err]), [])
  }

  /// The request of an interaction with something else in one part.
  private func missed(_ interaction: Interaction, by part: String) -> Request {
    var request = interaction.request
    switch part {
    case "path": request.url.path = "/miss" + request.url.path
    case "query": request.url.query = (request.url.query.map { "\($0)&" } ?? "") + "miss=1"
    case "header": request.headers["X-Case"] = "none"
    default:
      guard request.body.data.isEmpty, let answer = interaction.response else { return request }
      request.body = answer.body
      request.headers["Content-Type"] = answer.headers["Content-Type"]
    }
    return request
  }

  @Test(.world) func `verify shows a live answer without its hard secrets`() async throws {
    // With the request's own the tape's placeholders could not be filled in.
    let asking = Set(HardTraffic.travelling { $0.request }.map(\.title))
    let cases = HardTraffic.travelling.filter { !asking.contains($0.title) }
    #expect(cases.count >= 250)
    let live = HardTraffic.numbered(cases)
    let tape = live.map { interaction in
      var interaction = interaction
      let type = interaction.response?.headers["Content-Type"] ?? "text/plain"
      let status = interaction.response?.status ?? 200
      let other = Response(status: status, headers: ["Content-Type": type], body: Body("other\n"))
      interaction.result = .response(other)
      return interaction
    }
    let scratch = try Scratch()
    try Cassette(tape).write(to: scratch.file("a.json"))
    let origin = try await HardTraffic.server(live)
    for more in [[], ["--json"]] {
      let words = ["record", origin.url, "--cassette", "a.json", "--mode", "verify", "--unsafe"]
      let run = try await scratch.run(words + more).exits(3)
      expectEqual(leaking(cases, told: [run.out, run.err]), [])
    }
    await origin.stop(grace: .zero)
  }

  /// Asks for the call's case below the call's own address, and prints what the live server would answer.
  private static let client = """
    rest=${WINDTUNNEL_BASE#http://}; host=${rest%%/*}; prefix=${rest#"$host"}
    exec 3<>"/dev/tcp/${host%:*}/${host##*:}"
    { cat "$WINDTUNNEL_CALL.method"; printf %s "${prefix%/}"; cat "$WINDTUNNEL_CALL.rest"; } >&3
    cat <&3 > /dev/null
    cat "$WINDTUNNEL_CALL.answer"
    """

  @Test(.world) func `no report of a program has a hard secret that it asked with or printed`()
    async throws
  {
    let (scratch, interactions) = (try Scratch(), HardTraffic.numbered())
    try Cassette(interactions).redacted().cassette.write(to: scratch.file("tape.json"))
    try scratch.write(Self.client, to: "client.sh")
    for (index, interaction) in interactions.enumerated() {
      let request = index % 2 == 0 ? interaction.request : missed(interaction, by: "path")
      let method = Data("\(request.method) ".utf8)
      try method.write(to: scratch.file("\(index).method"))
      let rest = HardTraffic.bytes(request).dropFirst(method.count)
      try rest.write(to: scratch.file("\(index).rest"))
      let answer = interaction.response?.body.data ?? Data()
      try answer.write(to: scratch.file("\(index).answer"))
    }
    let forms = ["a.json", "a.html", "a.md", "a.xml", "a.csv", "a.txt"]
    let run = try await scratch.run(
      ["drill", "--cassette", "tape.json", "--scenario", "calm", "--concurrency", "4"]
        + ["--calls", "\(interactions.count)", "--timeout", "60s", "--gate", "blankScreens == 0"]
        + forms.flatMap { ["--report", $0] } + ["--", "bash", "client.sh", "{method}"]
    )
    let reports = try forms.map { try scratch.text($0) }
    #expect(reports[0].contains(#""notOnCassette": "GET /miss/"#))
    #expect(reports[0].contains(#""printed":"#))
    let told = [run.out, run.err] + reports
    expectEqual(HardTraffic.leaking(told: told, except: Self.known.union(Self.printedAlone)), [])
  }

  @Test(.world) func `no report of a client of a test's own has a hard secret that it asked with`()
    async throws
  {
    let interactions = HardTraffic.numbered()
    let drill = Drill(
      Cassette(interactions).redacted().cassette,
      in: [.calm],
      calls: interactions.count,
      load: .closedLoop(concurrency: 4),
      deadline: .seconds(600),
      stage: .onTheWire
    )
    let report = try await drill.run { call in
      let interaction = interactions[call.index]
      var request = call.index % 2 == 0 ? interaction.request : missed(interaction, by: "path")
      let base = RequestURL(call.baseURL.absoluteString)
      request.url.path = (base.path == "/" ? "" : base.path) + request.url.path
      return try await HardTraffic.ask([request], of: base.origin ?? "")
    }
    let scratch = try Scratch()
    let told = try ["a.json", "a.html", "a.md", "a.xml", "a.csv", "a.txt"].map { form in
      try report.write(to: scratch.file(form).path)
      return try scratch.text(form)
    }
    #expect(told[0].contains(#""notOnCassette": "GET /miss/"#))
    expectEqual(HardTraffic.leaking(told: told), [])
  }
}
