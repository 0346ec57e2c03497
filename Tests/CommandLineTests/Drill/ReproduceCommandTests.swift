import TestSupport
import WindTunnelDrill

/// `reproduce`.
@Suite(.timeLimit(.minutes(5))) struct ReproduceCommandTests {
  @Test(.enabled(if: Executable.find("curl") != nil, "There is no curl to judge."))
  func `a call of a report becomes a program, or is refused with the reason`() async throws {
    let scratch = try Scratch()
    let drill = ["drill", "--calls", "2", "--report"]
    let client = ["--scenario", "outage", "--", "curl", "-s", "{url}"]
    _ = try await scratch.run(drill + ["r.json"] + client)
    let own = ["--scenario", "outage", "--subject", "urlsession", "--stage", "in-process"]
    _ = try await scratch.run(drill + ["own.json"] + own)
    let secret = ["--out", "s.py", "--", "curl", "-u", "ada:hunter2hunter2", "{url}"]
    let written = try await scratch.run(["reproduce", "r.json#outage/0"] + secret)
    #expect(written.code == 0 && written.out == "", "\(written)")
    #expect(written.err.hasSuffix(" http://127.0.0.1:8765/home\n"), "\(written)")
    let text = try scratch.text("s.py")
    #expect(text.contains("RESPONSES = {\"GET /home\": [R1"), "\(text)")
    #expect(!(text + written.err).contains("hunter2"), "\(text)")
    for (words, sentence) in [
      (
        ["own.json#outage/0"],
        "A plain server cannot reproduce this call: urlsession is not a command"
      ),
      (["r.json#outage/99"], "The report has no call 99 of exec in outage"),
      (["r.json#calm/0"], "REPORT#CALL calm: there are outage."),
      (["r.json#outage/0", "--out", "r.json"], "--out r.json"),
    ] {
      let run = try await scratch.run(["reproduce"] + words).exits(64)
      #expect(run.err.hasPrefix("windtunnel: \(sentence)") && run.out == "", "\(run)")
    }
  }
}
