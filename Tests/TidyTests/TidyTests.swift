#if os(macOS) || os(Linux)
  import TestSupport

  /// The order of modules, and rules for all source files.
  @Suite struct TidyTests {
    /// The wings, and in each its modules, from the lowest to the highest: a module names only those
    /// before it, so a wing depends on none below it.
    static let wings = [
      (
        "Values",
        [
          "CWindTunnelFiles", "CWindTunnelSystem", "WindTunnelSymptoms", "WindTunnelCore",
          "WindTunnelHTTP", "WindTunnelLink", "WindTunnelCassettes", "WindTunnelRedaction",
          "WindTunnelHAR", "WindTunnel", "WindTunnelCommandLine",
        ]
      ),
      (
        "Wire",
        [
          "CWindTunnelConsole", "WindTunnelRemote", "WindTunnelWire", "WindTunnelURLSession",
          "WindTunnelServer",
        ]
      ),
      (
        "Client",
        [
          "WindTunnelNetworkLayer", "WindTunnelNetworkLayerOffline",
          "WindTunnelNetworkLayerSockets", "WindTunnelNetworkLayerDebug",
          "WindTunnelNetworkLayerConsole",
        ]
      ),
      (
        "Judge",
        [
          "CWindTunnelClock", "CWindTunnelVirtual", "WindTunnelVirtualTime", "WindTunnelFindings",
          "WindTunnelReports", "WindTunnelMutants", "WindTunnelDrill", "WindTunnelSearch",
        ]
      ),
      (
        "Use",
        [
          "WindTunnelRelease", "WindTunnelVirtualTimeTesting", "WindTunnelTesting",
          "WindTunnelDrillTesting", "WindTunnelReferenceSubject", "windtunnel-cli",
        ]
      ),
    ]
    static let order = wings.flatMap(\.1)

    @Test func `each module lies in its wing`() throws {
      let top = House.root.appending(path: "Sources")
      func folders(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: top.appending(path: folder).path)
          .filter { !$0.hasPrefix(".") }
      }
      expectEqual(try folders("").sorted(), Self.wings.map(\.0).sorted())
      for (wing, modules) in Self.wings {
        expectEqual(try folders(wing).sorted(), modules.sorted())
      }
    }

    /// The judges' wing names no client, so that a host's client is judged without ours.
    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, no python3 or no awk"))
    func `no module of another wing names the client's`() throws {
      let modules = Dictionary(uniqueKeysWithValues: Self.wings.map { ($0.0, Set($0.1)) })
      let client = try #require(modules["Client"])
      let users = try House.drawn.get().modules.arrows
        .filter { !client.isDisjoint(with: $0.value.keys) }.keys
      expectEqual(Set(users).subtracting(client), ["WindTunnelReferenceSubject"])
    }

    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, no python3 or no awk"))
    func `arrows point down, folders make no circle, and each file is used`() throws {
      let house = try House.drawn.get()
      expectEqual(house.modules.circles, [])
      for (user, used) in house.modules.arrows {
        let place = try #require(Self.order.firstIndex(of: user), "\(user) has no place")
        // It defines functions of the C library, so that whoever calls one of them seems to name it.
        let below = Set(Self.order[..<place] + ["CWindTunnelClock"])
        expectEqual(Set(used.keys).subtracting(below), [], "modules that \(user) must not use")
      }
      let judging = house.modules.arrows.filter { user, _ in
        ["WindTunnelDrill", "WindTunnelSearch"].contains { user.hasPrefix($0) }
      }
      #expect(judging.count > 2)
      for (user, used) in judging {
        let others = used.keys.filter { name in
          ["WindTunnelNetworkLayer", "WindTunnelHAR"].contains { name.hasPrefix($0) }
        }
        expectEqual(others, [], "\(user) judges a host's client and needs no other")
      }
      let sockets = try #require(house.modules.arrows["WindTunnelNetworkLayerSockets"]).keys
      let harness = sockets.filter { name in
        ["WindTunnel", "WindTunnelServer", "WindTunnelCassettes"].contains(name)
      }
      expectEqual(harness, [], "an app that ships the client's sockets links no harness")
      let offline = house.modules.arrows.filter { $0.value["WindTunnelNetworkLayerOffline"] != nil }
      expectEqual(Array(offline.keys), ["WindTunnelReferenceSubject"], "calls need no outbox")
      #expect(house.folders.count > 15)
      for (module, found) in house.folders { expectEqual(found.circles, [], "\(module)") }
      expectEqual(house.files.usedByNone, [])
    }

    @Test func `the page has the folders of each module`() throws {
      let folder = House.root.appending(path: "Sources")
      let file = folder.appending(path: "Values/WindTunnel/WindTunnel.docc/Architecture.md")
      let page = try String(contentsOf: file, encoding: .utf8)
      let table = page.components(separatedBy: "| module | knows | folders |\n|---|---|---|\n")
      let rows = try #require(table.last?.components(separatedBy: "\n\n").first)
      let sources = try SourceFile.sources.get().map { $0.path.split(separator: "/") }
      var modules: [String] = []
      for row in rows.split(separator: "\n") {
        let cells = row.split(separator: "|").map { cell in
          cell.split(separator: "`").filter { $0.first?.isLetter == true }
        }
        let folders = Set(sources.filter { $0.count > 4 && cells[0].contains($0[2]) }.map { $0[3] })
        expectEqual(cells[2], folders.sorted(), "Architecture.md is old: Scripts/house --write")
        modules += cells[0].map(String.init)
      }
      expectEqual(modules, Self.order)
    }

    @Test func `a comment ends at the width of a line`() throws {
      for file in try SourceFile.sources.get() {
        for (number, line) in file.lines.enumerated()
        where line.utf8.count > 100 && line.trimmed.hasPrefix("//") {
          // A row of a table and a line of JSON are one line.
          if line.contains("| `") || line.contains("/// {\"") { continue }
          #expect(line.count <= 100, "\(file.path):\(number + 1)")
        }
      }
    }

    /// The declarations that are compiled into other modules, for their speed: `package` is not seen
    /// through by the compiler. A benchmark has asked for each of them.
    static let openToOthers = [
      "WindTunnel/Outcome/RenderedResponseCache.swift",
      "WindTunnelCore/Boxed.swift", "WindTunnelCore/Digests.swift",
      "WindTunnelCore/Locked+Apple.swift", "WindTunnelCore/Locked+Linux.swift",
      "WindTunnelCore/Locked+Sanitized.swift", "WindTunnelCore/Work.swift",
    ].map { "Sources/Values/\($0)" }

    @Test func `few declarations are compiled into other modules`() throws {
      let marks = ["@_spi(WindTunnel) public", "@_spi(WindTunnel) extension", "@inlinable"]
      let found = try SourceFile.sources.get().filter { file in
        file.lines.contains { line in
          line.utf8.contains(UInt8(ascii: "@")) && marks.contains { line.contains($0) }
        }
      }
      expectEqual(found.map(\.path), Self.openToOthers)
    }

    @Test func `a doc comment says more than three words`() throws {
      let comments = try DocComment.all.get()
      #expect(comments.count > 5000)
      for comment in comments {
        let words = comment.text.reduce(0) { $0 + $1.utf8.split(separator: 32).count }
        #expect(words > 3, "\(comment.place)")
      }
    }

    @Test func `what users start from has an example`() throws {
      let comments = try DocComment.all.get()
      let list = try String(
        contentsOf: House.root.appending(path: "Scripts/development/entry-points.txt"),
        encoding: .utf8
      )
      let rows = list.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(rows.count > 40)
      for row in rows {
        let parts = row.split(separator: ": ", maxSplits: 1)
        let meant = comments.filter {
          $0.path == "Sources/\(parts[0])" && $0.declaration.hasPrefix(parts[1])
        }
        #expect(meant.contains { !$0.examples.isEmpty }, "\(row)")
      }
    }

    @Test func `an example in a doc comment is compiled`() throws {
      let compiled = try SourceFile.tests.get()
        .filter { $0.path.hasSuffix("/DocExamples.swift") }
        .map { $0.lines.map(\.trimmed).filter { !$0.isEmpty } }
      expectEqual(compiled.count, 5)
      for comment in try DocComment.all.get() {
        for example in comment.examples {
          let code = example.filter { !$0.hasPrefix("import ") }
          let isThere = compiled.contains { lines in
            lines.indices.contains { lines[$0...].starts(with: code) }
          }
          #expect(isThere, "\(comment.place)")
        }
      }
    }
  }
#endif
