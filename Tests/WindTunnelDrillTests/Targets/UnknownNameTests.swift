import Programs
import TestSupport

@testable import WindTunnelDrill

/// The name that nobody can have is an unknown host to every client in its own words, and none sends a
/// packet to find that out: they are run where there is no network at all, if that can be had. There a name
/// that has to be asked for is another error.
@Suite(.timeLimit(.minutes(5))) struct UnknownNameTests {
  @Test func `the name has 254 characters, which are 256 octets on the wire, and ends in invalid`()
  {
    let name = Targets.unknownName
    let nowhere =
      "nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere.nowhere."
    expectEqual(name, nowhere + nowhere + nowhere + "nobody.invalid")
    expectEqual(name.utf8.count, 254)
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    #expect(labels.allSatisfy { 1...63 ~= $0.utf8.count } && labels.last == "invalid")
    // A length before each label, and the root's at the end (RFC 1035 §3.1).
    expectEqual(labels.reduce(1) { $0 + 1 + $1.utf8.count }, 256)
  }

  struct Client: Sendable, CustomTestStringConvertible {
    var name: String
    /// What must be installed.
    var programs: [String]
    /// A shell's script; the name is its first argument.
    var script: String
    /// What it prints.
    var error: String
    /// What it prints of a name that has to be asked for, where it says so.
    var unasked: String?

    var testDescription: String { name }
  }

  private static let go = #"""
    package main
    import ("context"; "errors"; "fmt"; "net"; "os")
    func main() {
      _, err := net.DefaultResolver.LookupHost(context.Background(), os.Args[1])
      var dns *net.DNSError
      if !errors.As(err, &dns) { fmt.Println(err); return }
      fmt.Println(dns.Err, dns.IsNotFound)
    }
    """#

  private static func go(by resolver: String) -> Client {
    Client(
      name: "Go, \(resolver)",
      programs: ["go"],
      script: """
        dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT && cd "$dir" || exit 9
        export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off
        cat >main.go <<'GO'
        \(go)
        GO
        go build -o look main.go 2>&1 && GODEBUG=netdns=\(resolver)+1 ./look "$1" 2>&1
        """,
      // The first line says which resolver it is.
      error: resolver == "go"
        ? "go package net: GODEBUG setting forcing use of Go's resolver\nno such host true\n"
        : "go package net: using cgo DNS resolver\nno such host true\n"
    )
  }

  static let clients = [
    Client(
      name: "curl",
      programs: ["curl"],
      // CURLE_COULDNT_RESOLVE_HOST; its sentence has no room for the whole name.
      script: #"curl -s --noproxy '*' "http://$1/" 2>&1; echo "$?""#,
      error: "6\n"
    ),
    Client(
      name: "wget",
      programs: ["wget"],
      script: #"LC_ALL=C wget -nv --no-proxy --tries=1 -O - "http://$1/" 2>&1; echo "$?""#,
      error: "wget: unable to resolve host address 'NAME'\n4\n"
    ),
    Client(
      name: "Python",
      programs: ["python3"],
      script: """
        python3 -c '
        import socket, sys
        try: socket.getaddrinfo(sys.argv[1], 80)
        except socket.gaierror as e: print(e.errno == socket.EAI_NONAME, e.errno == socket.EAI_AGAIN)
        ' "$1"
        """,
      error: "True False\n",
      unasked: "False True\n"
    ),
    Client(
      name: "Node",
      programs: ["node"],
      script: #"node -e 'require("dns").lookup(process.argv[1], e => console.log(e.code))' "$1""#,
      error: "ENOTFOUND\n",
      unasked: "EAI_AGAIN\n"
    ),
    Client(
      name: "Ruby",
      programs: ["ruby"],
      script: """
        ruby -rsocket -e 'begin
          Addrinfo.getaddrinfo(ARGV[0], 80)
        rescue SocketError => e then puts e.message end' "$1"
        """,
      error: "getaddrinfo: Name or service not known\n",
      unasked: "getaddrinfo: Temporary failure in name resolution\n"
    ),
    Client(
      name: "Java",
      programs: ["java"],
      script: """
        dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT || exit 9
        cat >"$dir/Look.java" <<'JAVA'
        public class Look {
          public static void main(String[] words) {
            try { System.out.println(java.net.InetAddress.getByName(words[0])); }
            catch (Exception e) { System.out.println(e.getClass().getName() + ": " + e.getMessage()); }
          }
        }
        JAVA
        java "$dir/Look.java" "$1"
        """,
      error: "java.net.UnknownHostException: NAME: Name or service not known\n",
      unasked: "java.net.UnknownHostException: NAME: Temporary failure in name resolution\n"
    ),
    go(by: "go"), go(by: "cgo"),
  ]

  @Test(.bothTiers, arguments: Tier.cases(clients, few: 3))
  func `a client's own error is that of an unknown host, without a packet`(client: Client)
    async throws
  {
    for program in client.programs where Executable.find(program) == nil {
      try Test.cancel("\(program) is not installed.")
    }
    let name = Targets.unknownName
    let apart = ["unshare", "-Urn"]
    var isApart = Executable.find("unshare") != nil
    if isApart { isApart = try await StartedProgram.run(apart + ["true"]).code == 0 }
    let shell = (isApart ? apart : []) + ["sh", "-c", client.script, "sh"]
    let run = try await StartedProgram.run(shell + [name])
    expectEqual(run.out, client.error.replacing("NAME", with: name))
    guard isApart, let unasked = client.unasked else { return }
    let other = try await StartedProgram.run(shell + ["name.test"])
    expectEqual(other.out, unasked.replacing("NAME", with: "name.test"))
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `URLSession says that the host is not found, on both stages`(stage: Stage) async throws {
    let nameless: Scenario = [.always(.always, .connection(.hostNotFound))]
    let drill = Drill(
      try Shipped.cassette(),
      [nameless],
      calls: 2,
      atOnce: 2,
      seconds: 60,
      on: stage
    )
    let report = try await drill.run { try await ClosureDrillTests.ask($0) }
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(row.observations.map(\.ending), [.failed("hostNotFound"), .failed("hostNotFound")])
  }
}
