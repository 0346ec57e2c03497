import TestSupport

/// `windtunnel proxy --lan` as a device sees it that is another machine: a network with a phone, and
/// behind it one that the phone is not in.
@Suite(.timeLimit(.minutes(5))) struct LocalNetworkTests {
  /// Three namespaces: the machine with the proxy (10.77.0.1 and 10.88.0.1), the phone (10.77.0.2), and a
  /// server (10.88.0.2 and 8.8.4.4, an address of the Internet as far as anybody here can tell).
  private static let network = TestData.text("local-network.sh")

  /// The phone: it says what each question comes to, by its status.
  private static let phone = TestData.text("phone.py")

  private func drive(_ more: [String], in scratch: Scratch) async throws -> [String] {
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"text":"a"}}]}"#
    try scratch.write(tape, to: "tape.json")
    try scratch.write(Self.network, to: "network.sh")
    try scratch.write(Self.phone, to: "ask.py")
    let run = try await Companion.run(
      ["unshare", "-Urnm", "sh", "network.sh", try Program.executable().path]
        + [more.joined(separator: " ")],
      in: scratch
    )
    try #require(run.code == 0, "\(run.text)")
    return try scratch.text("asked").split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: Namespaces.areHere, Namespaces.areMissing))
  func `a phone gives the code, and gets to the Internet and not into this machine`() async throws {
    let scratch = try Scratch()
    let lines = try await drive([], in: scratch)
    expectEqual(
      lines,
      [
        "before 407 407", "page 200", "wrong 403", "right 303", "global 200", "own 403 403 403",
        "loopback 403 403", "beyond 403 403",
        // It is in the phone's own network, where nobody listens.
        "beside 502", "metadata 403", "admin 127.0.0.1 403", "admin 127.1 403",
        "admin localhost 403",
        "admin 0.0.0.0 403", "admin [::ffff:127.0.0.1] 403", "admin 10.77.0.1 403",
      ],
      "\(lines)"
    )
    let told = try scratch.text("told")
    let turnedAway = "10.77.0.2 sent a request. It is served after it enters the code."
    #expect(told.contains("\n\(turnedAway)\n10.77.0.2 entered the code and is served.\n"))
    let refused = "10.77.0.2 was not connected: 10.88.0.2:80 is neither on the Internet"
    expectEqual(told.count(of: refused), 1, "\(told)")
    #expect(told.contains("--allow-private 10.88.0.2:80\n"))
    #expect(!(try scratch.text("flight.json")).contains("peers that were rejected"))
  }

  @Test(.enabled(if: Namespaces.areHere, Namespaces.areMissing))
  func `a phone that is named gives no code, and gets to what is let in by name`() async throws {
    let scratch = try Scratch()
    let flags = ["--client", "10.77.0.2", "--allow-private", "10.88.0.2:80"]
    let lines = try await drive(flags, in: scratch)
    expectEqual(
      lines,
      [
        "before 200 200", "page 200", "global 200", "own 403 403 403", "loopback 403 403",
        "beyond 200 200", "beside 502", "metadata 403", "admin 127.0.0.1 403", "admin 127.1 403",
        "admin localhost 403", "admin 0.0.0.0 403", "admin [::ffff:127.0.0.1] 403",
        "admin 10.77.0.1 403",
      ],
      "\(lines)"
    )
  }
}

extension String {
  fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
