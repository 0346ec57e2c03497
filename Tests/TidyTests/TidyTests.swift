#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// The walls of the house, and what no file of it may hold.
  @Suite struct TidyTests {
    /// From the lowest to the highest: a module names only those before it.
    static let order = [
      "CWindTunnelClock", "CWindTunnelConsole", "CWindTunnelFiles", "CWindTunnelSystem",
      "WindTunnelSymptoms",
      "WindTunnelRemote", "WindTunnelCore", "WindTunnelVirtualTime", "WindTunnelVirtualTimeTesting",
      "WindTunnelHTTP", "WindTunnelRelease", "WindTunnelLink", "WindTunnelCassettes",
      "WindTunnelComparison",
      "WindTunnelRedaction", "WindTunnelImports", "WindTunnel", "WindTunnelFindings",
      "WindTunnelReports", "WindTunnelURLSession", "WindTunnelServer", "WindTunnelNetworkLayer",
      "WindTunnelNetworkLayerSockets", "WindTunnelNetworkLayerDebug",
      "WindTunnelNetworkLayerConsole", "WindTunnelCommandLine",
      "WindTunnelTesting",
      "WindTunnelDrill", "WindTunnelSearch", "WindTunnelSearchTesting", "WindTunnelDrillTesting",
      "windtunnel-cli",
    ]

    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, or no python3"))
    func `arrows between modules point down`() throws {
      let modules = try House.drawn.get().modules
      #expect(modules.circles == [])
      for (user, used) in modules.arrows {
        let place = try #require(Self.order.firstIndex(of: user), "\(user) has no place")
        let below = Set(Self.order[..<place])
        #expect(Set(used.keys).subtracting(below) == [], "what \(user) names")
      }
    }

    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, or no python3"))
    func `the folders of a module make no circle`() throws {
      let folders = try House.drawn.get().folders
      #expect(folders.count > 15)
      for (module, found) in folders { #expect(found.circles == [], "\(module)") }
    }

    @Test(.enabled(if: House.isIndexed, "there is no index in .build/debug, or no python3"))
    func `nothing lies about that no file uses`() throws {
      let files = try House.drawn.get().files
      #expect(files.usedByNone == [])
    }

    /// Inventions that gave way to the field's terms.
    static let oldWords = [
      "KeptTable", "GramFilter", "Anatomy", "HeldBody", "HARSound", "MannersTally", "SpokenSecrets",
      "LoneWord", "DrawnWord", "SpelledText", "PackedText", "Echoes", "Stretches", "HARDate",
      "WireAnswers", "WholeAnswers", "PlainAnswers", "KnownRequests", "OtherTape", "Circumstances",
      "ProxyDesk", "AdminDesk", "DNSDesk", "RecordingDesk", "WaitingRoom", "Occupancy", "Seats",
      "FlightLog", "AttemptTeller", "Telegram", "Sortie", "Itinerary", "Departures", "LeftPrograms",
      "Sighting", "SeenRequest", "SeenConnection", "Milestone", "Alteration", "TapeExpectation",
      "Setback", "Governor", "Errands", "Guarded", "Outlet", "Taping", "Rereading", "AskedSight",
      "RawLook",
    ]

    @Test(arguments: ["Sources", "Tests"])
    func `no file says a word that was given up`(folder: String) throws {
      let sources = try House.sources(in: folder)
      #expect(sources.count > 100)
      for (path, lines) in sources where !path.hasSuffix("/TidyTests.swift") {
        for (number, line) in lines.enumerated() {
          let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
          let old = Self.oldWords.filter { word in words.contains { $0 == word } }
          #expect(old == [], "\(path):\(number + 1)")
        }
      }
    }

    @Test func `a comment ends at the width of a line`() throws {
      let data = try Data(contentsOf: House.root.appending(path: ".swift-format"))
      let format = try JSONDecoder().decode(Format.self, from: data)
      for (path, lines) in try House.sources(in: "Sources") {
        for (number, line) in lines.enumerated()
        where line.drop(while: { $0 == " " }).hasPrefix("//") && line.count > format.lineLength {
          // A row of a table and a line of JSON are one line.
          if line.contains("| `") || line.contains("/// {\"") { continue }
          Issue.record("\(path):\(number + 1) has \(line.count) characters")
        }
      }
    }

    /// The declarations that are compiled into other modules, for their speed: `package` is not seen
    /// through by the compiler. A benchmark has asked for each of them.
    static let openToOthers = [
      "WindTunnel/Outcome/RenderedResponseCache.swift",
      "WindTunnelCore/Boxed.swift", "WindTunnelCore/Digests.swift",
      "WindTunnelCore/Locked+Apple.swift", "WindTunnelCore/Locked+Linux.swift",
      "WindTunnelCore/Locked+Sanitized.swift",
    ]

    @Test func `few declarations are compiled into other modules`() throws {
      let marks = ["@_spi(WindTunnel) public", "@_spi(WindTunnel) extension", "@inlinable"]
      let found = try House.sources(in: "Sources").filter { _, lines in
        lines.contains { line in marks.contains { line.contains($0) } }
      }
      #expect(
        found.map { String($0.path.dropFirst("Sources/".count)) }.sorted() == Self.openToOthers
      )
    }

    @Test func `a doc comment says more than three words`() throws {
      let sources = try House.sources(in: "Sources")
      #expect(sources.count > 300)
      for (path, lines) in sources {
        var comment: [Substring] = []
        for (number, line) in lines.enumerated() {
          let text = line.drop { $0 == " " }
          if text.hasPrefix("///") {
            comment += text.dropFirst(3).split(separator: " ")
            continue
          }
          if !comment.isEmpty, comment.count < 4 {
            Issue.record("\(path):\(number): \(comment.joined(separator: " "))")
          }
          if let first = comment.first, Self.questions.contains(first) {
            Issue.record("\(path):\(number) opens with \(first)")
          }
          comment = []
        }
      }
    }

    /// The openings that leave out what a thing is.
    static let questions: Set<Substring> = [
      "What", "How", "Whether", "Who", "Whom", "Whose", "Where", "When", "Which", "Why",
    ]

    /// What is read of the formatter's configuration.
    private struct Format: Decodable { var lineLength: Int }

    /// The openings that only a reader of the code can follow.
    static let pronouns: Set<Substring> = [
      "It", "They", "This", "That", "These", "So", "There", "Such", "Whoever", "Whatever",
      "Whichever", "Wherever",
    ]

    @Test func `a public doc comment says what a thing is or what a function does`() throws {
      let comments = try DocComment.all(in: "Sources").filter(\.isPublic)
      #expect(comments.count > 1500)
      for comment in comments {
        if Self.pronouns.contains(comment.opening) { Issue.record("\(comment.place)") }
        switch comment.kind {
        case "func", "init", "subscript":
          #expect(comment.opensWithVerb, "a function opens with a verb: \(comment.place)")
        case "struct", "class", "enum", "protocol", "actor", "typealias":
          #expect(!comment.opensWithVerb, "a type opens with a noun: \(comment.place)")
        default: break
        }
        for line in comment.text where line.drop(while: { $0 == " " }).hasPrefix("- ") {
          guard let colon = line.firstIndex(of: ":") else { continue }
          let word = line[colon...].dropFirst().split(separator: " ").first ?? ""
          #expect(!Self.questions.contains(word), "\(comment.place): \(line)")
        }
      }
    }

    @Test func `what users start from has an example`() throws {
      let comments = try DocComment.all(in: "Sources")
      let list = try String(
        contentsOf: House.root.appending(path: "Scripts/entry-points.txt"),
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
      let compiled = try House.sources(in: "Tests")
        .filter { $0.path.hasSuffix("/DocExamples.swift") }
        .map { $0.lines.map { $0.trimmingPrefix { $0 == " " } }.filter { !$0.isEmpty } }
      #expect(compiled.count == 5)
      for comment in try DocComment.all(in: "Sources") {
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
