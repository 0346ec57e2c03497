import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct FormatCommandTests {
  @Test func `what was edited by hand is written as a recording is`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    try Cassette(contentsOf: scratch.file("a.json")).write(to: scratch.file("b.json"))
    let canonical = try scratch.text("b.json")
    let words = ["cassette", "format", "a.json", "b.json"]
    try await scratch.expect(words + ["--check"], code: 1, out: "a.json\n")
    try expectEqual(scratch.text("a.json"), Texts.cassette)
    try await scratch.expect(words, err: "a.json: formatted\n")
    try expectEqual([scratch.text("a.json"), scratch.text("b.json")], [canonical, canonical])
    try await scratch.run(words + ["--check"]).exits(0)
  }

  @Test(arguments: ["core.autocrlf=true", "core.autocrlf=input", "core.eol=crlf"])
  func `large bodies survive a clone, whatever git does to line ends`(setting: String) async throws
  {
    let scratch = try Scratch()
    try scratch.makeFolder("one")
    let cassette = Cassette(
      ["line\n", "line\r\n", "line\nand\r\n"].map { line in
        let body = Body(String(repeating: line, count: 90_000))
        return Interaction(Request("GET", "/a"), Response(body: body))
      }
    )
    try cassette.write(to: scratch.file("one/a.json"))
    try await scratch.expect("cassette format --check one/a.json")
    try scratch.write("* text=auto\n", to: "one/.gitattributes")
    try scratch.git("-C", "one", "init", "--quiet")
    try scratch.git("-c", setting, "-c", "core.safecrlf=false", "-C", "one", "add", ".")
    try scratch.git("-C", "one", "commit", "--quiet", "--message", "one")
    try scratch.git("clone", "--quiet", "--config", setting, "one", "two")
    try expectEqual(Cassette(contentsOf: scratch.file("two/a.json")), cassette)
  }
}
