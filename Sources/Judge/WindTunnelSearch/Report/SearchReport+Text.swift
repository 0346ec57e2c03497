internal import Foundation

extension SearchReport {
  /// The report as text for terminals.
  public var text: String {
    var lines = ["\(flow): \(summary)", standing]
    if !isRepeatable {
      lines.append(
        "Not repeatable: the flow does not depend on the seed alone, so a find may not recur."
      )
    }
    if !comparesResults {
      lines.append("Its result differs from run to run in calm, and is not compared.")
    }
    if let first = notVirtual.first {
      lines.append(
        "Not run: \(Words.count(notVirtual.count, "fault set")), such as \(first.kind): \(first.reason)"
      )
    }
    for (number, find) in finds.enumerated() { lines += ["", find.text(number + 1)] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The numbers of runs in a line.
  public var summary: String {
    var parts = faultSets.enumerated().map { place, count in
      "\(Words.count(count, "fault set")) of \(Words.count(place + 1, "thing"))"
    }
    parts.append("\(Words.count(orders, "run")) in a drawn task order")
    // Rounded to a hundredth of a second.
    let rounded = Duration.milliseconds(Int64((time.inMilliseconds / 10).rounded()) * 10)
    return parts.joined(separator: ", ") + ", in \(Words.time(rounded))"
  }

  /// The depth and the number of finds in a line.
  public var standing: String {
    let found =
      finds.isEmpty
      ? "Nothing found"
      : "Found: \(Words.count(finds.count, "fault set")) that break\(finds.count == 1 ? "s" : "") it"
    let searched =
      depth == 0
      ? "not all single faults were tried"
      : depth == 1
        ? "every single fault was tried" : "every fault set of up to \(depth) faults was tried"
    let cut = isCutShort ? ", and more as far as time allowed" : ""
    return "\(found); \(searched)\(cut)."
  }
}

extension Find {
  /// Returns the find as lines of text.
  func text(_ number: Int) -> String {
    let mark = isNew == true ? " (new)" : ""
    var lines = [
      "\(number). \(violation.rule)\(violation.request.map { " \($0)" } ?? "")\(mark): \(violation.seen)"
    ]
    lines.append("   fault set: \(words.isEmpty ? "none" : words.joined(separator: "; "))")
    if case .drawn(let seed) = faultSet.order { lines.append("   task order: seed \(seed)") }
    if let certain { lines.append("   certain after: \(certain)") }
    lines += requests.map { "     \($0)" }
    if others > 0 { lines.append("   \(Words.count(others, "other fault set")) showed it, too") }
    return lines.joined(separator: "\n")
  }

  /// The source of a test that fails as long as the fault set breaks the flow. In it, `flow` stands
  /// for the flow's own code, and `cassette` for its recordings.
  public var test: String {
    var faultSet = ["scenario"]
    switch self.faultSet.interruption {
    case .cancel(let step?, let after):
      faultSet.append(
        "interruption: .cancel(step: \(String(reflecting: step)), after: \(after.inSwift))"
      )
    case .cancel(nil, _), nil: break
    case .restart(let after):
      faultSet.append("interruption: .restart(after: \(after.inSwift))")
    }
    if case .drawn(let seed) = self.faultSet.order {
      faultSet.append("order: .drawn(seed: \(seed))")
    }
    var arguments = ["through: FaultSet(\(faultSet.joined(separator: ", ")))"]
    if let invariant = violation.invariant { arguments.append("keeping: [\(invariant)]") }
    let drill = seed == 1 ? "Drill(cassette)" : "Drill(cassette, in: [], seed: \(seed))"
    let file = self.faultSet.file.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    return """
      @Test func \(self.faultSet.scenario.name.inCamelCase)() async throws {
        let file = ##\"\"\"
      \(file)
          \"\"\"##
        let scenario = try Scenario(data: Data(file.utf8), source: "fault set")
        try await \(drill).run(\(arguments.joined(separator: ", "))) { try await flow($0) }
      }

      """
  }
}

extension Duration {
  /// The time as Swift source, to the microsecond, which is the resolution of all times in a run.
  fileprivate var inSwift: String {
    let microseconds = wholeMicroseconds
    return microseconds.isMultiple(of: 1000)
      ? ".milliseconds(\(microseconds / 1000))" : ".microseconds(\(microseconds))"
  }

  var wholeMilliseconds: Int64 { wholeMicroseconds / 1000 }
}

extension String {
  fileprivate var inCamelCase: String {
    let words = split(separator: "-")
    guard let first = words.first else { return "faultSet" }
    if first.first?.isLetter != true { return "faultSet" + words.map(\.capitalized).joined() }
    return first.lowercased() + words.dropFirst().map(\.capitalized).joined()
  }
}
