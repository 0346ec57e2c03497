import TestSupport

@Suite(.timeLimit(.minutes(5))) struct DNSCommandTests {
  private static let script = TestData.text("names.json")

  /// How long a resolver takes is its own affair, so only what does not wait for one is asked, and of
  /// time only that nobody is earlier than its answer.
  @Test(.enabled(if: Namespaces.areHere, Namespaces.areMissing))
  func `the system's resolver makes of each what it should`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.script, to: "names.json")
    // However busy the machine is, it waits for its answers.
    try scratch.write("nameserver 127.0.0.1\noptions timeout:30\n", to: "resolv.conf")
    try scratch.write(
      """
      import socket, sys, time
      for name in sys.argv[1:]:
          start = time.time()
          try: told = socket.getaddrinfo(name + ".test", 80, 0, socket.SOCK_STREAM)[0][4][0]
          except socket.gaierror as error: told = error.errno
          print(name, told, "early" if name == "slow" and time.time() - start < 0.7 else "")
      """,
      to: "ask.py"
    )
    let names = "any gone empty failing refusing odd torn loop long longer slow six"
    try scratch.write(
      """
      ip link set lo up
      mount --bind resolv.conf /etc/resolv.conf
      "$1" dns --script names.json --port 53 > ready 2> told & server=$!
      until [ -s ready ]; do kill -0 $server || exit 3; sleep 0.05; done
      python3 ask.py \(names)
      kill -INT $server; wait $server
      """,
      to: "look.sh"
    )
    let run = try await Companion.run(
      line("unshare -Urnm sh look.sh \(try Program.executable().path)"),
      in: scratch
    )
    expectEqual(run.code, 0, "\(run)")
    // EAI_NONAME -2, EAI_AGAIN -3, EAI_NODATA -5.
    expectEqual(
      run.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) },
      [
        "any 127.0.0.7", "gone -2", "empty -5", "failing -3", "refusing -3", "odd -2", "torn -3",
        "loop -2", "long 127.0.0.5", "longer -3", "slow 127.0.0.6", "six ::1",
      ],
      "\(run.text)"
    )
    try expectEqual(scratch.text("ready"), "127.0.0.1:53\n")
    #expect(try scratch.text("told").contains("slow.test A 1: 127.0.0.6 after 700 ms\n"))
  }

  @Test func `what makes no sense is refused, and nothing listens`() async throws {
    let scratch = try Scratch()
    let bad = #"{"windtunnelDNS":1,"entries":[{"name":"a.test","fault":"nxdomian"}]}"#
    try scratch.write(bad, to: "bad.json")
    let run = try await scratch.run("dns --script bad.json")
    #expect(run.code == 64 && run.out.isEmpty, "\(run)")
    let sentence = "bad.json, entries[0].fault: \"nxdomian\" is none of nxdomain"
    #expect(run.err.contains(sentence), "\(run.err)")
  }
}
