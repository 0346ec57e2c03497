#if os(macOS) || os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The order of modules, and rules for all source files.
  @Suite struct TidyTests {
    /// From the lowest to the highest: a module names only those before it.
    static let order = [
      "CWindTunnelClock", "CWindTunnelConsole", "CWindTunnelFiles", "CWindTunnelSystem",
      "CWindTunnelVirtual", "WindTunnelSymptoms",
      "WindTunnelRemote", "WindTunnelCore", "WindTunnelVirtualTime", "WindTunnelVirtualTimeTesting",
      "WindTunnelHTTP", "WindTunnelWire", "WindTunnelRelease", "WindTunnelLink",
      "WindTunnelCassettes",
      "WindTunnelRedaction", "WindTunnelHAR", "WindTunnel", "WindTunnelFindings",
      "WindTunnelReports", "WindTunnelURLSession", "WindTunnelServer",
      "WindTunnelCommandLine", "WindTunnelTesting",
      "WindTunnelDrill", "WindTunnelSearch", "WindTunnelDrillTesting",
      "WindTunnelNetworkLayer", "WindTunnelNetworkLayerSockets", "WindTunnelNetworkLayerDebug",
      "WindTunnelNetworkLayerConsole", "WindTunnelReferenceSubject", "windtunnel-cli",
    ]

    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, no python3 or no awk"))
    func `arrows point down, folders make no circle, and each file is used`() throws {
      let house = try House.drawn.get()
      expectEqual(house.modules.circles, [])
      for (user, used) in house.modules.arrows {
        let place = try #require(Self.order.firstIndex(of: user), "\(user) has no place")
        let below = Set(Self.order[..<place])
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
      #expect(house.folders.count > 15)
      for (module, found) in house.folders { expectEqual(found.circles, [], "\(module)") }
      expectEqual(house.files.usedByNone, [])
    }

    @Test func `the page has the folders of each module`() throws {
      let top = House.root.appending(path: "Sources")
      let file = top.appending(path: "WindTunnel/WindTunnel.docc/Architecture.md")
      let page = try String(contentsOf: file, encoding: .utf8)
      let table = page.components(separatedBy: "| module | knows | folders |\n|---|---|---|\n")
      let rows = try #require(table.last?.components(separatedBy: "\n\n").first)
      let sources = try SourceFile.sources.get().map { $0.path.split(separator: "/") }
      var modules: [String] = []
      for row in rows.split(separator: "\n") {
        let cells = row.split(separator: "|").map { cell in
          cell.split(separator: "`").filter { $0.first?.isLetter == true }
        }
        let folders = Set(sources.filter { $0.count > 3 && cells[0].contains($0[1]) }.map { $0[2] })
        expectEqual(cells[2], folders.sorted(), "Architecture.md is old: Scripts/house --write")
        modules += cells[0].map(String.init)
      }
      let there = try FileManager.default.contentsOfDirectory(atPath: top.path)
      expectEqual(modules.sorted(), there.filter { !$0.hasPrefix(".") }.sorted())
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
    ]

    @Test func `few declarations are compiled into other modules`() throws {
      let marks = ["@_spi(WindTunnel) public", "@_spi(WindTunnel) extension", "@inlinable"]
      let found = try SourceFile.sources.get().filter { file in
        file.lines.contains { line in
          line.utf8.contains(UInt8(ascii: "@")) && marks.contains { line.contains($0) }
        }
      }
      expectEqual(found.map { String($0.path.dropFirst("Sources/".count)) }, Self.openToOthers)
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
