#if !canImport(Darwin)
  internal import CWindTunnelSystem
  internal import Foundation
  internal import WindTunnel
  internal import WindTunnelServer

  /// A network and a `/etc/resolv.conf` of one's own, in which every look-up comes to a scripted
  /// name server: a process in namespaces of its own (namespaces(7)), which takes no rights where
  /// the system lets everybody make them.
  package enum ResolverStand {
    /// A name server that says nothing is given up after three seconds, twice: resolv.conf(5). The
    /// default of five makes the same story longer.
    private static let configuration = "nameserver 127.0.0.1\noptions timeout:3 attempts:2\n"
    private static let path = "/n"
    /// The longest that any look-up takes by itself is three times that.
    private static let patience = 20

    /// Looks at these from such a process, which is `executable` started with a word and their
    /// names.
    static func reports(
      _ examples: [DNSExample],
      by executable: URL,
      _ word: String
    ) async throws -> [LookUpReport] {
      guard let unshare = Executable.find("unshare") else {
        throw DrillError.plan("unshare is not here, which makes a network of one's own")
      }
      let file = TemporaryPlace.new("conf")
      try Data(configuration.utf8).write(to: file)
      // It lies in the system's folder for such files; one that is gone is gone.
      defer { try? FileManager.default.removeItem(at: file) }
      let words = ["-Urnm", executable.path, word, file.path] + examples.map(\.name)
      guard case .exited(let code, let text) = await ProbeProcess.run(unshare, words) else {
        throw DrillError.plan("the process with a name server of its own crashed")
      }
      let reports = text.split(separator: "\n").compactMap {
        // What else is printed there is no report.
        try? JSONDecoder().decode(LookUpReport.self, from: Data($0.utf8))
      }
      guard code == 0 else {
        let reason = text.split(separator: "\n").last.map { ": \($0)" } ?? ""
        throw DrillError.plan(
          "a network of one's own, with a resolv.conf in it, is not to be had here\(reason)"
        )
      }
      return reports
    }

    /// Returns the inside of that process: the file that is to be `/etc/resolv.conf`, and names of
    /// examples. Prints a line for each and ends.
    package static func main(_ words: [String], lookingWith word: String) async -> Never {
      guard let file = words.first, let executable = Bundle.main.executableURL else { _exit(64) }
      guard wt_bind_over(file, "/etc/resolv.conf") == 0 else { refuse("/etc/resolv.conf", errno) }
      guard wt_loopback_up() == 0 else { refuse("the loopback interface", errno) }
      let examples = DNSExample.all.filter { words.dropFirst().contains($0.name) }
      let script = DNSScript(examples.flatMap { $0.entries(below: host(of: $0)) })
      do {
        let names = try await DNSServer(script, port: 53)
        let server = try await ReplayServer(
          Deck([.get(RequestURL(path)) { _ in .text(Body("here")) }])
        )
        await withTaskGroup(of: Void.self) { group in
          for example in examples {
            let port = server.port
            group.addTask { await look(at: example, port, executable, word) }
          }
        }
        await server.stop(grace: .zero)
        await names.stop()
      } catch {
        print(error)
        fflush(nil)
        _exit(70)
      }
      fflush(nil)
      _exit(0)
    }

    private static func refuse(_ what: String, _ code: Int32) -> Never {
      print("\(what): \(String(cString: strerror(code)))")
      fflush(nil)
      _exit(69)
    }

    private static func host(of example: DNSExample) -> String { "\(example.faultName).test" }

    /// Each looks for a name of its own, so that each is the first to ask.
    private static func look(
      at example: DNSExample,
      _ port: Int,
      _ executable: URL,
      _ word: String
    ) async {
      func url(_ who: String) -> URL? {
        URL(string: "http://\(who).\(host(of: example)):\(port)\(path)")
      }
      guard let forCurl = url("curl"), let forSession = url("session") else { return }
      async let curl = CurlProbe.look(at: forCurl, trusting: nil, within: patience)
      async let session = SessionProbe.text(
        at: forSession,
        by: executable,
        [word],
        within: patience
      )
      let found = await lookUp("raw.\(host(of: example))")
      let report = LookUpReport(
        name: example.name,
        found: found,
        curl: await curl,
        session: await session
      )
      // It is made of texts and numbers.
      guard let line = try? JSONEncoder().encode(report) else { return }
      print(String(decoding: line, as: UTF8.self))
    }

    private static func lookUp(_ name: String) async -> [String] {
      await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: addresses(of: name)) }.start()
      }
    }

    private static func addresses(of name: String) -> [String] {
      var hints = addrinfo()
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var list: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(name, nil, &hints, &list)
      defer { if let list { freeaddrinfo(list) } }
      guard code == 0 else { return [errors[code] ?? "EAI \(code)"] }
      var found: [String] = []
      var next = list
      while let entry = next?.pointee {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(text.count)
        if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0
        {
          found.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self))
        }
        next = entry.ai_next
      }
      return found
    }

    /// RFC 3493 §6.1; NODATA is glibc's own, -5.
    private static let errors: [Int32: String] = [
      EAI_NONAME: "EAI_NONAME", EAI_AGAIN: "EAI_AGAIN", EAI_FAIL: "EAI_FAIL",
      EAI_SYSTEM: "EAI_SYSTEM", -5: "EAI_NODATA",
    ]
  }
#endif
