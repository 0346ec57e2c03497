extension FindingRule {
  /// Finds clients that store a response of any size.
  static let readsWithoutLimit = FindingRule(
    id: "reads-without-limit",
    title: "Fills its memory with a response that is too large.",
    condition:
      "a response arrived that does not end or expands to a thousand times its size, and the "
      + "program's memory was measured",
    cost: "One broken or hostile server ends the process, and with it the work of other users.",
    fix:
      "Limit the bytes of a body, counted after decompression, and give up beyond the limit; or "
      + "process it piece by piece.",
    source: "CWE-400; CWE-409 (decompression bombs); OWASP API4:2023 (unrestricted consumption)",
    clients: [.program, .service]
  ).together(.memory) { rule, _, flight in
    // The memory that the program has in other calls is not caused by the response.
    let usual = flight.calls.filter { !$0.metUnboundedBody }.compactMap(\.memory?.peakBytes).max()
    let judged = flight.calls.indices.filter { place in
      let call = flight.calls[place]
      return call.isJudged && call.metUnboundedBody && call.growth(beyond: usual) != nil
    }
    let broken = judged.filter { place in
      (flight.calls[place].growth(beyond: usual) ?? 0) > Observation.Memory.growthMax
    }
    return rule.standing(broken, of: judged.count, in: flight) { place in
      let call = flight.calls[place]
      let end = call.memory?.wasEnded == true ? ", and the drill ended it" : ""
      return Violation(
        "\(call.unboundedWords), it used \(Figures.bytes(call.memory?.peakBytes)) of memory, "
          + "\(Figures.bytes(call.growth(beyond: usual))) more than before\(end)."
      )
    }
  }
}

extension Observation.Memory {
  /// The maximum growth in bytes for one response.
  package static let growthMax = 256 << 20
}

extension Observation {
  /// Whether any of its responses had a body of unlimited size.
  fileprivate var metUnboundedBody: Bool {
    attempts.contains { $0.decision.faults.contains(where: \.isUnbounded) }
  }

  /// The response, as the beginning of a sentence.
  fileprivate var unboundedWords: String {
    let isEndless = attempts.flatMap(\.decision.faults).contains {
      if case .alter(.endlessBody) = $0 { true } else { false }
    }
    return isEndless
      ? "Sent a body that does not end" : "Sent a small gzip body that expands to a large one"
  }

  /// Returns the growth of its program in bytes, beyond its memory in other calls and before this
  /// one.
  fileprivate func growth(beyond usual: Int?) -> Int? {
    guard let memory = self.memory,
      let least = [usual, memory.beforeBytes].compactMap(\.self).max()
    else {
      return nil
    }
    return max(0, memory.peakBytes - least)
  }
}
